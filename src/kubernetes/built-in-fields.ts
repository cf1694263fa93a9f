/** The fields of built-in kinds: what lies below each, the releases that have it, and the gates that it needs. */
import fieldTable from "../../tables/kubernetes-fields.json" with { type: "json" };
import messageTable from "../../tables/kubernetes-messages.json" with { type: "json" };
import { holdsAt, type Span } from "../core/by-release.js";
import { type Minor, release } from "../core/minor.js";

/** The releases whose fields are known. */
export const FIELD_RELEASES = {
  first: release(fieldTable.releases.first),
  last: release(fieldTable.releases.last),
};

export interface MessageField {
  /** The message that declares it, which may be an inline one. */
  readonly owner: string;
  /** The message below it; undefined for a plain value. */
  readonly message: string | undefined;
  /** The letter of a plain value, as `about` of the table says them; else the message again. */
  readonly type: string;
  readonly shape: "one" | "list" | "map";
  /** True where Go tells a value that is left out from an empty one. */
  readonly isPointer: boolean;
}

const PACKAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = messageTable.messages;
const API_VERSIONS: Readonly<Record<string, string>> = messageTable.apiVersions;

const read = new Map<string, ReadonlyMap<string, MessageField>>();

/** The fields of a message by their names, those of inline messages included. */
export function fieldsOf(message: string): ReadonlyMap<string, MessageField> {
  const known = read.get(message);
  if (known !== undefined) return known;
  const home = message.slice(0, message.lastIndexOf("."));
  const text = textOf(message) ?? "";
  const fields = new Map<string, MessageField>();
  read.set(message, fields);
  for (const each of text.replace(/^=/, "").split("|")) {
    const [, name = "", flags = "", type = ""] = /^[0-9]+ (\S*) ([[{*!~]{0,5})(\S+)$/.exec(each) ?? [];
    const below = type.length <= 1 ? undefined : type.includes(".") ? type : `${home}.${type}`;
    if (name === "" && below !== undefined)
      for (const [own, field] of fieldsOf(below)) fields.set(own, field);
    else if (name !== "")
      fields.set(name, {
        owner: message,
        message: below,
        type: below ?? type,
        shape: flags.includes("[") ? "list" : flags.includes("{") ? "map" : "one",
        isPointer: flags.includes("*"),
      });
  }
  return fields;
}

const textOf = (message: string): string | undefined => {
  const at = message.lastIndexOf(".");
  return PACKAGES[message.slice(0, at)]?.[message.slice(at + 1)];
};

/** False for a message that the table does not have, such as one that reads its own JSON. */
export const isDescribed = (message: string): boolean => textOf(message) !== undefined;

/** What the items of a message are, whose value is the one list in it; undefined for any other. */
export const itemOf = (message: string): string | undefined =>
  textOf(message)?.startsWith("=") ? [...fieldsOf(message).values()][0]?.type : undefined;

/** The message of a kind; undefined where it is not known. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const home = API_VERSIONS[apiVersion];
  return home !== undefined && PACKAGES[home]?.[kind] !== undefined ? `${home}.${kind}` : undefined;
}

interface Row extends Span {
  readonly message: string;
  readonly field?: string;
}
interface GateRow extends Span {
  readonly message: string;
  readonly field: string;
  readonly gate: string;
}

function grouped<T extends { readonly message: string; readonly field?: string }>(
  rows: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = `${row.message}.${row.field ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

let presence: ReadonlyMap<string, readonly Row[]> | undefined;
let gates: ReadonlyMap<string, readonly GateRow[]> | undefined;

/** When a release has the field; undefined where all known releases have it. */
export function spansOf(message: string, field: string): readonly Span[] | undefined {
  presence ??= grouped<Row>(fieldTable.rows);
  return presence.get(`${message}.${field}`);
}

/** True when the release has the field; `release` is one of those whose fields are known. */
export const hasField = (message: string, field: string, at: Minor): boolean =>
  spansOf(message, field)?.some((span) => holdsAt(span, at)) ?? true;

/**
 * The gates that the field needs in a release, all of them. A marker often came later than the gate: it counts for older
 * releases too, where a gate that they do not know is on.
 */
export function gatesOf(message: string, field: string, at: Minor): readonly string[] {
  gates ??= grouped<GateRow>(fieldTable.gates);
  return (gates.get(`${message}.${field}`) ?? [])
    .filter(({ before }) => holdsAt({ before }, at))
    .map(({ gate }) => gate);
}
