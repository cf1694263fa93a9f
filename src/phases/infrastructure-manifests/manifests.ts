import type { OutputFile } from "../../core/files.js";
import { type Problem, problem, warning } from "../../core/problem.js";
import { manifestSecret, parseManifestPath, shortName } from "../../kubernetes/manifest-secrets.js";
import { DATA_LIMIT, encodeBase64 } from "../../kubernetes/secrets.js";
import type { Identity, Rendering } from "../../platforms/platform.js";
import { manifestFile } from "./layout.js";

/**
 * One Secret for each file that the ignition phase would load; what it would not load is reported
 * (docs/reference/source-designs.md §1.2).
 */
export function manifestRenderings(
  files: readonly OutputFile[],
  { infraID }: Identity,
  namespace: string,
  report: (problem: Problem) => void,
): Rendering[] {
  const owners = new Map<string, string>();
  return files.flatMap(({ path: file, data }): Rendering[] => {
    const refuse = (problem: Pick<Problem, "code" | "kind" | "message" | "hint" | "severity">): [] => {
      report({ file, ...problem });
      return [];
    };
    const path = parseManifestPath(file);
    if (path === undefined)
      return refuse(
        warning(
          "CAPI002",
          "NotSupported",
          "",
          "the file is not wrapped, and the ignition phase ignores it too",
          "move it to manifests/ or openshift/ as *.yaml, *.yml or *.json; subfolders are ignored",
        ),
      );
    if (data.length > DATA_LIMIT)
      return refuse(
        problem(
          "CAPI003",
          "TooLong",
          "",
          `the file has ${data.length} bytes; a Secret must have at most ${DATA_LIMIT}`,
          "split its documents into several files, or remove large content from the manifest",
        ),
      );
    const { name, key, labels, annotations } = manifestSecret(path, infraID);
    const owner = owners.get(name);
    if (owner !== undefined)
      return refuse(
        problem(
          "CAPI005",
          "Duplicate",
          "",
          `the file has the same Secret name as ${JSON.stringify(owner)}`,
          "rename one of them",
        ),
      );
    owners.set(name, file);
    return [
      {
        template: "infrastructure-manifests/30_manifest.yaml",
        path: manifestFile(shortName(path)),
        view: { name, namespace, labels, annotations, data: { [key]: encodeBase64(data) } },
        secret: true,
      },
    ];
  });
}
