/**
 * What becomes of objects that are read by one schema of a CustomResourceDefinition and written by another while only
 * their apiVersion changes (conversion strategy None): fields that are pruned, and values that the other schema refuses.
 * Nothing refuses the rewrite itself: a server does not validate anew what a migration leaves alone.
 */
import { equalJson, isObject, type JsonObject } from "../core/json.js";
import { type Bound, memberSchema, readSchema, type SchemaNode } from "../kubernetes/crd-read.js";

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
  compare(
    from.schema,
    to.schema,
    "",
    { from: from.preserves, to: to.preserves, isResource: true },
    (change) => {
      if (!changes.some(({ field, message }) => field === change.field && message === change.message))
        changes.push(change);
    },
  );
  return changes;
}

interface Context {
  /** Whether members that the schema does not name are kept on either side. */
  readonly from: boolean;
  readonly to: boolean;
  readonly isResource: boolean;
}
type Note = (change: SchemaChange) => void;

const RESOURCE_MEMBERS = new Set(["apiVersion", "kind", "metadata"]);
const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function compare(from: SchemaNode, to: SchemaNode, path: string, context: Context, note: Note): void {
  const at = path === "" ? "the object" : path;
  const refuse = (message: string): void =>
    note({ effect: "refused", field: path, message: `${at} ${message}` });
  compareTypes(from, to, refuse);
  compareValues(from, to, refuse);
  compareMembers(from, to, path, context, note);
  if (from.items !== undefined || to.items !== undefined) {
    const inside = {
      from: context.from || from.preserveUnknown,
      to: context.to || to.preserveUnknown,
      isResource: false,
    };
    compare(
      from.items ?? ANYTHING,
      to.items ?? ANYTHING,
      `${path}[]`,
      { ...inside, isResource: to.items?.embeddedResource === true },
      note,
    );
  }
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
  if (lost.length > 0) refuse(`may be ${lost.join(" or ")}, and has to be ${[...takes].join(" or ")}`);
  if (from.nullable && !to.nullable && to.defaultValue === undefined) refuse("may be null, which is dropped");
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
        `${lost === undefined ? "" : `may be ${lost.map((each) => JSON.stringify(each)).join(", ")}, and `}has to be one of ${allowed.map((each) => JSON.stringify(each)).join(", ")}`,
      );
  }
  if (to.pattern !== undefined && to.pattern !== from.pattern) refuse(`has to match ${to.pattern}`);
  if (to.format !== undefined && to.format !== from.format) refuse(`has to be of the format ${to.format}`);
  for (const bound of LOWER) {
    const [had, has] = [from.bounds.get(bound), to.bounds.get(bound)];
    if (has !== undefined && (had === undefined || had < has)) refuse(`has to keep ${bound} ${has}`);
  }
  for (const bound of UPPER) {
    const [had, has] = [from.bounds.get(bound), to.bounds.get(bound)];
    if (has !== undefined && (had === undefined || had > has)) refuse(`has to keep ${bound} ${has}`);
  }
  const step = to.bounds.get("multipleOf");
  if (step !== undefined && step !== from.bounds.get("multipleOf")) refuse(`has to be a multiple of ${step}`);
  if (to.exclusiveMinimum && !from.exclusiveMinimum) refuse("must not be equal to its minimum");
  if (to.exclusiveMaximum && !from.exclusiveMaximum) refuse("must not be equal to its maximum");
  if (to.listType !== from.listType && (to.listType === "set" || to.listType === "map"))
    refuse(`must not hold an entry twice (x-kubernetes-list-type ${to.listType})`);
  else if (to.listType === "map" && to.listKeys.join() !== from.listKeys.join())
    refuse(`must not hold an entry twice by ${to.listKeys.join(" and ")}`);
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const)
    if (to[junctor].length > 0 && !sameNodes(from[junctor], to[junctor]))
      refuse(`has to fit ${junctor}, which is new or other`);
  if (to.not !== undefined && (from.not === undefined || !sameNodes([from.not], [to.not])))
    refuse("must not fit what not says");
  for (const { rule } of to.rules)
    if (!from.rules.some((each) => each.rule === rule) && !/\boldSelf\b/.test(rule))
      refuse(`has to keep the rule ${rule}`);
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

function compareMembers(from: SchemaNode, to: SchemaNode, path: string, context: Context, note: Note): void {
  const isMember = (name: string): boolean => !(context.isResource && RESOURCE_MEMBERS.has(name));
  const inside: Context = { from: context.from, to: context.to, isResource: false };
  const keepsUnknown = context.to || to.preserveUnknown || to.additional !== undefined;
  const names = [...from.properties.keys()].filter(isMember);
  for (const name of names) {
    const [own, other] = [from.properties.get(name), memberSchema(to, name)];
    if (own === undefined) continue;
    const field = join(path, name);
    if (other !== undefined)
      compare(own, other, field, { ...inside, isResource: other.embeddedResource }, note);
    else if (!keepsUnknown)
      note({ effect: "pruned", field, message: `${field} is pruned: the schema does not have it` });
  }
  const free = context.from || from.preserveUnknown || from.additional === true;
  if (typeof from.additional === "object") {
    const field = join(path, "*");
    if (typeof to.additional === "object")
      compare(
        from.additional,
        to.additional,
        field,
        { ...inside, isResource: to.additional.embeddedResource },
        note,
      );
    else if (!keepsUnknown)
      note({
        effect: "pruned",
        field,
        message: `${field} is pruned: the schema takes no members of any name`,
      });
  } else if (free && !keepsUnknown && (to.type === "object" || to.properties.size > 0)) {
    const field = join(path, "*");
    note({
      effect: "pruned",
      field,
      message: `${field} is pruned where the schema does not name it: it was kept whatever its name`,
    });
  }
  for (const name of to.required) {
    if (!isMember(name) || from.required.includes(name) || memberSchema(to, name)?.defaultValue !== undefined)
      continue;
    const field = join(path, name);
    const known = memberSchema(from, name) !== undefined || free;
    note({
      effect: "required",
      field,
      message: `${field} is required${known ? ", and may be missing" : ", and no object has it"}`,
    });
  }
}
