/** `slipway init --gitops`: files for the controller that applies the clusters from the repository. */
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Report } from "../../../core/diagnostics.js";
import { problem, warning } from "../../../core/problem.js";
import { originOf } from "../../../directory/git-root.js";
import { entriesOf } from "../../../directory/look.js";
import { textIfRegular } from "../../../directory/read-input.js";
import type { GitOpsController } from "../../../phases/assets.js";
import { SHARED_FOLDER } from "../../../phases/infrastructure-manifests/layout.js";
import {
  clusterFolder,
  type DeployedCluster,
  gitOpsFiles,
  labelsOf,
  OURS,
} from "../../../pipeline/gitops-files.js";
import { pathWord } from "../../../text/shell.js";
import type { CliContext } from "../../cli-context.js";
import type { Arguments } from "../../flags.js";
import * as flags from "./flags.js";
import { MARK } from "./pipelines.js";
import type { Target, Wanted } from "./wanted.js";

export async function controllerFiles(
  targets: readonly Target[],
  repository: string,
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<readonly Wanted[]> {
  const controller = args.get(flags.gitops);
  if (controller === undefined) return [];
  const clusters = deployed(targets, repository, cli, report);
  for (const { directory, compiledFor } of targets)
    if (compiledFor !== undefined && compiledFor !== controller)
      report(
        warning(
          "INIT005",
          "Invalid",
          "",
          compiledFor === "none"
            ? `the objects have no annotations for ${controller}`
            : `the objects were compiled with --gitops ${compiledFor}`,
          {
            file: directory,
            hint: `run: ${compileAgain(directory, controller)}`,
          },
        ),
      );
  const { createRenderer } = await import("../../../text/render.js");
  const files = gitOpsFiles(
    {
      controller,
      clusters,
      repoURL: originOf(repository) ?? `https://${MARK}/repository.git`,
      image: `${MARK}@sha256:${MARK}`,
    },
    await createRenderer(["gitops"], report),
  );
  if (args.given(flags.fleet)) reportLeft(controller, repository, files, cli, report);
  return files.map(
    ({ of, file, isOurs }): Wanted => ({
      root: of === "repository" ? repository : join(repository, of.directory),
      file,
      extends: isOurs,
      isSame: (old, text) => withoutValues(old) === withoutValues(text),
      isOptional: true,
    }),
  );
}

/** The command that compiles a directory for a controller. */
export const compileAgain = (directory: string, controller: GitOpsController): string =>
  `slipway create infrastructure-manifests --dir ${pathWord(directory)} --gitops ${controller}`;

/** A file without the values that only the user knows. */
const withoutValues = (text: string): string => text.replace(/^( *(?:repoURL|image): ).*$/gm, "$1");

/** The clusters that a controller can find in the repository; others are reported. */
function deployed(
  targets: readonly Target[],
  repository: string,
  cli: CliContext,
  report: Report,
): readonly DeployedCluster[] {
  const refuse = ({ directory }: Target, message: string, hint: string): [] => {
    report(problem("INIT004", "NotSupported", "", message, { file: directory, hint }));
    return [];
  };
  const found = targets.flatMap((target) => {
    const place = relative(repository, resolve(cli.cwd, target.directory)).split(sep).join("/");
    if (place === ".." || place.startsWith("../") || isAbsolute(place))
      return refuse(target, "the directory is outside the repository", "move it into the repository");
    if (place === "")
      return refuse(
        target,
        "the asset directory is the top folder of the repository, where the controller's files have no place",
        "move the cluster to a folder of its own, such as clusters/NAME",
      );
    const { layout } = target;
    if (layout === "inline")
      return refuse(
        target,
        "with --secrets inline the objects are not in Git, so there is nothing to apply",
        "set --secrets sops or --secrets separate",
      );
    // A list knows a cluster by its directory.
    const called = target.name === target.directory ? undefined : target.name;
    return [{ directory: place, secrets: layout, called }];
  });
  const labels = labelsOf(found);
  const known = new Set<string>();
  return found.map(({ directory, secrets }, index) => {
    const shared = sharedIn(join(repository, directory, SHARED_FOLDER));
    const ownsShared = shared !== undefined && !known.has(shared);
    if (shared !== undefined) known.add(shared);
    return { name: labels[index] ?? "", directory, secrets, ownsShared };
  });
}

/** The content of a folder of shared objects, by which it is told from another cluster's; undefined without one. */
function sharedIn(folder: string): string | undefined {
  const names = namesIn(folder).filter((name) => name.endsWith(".yaml"));
  return names.length === 0
    ? undefined
    : names
        .sort()
        .map((name) => `${name}\n${textIfRegular(join(folder, name))}`)
        .join("\0");
}

/** Files of earlier runs about clusters that are in the fleet no longer. */
function reportLeft(
  controller: GitOpsController,
  repository: string,
  files: ReturnType<typeof gitOpsFiles>,
  cli: CliContext,
  report: Report,
): void {
  const folder = clusterFolder(controller);
  const wanted = new Set(files.map(({ file }) => file.path));
  for (const name of namesIn(join(repository, folder))) {
    const path = `${folder}/${name}`;
    if (!name.endsWith(".yaml") || wanted.has(path)) continue;
    if (textIfRegular(join(repository, path))?.startsWith(OURS) !== true) continue;
    report(
      warning("INIT006", "Invalid", "", "the cluster is not in the fleet file", {
        file: relative(cli.cwd, join(repository, path)),
        hint: "delete the file, or add the cluster to the fleet file; deleting it changes nothing in the management cluster",
      }),
    );
  }
}

const namesIn = (folder: string): readonly string[] =>
  entriesOf(folder).flatMap((each) => (each.isFile() ? [each.name] : []));
