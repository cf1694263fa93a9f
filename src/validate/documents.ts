/** The objects of a folder, each with the place of every field in the file that it came from. */
import type { Position, Problem } from "../core/diagnostics.js";
import { decode } from "../core/files.js";
import { isObject, type JsonObject } from "../core/json.js";
import { below, problem } from "../core/problem.js";
import { memberObject, membersOf } from "../kubernetes/list-members.js";
import { findResidue, findTemplateSigns, withoutLines } from "../phases/install-config/diagnose-lines.js";
import { compiledInPlace } from "../text/butane.js";
import { quote } from "../text/quote.js";
import { readYaml, rootsOf, type YamlNode } from "../text/yaml-read.js";

/** A file as it lies on disk. */
export interface DiskText {
  readonly path: string;
  readonly data: Uint8Array;
}

export interface ObjectDocument {
  readonly file: string;
  readonly object: JsonObject;
  /** Field path of the object in its document: empty, or `items[2]` in a list. */
  readonly base: string;
  readonly node: YamlNode;
}

export interface FolderText {
  readonly documents: readonly ObjectDocument[];
  readonly problems: readonly Problem[];
}

/** Reads every document of the files; a list counts as its items. */
export function readObjects(files: readonly DiskText[]): FolderText {
  const documents: ObjectDocument[] = [];
  const problems: Problem[] = [];
  for (const { path: file, data } of files) {
    const text = decode(data);
    if (text === undefined) {
      problems.push(notAnObject({ file, line: 1, column: 1 }, "the file is not UTF-8 text"));
      continue;
    }
    const { documents: read, problems: faults } = readYaml(text, file);
    const roots = rootsOf(read);
    const isBroken = faults.some(({ severity = "error" }) => severity === "error");
    const causes = isBroken || roots.some(({ type }) => type === "scalar") ? causesIn(text, file) : [];
    if (causes.length > 0) {
      problems.push(...causes);
      continue;
    }
    problems.push(...faults);
    if (roots.length === 0 && faults.length === 0)
      problems.push(notAnObject({ file, line: 1, column: 1 }, "the file contains no object"));
    for (const node of roots) documents.push(...objectsOf(node, file, problems));
  }
  return { documents, problems };
}

/** Why a text is none that could be read: the remains of a script or a template around it, as in an install-config. */
function causesIn(text: string, file: string): Problem[] {
  const residue = findResidue(text);
  const cleaned = withoutLines(text, new Set(residue.map(({ line }) => line)));
  return [...residue, ...findTemplateSigns(cleaned)].map(({ problem }) => ({ file, ...problem }));
}

function objectsOf(root: YamlNode, file: string, problems: Problem[]): ObjectDocument[] {
  return membersOf(root).flatMap((member) => {
    const { node, base } = member;
    const object = memberObject(member);
    const place = { file, line: node.line, column: node.column };
    const refused = (problem: Problem): [] => {
      problems.push(problem);
      return [];
    };
    if (object === undefined)
      return refused(notAnObject(place, "must be an object with apiVersion and kind"));
    const { apiVersion, kind, variant, ignition } = object;
    if (apiVersion === undefined && typeof variant === "string") return refused(butaneSource(place, variant));
    if (apiVersion === undefined && isObject(ignition)) return refused(bareIgnition(place));
    if (typeof apiVersion !== "string" || typeof kind !== "string" || apiVersion === "" || kind === "")
      return refused(notAnObject(place, "apiVersion and kind are required"));
    return [{ file, object, base, node }];
  });
}

/** Butane's sources name their variant where an object has its kind; nothing on the way to the cluster compiles them. */
const butaneSource = (place: Position, variant: string): Problem =>
  problem(
    "BOOT015",
    "NotSupported",
    "variant",
    `the file is a Butane config of the variant ${quote(variant)}; it must be compiled first`,
    { ...place, hint: variant === "openshift" ? compiledInPlace(place.file) : OTHER_VARIANT },
  );

const OTHER_VARIANT =
  "use the variant openshift with metadata.name and the label machineconfiguration.openshift.io/role, then compile it to a MachineConfig";

const bareIgnition = (place: Position): Problem =>
  problem("CAPI020", "Invalid", "", "the file is an Ignition config, not a Kubernetes object", {
    ...place,
    hint: "move it to spec.config of a MachineConfig with the label machineconfiguration.openshift.io/role",
  });

const notAnObject = (place: Position, message: string): Problem =>
  problem("CAPI020", "Invalid", "", message, {
    ...place,
    hint: "move files that are not Kubernetes objects out of the folder",
  });

/** A problem at a field of a document, or at its nearest ancestor that is there. */
export function problemAt({ base, file, node }: ObjectDocument, finding: Problem): Problem {
  const { field = "" } = finding;
  const { line, column } = locate(node, field);
  return { ...finding, file, line, column, field: below(base, field) };
}

/** The value at a field path; keys may hold dots, in brackets (`labels[a.b/c]`) or not (`labels.a.b/c`). */
function locate(node: YamlNode, field: string): { line: number; column: number } {
  const rest = field.replace(/^\./, "");
  if (rest === "") return node;
  if (node.type === "sequence") {
    const [whole = "", index = ""] = /^\[([0-9]+)\]/.exec(rest) ?? [];
    const item = whole === "" ? undefined : node.items[Number(index)];
    return item === undefined ? node : locate(item, rest.slice(whole.length));
  }
  if (node.type !== "mapping") return node;
  const found = node.entries
    .flatMap((entry) => {
      const key = entry.key.text;
      const length = rest.startsWith(`[${key}]`)
        ? key.length + 2
        : rest.startsWith(key) && /^(?:[.[]|$)/.test(rest.slice(key.length))
          ? key.length
          : 0;
      return length === 0 ? [] : [{ entry, length }];
    })
    .sort((a, b) => b.length - a.length)[0];
  if (found === undefined) return node;
  const { entry, length } = found;
  // An empty value has no place of its own to speak of.
  if (length === rest.length)
    return entry.value.type === "scalar" && entry.value.text === "" ? entry.key : entry.value;
  return locate(entry.value, rest.slice(length));
}
