/**
 * Objects of built-in kinds as the API server decodes them: each member that the Go type of the release has must be of its
 * type, and what it does not have is dropped, or refused by strict field validation (apimachinery
 * `runtime/serializer/json`; sigs.k8s.io/json `UnmarshalStrict`). Then what its validation demands of every object of the
 * kind: members that must be there, and fixed values. Metadata is judged by kubernetes/object-rules.ts.
 */

import { isBase64 } from "../../core/base64.js";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import type { Minor } from "../../core/minor.js";
import { type Found, problem, required, unsupported } from "../../core/problem.js";
import { isGoTime } from "../../core/time.js";
import {
  fieldsOf,
  hasField,
  isDescribed,
  itemOf,
  type MessageField,
  messageOf,
} from "../../kubernetes/built-in-fields.js";
import { demandedMembers, valuesAt } from "../../kubernetes/demands.js";
import { parseQuantity } from "../../kubernetes/quantities.js";
import { serviceFindings } from "../../kubernetes/service-rules.js";
import { workloadFindings } from "../../kubernetes/workload-rules.js";
import { closest } from "../../text/closest.js";

/** Members of every object that are judged elsewhere, or that the server takes from nobody. */
const OF_OBJECTS: readonly string[] = ["apiVersion", "kind", "metadata", "status"];

type Faults = Generator<Found, void, undefined>;

/**
 * What the server says of the members of an object; nothing of a kind that is not known.
 * @param release of Kubernetes
 */
export function builtInFindings(object: JsonObject, release: Minor): readonly Found[] {
  const message = messageOf(textAt(object, "apiVersion"), textAt(object, "kind"));
  if (message === undefined) return [];
  const members = Object.entries(object).filter(([name]) => !OF_OBJECTS.includes(name));
  const found = [...objectFaults(Object.fromEntries(members), message, "", release)];
  // Rules that look at several members, where nothing is said of the member itself.
  const refuse = (finding: Found): void => {
    if (!found.some(({ field }) => field === finding.field)) found.push(finding);
  };
  const kind = textAt(object, "kind");
  workloadFindings(kind, object, refuse);
  serviceFindings(kind, object, refuse);
  return found;
}

function* objectFaults(value: JsonObject, message: string, path: string, release: Minor): Faults {
  const members = fieldsOf(message);
  for (const [name, member] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`;
    const field = members.get(name);
    if (field !== undefined && hasField(field.owner, name, release)) {
      yield* fieldFaults(member, field, at, release);
      yield* valueDemand(member, valuesAt(field.owner, name, release), at);
    }
    // The one kind within another (in a StatefulSet) names its type, which messages do not have.
    else if (message !== CLAIM || !OF_OBJECTS.includes(name)) yield unknownField(name, message, at, members);
  }
  yield* memberDemands(value, message, members, path, release);
}

/** A member that is demanded and empty; a message that Go never leaves out is judged as an empty one. */
function* memberDemands(
  value: JsonObject,
  message: string,
  members: ReadonlyMap<string, MessageField>,
  path: string,
  release: Minor,
): Faults {
  const owners = new Set([message, ...[...members.values()].map(({ owner }) => owner)]);
  for (const name of [...owners].flatMap(demandedMembers)) {
    const field = members.get(name);
    const at = path === "" ? name : `${path}.${name}`;
    if (field === undefined || !isEmpty(value[name], field) || !hasField(field.owner, name, release))
      continue;
    const below =
      field.shape === "one" && !field.isPointer && isDescribed(field.type)
        ? [...objectFaults({}, field.type, at, release)]
        : [];
    if (below.length > 0) yield* below;
    else yield required("KUB003", at);
  }
}

/** What Go's decoder makes the same as a member that is not there. */
const isEmpty = (value: Json | undefined, { shape, isPointer }: MessageField): boolean =>
  value === undefined ||
  value === null ||
  (!isPointer && value === "") ||
  (shape === "list" && isList(value) && value.length === 0) ||
  (shape === "map" && isObject(value) && Object.keys(value).length === 0);

function* valueDemand(value: Json, supported: readonly string[] | undefined, at: string): Faults {
  if (supported === undefined) return;
  const all = isList(value) ? value.map((each, i) => [each, `${at}[${i}]`] as const) : [[value, at] as const];
  for (const [each, place] of all) {
    // Alone, the empty text is no value; in a list it is one, and so is null.
    const text = each === null && place !== at ? "" : each;
    if (typeof text === "string" && (text !== "" || place !== at) && !supported.includes(text))
      yield unsupported("KUB003", place, text, supported);
  }
}

const CLAIM = "core.v1.PersistentVolumeClaim";

function unknownField(
  name: string,
  message: string,
  at: string,
  members: ReadonlyMap<string, MessageField>,
): Found {
  const near = closest(name, [...members.keys()]);
  const type = message.slice(message.lastIndexOf(".") + 1);
  return problem(
    "KUB004",
    "Invalid",
    at,
    `unknown field in ${type}; the API server would drop it`,
    near === undefined ? "remove it" : `did you mean ${near}?`,
  );
}

function* fieldFaults(
  value: Json,
  { shape, type }: Pick<MessageField, "shape" | "type">,
  at: string,
  release: Minor,
): Faults {
  // A member that is null is none.
  if (value === null) return;
  if (shape === "one") yield* valueFaults(value, type, at, release);
  else if (shape === "list")
    if (isList(value))
      for (const [index, item] of value.entries()) yield* valueFaults(item, type, `${at}[${index}]`, release);
    else yield wrongType(value, "array", at);
  else if (isObject(value))
    for (const [name, item] of Object.entries(value))
      yield* valueFaults(item, type, `${at}[${name}]`, release);
  else yield wrongType(value, "object", at);
}

function* valueFaults(value: Json, type: string, at: string, release: Minor): Faults {
  // In a list or a map, null is an empty value.
  if (value === null) {
    if (isDescribed(type)) yield* objectFaults({}, type, at, release);
    return;
  }
  const scalar = SCALARS[type];
  if (scalar !== undefined) {
    if (!scalar.fits(value)) yield wrongType(value, scalar.name, at);
    return;
  }
  if (!isDescribed(type)) return;
  const item = itemOf(type);
  if (item !== undefined) yield* fieldFaults(value, { shape: "list", type: item }, at, release);
  else if (!isObject(value)) yield wrongType(value, "object", at);
  else yield* objectFaults(value, type, at, release);
}

function wrongType(value: Json, wanted: string, at: string): Found {
  const isText = wanted === "string" && (typeof value === "number" || typeof value === "boolean");
  const given = typeof value === "string" ? JSON.stringify(value) : typeOf(value);
  return problem("KUB003", "Invalid", at, `must be ${wanted}, not ${given}`, isText ? QUOTED : "");
}
const QUOTED = "put the value in quotes";

interface Scalar {
  readonly name: string;
  readonly fits: (value: Json) => boolean;
}

const integerOf = (bits: number): Scalar => ({
  name: "integer",
  fits: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** (bits - 1),
});
const timeOf = (micro: boolean): Scalar => ({
  name: `a time, such as 2027-01-15T08:00:00${micro ? ".000000" : ""}Z`,
  fits: (value) => typeof value === "string" && isGoTime(value, micro),
});

/** Types by the letters of the table of messages, and those that read their own JSON. */
const SCALARS: Readonly<Record<string, Scalar>> = {
  s: { name: "string", fits: (value) => typeof value === "string" },
  b: { name: "boolean", fits: (value) => typeof value === "boolean" },
  d: { name: "number", fits: (value) => typeof value === "number" },
  i: integerOf(32),
  l: integerOf(64),
  y: {
    name: "text in base64",
    fits: (value) => typeof value === "string" && isBase64(value.replace(/[\r\n]+/g, "")),
  },
  "resource.Quantity": {
    name: "a quantity, such as 500m or 2Gi",
    fits: (value) =>
      (typeof value === "string" || typeof value === "number") &&
      parseQuantity(String(value).trim()) !== undefined,
  },
  "intstr.IntOrString": {
    name: "integer or string",
    fits: (value) => typeof value === "string" || Number.isInteger(value),
  },
  "meta.v1.Time": timeOf(false),
  "meta.v1.MicroTime": timeOf(true),
};

function typeOf(value: Json): string {
  if (isList(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return value === null ? "null" : typeof value;
}
