/**
 * What an API server says to the creation or the update of a CustomResourceDefinition (apiextensions-apiserver 0.37.2:
 * `validation.ValidateCustomResourceDefinition` and `…Update` behind the strategy's preparation). What the server cannot even
 * decode is not told apart from what is missing: `unchecked` says so.
 */

import data from "../../tables/crd-refusals.json" with { type: "json" };
import { equalJson, isList, type JsonObject } from "../core/json.js";
import { type Found, problem } from "../core/problem.js";
import { withoutDash } from "../kubernetes/metadata-rules.js";
import { isLabelValue, isQualifiedName } from "../kubernetes/names.js";
import { ANNOTATIONS_LIMIT } from "../kubernetes/secrets.js";
import {
  dns1035Faults,
  enumErrors,
  invalid,
  invalidStructure,
  required,
  type ServerError,
  subdomainFaults,
} from "../kubernetes/server-error.js";
import { costModelAt } from "./cel/call-costs.js";
import { bundleOf, conversionErrors, isBundle, REVIEW_VERSIONS, reviewVersionsOf } from "./conversion.js";
import {
  ALL_SCHEMA_RULES,
  hasFaultyMapKeys,
  hasNonAtomicSet,
  hasUnknownType,
  type SchemaRules,
} from "./node-rules.js";
import { expressionsOf, type RuleCompiler, ruleErrors } from "./rules.js";
import { everyNode, isSameToServer, isSet, nodesAt, objectAt, textAt, textsAt } from "./schema-nodes.js";
import { type Rules, readSpec, type Spec, type Version } from "./spec.js";
import { hasUnprunedDefaults, isStructural, schemaErrors } from "./structural.js";
import {
  columnErrors,
  hasStatus,
  MOST_FIELDS,
  scaleErrors,
  selectableErrors,
  sharedOf,
  versionErrors,
} from "./version-rules.js";

export interface UncompiledRule {
  readonly rule: string;
  readonly why: string;
}

export interface CrdAnswer {
  /** In the order of the server, which joins them. */
  readonly errors: readonly ServerError[];
  /** What a server would look at and this does not. */
  readonly unchecked: readonly string[];
  /** Validation rules (CEL) that a server compiles, and of which nobody here can tell whether they do. */
  readonly uncompiled: readonly UncompiledRule[];
  /** status.storedVersions as the server computes them. */
  readonly storedVersions: readonly string[];
}

/** How the release words the refusal of a stored version that is not there any more; `{version}` stands for it. */
export const MISSING_VERSION_TEXT = data.missingVersion.at(-1)?.text ?? "";

/** How an answer may differ by release, and what it is made with. */
export interface JudgeOptions {
  /** How the release says that a stored version is missing; the newest wording where it is left out. */
  readonly missing?: string;
  /** Compiles validation rules; left out, none is. */
  readonly compiler?: RuleCompiler;
}

export function judgeCrd(
  next: JsonObject,
  old?: JsonObject,
  { missing = MISSING_VERSION_TEXT, compiler }: JudgeOptions = {},
): CrdAnswer {
  const spec = readSpec(next);
  const before = old === undefined ? undefined : readSpec(old);
  const storage = spec.versions.find((each) => each.storage)?.name;
  const kept = before?.stored ?? [];
  const storedVersions = storage === undefined || kept.includes(storage) ? kept : [...kept, storage];
  const unknown: UncompiledRule[] = [];
  const expressions = expressionsOf(schemasOf(before));
  const unchanged = unchangedSchemas(spec, before);
  const compiled: SchemaRules["compiled"] = (schema, field, others) => {
    if (compiler === undefined) return [];
    const known = { expressions, isUnchanged: unchanged.has(field) };
    const answer = ruleErrors(schema, field, compiler, known, others);
    unknown.push(...answer.unknown);
    return [...answer.errors, ...answer.last];
  };
  const errors = [
    ...metadataErrors(next, spec, before === undefined),
    ...specErrors(spec, rulesOf(spec, before, compiled)),
    ...(before === undefined ? [] : immutableErrors(spec, before)),
    ...storedErrors(storedVersions, spec.versions, before?.listed === true, missing),
    ...approvalErrors(spec, before),
    ...(spec.preserves && before?.preserves !== true
      ? [invalid("spec.preserveUnknownFields", true, PRESERVE)]
      : []),
  ];
  const rules = schemasOf(spec).flatMap(rulesIn);
  const uncompiled =
    compiler === undefined ? rules.map((rule) => ({ rule, why: "rules are not compiled here" })) : unknown;
  const isCosted = compiler !== undefined && costModelAt(compiler.server) !== undefined;
  return {
    errors,
    unchecked: uncheckedOf(isCosted ? uncompiled.length : rules.length, uncompiled.length, next),
    uncompiled,
    storedVersions,
  };
}

/** Where the server says what it says of the schemas that an update leaves as they are stored. */
function unchangedSchemas({ versions }: Spec, before: Spec | undefined): ReadonlySet<string> {
  const stored = new Map(before?.versions.map(({ name, schema }) => [name, schema]));
  return new Set(
    versions.flatMap(({ index, name, schema }) => {
      const old = stored.get(name);
      if (schema === undefined || old === undefined || !isSameToServer(schema, old)) return [];
      const own = `spec.versions[${index}].schema.openAPIV3Schema`;
      return index === 0 ? [own, "spec.validation.openAPIV3Schema"] : [own];
    }),
  );
}

const schemasOf = (spec: Spec | undefined): JsonObject[] =>
  spec?.versions.flatMap(({ schema }) => (schema === undefined ? [] : [schema])) ?? [];

const rulesIn = (schema: JsonObject): string[] =>
  [...everyNode(schema)]
    .flatMap((node) => nodesAt(node, "x-kubernetes-validations"))
    .map((each) => textAt(each, "rule"));

/** True for a definition with validation rules, whose answer takes a compiler of them. */
export const hasRules = (definition: JsonObject): boolean =>
  schemasOf(readSpec(definition)).some((schema) => rulesIn(schema).length > 0);

/** The errors as findings about an object; for a definition that no former state is known of. */
export const crdFindings = (definition: JsonObject, compiler?: RuleCompiler): Found[] =>
  judgeCrd(definition, undefined, compiler === undefined ? {} : { compiler }).errors.map(
    ({ field, kind, message }) => problem("KUB007", kind, field, message),
  );

const PRESERVE =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

/** True where a value that is filled in has rules to keep. */
const hasRuledDefaults = (definition: JsonObject): boolean =>
  schemasOf(readSpec(definition)).some((schema) =>
    [...everyNode(schema)].some((node) => isSet(node, "default") && rulesIn(node).length > 0),
  );

function uncheckedOf(uncosted: number, uncompiled: number, definition: JsonObject): string[] {
  const metadata = Object.keys(objectAt(definition, "metadata")).filter((key) =>
    ["finalizers", "ownerReferences"].includes(key),
  );
  return [
    ...(uncosted === 0
      ? []
      : [
          `the cost of ${uncosted === 1 ? "a validation rule" : `${uncosted} validation rules`} (CEL); an API server rejects rules that cost too much`,
        ]),
    ...(uncompiled === 0
      ? []
      : [
          `${uncompiled === 1 ? "a validation rule (CEL) is" : `${uncompiled} validation rules (CEL) are`} not compiled; an API server rejects rules that do not compile`,
        ]),
    ...(hasRuledDefaults(definition)
      ? ["whether defaults comply with validation rules (CEL); an API server rejects defaults that do not"]
      : []),
    ...(metadata.length === 0
      ? []
      : [`metadata.${metadata.join(", metadata.")} ${metadata.length === 1 ? "is" : "are"} not checked`]),
    "fields of a wrong type or with an unknown name, which an API server rejects when it reads the object, and admission webhooks",
  ];
}

// ---- Rules that an update does not tighten ----

function rulesOf(spec: Spec, before: Spec | undefined, compiled: SchemaRules["compiled"]): Rules {
  const base: Rules = {
    schema: { ...ALL_SCHEMA_RULES, compiled },
    everyVersionHasSchema: true,
    reviewVersions: true,
    bundles: false,
    manyFields: new Set(),
  };
  if (before === undefined) return base;
  const schemas = schemasOf(before);
  const none = (test: (schema: JsonObject) => boolean): boolean => !schemas.some(test);
  const reviewed = reviewVersionsOf(before.conversion);
  const bundle = bundleOf(before.conversion);
  return {
    schema: {
      structural: none((schema) => !isStructural(schema)),
      types: none(hasUnknownType),
      prunedDefaults: none(hasUnprunedDefaults),
      atomicSets: none(hasNonAtomicSet),
      mapKeys: none(hasFaultyMapKeys),
      compiled,
    },
    everyVersionHasSchema: before.versions.every(({ schema }) => schema !== undefined),
    reviewVersions: reviewed.length === 0 || reviewed.some((each) => REVIEW_VERSIONS.includes(each)),
    bundles: before.established && (bundle === "" || isBundle(bundle)),
    manyFields: new Set(
      before.versions.flatMap(({ name, object }) => {
        const same = spec.versions.find((each) => each.name === name)?.object["selectableFields"];
        return nodesAt(object, "selectableFields").length > MOST_FIELDS &&
          equalJson(same, object["selectableFields"])
          ? [name]
          : [];
      }),
    ),
  };
}

// ---- metadata ----

function metadataErrors(
  definition: JsonObject,
  { object, names, annotations }: Spec,
  isNew: boolean,
): ServerError[] {
  const metadata = objectAt(definition, "metadata");
  const [name, prefix] = [textAt(metadata, "name"), textAt(metadata, "generateName")];
  const wanted = `${textAt(names, "plural")}.${textAt(object, "group")}`;
  const faultsOf = (field: string, text: string, whole: string): ServerError[] =>
    isNew && text !== ""
      ? [
          ...subdomainFaults(whole),
          ...(text === wanted ? [] : ['must be spec.names.plural+"."+spec.group']),
        ].map((fault) => invalid(field, text, fault))
      : [];
  return [
    ...(isNew && name === "" && prefix === ""
      ? [required("metadata.name", "name or generateName is required")]
      : []),
    // No name that the server makes of a prefix is the one that the definition needs.
    ...faultsOf("metadata.generateName", prefix, withoutDash(prefix)),
    ...faultsOf("metadata.name", name, name),
    ...Object.entries(objectAt(metadata, "labels")).flatMap(([key, value]) => {
      const refuse = (text: string): ServerError => ({
        ...invalid("metadata.labels", text, "is not legal in a label"),
        exact: false,
      });
      return [
        ...(isQualifiedName(key) ? [] : [refuse(key)]),
        ...(typeof value !== "string" || isLabelValue(value) ? [] : [refuse(value)]),
      ];
    }),
    ...Object.keys(annotations)
      .filter((key) => !isQualifiedName(key.toLowerCase()))
      .map((key) => ({
        ...invalid("metadata.annotations", key, "is not a legal key of an annotation"),
        exact: false,
      })),
    ...(sizeOf(annotations) > ANNOTATIONS_LIMIT
      ? [
          {
            field: "metadata.annotations",
            kind: "TooLong" as const,
            message: `Too long: may not be more than ${ANNOTATIONS_LIMIT} bytes`,
            exact: true,
          },
        ]
      : []),
  ];
}

const sizeOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce(
    (sum, [key, value]) =>
      sum + Buffer.byteLength(key) + (typeof value === "string" ? Buffer.byteLength(value) : 0),
    0,
  );

function approvalErrors({ object, annotations }: Spec, before: Spec | undefined): ServerError[] {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(textAt(object, "group"))) return [];
  const state = approvalOf(annotations);
  if (before !== undefined && approvalOf(before.annotations) === state) return [];
  const field = `metadata.annotations[${APPROVED}]`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (state === "missing")
    return [required(field, `protected groups must have approval annotation "${APPROVED}", ${see}`)];
  if (state !== "invalid") return [];
  return [
    invalid(
      field,
      textAt(annotations, APPROVED),
      `protected groups must have approval annotation "${APPROVED}" with either a URL or a reason starting with "unapproved", ${see}`,
    ),
  ];
}

const APPROVED = "api-approved.kubernetes.io";

function approvalOf(annotations: JsonObject): "missing" | "bypassed" | "approved" | "invalid" {
  const text = textAt(annotations, APPROVED);
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#]+/.test(text) && URL.canParse(text) ? "approved" : "invalid";
}

// ---- spec ----

function specErrors(spec: Spec, rules: Rules): ServerError[] {
  const { object, names, versions, preserves, conversion } = spec;
  const errors: ServerError[] = [
    ...groupErrors(textAt(object, "group")),
    ...enumErrors("spec.scope", textAt(object, "scope"), ["Cluster", "Namespaced"]),
  ];
  for (const { index, schema, served } of versions) {
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (schema !== undefined) continue;
    if (rules.everyVersionHasSchema) errors.push(required(field));
    else if (!preserves && served) errors.push(required(field, "because otherwise all fields are pruned"));
  }
  const schemas = schemasOf(spec);
  const has = (test: (node: JsonObject) => boolean): boolean =>
    schemas.some((schema) => [...everyNode(schema)].some(test));
  const defaults = has((node) => node["default"] !== undefined && node["default"] !== null);
  if (defaults && preserves)
    errors.push(
      invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"),
    );
  const structural = rules.schema.structural || !preserves || defaults || has(usesExtensions);
  const own: Rules = { ...rules, schema: { ...rules.schema, structural } };
  const shared = sharedOf(versions);
  const anyStatus = versions.some(hasStatus);
  for (const version of versions) {
    const at = `spec.versions[${version.index}]`;
    const faults = dns1035Faults(version.name);
    if (faults.length > 0) errors.push(invalid(`${at}.name`, version.name, faults.join(",")));
    errors.push(...versionErrors(version, at, own, shared));
  }
  const structure = (detail: string): ServerError => invalidStructure("spec.versions", detail);
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(structure(data.uniqueNames));
  if (versions.filter(({ storage }) => storage).length !== 1) errors.push(structure(data.oneStorageVersion));
  const [first] = versions;
  if (first !== undefined && first.name !== "") {
    const faults = dns1035Faults(first.name);
    if (faults.length > 0) errors.push(invalid("spec.version", first.name, faults.join(",")));
  }
  for (const member of ["plural", "singular", "kind", "listKind"])
    if (textAt(names, member) === "") errors.push(required(`spec.names.${member}`));
  errors.push(...nameErrors(names, "spec.names"));
  if (first !== undefined) {
    if (shared.has("schema") && first.schema !== undefined)
      errors.push(...schemaErrors(first.schema, "spec.validation.openAPIV3Schema", anyStatus, own.schema));
    if (shared.has("subresources")) errors.push(...scaleErrors(first.object, "spec.subresources"));
    if (shared.has("additionalPrinterColumns"))
      errors.push(...columnErrors(first.object, "spec.additionalPrinterColumns"));
    if (shared.has("selectableFields"))
      errors.push(...selectableErrors(first, "spec.selectableFields", own, shared));
  }
  if (textAt(conversion, "strategy") !== "None" && preserves)
    errors.push(
      invalid(
        "spec.conversion.strategy",
        textAt(conversion, "strategy"),
        "must be None if spec.preserveUnknownFields is true",
      ),
    );
  errors.push(...conversionErrors(conversion, rules));
  return errors;
}

const usesExtensions = (node: JsonObject): boolean =>
  node["x-kubernetes-embedded-resource"] === true ||
  node["x-kubernetes-int-or-string"] === true ||
  ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type"].some(
    (key) => node[key] !== undefined && node[key] !== null,
  ) ||
  ["x-kubernetes-list-map-keys", "x-kubernetes-validations"].some(
    (key) => isList(node[key]) && node[key].length > 0,
  );

function groupErrors(group: string): ServerError[] {
  if (group === "") return [required("spec.group")];
  const faults = subdomainFaults(group);
  if (faults.length > 0) return [invalid("spec.group", group, faults.join(","))];
  return group.includes(".")
    ? []
    : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function nameErrors(names: JsonObject, field: string): ServerError[] {
  const [kind, listKind] = [textAt(names, "kind"), textAt(names, "listKind")];
  const label = (member: string, mixed: boolean): ServerError[] => {
    const text = textAt(names, member);
    const faults = text === "" ? [] : dns1035Faults(mixed ? text.toLowerCase() : text);
    const head = mixed ? "may have mixed case, but should otherwise match: " : "";
    return faults.length === 0 ? [] : [invalid(`${field}.${member}`, text, `${head}${faults.join(",")}`)];
  };
  const each = (member: string): ServerError[] =>
    textsAt(names, member).flatMap((text, i) => {
      const faults = dns1035Faults(text);
      return faults.length === 0 ? [] : [invalid(`${field}.${member}[${i}]`, text, faults.join(","))];
    });
  return [
    ...label("plural", false),
    ...label("singular", false),
    ...label("kind", true),
    ...label("listKind", true),
    ...each("shortNames"),
    ...(kind !== "" && kind === listKind
      ? [invalid(`${field}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...each("categories"),
  ];
}

function immutableErrors(spec: Spec, before: Spec): ServerError[] {
  const rows: readonly (readonly [string, string, string])[] = [
    ...(before.established
      ? ([
          ["spec.scope", textAt(before.object, "scope"), textAt(spec.object, "scope")],
          ["spec.names.kind", textAt(before.names, "kind"), textAt(spec.names, "kind")],
        ] as const)
      : []),
    ["spec.group", textAt(before.object, "group"), textAt(spec.object, "group")],
    ["spec.names.plural", textAt(before.names, "plural"), textAt(spec.names, "plural")],
  ];
  return rows.flatMap(([field, was, is]) => (was === is ? [] : [invalid(field, is, data.immutable)]));
}

function storedErrors(
  stored: readonly string[],
  versions: readonly Version[],
  isListed: boolean,
  missing: string,
): ServerError[] {
  const field = "status.storedVersions";
  if (stored.length === 0) return [invalid(field, isListed ? [] : null, data.atLeastOne)];
  // A version that is listed twice is looked up by its last place; one that is found is not found again.
  const open = new Map(stored.map((version, i) => [version, i]));
  const unnoted = versions.flatMap(({ name, storage }) =>
    open.delete(name) || !storage
      ? []
      : [
          invalid(
            field,
            [...stored],
            data.storageVersion.replace("{version}", () => name),
          ),
        ],
  );
  return [
    ...unnoted,
    ...[...open]
      .sort(([, a], [, b]) => a - b)
      .map(([version, i]) =>
        invalid(
          `${field}[${i}]`,
          version,
          missing.replaceAll("{version}", () => version),
        ),
      ),
  ];
}
