/**
 * Lists as clients of the API take them: `List`, the lists of one kind that the API answers with (`SecretList`), and
 * lists in lists (apimachinery, pkg/apis/meta/v1/unstructured/unstructured.go).
 */
import type { JsonObject } from "../core/json.js";
import { isObject } from "../core/json.js";
import { child, type SequenceNode, toJson, type YamlNode } from "../text/yaml-read.js";

/** What the items of a list of one kind are; they need not say it themselves. */
export interface ItemType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object of a document: the document itself, or what its list holds. */
export interface ListMember {
  readonly node: YamlNode;
  /** Field path below the document: empty, or `items[2]`, or `items[2].items[0]`. */
  readonly base: string;
  /** What it is where it does not say so. */
  readonly inherited: ItemType | undefined;
}

const textAt = (node: YamlNode | undefined, key: string): string => {
  const found = child(node, key);
  return found?.type === "scalar" && found.value !== null ? found.text : "";
};

/** The items of a list; undefined for anything that is none. */
export function itemsOf(node: YamlNode | undefined, kind = textAt(node, "kind")): SequenceNode | undefined {
  const items = kind.endsWith("List") ? child(node, "items") : undefined;
  return items?.type === "sequence" ? items : undefined;
}

/** What the items of a list are by its own kind; undefined for a `List`, whose items say it themselves. */
export function itemTypeOf(list: YamlNode | undefined, inherited?: ItemType): ItemType | undefined {
  const kind = (textAt(list, "kind") || inherited?.kind) ?? "";
  if (kind === "List" || !kind.endsWith("List")) return undefined;
  const apiVersion = (textAt(list, "apiVersion") || inherited?.apiVersion) ?? "";
  return { apiVersion, kind: kind.slice(0, -"List".length) };
}

/** The objects of a document, in order; what is no mapping is among them, for the caller to judge. */
export function membersOf(node: YamlNode, inherited?: ItemType, base = ""): readonly ListMember[] {
  const items = itemsOf(node, typeOf(node, inherited).kind);
  if (items === undefined) return [{ node, base, inherited }];
  const each = itemTypeOf(node, inherited);
  return items.items.flatMap((item, i) =>
    membersOf(item, each, `${base === "" ? "" : `${base}.`}items[${i}]`),
  );
}

/** apiVersion and kind of an object; what it leaves out, its list says where the object is of the list's kind. */
export function typeOf(node: YamlNode, inherited: ItemType | undefined): ItemType {
  const own = { apiVersion: textAt(node, "apiVersion"), kind: textAt(node, "kind") };
  if (inherited === undefined || (own.kind !== "" && own.kind !== inherited.kind)) return own;
  return { apiVersion: own.apiVersion || inherited.apiVersion, kind: inherited.kind };
}

/** The value of a member with the type that its list gives it; undefined for what is not a mapping. */
export function memberObject({ node, inherited }: ListMember): JsonObject | undefined {
  const value = toJson(node);
  if (!isObject(value)) return undefined;
  const { kind = inherited?.kind } = value;
  return inherited !== undefined && kind === inherited.kind ? { ...inherited, ...value } : value;
}
