/**
 * Reads StorageTransferRequests and StorageTransferApprovals from manifests, with the position of every field. Other
 * objects are passed over. What the source reference may hold is fixed (facts/pvc-transfer.md §1 O2, O3): a member
 * that would be ignored could look like consent to something else, so it is an error.
 */
import type { Code } from "../core/codes.js";
import type { ErrorKind, Position, Problem } from "../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { DNS_LABEL_HINT, DNS_SUBDOMAIN_HINT, isDnsLabel, isDnsSubdomain } from "../kubernetes/names.js";
import {
  APPROVAL_KIND,
  REQUEST_KIND,
  TRANSFER_GROUP,
  TRANSFER_VERSION,
} from "../kubernetes/storage-transfer.js";
import { closest } from "../text/closest.js";
import { child, readYaml, toJson, type YamlNode } from "../text/yaml-read.js";
import { readSimpleDocuments } from "../text/yaml-simple.js";
import type { MatchField, Report, TransferObject } from "./api.js";

/** Every transfer object of a text; a text without the word is not looked at, be it YAML or not. */
export function readTransferObjects(text: string, file: string, report: Report): TransferObject[] {
  if (!text.includes("StorageTransfer")) return [];
  return rootsOf(text, file, report).flatMap((root) => objectsOf(root, undefined, file, report));
}

function rootsOf(text: string, file: string, report: Report): readonly YamlNode[] {
  const simple = readSimpleDocuments(text);
  if (simple !== undefined) return simple;
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  return documents.flatMap(({ root }) => (root === undefined ? [] : [root]));
}

function objectsOf(
  root: YamlNode,
  listKind: string | undefined,
  file: string,
  report: Report,
): TransferObject[] {
  const kind = textOf(child(root, "kind")) || (listKind ?? "");
  if (kind === REQUEST_KIND || kind === APPROVAL_KIND)
    return [new ObjectReader(root, file, report).read(kind)];
  const items =
    kind === "List" || kind === `${REQUEST_KIND}List` || kind === `${APPROVAL_KIND}List`
      ? child(root, "items")
      : undefined;
  if (items?.type !== "sequence") return [];
  return items.items.flatMap((item) =>
    objectsOf(item, kind === "List" ? undefined : kind.slice(0, -"List".length), file, report),
  );
}

const textOf = (node: YamlNode | undefined): string =>
  node?.type === "scalar" && typeof node.value === "string" ? node.value : "";

const isNull = (node: YamlNode | undefined): boolean =>
  node === undefined || (node.type === "scalar" && node.value === null);

/** Members of the specs and of their references; `null` counts as absent everywhere. */
const MEMBERS = {
  [REQUEST_KIND]: {
    spec: ["source", "approvalName", "targetName"],
    source: ["kind", "name", "namespace", "apiGroup", "apiVersion"],
  },
  [APPROVAL_KIND]: {
    spec: ["source", "targetNamespace", "requestName"],
    source: ["kind", "name", "apiGroup"],
  },
} as const;

type Rule = { readonly legal: (text: string) => boolean; readonly hint: string };
const SUBDOMAIN: Rule = { legal: isDnsSubdomain, hint: DNS_SUBDOMAIN_HINT };
const LABEL: Rule = { legal: isDnsLabel, hint: DNS_LABEL_HINT };
const ANY: Rule = { legal: () => true, hint: "" };

class ObjectReader {
  private valid = true;
  private readonly nodes = new Map<MatchField, YamlNode>();

  constructor(
    private readonly root: YamlNode,
    private readonly file: string,
    private readonly report: Report,
  ) {}

  read(kind: typeof REQUEST_KIND | typeof APPROVAL_KIND): TransferObject {
    const metadata = child(this.root, "metadata");
    const spec = child(this.root, "spec");
    const source = child(spec, "source");
    const { group, version } = this.apiVersion();
    const common = {
      group,
      version,
      file: this.file,
      line: this.root.line,
      column: this.root.column,
      name: this.text(metadata, "metadata.name", "name", SUBDOMAIN, "name"),
      namespace: this.namespace(metadata),
      sourceKind: this.text(source, "spec.source.kind", "kind", ANY, "sourceKind"),
      sourceName: this.text(source, "spec.source.name", "name", SUBDOMAIN, "sourceName"),
      annotations: annotationsOf(metadata),
      complete: isTrue(child(child(this.root, "status"), "complete")),
      uid: textOf(child(metadata, "uid")),
    };
    this.members(spec, "spec", MEMBERS[kind].spec);
    this.members(source, "spec.source", MEMBERS[kind].source);
    this.sourceGroup(source);
    const specOf = (): JsonObject => withoutNulls(spec === undefined ? {} : toJson(spec));
    const { root, file, nodes } = this;
    const place = (field: MatchField): Position => {
      const { line, column } = nodes.get(field) ?? root;
      return { file, line, column };
    };
    if (kind === REQUEST_KIND) {
      const sourceNamespace = this.text(
        source,
        "spec.source.namespace",
        "namespace",
        LABEL,
        "sourceNamespace",
      );
      const approvalName = this.text(spec, "spec.approvalName", "approvalName", SUBDOMAIN, "partnerName");
      const targetName = this.optionalText(spec, "spec.targetName", "targetName", SUBDOMAIN);
      return {
        ...common,
        type: "request",
        sourceNamespace,
        approvalName,
        targetName,
        valid: this.valid,
        spec: specOf,
        place,
      };
    }
    const targetNamespace = this.text(
      spec,
      "spec.targetNamespace",
      "targetNamespace",
      LABEL,
      "targetNamespace",
    );
    const requestName = this.text(spec, "spec.requestName", "requestName", SUBDOMAIN, "partnerName");
    return {
      ...common,
      type: "approval",
      targetNamespace,
      requestName,
      valid: this.valid,
      spec: specOf,
      place,
    };
  }

  private apiVersion(): { group: string; version: string } {
    const node = child(this.root, "apiVersion");
    const text = textOf(node);
    const { group, version } = parseApiVersion(text);
    if (version !== TRANSFER_VERSION)
      this.refuse("TRF004", node === undefined ? "Required" : "NotSupported", "apiVersion", node, {
        message: `${text === "" ? "the version is missing" : `there is no version ${JSON.stringify(version)}`}`,
        hint: `write ${TRANSFER_GROUP}/${TRANSFER_VERSION}, or the group that the definitions were made for`,
      });
    else if (group === "")
      this.report({
        code: "TRF004",
        kind: "Invalid",
        severity: "info",
        field: "apiVersion",
        ...this.at(node),
        message: "without a group no API server takes the object; it is read as the design writes it",
        hint: `write ${TRANSFER_GROUP}/${TRANSFER_VERSION}`,
      });
    return { group, version };
  }

  private namespace(metadata: YamlNode | undefined): string {
    const node = child(metadata, "namespace");
    if (!isNull(node)) return this.text(metadata, "metadata.namespace", "namespace", LABEL, "namespace");
    this.refuse("TRF002", "Required", "metadata.namespace", node ?? metadata, {
      message: "the namespace is missing, and a match depends on it",
      hint: "write it into the object; where an overlay sets it, match what kustomize build prints",
    });
    return "";
  }

  /** The text of a field that must be there. */
  private text(
    parent: YamlNode | undefined,
    field: string,
    key: string,
    rule: Rule,
    place: MatchField,
  ): string {
    const node = child(parent, key);
    const known = node ?? parent;
    if (known !== undefined) this.nodes.set(place, known);
    if (isNull(node)) {
      this.refuse("TRF002", "Required", field, known, { message: "the field is missing" });
      return "";
    }
    return this.legalText(node, field, rule);
  }

  private optionalText(parent: YamlNode | undefined, field: string, key: string, rule: Rule): string {
    const node = child(parent, key);
    return isNull(node) || (node?.type === "scalar" && node.text === "")
      ? ""
      : this.legalText(node, field, rule);
  }

  private legalText(node: YamlNode | undefined, field: string, { legal, hint }: Rule): string {
    if (node?.type !== "scalar" || typeof node.value !== "string") {
      this.refuse("TRF002", "Invalid", field, node, { message: "must be a text", hint: "quote it" });
      return node?.type === "scalar" ? node.text : "";
    }
    if (node.value === "") this.refuse("TRF002", "Required", field, node, { message: "the field is empty" });
    else if (!legal(node.value))
      this.refuse("TRF002", "Invalid", field, node, {
        message: `${JSON.stringify(node.value.slice(0, 80))} is not a legal name`,
        hint,
      });
    return node.value;
  }

  /** Members that the definition does not have would be dropped by the API server without a word. */
  private members(node: YamlNode | undefined, field: string, known: readonly string[]): void {
    if (node === undefined) return;
    if (node.type !== "mapping") {
      if (!isNull(node)) this.refuse("TRF002", "Invalid", field, node, { message: "must be a mapping" });
      return;
    }
    for (const { key, name, value } of node.entries) {
      if (known.includes(name) || isNull(value)) continue;
      const near = closest(name, known);
      this.refuse("TRF003", "Forbidden", `${field}.${name}`, key, {
        message: FORBIDDEN.get(name) ?? "there is no such member",
        hint: near === undefined ? `leave it out; ${known.join(", ")} are taken` : `did you mean ${near}?`,
      });
    }
  }

  private sourceGroup(source: YamlNode | undefined): void {
    const group = child(source, "apiGroup");
    if (!isNull(group) && textOf(group) !== "")
      this.refuse("TRF003", "NotSupported", "spec.source.apiGroup", group, {
        message: "claims are in the core group",
        hint: "leave the group out",
      });
    const version = child(source, "apiVersion");
    if (!isNull(version) && textOf(version) !== "v1")
      this.refuse("TRF003", "NotSupported", "spec.source.apiVersion", version, {
        message: "claims are in the core group, v1",
        hint: "leave the version out",
      });
  }

  private at(node: YamlNode | undefined): Position {
    const { line, column } = node ?? this.root;
    return { file: this.file, line, column };
  }

  private refuse(
    code: Code,
    kind: ErrorKind,
    field: string,
    node: YamlNode | undefined,
    words: Pick<Problem, "message"> & { readonly hint?: string },
  ): void {
    this.valid = false;
    this.report({ code, kind, field, ...this.at(node), hint: "", ...words });
  }
}

/** Why a member of a reference that looks meaningful is not taken. */
const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ["uid", "a reference does not name an identity; an approval pins it by annotation"],
  ["fieldPath", "a claim moves as a whole"],
  ["resourceVersion", "a reference does not name a state"],
  ["namespace", "an approval gives away a claim of its own namespace and no other"],
]);

function withoutNulls(value: Json): JsonObject {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, isObject(member) ? withoutNulls(member) : member]),
  );
}

const isTrue = (node: YamlNode | undefined): boolean => node?.type === "scalar" && node.value === true;

const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();

function annotationsOf(metadata: YamlNode | undefined): ReadonlyMap<string, string> {
  const node = child(metadata, "annotations");
  if (node?.type !== "mapping") return NO_ANNOTATIONS;
  return new Map(
    node.entries.flatMap(({ name, value }): [string, string][] =>
      value.type === "scalar" && typeof value.value === "string" ? [[name, value.value]] : [],
    ),
  );
}
