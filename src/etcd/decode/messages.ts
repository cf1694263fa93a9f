/**
 * The protobuf messages whose content a report needs, by field number (generated.proto of kubernetes/api,
 * apimachinery and apiextensions-apiserver). Fields that are not named here are stepped over.
 */

export type Field =
  | { readonly name: string; readonly type: "string" | "bool" | "int"; readonly many?: boolean }
  | { readonly name: string; readonly type: Message; readonly many?: boolean };

export interface Message {
  readonly [number: number]: Field;
}

const text = (name: string): Field => ({ name, type: "string" });
const texts = (name: string): Field => ({ name, type: "string", many: true });
const flag = (name: string): Field => ({ name, type: "bool" });
const one = (name: string, type: Message): Field => ({ name, type });
const some = (name: string, type: Message): Field => ({ name, type, many: true });

/** Seconds since 1970; written as a time by the reader. */
export const TIME: Message = { 1: { name: "seconds", type: "int" } };

const OWNER: Message = {
  1: text("kind"),
  3: text("name"),
  4: text("uid"),
  5: text("apiVersion"),
  6: flag("controller"),
};

export const OBJECT_META: Message = {
  1: text("name"),
  3: text("namespace"),
  5: text("uid"),
  9: one("deletionTimestamp", TIME),
  13: some("ownerReferences", OWNER),
  14: texts("finalizers"),
};

/** Any object, as far as its metadata go. */
export const ANY_OBJECT: Message = { 1: one("metadata", OBJECT_META) };

const POLICY_RULE: Message = {
  1: texts("verbs"),
  2: texts("apiGroups"),
  3: texts("resources"),
  4: texts("resourceNames"),
};
const SUBJECT: Message = { 1: text("kind"), 2: text("apiGroup"), 3: text("name"), 4: text("namespace") };
const ROLE_REF: Message = { 1: text("apiGroup"), 2: text("kind"), 3: text("name") };

export const ROLE: Message = { 1: one("metadata", OBJECT_META), 2: some("rules", POLICY_RULE) };
export const BINDING: Message = {
  1: one("metadata", OBJECT_META),
  2: some("subjects", SUBJECT),
  3: one("roleRef", ROLE_REF),
};

export const NAMESPACE: Message = {
  1: one("metadata", OBJECT_META),
  2: one("spec", { 1: texts("finalizers") }),
  3: one("status", { 1: text("phase") }),
};

const CRD_NAMES: Message = { 1: text("plural"), 4: text("kind") };
const CRD_VERSION: Message = { 1: text("name"), 2: flag("served"), 3: flag("storage") };
const CRD_CONVERSION: Message = { 1: text("strategy") };

/** Both versions: v1beta1 has its one version in field 2 where v1 has nothing. */
export const CUSTOM_RESOURCE_DEFINITION: Message = {
  1: one("metadata", OBJECT_META),
  2: one("spec", {
    1: text("group"),
    2: text("version"),
    3: one("names", CRD_NAMES),
    4: text("scope"),
    7: some("versions", CRD_VERSION),
    9: one("conversion", CRD_CONVERSION),
  }),
  3: one("status", { 3: texts("storedVersions") }),
};
