/** The objects of a dump: what `kubectl get … -o yaml` or `-o json` printed, as Lists and as documents. */

import type { Position, Problem, Report } from "../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { problem } from "../core/problem.js";
import { type ItemType, itemTypeOf } from "../kubernetes/list-members.js";
import { isDnsLabel, isDnsSubdomain } from "../kubernetes/names.js";
import { refusalIn } from "../kubernetes/refusal.js";
import { child, readYaml, toJson, type YamlNode } from "../text/yaml-read.js";
import { type CutList, takeItems } from "./dump-items.js";
import { objectAt, textAt } from "./object.js";

/** An object of a dump, and where it stands there. */
export interface Observed extends Position {
  readonly object: JsonObject;
}

interface Placed {
  readonly root: YamlNode;
  readonly line: number;
  readonly column: number;
}

/**
 * Every object that `wanted` takes, in order. A document or item without a kind is an error: what `kubectl` prints ends
 * with `kind: List`, so that a dump which was cut off lacks it, and what else is no object was not meant as a dump.
 */
export function readDump(
  text: string,
  file: string,
  wanted: (object: JsonObject) => boolean,
  report: Report,
): Observed[] {
  const whole = new Collector(file, wanted);
  if (takeItems(text, file, (list) => whole.takeList(list))) {
    whole.problems.forEach(report);
    return whole.observed;
  }
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  const collector = new Collector(file, wanted);
  for (const { root } of documents)
    if (root !== undefined) collector.take({ root, line: root.line, column: root.column }, undefined);
  // Where the text is broken, that is what has to be told.
  if (!problems.some(({ severity = "error" }) => severity === "error")) collector.problems.forEach(report);
  return collector.observed;
}

class Collector {
  readonly observed: Observed[] = [];
  readonly problems: Problem[] = [];

  constructor(
    private readonly file: string,
    private readonly wanted: (object: JsonObject) => boolean,
  ) {}

  takeList({ frame, items }: CutList): void {
    const kind = scalarOf(frame, "kind");
    if (!kind.endsWith("List")) this.refuse(frame ?? { line: 1, column: 1 }, CUT_OFF);
    this.checkWhole(frame);
    const inherited = itemTypeOf(frame);
    for (const item of items) this.take(item, inherited);
  }

  take(placed: Placed, inherited: ItemType | undefined): void {
    const { root, line, column } = placed;
    if (root.type !== "mapping") {
      // An empty document between markers.
      if (root.type === "scalar" && root.value === null) return;
      this.refuse(placed, NO_OBJECT);
      return;
    }
    const kind = scalarOf(root, "kind");
    const items = child(root, "items");
    if (items?.type === "sequence" && (kind === "" || kind.endsWith("List"))) {
      if (kind === "") this.refuse(placed, CUT_OFF);
      this.checkWhole(root);
      const each = itemTypeOf(root, inherited);
      for (const item of items.items) this.take({ root: item, line: item.line, column: item.column }, each);
      return;
    }
    if (kind.endsWith("List") && (items === undefined || items.type === "scalar")) {
      this.checkWhole(root);
      return;
    }
    const value: Json = toJson(root);
    if (!isObject(value)) return;
    const object = kind === "" && inherited !== undefined ? { ...inherited, ...value } : value;
    const refusal = refusalIn(root);
    if (refusal !== undefined)
      this.refuse(refusal.at === root ? placed : refusal.at, refusedWith(refusal.message), refusal.field);
    else if (textAt(object, "kind") === "") this.refuse(placed, NO_OBJECT);
    else if (this.wanted(object)) {
      this.observed.push({ object: needed(object), file: this.file, line, column });
      this.checkForm(root);
      this.checkNames(root);
    }
  }

  /** A page of a list says where the next one begins: what is not in it is not absent. */
  private checkWhole(list: YamlNode | undefined): void {
    const refusal = list && refusalIn(list);
    if (refusal !== undefined) this.refuse(refusal.at, refusedWith(refusal.message), refusal.field);
    const metadata = child(list, "metadata");
    const next = child(metadata, "continue");
    if (next === undefined || scalarOf(metadata, "continue") === "") return;
    this.refuse(next, PAGE, "metadata.continue");
  }

  /** Names and uids become words of commands and lines of a runbook: they are judged as the API server judged them. */
  private checkNames(root: YamlNode): void {
    const metadata = child(root, "metadata");
    for (const [name, isLegal] of NAMES) {
      const found = metadata?.type === "mapping" ? child(metadata, name) : undefined;
      if (found === undefined || (found.type === "scalar" && found.value === null)) continue;
      if (found.type === "scalar" && isLegal(found.text)) continue;
      this.refuse(
        found,
        { message: `not an object from a cluster: metadata.${name} is invalid`, hint: NO_OBJECT.hint },
        `metadata.${name}`,
      );
    }
  }

  /** What reads an object takes a member of another form as one that is missing, which must not pass in silence. */
  private checkForm(root: YamlNode): void {
    for (const [form, path] of FORMS) {
      const found = path.reduce<YamlNode | undefined>(
        (node, name) => (node?.type === "mapping" ? child(node, name) : undefined),
        root,
      );
      if (found === undefined || found.type === form) continue;
      if (found.type === "scalar" && found.value === null) continue;
      this.refuse(
        found,
        {
          message: `not an object from a cluster: ${path.join(".")} must be a ${form === "mapping" ? "mapping" : "list"}`,
          hint: NO_OBJECT.hint,
        },
        path.join("."),
      );
    }
  }

  private refuse(
    { line, column }: { line: number; column: number },
    words: typeof CUT_OFF,
    field = "kind",
  ): void {
    const { file } = this;
    this.problems.push(
      problem("TRF057", "Invalid", field, words.message, { file, line, column, hint: words.hint }),
    );
  }
}

const NAMES: readonly (readonly [string, (text: string) => boolean])[] = [
  ["name", isDnsSubdomain],
  ["namespace", (text) => text === "" || isDnsLabel(text)],
  ["uid", (text) => /^[!-~]*$/.test(text)],
];

/** Members whose form every object of an API server has, of whatever kind it is. */
const FORMS: readonly (readonly ["mapping" | "sequence", readonly string[]])[] = [
  ["mapping", ["metadata"]],
  ["mapping", ["metadata", "annotations"]],
  ["mapping", ["metadata", "labels"]],
  ["sequence", ["metadata", "finalizers"]],
  ["sequence", ["metadata", "ownerReferences"]],
  ["mapping", ["spec"]],
  ["sequence", ["spec", "accessModes"]],
  ["mapping", ["spec", "capacity"]],
  ["mapping", ["spec", "claimRef"]],
  ["mapping", ["spec", "resources"]],
  ["mapping", ["spec", "template"]],
  ["sequence", ["spec", "volumes"]],
  ["mapping", ["status"]],
  ["mapping", ["status", "capacity"]],
  ["sequence", ["status", "conditions"]],
];

const CUT_OFF = {
  message: "the list has no kind: the dump is truncated",
  hint: "take the dump again and check that kubectl succeeds",
};
const PAGE = {
  message: "the list is incomplete: it contains only one page",
  hint: "take the dump with kubectl get, which reads all pages; in your own requests, follow metadata.continue until it is empty",
};

const refusedWith = (message: string): typeof CUT_OFF => ({
  message: `part of the dump is missing because the API server denied the request${message === "" ? "" : `: ${message}`}`,
  hint: "repeat the dump with an account that can read all of it",
});

const NO_OBJECT = {
  message: "not an object from a cluster: it has no kind",
  hint: "use the output of kubectl get --output yaml (or json)",
};

const scalarOf = (node: YamlNode | undefined, key: string): string => {
  const found = child(node, key);
  return found?.type === "scalar" && found.value !== null ? found.text : "";
};

/** Pods are the most and the biggest objects of a dump, and only their volumes count. */
function needed(object: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = objectAt(object, "metadata");
  if (textAt(object, "kind") !== "Pod") return { ...object, metadata };
  const { spec, status, ...rest } = object;
  return {
    ...rest,
    metadata,
    spec: { volumes: objectAt(object, "spec")["volumes"] ?? [] },
    status: { phase: textAt(object, "status", "phase") },
  };
}
