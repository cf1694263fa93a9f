import type { Problem } from "../../core/diagnostics.js";
import type { OutputFile } from "../../core/files.js";
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
      return refuse({
        code: "CAPI002",
        kind: "NotSupported",
        severity: "warning",
        message: "the file is not wrapped; the ignition phase would not load it either",
        hint: "it loads *.yaml, *.yml and *.json of manifests/ and openshift/, no sub-folders",
      });
    if (data.length > DATA_LIMIT)
      return refuse({
        code: "CAPI003",
        kind: "TooLong",
        message: `the file has ${data.length} bytes, and a Secret holds at most ${DATA_LIMIT}`,
        hint: "split its documents over several files, or take large content out of the manifest",
      });
    const { name, key, labels, annotations } = manifestSecret(path, infraID);
    const owner = owners.get(name);
    if (owner !== undefined)
      return refuse({
        code: "CAPI005",
        kind: "Duplicate",
        message: `the file would get the same Secret as ${JSON.stringify(owner)}`,
        hint: "rename one of the two",
      });
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
