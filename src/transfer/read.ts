/**
 * Reads StorageTransferRequests and StorageTransferApprovals from manifests, with the position of every field. Other
 * objects are passed over. What the source reference may hold is fixed (docs/reference/pvc-transfer.md §1 O2, O3): a
 * member that would be ignored could look like consent to something else, so it is an error.
 */
import type { Position, Problem, Report } from "../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { type ProblemList, problemList } from "../core/problem.js";
import { APPROVAL_KIND, REQUEST_KIND, TRANSFER_GROUP, TRANSFER_VERSION } from "../crd/storage-transfer.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { membersOf, typeOf } from "../kubernetes/list-members.js";
import { DNS_LABEL_HINT, DNS_SUBDOMAIN_HINT, isDnsLabel, isDnsSubdomain } from "../kubernetes/names.js";
import { closest } from "../text/closest.js";
import { readYaml, rootsOf, type YamlNode } from "../text/yaml-read.js";
import type { MatchField, TransferObject } from "./api.js";
import { Document, type Member } from "./document.js";

/** Every transfer object of a text; a text without the word is not looked at, be it YAML or not. */
export function readTransferObjects(text: string, file: string, report: Report): TransferObject[] {
  if (!text.includes("StorageTransfer")) return [];
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  return rootsOf(documents).flatMap((root) => objectsOf(root, file, report));
}

/** The objects of a document, those of its lists among them. */
const objectsOf = (root: YamlNode, file: string, report: Report): TransferObject[] =>
  membersOf(root).flatMap(({ node, inherited }) =>
    objectOf(new Document(node), typeOf(node, inherited).kind, file, report),
  );

const objectOf = (document: Document, kind: string, file: string, report: Report): TransferObject[] =>
  kind === REQUEST_KIND || kind === APPROVAL_KIND
    ? [new ObjectReader(document, file, report).read(kind)]
    : [];

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

type NameRule = { readonly legal: (text: string) => boolean; readonly hint: string };
const SUBDOMAIN: NameRule = { legal: isDnsSubdomain, hint: DNS_SUBDOMAIN_HINT };
const LABEL: NameRule = { legal: isDnsLabel, hint: DNS_LABEL_HINT };
const ANY: NameRule = { legal: () => true, hint: "" };

type LinePosition = Pick<Position, "line" | "column">;

/** Where the fields of conditions stand. */
const COMMON_PLACES = {
  name: ["metadata", "name"],
  namespace: ["metadata", "namespace"],
  sourceKind: ["spec", "source", "kind"],
  sourceName: ["spec", "source", "name"],
  sourceNamespace: ["spec", "source", "namespace"],
  targetNamespace: ["spec", "targetNamespace"],
} as const;
const PLACES: Readonly<
  Record<typeof REQUEST_KIND | typeof APPROVAL_KIND, Readonly<Record<MatchField, readonly string[]>>>
> = {
  [REQUEST_KIND]: { ...COMMON_PLACES, partnerName: ["spec", "approvalName"] },
  [APPROVAL_KIND]: { ...COMMON_PLACES, partnerName: ["spec", "requestName"] },
};

/** Where a member stands, or the nearest mapping above one that is not there. */
function nearest(document: Document, path: readonly string[]): LinePosition {
  for (let length = path.length; length > 0; length--) {
    const found = document.at(...path.slice(0, length));
    if (found !== undefined) return found;
  }
  return document;
}

class ObjectReader {
  private valid = true;

  constructor(
    private readonly document: Document,
    private readonly file: string,
    private readonly report: Report,
  ) {}

  read(kind: typeof REQUEST_KIND | typeof APPROVAL_KIND): TransferObject {
    const { document, file } = this;
    const { group, version } = this.apiVersion();
    const name = this.text(["metadata", "name"], SUBDOMAIN);
    const namespace = this.namespace();
    const sourceKind = this.text(["spec", "source", "kind"], ANY);
    const sourceName = this.text(["spec", "source", "name"], SUBDOMAIN);
    const annotations = this.annotations();
    const complete = document.value("status", "complete") === true;
    const uid = textOf(document.at("metadata", "uid"));
    this.members(["spec"], MEMBERS[kind].spec);
    this.members(["spec", "source"], MEMBERS[kind].source);
    this.sourceGroup();
    const places = PLACES[kind];
    const spec = (): JsonObject => withoutNulls(document.value("spec"));
    const place = (field: MatchField): Position => {
      const { line, column } = nearest(document, places[field]);
      return { file, line, column };
    };
    const { line, column } = document;
    // Written out: spreading one object into thousands costs more than reading them.
    if (kind === REQUEST_KIND) {
      const sourceNamespace = this.text(["spec", "source", "namespace"], LABEL);
      const approvalName = this.text(["spec", "approvalName"], SUBDOMAIN);
      const targetName = this.optionalText(["spec", "targetName"], SUBDOMAIN);
      const { valid } = this;
      return {
        type: "request",
        group,
        version,
        namespace,
        name,
        sourceKind,
        sourceName,
        sourceNamespace,
        approvalName,
        targetName,
        annotations,
        complete,
        uid,
        valid,
        file,
        line,
        column,
        spec,
        place,
      };
    }
    const targetNamespace = this.text(["spec", "targetNamespace"], LABEL);
    const requestName = this.text(["spec", "requestName"], SUBDOMAIN);
    const { valid } = this;
    return {
      type: "approval",
      group,
      version,
      namespace,
      name,
      sourceKind,
      sourceName,
      targetNamespace,
      requestName,
      annotations,
      complete,
      uid,
      valid,
      file,
      line,
      column,
      spec,
      place,
    };
  }

  private apiVersion(): { group: string; version: string } {
    const member = this.document.at("apiVersion");
    const text = textOf(member);
    const { group, version } = parseApiVersion(text);
    if (version !== TRANSFER_VERSION)
      this.refuse("apiVersion", member).report(
        "TRF004",
        member === undefined ? "Required" : "NotSupported",
        text === "" ? "required value is missing" : `unsupported version ${JSON.stringify(version)}`,
        `use ${TRANSFER_GROUP}/${TRANSFER_VERSION}, or the API group of the installed CRDs`,
      );
    else if (group === "")
      problemList(this.report, "apiVersion", this.at(member)).infos.report(
        "TRF004",
        "Invalid",
        "the API group is missing; an API server rejects the object without it",
        `use ${TRANSFER_GROUP}/${TRANSFER_VERSION}`,
      );
    return { group, version };
  }

  private namespace(): string {
    const member = this.document.at("metadata");
    if (!isAbsent(member)) return this.text(["metadata", "namespace"], LABEL);
    this.refuse("metadata.namespace", member).required("TRF002", "", NAMESPACE_HINT);
    return "";
  }

  private annotations(): ReadonlyMap<string, string> {
    const members = this.document.members("metadata", "annotations");
    if (members === undefined) return NO_ANNOTATIONS;
    return new Map(
      members.flatMap(({ name }): [string, string][] => {
        const member = this.document.at("metadata", "annotations", name);
        return member?.kind === "text" ? [[name, member.text]] : [];
      }),
    );
  }

  /** The text of a field that must be there. */
  private text(path: readonly string[], rule: NameRule): string {
    const member = this.document.at(...path);
    if (!isAbsent(member)) return this.legalText(member, path.join("."), rule);
    const place = nearest(this.document, path);
    this.refuse(path.join("."), place).required("TRF002");
    return "";
  }

  private optionalText(path: readonly string[], rule: NameRule): string {
    const member = this.document.at(...path);
    return isAbsent(member) || member?.text === "" ? "" : this.legalText(member, path.join("."), rule);
  }

  private legalText(member: Member | undefined, field: string, { legal, hint }: NameRule): string {
    const problems = this.refuse(field, member);
    if (member?.kind !== "text") {
      problems.report("TRF002", "Invalid", "must be a string", "quote the value");
      return member?.text ?? "";
    }
    if (member.text === "") problems.report("TRF002", "Required", "must not be empty");
    else if (!legal(member.text))
      problems.report("TRF002", "Invalid", `invalid name ${JSON.stringify(member.text.slice(0, 80))}`, hint);
    return member.text;
  }

  /** Members that the definition does not have would be dropped by the API server without a word. */
  private members(path: readonly string[], known: readonly string[]): void {
    const found = this.document.members(...path);
    const field = path.join(".");
    if (found === undefined) {
      const member = this.document.at(...path);
      if (!isAbsent(member)) this.refuse(field, member).report("TRF002", "Invalid", "must be a mapping");
      return;
    }
    for (const each of found) {
      if (each.isNull || known.includes(each.name)) continue;
      const near = closest(each.name, known);
      this.refuse(`${field}.${each.name}`, each).report(
        "TRF003",
        "Forbidden",
        FORBIDDEN.get(each.name) ?? `unknown field ${JSON.stringify(each.name)}`,
        near === undefined
          ? `remove it; the supported fields are ${known.join(", ")}`
          : `did you mean ${near}?`,
      );
    }
  }

  private sourceGroup(): void {
    const refuse = (name: string, member: Member | undefined, must: string): void =>
      this.refuse(`spec.source.${name}`, member).report(
        "TRF003",
        "NotSupported",
        `must be ${must}: claims are in the core group`,
        `remove ${name}`,
      );
    const group = this.document.at("spec", "source", "apiGroup");
    if (!isAbsent(group) && group?.text !== "") refuse("apiGroup", group, "empty");
    const version = this.document.at("spec", "source", "apiVersion");
    if (!isAbsent(version) && version?.text !== "v1") refuse("apiVersion", version, "v1");
  }

  private at(place: LinePosition | undefined): Position {
    const { line, column } = place ?? this.document;
    return { file: this.file, line, column };
  }

  /** Where problems go that make the object unusable. */
  private refuse(field: string, place: LinePosition | undefined): ProblemList {
    const report = (each: Problem): void => {
      this.valid = false;
      this.report(each);
    };
    return problemList(report, field, this.at(place));
  }
}

const NAMESPACE_HINT =
  "set the namespace in the object; if an overlay sets it, use the output of kustomize build";

const textOf = (member: Member | undefined): string => (member?.kind === "text" ? member.text : "");
const isAbsent = (member: Member | undefined): boolean => member === undefined || member.kind === "null";

/** Why a member of a reference that looks meaningful is not taken. */
const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ["uid", "forbidden in a reference; an approval pins the uid with an annotation"],
  ["fieldPath", "forbidden: only whole claims can be transferred"],
  ["resourceVersion", "forbidden in a reference"],
  ["namespace", "forbidden: an approval applies only to claims in its own namespace"],
]);

function withoutNulls(value: Json): JsonObject {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, isObject(member) ? withoutNulls(member) : member]),
  );
}

const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();
