/**
 * What becomes of objects that are read by one schema of a CustomResourceDefinition and written by another while only
 * their apiVersion changes (conversion strategy None): fields that are pruned, and values that the other schema refuses.
 * Nothing refuses the rewrite itself: a server does not validate anew what a migration leaves alone.
 */
import { equalJson, isObject, type JsonObject } from "../core/json.js";
import { type Bound, readSchema, type SchemaNode } from "../crd/read.js";

export interface SchemaChange {
  /** `pruned` values are gone for good; the others stay, and are refused once somebody changes them. */
  readonly effect: "pruned" | "required" | "refused";
  /** Path of the field in the object; `[]` for every item, `*` for members that no schema names. */
  readonly field: string;
  readonly message: string;
}

/** A schema and what the definition says beside it. */
export interface VersionSchema {
  readonly schema: SchemaNode;
  /** True where the definition keeps every field that no schema names. */
  readonly preserves: boolean;
}

/** The schema of a version of a definition; undefined where the definition has no such version. */
export function versionSchema(definition: JsonObject, name: string): VersionSchema | undefined {
  const spec = definition["spec"];
  if (!isObject(spec) || !Array.isArray(spec["versions"])) return undefined;
  for (const version of spec["versions"]) {
    if (!isObject(version) || version["name"] !== name) continue;
    const schema = isObject(version["schema"]) ? version["schema"]["openAPIV3Schema"] : undefined;
    return { schema: readSchema(schema ?? {}), preserves: spec["preserveUnknownFields"] === true };
  }
  return undefined;
}

export function schemaChanges(from: VersionSchema, to: VersionSchema): SchemaChange[] {
  const changes: SchemaChange[] = [];
  const had: Kept = { node: from.schema, isFree: false, everywhere: from.preserves };
  const has: Kept = { node: to.schema, isFree: false, everywhere: to.preserves };
  compare(had, has, "", "root", (change) => {
    const isNews = !changes.some(
      ({ field, message }) => field === change.field && message === change.message,
    );
    // Such a definition prunes nothing, whatever its schema says.
    if (isNews && !(to.preserves && change.effect === "pruned")) changes.push(change);
  });
  return changes;
}

/**
 * What a server keeps of a value by a schema (apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go). Without
 * a node everything is kept where it is free, and no member of any object where it is not.
 */
interface Kept {
  readonly node: SchemaNode | undefined;
  /** True where members that the node does not name are kept, be it for the list around it. */
  readonly isFree: boolean;
  /** True in a definition that keeps them everywhere. */
  readonly everywhere: boolean;
}

const isAnything = (kept: Kept): boolean => kept.node === undefined && keepsUnknown(kept);
const keepsUnknown = ({ node, isFree, everywhere }: Kept): boolean =>
  isFree || everywhere || node?.preserveUnknown === true;

/** True where the schema says nothing of a value but that all of it is kept. */
const mayBeAnything = (kept: Kept): boolean =>
  keepsUnknown(kept) &&
  (kept.node === undefined || (typesOf(kept.node) === undefined && kept.node.properties.size === 0));

/** What is kept of the members that the schema does not name; undefined where they are pruned. */
function otherMembers(kept: Kept): Kept | undefined {
  const { node, everywhere } = kept;
  if (node?.additional !== undefined)
    return {
      node: typeof node.additional === "object" ? node.additional : undefined,
      isFree: false,
      everywhere,
    };
  return keepsUnknown(kept) ? { node: undefined, isFree: true, everywhere } : undefined;
}

function memberOf(kept: Kept, name: string): Kept | undefined {
  const own = kept.node?.properties.get(name);
  if (own !== undefined) return { node: own, isFree: false, everywhere: kept.everywhere };
  // What stands for a resource in it has these members, whatever else it has.
  if (kept.node?.embeddedResource === true && RESOURCE_MEMBERS.has(name))
    return { node: undefined, isFree: true, everywhere: kept.everywhere };
  return otherMembers(kept);
}

const itemOf = (kept: Kept): Kept => ({
  node: kept.node?.items,
  isFree: keepsUnknown(kept),
  everywhere: kept.everywhere,
});

/** True where a value may be of the type, as far as the schema says. */
const mayBe = ({ node }: Kept, type: "object" | "array"): boolean =>
  node === undefined || (!node.intOrString && (node.type ?? type) === type);

type Note = (change: SchemaChange) => void;

const RESOURCE_MEMBERS = new Set(["apiVersion", "kind", "metadata"]);
const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** Where a value stands: it is the object itself, a member of one, or an item of a list. */
type Place = "root" | "member" | "item";

function compare(from: Kept, to: Kept, path: string, place: Place, note: Note): void {
  if (isAnything(to) || (from.node === undefined && !keepsUnknown(from))) return;
  const at = path === "" ? "the object" : path;
  const refuse = (message: string): void =>
    note({ effect: "refused", field: path, message: `${at} ${message}` });
  if (to.node !== undefined) {
    const takes = typesOf(to.node);
    if (mayBeAnything(from) && takes !== undefined && !takes.has("object") && !takes.has("array")) {
      const message = `${at} may have any value but must be ${[...takes].join(" or ")}: an object at this path loses its fields`;
      note({ effect: "pruned", field: path, message });
      return;
    }
    compareTypes(from.node ?? ANYTHING, to.node, refuse);
    compareValues(from.node ?? ANYTHING, to.node, refuse);
  }
  if (from.node?.nullable === true && to.node?.nullable === false) {
    const hasDefault = to.node.defaultValue !== undefined;
    // A list keeps its items, each where it is.
    if (place === "item" && !hasDefault) refuse("may be null");
    else
      note({
        effect: "pruned",
        field: path,
        message: `${at} may be null, which ${hasDefault ? "is replaced by its default" : "is dropped"}`,
      });
  }
  let isPruned = false;
  const heard: Note = (change) => {
    isPruned ||= change.effect === "pruned";
    note(change);
  };
  const members = (): void => {
    if (mayBe(from, "object")) compareMembers(from, to, path, place === "root", heard);
  };
  const items = (): void => {
    if (mayBe(from, "array")) compare(itemOf(from), itemOf(to), `${path}[]`, "item", heard);
  };
  // Of a value that may be anything, one loss is enough: that of the form which the schema has in mind.
  const [first, second] = to.node?.type === "array" ? [items, members] : [members, items];
  first();
  if (from.node?.type !== undefined || !isPruned) second();
}

const ANYTHING = readSchema({ "x-kubernetes-preserve-unknown-fields": true });

/** Types that a node takes; undefined for any. */
function typesOf({ type, intOrString, nullable }: SchemaNode): ReadonlySet<string> | undefined {
  const types = intOrString
    ? ["integer", "string"]
    : type === undefined
      ? []
      : type === "number"
        ? ["number", "integer"]
        : [type];
  return types.length === 0 ? undefined : new Set([...types, ...(nullable ? ["null"] : [])]);
}

function compareTypes(from: SchemaNode, to: SchemaNode, refuse: (message: string) => void): void {
  const [had, takes] = [typesOf(from), typesOf(to)];
  if (takes === undefined) return;
  const lost = [...(had ?? ["anything"])].filter((each) => !takes.has(each) && each !== "null");
  if (lost.length > 0) refuse(`may be ${lost.join(" or ")} but must be ${[...takes].join(" or ")}`);
}

/** Bounds of which a greater one lets less through, and the others. */
const LOWER: readonly Bound[] = ["minimum", "minLength", "minItems", "minProperties"];
const UPPER: readonly Bound[] = ["maximum", "maxLength", "maxItems", "maxProperties"];

function compareValues(from: SchemaNode, to: SchemaNode, refuse: (message: string) => void): void {
  if (to.enum !== undefined) {
    const allowed = to.enum;
    const lost = from.enum?.filter((each) => !allowed.some((one) => equalJson(one, each)));
    if (lost === undefined || lost.length > 0)
      refuse(
        `${lost === undefined ? "" : `may be ${lost.map((each) => JSON.stringify(each)).join(", ")} but `}must be one of ${allowed.map((each) => JSON.stringify(each)).join(", ")}`,
      );
  }
  if (to.pattern !== undefined && to.pattern !== from.pattern) refuse(`must match ${to.pattern}`);
  if (to.format !== undefined && to.format !== from.format) refuse(`must have the format ${to.format}`);
  for (const bound of LOWER) {
    const [had, has] = [from.bounds.get(bound), to.bounds.get(bound)];
    if (has !== undefined && (had === undefined || had < has)) refuse(`must satisfy ${bound} ${has}`);
  }
  for (const bound of UPPER) {
    const [had, has] = [from.bounds.get(bound), to.bounds.get(bound)];
    if (has !== undefined && (had === undefined || had > has)) refuse(`must satisfy ${bound} ${has}`);
  }
  const step = to.bounds.get("multipleOf");
  if (step !== undefined && step !== from.bounds.get("multipleOf")) refuse(`must be a multiple of ${step}`);
  if (to.exclusiveMinimum && !from.exclusiveMinimum) refuse("must not be equal to its minimum");
  if (to.exclusiveMaximum && !from.exclusiveMaximum) refuse("must not be equal to its maximum");
  if (to.listType !== from.listType && (to.listType === "set" || to.listType === "map"))
    refuse(`must not contain duplicates (x-kubernetes-list-type ${to.listType})`);
  else if (to.listType === "map" && to.listKeys.join() !== from.listKeys.join())
    refuse(`must not contain entries with the same ${to.listKeys.join(" and ")}`);
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const)
    if (to[junctor].length > 0 && !sameNodes(from[junctor], to[junctor]))
      refuse(`must match ${junctor}, which is new or different`);
  if (to.not !== undefined && (from.not === undefined || !sameNodes([from.not], [to.not])))
    refuse("must not match not");
  for (const { rule } of to.rules)
    if (!from.rules.some((each) => each.rule === rule) && !/\boldSelf\b/.test(rule))
      refuse(`must satisfy the rule ${rule}`);
}

const plain = (node: SchemaNode): unknown =>
  Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === "properties" && value instanceof Map
        ? [...value].map(([name, each]) => [name, plain(each)])
        : value instanceof Map
          ? [...value]
          : value,
    ]),
  );
const sameNodes = (a: readonly SchemaNode[], b: readonly SchemaNode[]): boolean =>
  JSON.stringify(a.map(plain)) === JSON.stringify(b.map(plain));

function compareMembers(from: Kept, to: Kept, path: string, isRoot: boolean, note: Note): void {
  const stays = (name: string): boolean =>
    RESOURCE_MEMBERS.has(name) && (isRoot || to.node?.embeddedResource === true);
  const prune = (name: string, message: string): void => {
    const field = join(path, name);
    note({ effect: "pruned", field, message: `${field} is pruned${message}` });
  };
  const others = otherMembers(from);
  const names = new Set([
    ...(from.node?.properties.keys() ?? []),
    ...(from.node?.embeddedResource === true ? RESOURCE_MEMBERS : []),
    ...(others === undefined ? [] : (to.node?.properties.keys() ?? [])),
  ]);
  for (const name of names) {
    if (stays(name)) continue;
    const [own, other] = [memberOf(from, name), memberOf(to, name)];
    if (own === undefined) continue;
    if (other === undefined) prune(name, ": it is not in the schema");
    else compare(own, other, join(path, name), "member", note);
  }
  if (others !== undefined) {
    const kept = otherMembers(to);
    if (kept !== undefined) compare(others, kept, join(path, "*"), "member", note);
    else if (from.node?.additional === undefined)
      prune("*", " if it is not in the schema: unknown fields were preserved");
    else prune("*", ": the schema allows no additional properties");
  }
  for (const name of to.node?.required ?? []) {
    if (
      stays(name) ||
      from.node?.required.includes(name) === true ||
      memberOf(to, name)?.node?.defaultValue !== undefined
    )
      continue;
    const known = memberOf(from, name) !== undefined;
    const field = join(path, name);
    note({
      effect: "required",
      field,
      message: `${field} is required${known ? " but may be missing" : " but missing in every object"}`,
    });
  }
}
