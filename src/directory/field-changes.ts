/** What a run would change, object by object and field by field, without secrets. */
import { equalJson, isList, isObject, type Json } from "../core/json.js";
import { isSecretName, REDACTED, redactJson } from "../text/redact.js";
import { isYamlName, valuesOf } from "../text/yaml-content.js";
import { holdsSecret } from "./check.js";
import type { PathPlan, PhasePlan } from "./types.js";

export type Sign = "+" | "~" | "-";

export interface FieldChange {
  readonly sign: Sign;
  /** Path of the field, such as `spec.replicas`. */
  readonly field: string;
  /** As they are shown; undefined where there is none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface ObjectChange {
  readonly sign: Sign;
  readonly path: string;
  /** Kind and name, such as `ConfigMap openshift-config/x`; empty for what is no object. */
  readonly object: string;
  readonly fields: readonly FieldChange[];
}

/** The changes of plans in the order of paths; a path that stays is none. */
export const objectChanges = (plans: readonly PhasePlan[]): readonly ObjectChange[] =>
  plans
    .flatMap(({ paths }) => paths)
    .filter(({ action }) => action !== "none")
    .map(changeOf)
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

/** What users changed in generated files, against what would be generated now; a file that is encrypted on disk is none. */
export const ownChanges = (plans: readonly PhasePlan[]): readonly ObjectChange[] =>
  plans
    .flatMap(({ paths }) => paths)
    .filter(
      ({ action, status, disk, desired }) =>
        action === "none" &&
        status === "edited" &&
        disk !== undefined &&
        disk.sealed === undefined &&
        desired !== undefined,
    )
    .map((plan): ObjectChange => {
      const { path, disk, desired } = plan;
      const before = desired === undefined ? undefined : documentOf(path, desired.data);
      const after = disk === undefined ? undefined : documentOf(path, disk.data);
      const fields =
        before === undefined || after === undefined ? [] : fieldChanges("", before, after, holdsSecret(plan));
      return { sign: "~", path, object: nameOf(after ?? before), fields };
    });

function changeOf(plan: PathPlan): ObjectChange {
  const { path, action, disk, written, desired } = plan;
  const next = action === "delete" ? undefined : (written ?? desired);
  const sign = next === undefined ? "-" : disk === undefined ? "+" : "~";
  const before = disk === undefined ? undefined : documentOf(path, disk.data);
  const after = next === undefined ? undefined : documentOf(path, next.data);
  const hidden = holdsSecret(plan);
  return {
    sign,
    path,
    object: nameOf(after ?? before),
    fields:
      sign === "~" && before !== undefined && after !== undefined
        ? fieldChanges("", before, after, hidden)
        : [],
  };
}

/** The value of a file with one document. */
function documentOf(path: string, data: Uint8Array): Json | undefined {
  if (!isYamlName(path)) return undefined;
  const values = valuesOf(data);
  return values?.length === 1 ? values[0] : undefined;
}

function nameOf(value: Json | undefined): string {
  if (!isObject(value)) return "";
  const { kind, metadata } = value;
  if (typeof kind !== "string" || !isObject(metadata)) return "";
  const { name, namespace } = metadata;
  if (typeof name !== "string") return kind;
  return `${kind} ${typeof namespace === "string" ? `${namespace}/` : ""}${name}`;
}

function fieldChanges(
  field: string,
  before: Json | undefined,
  after: Json | undefined,
  hidden: boolean,
): FieldChange[] {
  if (equalJson(before, after)) return [];
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((key) => {
      const below = field === "" ? key : `${field}.${key}`;
      const secret = hidden || isSecretName(key) || below === "data" || below === "stringData";
      return fieldChanges(below, before[key], after[key], secret);
    });
  if (isList(before) && isList(after) && [...before, ...after].every(isScalar) && !hidden) {
    const gone = before.filter((each) => !after.includes(each));
    const come = after.filter((each) => !before.includes(each));
    // In another order the list as a whole has changed.
    if (gone.length + come.length > 0)
      return [
        ...gone.map(
          (each): FieldChange => ({ sign: "-", field, before: shown(each, false), after: undefined }),
        ),
        ...come.map(
          (each): FieldChange => ({ sign: "+", field, before: undefined, after: shown(each, false) }),
        ),
      ];
  }
  if (isList(before) && isList(after) && before.length === after.length)
    return before.flatMap((each, index) => fieldChanges(`${field}[${index}]`, each, after[index], hidden));
  return [
    {
      sign: before === undefined ? "+" : after === undefined ? "-" : "~",
      field,
      before: shown(before, hidden),
      after: shown(after, hidden),
    },
  ];
}

const isScalar = (value: Json): boolean => !isList(value) && !isObject(value);

const LONGEST = 60;

function shown(value: Json | undefined, hidden: boolean): string | undefined {
  if (value === undefined) return undefined;
  if (hidden) return REDACTED;
  const text = JSON.stringify(redactJson(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}
