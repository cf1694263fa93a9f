/**
 * The objects of manifests/ and openshift/ as the installer's ignition phase looks at them
 * (docs/reference/ignition-configs.md §7b): the first document of each file that is none of the machines', each object
 * once.
 */
import type { Code } from "../../core/codes.js";
import type { Position } from "../../core/diagnostics.js";
import type { OutputFile } from "../../core/files.js";
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { formatIdentity, identityKey, identityOf } from "../../kubernetes/identity.js";
import { decodeText } from "../../text/decode-text.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import type { IgnitionInput } from "./input.js";
import { isMachineManifest } from "./machine-manifests.js";

export interface ManifestObject {
  readonly path: string;
  readonly object: JsonObject;
}

/** Reports what is no object and what appears twice; the rest is in the order of the files. */
export function manifestObjects({
  manifestFiles,
  release,
  report,
}: Pick<IgnitionInput, "manifestFiles" | "release" | "report">): readonly ManifestObject[] {
  const first = new Map<string, string>();
  return manifestFiles.flatMap((file): ManifestObject[] => {
    if (isMachineManifest(file.path, release)) return [];
    const object = readObject(file, report);
    if (object === undefined) return [];
    const identity = identityOf(object);
    const key = identityKey(identity);
    const other = first.get(key);
    if (other === undefined) first.set(key, file.path);
    else
      report(
        problem(
          "IGN002",
          "Duplicate",
          "metadata.name",
          `${identity.kind === "" ? "an empty document" : formatIdentity(identity)} is also in ${other}`,
          { file: file.path, hint: "remove one of the two files" },
        ),
      );
    return [{ path: file.path, object }];
  });
}

/** An empty document counts as an object without a name, of which there may be one; the bootstrap passes over it. */
function readObject({ path, data }: OutputFile, report: IgnitionInput["report"]): JsonObject | undefined {
  const refuse = (message: string, hint = "", { line = 1, column = 1 }: Partial<Position> = {}): undefined =>
    void report(problem("IGN003", "Parse", "", message, { file: path, line, column, hint }));
  const { text, problem: undecoded } = decodeText(data, path);
  if (text === undefined) return refuse(undecoded?.message ?? "", undecoded?.hint, undecoded);
  const [document] = readYaml(text, path, { firstOnly: true }).documents;
  const fault = document?.problems.find(({ code }) => FATAL.has(code));
  if (fault !== undefined) return refuse(fault.message, fault.hint, fault);
  const object = document?.root === undefined ? null : toJson(document.root);
  if (object === null) return {};
  const { apiVersion, kind } = isObject(object) ? object : {};
  if (!isObject(object) || typeof kind !== "string" || kind === "")
    return refuse("the first document must be an object with a kind", "move the file out of the folder");
  if (typeof apiVersion === "string" && apiVersion.split("/").length > 2)
    return refuse("apiVersion must not have more than one slash", "use GROUP/VERSION, or v1");
  if (!isFiniteJson(object))
    return refuse("infinite numbers and NaN are not supported in JSON", "put the value in quotes");
  return object;
}

/** Text that is not YAML, and text that means different things to different readers. */
const FATAL: ReadonlySet<Code> = new Set<Code>(["YAML001", "YAML002", "YAML003", "YAML004"]);

function isFiniteJson(value: Json): boolean {
  if (isObject(value)) return Object.values(value).every(isFiniteJson);
  if (isList(value)) return value.every(isFiniteJson);
  return typeof value !== "number" || Number.isFinite(value);
}
