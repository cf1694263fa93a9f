/**
 * Manifests of the user's in the ConfigMap that assisted-service takes them from. It puts each into openshift/, under
 * its key (openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go syncManifests,
 * internal/manifests/manifests.go; docs/reference/cluster-api.md §8).
 */
import { decode, type OutputFile } from "../../../core/files.js";
import { type Problem, problem, warning } from "../../../core/problem.js";
import { parseManifestPath } from "../../../kubernetes/manifest-secrets.js";
import { DATA_LIMIT, isSecretKey } from "../../../kubernetes/secrets.js";
import { saysSame } from "../../../text/yaml-content.js";

/** A ConfigMap's data; the keys of all of them differ. */
export type ManifestData = Readonly<Record<string, string>>;

/**
 * The files that such a cluster does not make itself, as many as fit into each ConfigMap. What the user changed of those
 * that it does is reported: it gets none of these.
 * @param generated what assisted-service makes itself
 */
export function manifestData(
  files: readonly OutputFile[],
  generated: readonly OutputFile[],
  report: (problem: Problem) => void,
): ManifestData[] {
  const own = new Map(generated.map((file) => [file.path, file]));
  for (const { path, data } of files) {
    const before = own.get(path);
    // What is secret differs in a clone too.
    if (before === undefined || before.secret || saysSame(path, data, before.data)) continue;
    report(
      warning(
        "CAPI043",
        "NotSupported",
        "",
        "the change is not applied to the cluster: assisted-service runs the installer, which generates this manifest again",
        {
          file: path,
          hint: "add it to openshift/ with another file name; it is then applied later",
        },
      ),
    );
  }
  const owners = new Map<string, string>();
  const maps: { [key: string]: string }[] = [];
  let room = 0;
  for (const { path, data } of files.filter((file) => !own.has(file.path))) {
    const refuse = (code: Problem["code"], kind: Problem["kind"], message: string, hint: string): void =>
      report(problem(code, kind, "", message, { file: path, hint }));
    const file = parseManifestPath(path)?.file;
    const text = decode(data);
    if (file === undefined) {
      report(
        warning("CAPI002", "NotSupported", "", "the file is not included", {
          file: path,
          hint: "move it to manifests/ or openshift/ as *.yaml, *.yml or *.json; subfolders are ignored",
        }),
      );
      continue;
    }
    const owner = owners.get(file);
    if (text === undefined)
      refuse("CAPI043", "Invalid", "the file is not text, which a ConfigMap requires", "remove it");
    else if (!isSecretKey(file) || file.startsWith("."))
      refuse(
        "CAPI043",
        "Invalid",
        "the file name is not a valid ConfigMap key",
        "rename it; use letters, digits, '-', '_' and '.', without a leading dot",
      );
    else if (owner !== undefined)
      refuse(
        "CAPI005",
        "Duplicate",
        `${owner} has the same name, and assisted-service copies every manifest to openshift/`,
        "rename one of them",
      );
    else if (data.length > DATA_LIMIT)
      refuse(
        "CAPI003",
        "TooLong",
        `the file has ${data.length} bytes; a ConfigMap must have at most ${DATA_LIMIT}`,
        "split its documents into several files",
      );
    else {
      owners.set(file, path);
      const size = data.length + file.length;
      if (maps.length === 0 || size > room) {
        maps.push({});
        room = DATA_LIMIT;
      }
      room -= size;
      const last = maps.at(-1);
      if (last !== undefined) last[file] = text;
    }
  }
  return maps;
}
