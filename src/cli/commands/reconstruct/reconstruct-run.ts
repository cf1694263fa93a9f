import { readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createReporter, isError, type Problem, type Reporter } from "../../../core/diagnostics.js";
import { IGNORE_ALL, textFile } from "../../../core/files.js";
import { isObject, type Json } from "../../../core/json.js";
import { problem } from "../../../core/problem.js";
import { IGNORE_FILE } from "../../../directory/git-files.js";
import { gitRoot, type InstallerState, STATE_FILE, tellExposure } from "../../../directory/index.js";
import { checkEmpty, writeNewDirectory } from "../../../directory/new-directory.js";
import { type Reconstruction, reconstruct } from "../../../pipeline/reconstruct.js";
import { isRsaKey } from "../../../pki/public-key.js";
import { planReconstruction } from "../../../reconstruct/plan.js";
import { pathWord, shellWord } from "../../../text/shell.js";
import { identitiesOf, openedTexts } from "../../age.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { readManifestTexts } from "../../manifest-texts.js";
import { print } from "../../print.js";
import * as flags from "./flags.js";

interface Listed {
  readonly path: string;
  readonly status: "created" | "removed";
  /** `file:line` of the Secret, `compiled` or `installer`. */
  readonly source: string;
}

export const runReconstruct: Handler = async (args, cli) => {
  const dir = args.get(flags.target);
  if (args.get(flags.from).length === 0)
    throw new UsageError("--from is required: files or folders with the manifests of the cluster");
  if (dir === undefined) throw new UsageError("--dir is required: the directory to create");
  const reporter = createReporter();
  const path = resolve(cli.cwd, dir);
  const made = await prepare(path, dir, args, cli, reporter);
  let files: readonly Listed[] = [];
  let written = false;
  if (made !== undefined && !reporter.failed) {
    const ignore = gitRoot(path) === undefined ? [] : [textFile(IGNORE_FILE, IGNORE_ALL)];
    const done = await writeNewDirectory(path, [...made.files, ...ignore], cli.cwd);
    if (!done.ok) reporter.report(named(done.problem, path, dir));
    else {
      written = true;
      tellExposure(join(path, STATE_FILE), join(dir, STATE_FILE), reporter.report);
      files = made.files.map((file) => ({ path: file.path, status: "created", source: file.source }));
      const installer = args.get(flags.installer);
      if (installer !== undefined) files = await complete(installer, path, dir, made, files, cli, reporter);
    }
  }
  const ok = written && !reporter.diagnostics.some(isError);
  print(args, cli, {
    kind: "ReconstructResult",
    json: { directory: dir, files },
    text: written && made !== undefined ? summary(args, dir, files, made, ok) : "",
    diagnostics: reporter.diagnostics,
    outcome: { files },
  });
  return ok ? EXIT.done : EXIT.wrong;
};

/** Everything but writing. */
async function prepare(
  path: string,
  dir: string,
  args: Arguments,
  cli: CliContext,
  reporter: Reporter,
): Promise<Reconstruction | undefined> {
  const { report } = reporter;
  const empty = await checkEmpty(path);
  if (!empty.ok) report(named(empty.problem, path, dir));
  const installer = args.get(flags.installer);
  const fault =
    installer === undefined
      ? undefined
      : (await import("../../installer.js")).programFault(resolve(cli.cwd, installer), installer);
  if (fault !== undefined) report(fault);
  const identities = identitiesOf(args, cli, report);
  const texts = await openedTexts(
    await readManifestTexts(args.get(flags.from), cli, report),
    identities,
    report,
  );
  if (reporter.diagnostics.some(({ code }) => code.startsWith("SOPS"))) return undefined;
  const choice = { controlPlane: args.get(flags.controlPlane), namespace: args.get(flags.namespace) };
  const plan = planReconstruction(texts, choice, report);
  if (plan === undefined) return undefined;
  const made = await reconstruct({
    plan,
    installConfig: args.get(flags.withInstallConfig),
    compileRequest: async (directory) =>
      (await import("../create/compile-request.js")).compileRequest(
        { ...directory, path: dir },
        "manifests",
        args,
        cli,
        report,
      ),
    report,
  });
  const key = made?.state.rootCA?.key;
  if (installer !== undefined && key !== undefined && !isRsaKey(key)) report(notFromTheseKeys(path));
  return made;
}

/** Up to 4.22 it reads PKCS#1 alone (docs/reference/ignition-configs.md §1e). */
const notFromTheseKeys = (path: string): Problem =>
  problem(
    "REC023",
    "NotSupported",
    "--installer",
    "openshift-install of this release requires RSA keys, and the state contains ECDSA keys",
    {
      file: join(path, STATE_FILE),
      hint: "remove --installer, then run slipway create ignition-configs in the new directory",
    },
  );

/** The problem with the directory called as the user calls it. */
const named = (problem: Problem, path: string, dir: string): Problem =>
  problem.file === path ? { ...problem, file: dir } : problem;

/** What the installer must have made (docs/reference/install-config-and-manifests.md §2.3). */
const OUTCOME = ["bootstrap.ign", "master.ign", "worker.ign", "metadata.json"];
const SINGLE_NODE_OUTCOME = ["bootstrap-in-place-for-live-iso.ign", "metadata.json"];

/** Runs the installer; answers the files as it leaves them. */
async function complete(
  installer: string,
  path: string,
  dir: string,
  { state }: Reconstruction,
  before: readonly Listed[],
  cli: CliContext,
  { report }: Reporter,
): Promise<readonly Listed[]> {
  const { runInstaller } = await import("../../installer.js");
  const refused = await runInstaller({
    program: resolve(cli.cwd, installer),
    name: installer,
    directory: path,
    secrets: secretsOf(state),
    line: (text) => cli.log.info(text),
  });
  const now = new Set(filesBelow(path));
  if (refused !== undefined) report(refused);
  else if (!SINGLE_NODE_OUTCOME.every((name) => now.has(name)))
    for (const name of OUTCOME.filter((each) => !now.has(each)))
      report(
        problem("REC021", "NotFound", "", "openshift-install succeeded but did not create this file", {
          file: join(dir, name),
          hint: `check that ${installer} is openshift-install of the release`,
        }),
      );
  const sources = new Map(before.map((each) => [each.path, each.source]));
  const kept = [...now].flatMap((name): Listed[] => {
    if (name === IGNORE_FILE) return [];
    const source = name.startsWith(".openshift_install") ? undefined : sources.get(name);
    return [{ path: name, status: "created", source: source ?? "installer" }];
  });
  const gone = before.filter((each) => !now.has(each.path));
  return [...kept, ...gone.map((each): Listed => ({ ...each, status: "removed" }))].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => relative(folder, join(each.parentPath, each.name)).replaceAll("\\", "/"));

/** Passwords, tokens and credentials of the state; keys are told by their form. */
function secretsOf({
  installConfig,
  kubeadmin,
  credentials,
  internalReleaseImage,
}: InstallerState): string[] {
  const texts: string[] = [];
  const gather = (value: Json | undefined): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(gather);
  };
  const pullSecret = installConfig?.config["pullSecret"];
  if (typeof pullSecret === "string") {
    texts.push(pullSecret);
    for (const [, value] of pullSecret.matchAll(/"(?:auth|password|identitytoken)"\s*:\s*"([^"]+)"/g))
      texts.push(value ?? "");
  }
  const platform = installConfig?.config["platform"];
  if (isObject(platform))
    for (const each of JSON.stringify(platform).matchAll(/"[a-z]*password"\s*:\s*"([^"]+)"/gi))
      texts.push(each[1] ?? "");
  gather(credentials === undefined ? undefined : { ...credentials });
  texts.push(kubeadmin?.password ?? "", kubeadmin?.hash ?? "", internalReleaseImage?.password ?? "");
  return texts;
}

function summary(
  args: Arguments,
  dir: string,
  files: readonly Listed[],
  { releaseImage, state }: Reconstruction,
  ok: boolean,
): string {
  const there = files.filter(({ status }) => status === "created");
  const lines = there.map(({ path, source }) => `${path}  (${source})`);
  const sum = `${there.length} files in ${dir}; they contain keys and passwords of the cluster and are readable by you only.`;
  if (args.get(flags.installer) !== undefined)
    return [...lines, "", sum, ok ? "The phase is complete." : "The phase is incomplete; see above."].join(
      "\n",
    );
  const image =
    state.options?.["release-image"] === undefined
      ? ` --release-image ${shellWord(releaseImage ?? "PULLSPEC")}`
      : "";
  return [
    ...lines,
    "",
    sum,
    "Next, run one of",
    `  slipway create ignition-configs --dir ${pathWord(dir)}${image}`,
    `  openshift-install create ignition-configs --dir ${pathWord(dir)}    (of the same release; it deletes the files that it reads)`,
  ].join("\n");
}
