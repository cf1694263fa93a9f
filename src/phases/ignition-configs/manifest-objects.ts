/**
 * The objects of manifests/ and openshift/ as the installer's ignition phase looks at them
 * (facts/ignition-configs.md §7b): the first document of each file that is none of the machines', each object once.
 */
import { decode, type OutputFile } from "../../core/files.js";
import { isObject, type JsonObject } from "../../core/json.js";
import { formatIdentity, identityKey, identityOf } from "../../kubernetes/identity.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import type { IgnitionInput } from "./input.js";
import { isMachineManifest } from "./machine-manifests.js";

export interface ManifestObject {
  readonly path: string;
  readonly object: JsonObject;
}

/** Reports what is no object and what stands twice; the rest is in the order of the files. */
export function manifestObjects({
  manifestFiles,
  report,
}: Pick<IgnitionInput, "manifestFiles" | "report">): readonly ManifestObject[] {
  const first = new Map<string, string>();
  return manifestFiles.flatMap((file): ManifestObject[] => {
    if (isMachineManifest(file.path)) return [];
    const object = readObject(file, report);
    if (object === undefined) return [];
    const identity = identityOf(object);
    const key = identityKey(identity);
    const other = first.get(key);
    if (other === undefined) first.set(key, file.path);
    else
      report({
        code: "IGN002",
        kind: "Duplicate",
        file: file.path,
        field: "metadata.name",
        message: `${formatIdentity(identity)} stands in ${other} too`,
        hint: "keep one of the two files",
      });
    return [{ path: file.path, object }];
  });
}

function readObject({ path, data }: OutputFile, report: IgnitionInput["report"]): JsonObject | undefined {
  const refuse = (message: string, hint: string, place: { line?: number; column?: number } = {}): undefined =>
    void report({ code: "IGN003", kind: "Parse", file: path, ...place, message, hint });
  const text = decode(data);
  if (text === undefined)
    return refuse("the file is not UTF-8 text", "write it as UTF-8, or move it out of the folder");
  const { documents } = readYaml(text, path, { firstOnly: true });
  const [document] = documents;
  const fault = document?.problems.find(({ code }) => code === "YAML001" || code === "YAML003");
  if (fault !== undefined) return refuse(fault.message, fault.hint ?? "", fault);
  const object = document?.root === undefined ? undefined : toJson(document.root);
  const kind = isObject(object) ? object["kind"] : undefined;
  if (!isObject(object) || typeof kind !== "string" || kind === "")
    return refuse(
      "the first document is no object with a kind",
      "nothing else can be applied to the cluster; move it out of the folder",
    );
  return object;
}
