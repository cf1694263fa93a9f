/**
 * What an API server says to the creation or the update of a CustomResourceDefinition (apiextensions-apiserver 0.37.2:
 * `validation.ValidateCustomResourceDefinition` and `…Update` behind the strategy's preparation). Validation rules are
 * not compiled, and what the server cannot even decode is not told apart from what is missing: `unchecked` names both.
 */
import data from "../../schemas/data/crd-refusals.json" with { type: "json" };
import { equalJson, isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { followFieldPath } from "./crd-field-path.js";
import {
  ALL_SCHEMA_RULES,
  everyNode,
  hasFaultyMapKeys,
  hasNonAtomicSet,
  hasUnknownType,
  hasUnprunedDefaults,
  isStructural,
  type SchemaRules,
  schemaErrors,
} from "./crd-structural.js";
import type { ObjectFinding } from "./finding.js";
import { isLabelValue, isQualifiedName } from "./names.js";
import {
  dns1035Faults,
  duplicate,
  forbidden,
  invalid,
  invalidOptional,
  invalidStructure,
  notSupported,
  required,
  type ServerError,
  subdomainFaults,
} from "./server-error.js";

export interface CrdAnswer {
  /** In the order of the server, which joins them. */
  readonly errors: readonly ServerError[];
  /** What a server would look at and this does not. */
  readonly unchecked: readonly string[];
  /** Validation rules (CEL), which a server compiles. */
  readonly uncompiled: readonly string[];
  /** status.storedVersions as the server computes them. */
  readonly storedVersions: readonly string[];
}

/** How the release words the refusal of a stored version that is not there any more; `{version}` stands for it. */
export const MISSING_VERSION_TEXT = data.missingVersion.at(-1)?.text ?? "";

interface Version {
  readonly index: number;
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly object: JsonObject;
  readonly schema: JsonObject | undefined;
}

/** The definition with what the server fills in. */
interface Spec {
  readonly object: JsonObject;
  readonly names: JsonObject;
  readonly versions: readonly Version[];
  readonly conversion: JsonObject;
  readonly preserves: boolean;
  readonly established: boolean;
  readonly stored: readonly string[];
  /** False where the status has no such list. */
  readonly listed: boolean;
  readonly annotations: JsonObject;
}

const textAt = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === "string" ? value : "";
};
const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};
const objectsAt = (object: JsonObject, key: string): readonly JsonObject[] => {
  const value = object[key];
  return isList(value) ? value.filter(isObject) : [];
};
const textsAt = (object: JsonObject, key: string): readonly string[] => {
  const value = object[key];
  return isList(value) ? value.flatMap((each) => (typeof each === "string" ? [each] : [])) : [];
};

function readSpec(definition: JsonObject): Spec {
  const spec = objectAt(definition, "spec");
  const names = objectAt(spec, "names");
  const kind = textAt(names, "kind");
  const status = objectAt(definition, "status");
  const versions = objectsAt(spec, "versions").map((object, index): Version => {
    const schema = objectAt(object, "schema")["openAPIV3Schema"];
    return {
      index,
      name: textAt(object, "name"),
      served: object["served"] === true,
      storage: object["storage"] === true,
      object,
      schema: isObject(schema) ? schema : undefined,
    };
  });
  const listed = textsAt(status, "storedVersions");
  const storage = versions.find((each) => each.storage);
  return {
    object: spec,
    names: {
      ...names,
      ...(textAt(names, "singular") === "" ? { singular: kind.toLowerCase() } : {}),
      ...(textAt(names, "listKind") === "" && kind !== "" ? { listKind: `${kind}List` } : {}),
    },
    versions,
    conversion: isObject(spec["conversion"]) ? spec["conversion"] : { strategy: "None" },
    preserves: spec["preserveUnknownFields"] === true,
    established: objectsAt(status, "conditions").some(
      (each) => each["type"] === "Established" && each["status"] === "True",
    ),
    listed: isList(status["storedVersions"]),
    stored: listed.length > 0 || storage === undefined ? listed : [storage.name],
    annotations: objectAt(objectAt(definition, "metadata"), "annotations"),
  };
}

/** @param missing how the release says that a stored version is missing; the newest wording where it is left out */
export function judgeCrd(next: JsonObject, old?: JsonObject, missing = MISSING_VERSION_TEXT): CrdAnswer {
  const spec = readSpec(next);
  const before = old === undefined ? undefined : readSpec(old);
  const storage = spec.versions.find((each) => each.storage)?.name;
  const kept = before?.stored ?? [];
  const storedVersions = storage === undefined || kept.includes(storage) ? kept : [...kept, storage];
  const errors = [
    ...metadataErrors(next, spec, before === undefined),
    ...specErrors(spec, rulesOf(spec, before)),
    ...(before === undefined ? [] : immutableErrors(spec, before)),
    ...storedErrors(storedVersions, spec.versions, before?.listed === true, missing),
    ...approvalErrors(spec, before),
    ...(spec.preserves && before?.preserves !== true
      ? [invalid("spec.preserveUnknownFields", true, PRESERVE)]
      : []),
  ];
  const uncompiled = rulesIn(spec);
  return { errors, unchecked: uncheckedOf(uncompiled.length, next), uncompiled, storedVersions };
}

const rulesIn = ({ versions }: Spec): string[] =>
  versions
    .flatMap(({ schema }) => (schema === undefined ? [] : [...everyNode(schema)]))
    .flatMap((node) => objectsAt(node, "x-kubernetes-validations"))
    .map((each) => textAt(each, "rule"));

/** The errors as findings about an object; for a definition that no former state is known of. */
export const crdFindings = (definition: JsonObject): ObjectFinding[] =>
  judgeCrd(definition).errors.map(({ field, kind, message }) => ({ code: "KUB007", kind, field, message }));

const PRESERVE =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function uncheckedOf(rules: number, definition: JsonObject): string[] {
  const metadata = Object.keys(objectAt(definition, "metadata")).filter((key) =>
    ["finalizers", "ownerReferences"].includes(key),
  );
  return [
    ...(rules === 0
      ? []
      : [
          `${rules === 1 ? "a validation rule (CEL) is not compiled, and its" : `${rules} validation rules (CEL) are not compiled, and their`} cost is not estimated: one that does not compile is refused`,
        ]),
    ...(metadata.length === 0
      ? []
      : [`metadata.${metadata.join(", metadata.")} ${metadata.length === 1 ? "is" : "are"} not looked at`]),
    "members of a wrong type or an unknown name, which are refused when the object is read, and admission webhooks",
  ];
}

// ---- Rules that an update does not tighten ----

interface Rules {
  readonly schema: SchemaRules;
  readonly everyVersionHasSchema: boolean;
  readonly reviewVersions: boolean;
  readonly bundles: boolean;
  /** Versions whose selectable fields were too many already. */
  readonly manyFields: ReadonlySet<string>;
}

function rulesOf(spec: Spec, before: Spec | undefined): Rules {
  const base: Rules = {
    schema: ALL_SCHEMA_RULES,
    everyVersionHasSchema: true,
    reviewVersions: true,
    bundles: false,
    manyFields: new Set(),
  };
  if (before === undefined) return base;
  const schemas = before.versions.flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
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
    },
    everyVersionHasSchema: before.versions.every(({ schema }) => schema !== undefined),
    reviewVersions: reviewed.length === 0 || reviewed.some((each) => REVIEW_VERSIONS.includes(each)),
    bundles: before.established && (bundle === "" || isBundle(bundle)),
    manyFields: new Set(
      before.versions.flatMap(({ name, object }) => {
        const same = spec.versions.find((each) => each.name === name)?.object["selectableFields"];
        return objectsAt(object, "selectableFields").length > MOST_FIELDS &&
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
  const name = textAt(metadata, "name");
  const wanted = `${textAt(names, "plural")}.${textAt(object, "group")}`;
  const faults =
    isNew && name !== ""
      ? [...subdomainFaults(name), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])]
      : [];
  return [
    ...(isNew && name === "" && textAt(metadata, "generateName") === ""
      ? [required("metadata.name", "name or generateName is required")]
      : []),
    ...faults.map((fault) => invalid("metadata.name", name, fault)),
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
  ];
}

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
  const schemas = versions.flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
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

function enumErrors(field: string, value: string, accepted: readonly string[]): ServerError[] {
  if (value === "") return [required(field)];
  return accepted.includes(value) ? [] : [notSupported(field, value, accepted)];
}

const SHAREABLE = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
type Shareable = (typeof SHAREABLE)[number];

/** What every version has alike stands for the server above the versions, and is refused there. */
const sharedOf = (versions: readonly Version[]): ReadonlySet<Shareable> =>
  new Set(
    SHAREABLE.filter((key) =>
      versions.every(({ object }) => equalJson(object[key] ?? null, versions[0]?.object[key] ?? null)),
    ),
  );

const hasStatus = ({ object }: Version): boolean => isObject(objectAt(object, "subresources")["status"]);

function versionErrors(
  version: Version,
  at: string,
  rules: Rules,
  shared: ReadonlySet<Shareable>,
): ServerError[] {
  const { object, schema } = version;
  return [
    ...deprecationErrors(object, `${at}.deprecationWarning`),
    ...(schema === undefined || shared.has("schema")
      ? []
      : schemaErrors(schema, `${at}.schema.openAPIV3Schema`, hasStatus(version), rules.schema)),
    ...(shared.has("subresources") ? [] : scaleErrors(object, `${at}.subresources`)),
    ...(shared.has("additionalPrinterColumns") ? [] : columnErrors(object, `${at}.additionalPrinterColumns`)),
    ...(shared.has("selectableFields")
      ? []
      : selectableErrors(version, `${at}.selectableFields`, rules, shared)),
  ];
}

function deprecationErrors(
  { deprecated, deprecationWarning: text }: JsonObject,
  field: string,
): ServerError[] {
  if (typeof text !== "string") return [];
  const refuse = (detail: string): ServerError => invalidOptional(field, text, detail);
  if (deprecated !== true) return [refuse("can only be set for deprecated versions")];
  const odd = /(?! )[\p{C}\p{Z}]/u.exec(text);
  const at = odd === null ? 0 : Buffer.byteLength(text.slice(0, odd.index), "utf8");
  return [
    ...(Buffer.byteLength(text, "utf8") > 256 ? [refuse("must be <= 256 characters long")] : []),
    ...(text === "" ? [refuse("must not be an empty string")] : []),
    ...(odd === null
      ? []
      : [
          refuse(
            `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
          ),
        ]),
  ];
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

// ---- subresources, columns, selectable fields ----

function scaleErrors(version: JsonObject, field: string): ServerError[] {
  const scale = objectAt(version, "subresources")["scale"];
  if (!isObject(scale)) return [];
  const path = (member: string, under: readonly string[], detail: string, needed: boolean): ServerError[] => {
    const at = `${field}.scale.${member}`;
    const text = textAt(scale, member);
    if (text === "") return needed ? [required(at)] : [];
    if (!text.startsWith(".")) return [invalid(at, text, SIMPLE_PATH)];
    return under.some((each) => text.startsWith(each))
      ? []
      : [(needed ? invalid : invalidOptional)(at, text, detail)];
  };
  return [
    ...path("specReplicasPath", [".spec."], "should be a json path under .spec", true),
    ...path("statusReplicasPath", [".status."], "should be a json path under .status", true),
    ...path(
      "labelSelectorPath",
      [".spec.", ".status."],
      "should be a json path under either .spec or .status",
      false,
    ),
  ];
}

const SIMPLE_PATH = "must be a simple json path starting with .";
const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

const columnErrors = (version: JsonObject, field: string): ServerError[] =>
  objectsAt(version, "additionalPrinterColumns").flatMap((column, i): ServerError[] => {
    const at = `${field}[${i}]`;
    const [type, format, path] = [
      textAt(column, "type"),
      textAt(column, "format"),
      textAt(column, "jsonPath"),
    ];
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    return [
      ...(textAt(column, "name") === "" ? [required(`${at}.name`)] : []),
      ...(type === ""
        ? [required(`${at}.type`, types)]
        : COLUMN_TYPES.includes(type)
          ? []
          : [invalid(`${at}.type`, type, types)]),
      ...(format === "" || COLUMN_FORMATS.includes(format)
        ? []
        : [invalid(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`)]),
      ...(path === ""
        ? [required(`${at}.JSONPath`)]
        : path.startsWith(".")
          ? []
          : [invalid(`${at}.JSONPath`, path, SIMPLE_PATH)]),
    ];
  });

const MOST_FIELDS = 8;

function selectableErrors(
  { name, object, schema }: Version,
  field: string,
  rules: Rules,
  shared: ReadonlySet<Shareable>,
): ServerError[] {
  const fields = objectsAt(object, "selectableFields");
  if (fields.length === 0) return [];
  const above = shared.has("selectableFields");
  // The server looks for the schema beside the fields: above the versions, or in the version.
  if (above !== shared.has("schema") || schema === undefined)
    return [
      invalid(
        field,
        "",
        above
          ? "may only be set when validations.schema is included"
          : "may only be set when `version.schema.openAPIV3Schema` is not included",
      ),
    ];
  const errors: ServerError[] = [];
  const seen = new Set<string>();
  for (const [i, each] of fields.entries()) {
    const at = `${field}[${i}].jsonPath`;
    const text = textAt(each, "jsonPath");
    if (text === "") {
      errors.push(required(at));
      continue;
    }
    const found = followFieldPath(text, schema, false);
    if ("fault" in found) {
      errors.push(invalid(at, text, `is an invalid path: ${found.fault}`));
      continue;
    }
    if (/^metadata\b/.test(found.path))
      errors.push(invalid(at, text, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(textAt(found.schema, "type")))
      errors.push(
        invalid(
          at,
          text,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    if (seen.has(found.path)) errors.push(duplicate(at, text));
    seen.add(found.path);
  }
  if (seen.size > MOST_FIELDS && !rules.manyFields.has(name))
    errors.push({
      field,
      kind: "TooMany",
      message: `Too many: ${seen.size}: must have at most ${MOST_FIELDS} items`,
      exact: true,
    });
  return errors;
}

// ---- conversion ----

const REVIEW_VERSIONS: readonly string[] = ["v1", "v1beta1"];
const reviewVersionsOf = (conversion: JsonObject): readonly string[] =>
  textsAt(objectAt(conversion, "webhook"), "conversionReviewVersions");
const bundleOf = (conversion: JsonObject): string =>
  textAt(objectAt(objectAt(conversion, "webhook"), "clientConfig"), "caBundle");
/** Base64 of PEM, as far as it can be told without reading the certificates. */
const isBundle = (text: string): boolean =>
  Buffer.from(text, "base64").includes("-----BEGIN CERTIFICATE-----");

function conversionErrors(conversion: JsonObject, rules: Rules): ServerError[] {
  const field = "spec.conversion";
  const strategy = textAt(conversion, "strategy");
  const client = objectAt(conversion, "webhook")["clientConfig"];
  const versions = reviewVersionsOf(conversion);
  const errors = enumErrors(`${field}.strategy`, strategy, ["None", "Webhook"]);
  if (strategy !== "Webhook") {
    if (isObject(client))
      errors.push(
        forbidden(`${field}.webhookClientConfig`, "should not be set when strategy is not set to Webhook"),
      );
    if (versions.length > 0)
      errors.push(
        forbidden(
          `${field}.conversionReviewVersions`,
          "should not be set when strategy is not set to Webhook",
        ),
      );
    return errors;
  }
  if (!isObject(client))
    errors.push(required(`${field}.webhookClientConfig`, "required when strategy is set to Webhook"));
  else errors.push(...clientErrors(client, `${field}.webhookClientConfig`, rules.bundles));
  return [...errors, ...reviewErrors(versions, `${field}.conversionReviewVersions`, rules.reviewVersions)];
}

function clientErrors(client: JsonObject, field: string, bundles: boolean): ServerError[] {
  const { url, service, caBundle } = client;
  const errors: ServerError[] = [];
  if ((typeof url === "string") === isObject(service))
    errors.push(required(field, "exactly one of url or service is required"));
  else if (typeof url === "string") errors.push(...urlErrors(url, `${field}.url`));
  else if (isObject(service)) errors.push(...serviceErrors(service, `${field}.service`));
  if (bundles && typeof caBundle === "string" && caBundle !== "" && !isBundle(caBundle))
    errors.push(
      invalid(
        `${field}.caBundle`,
        caBundle,
        "unable to load root certificates: unable to parse bytes as PEM block",
      ),
    );
  return errors;
}

const FORM = "; desired format: https://host[/path]";

function urlErrors(text: string, field: string): ServerError[] {
  // A relative reference is one for the server, without scheme and host.
  const [, scheme = "", , authority = "", , query, , fragment] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$/s.exec(text) ?? [];
  if (/ /.test(authority) || /^\d*:|\p{Cc}|%(?![0-9A-Fa-f]{2})/u.test(text))
    return [{ ...required(field, `url must be a valid URL${FORM}`), exact: false }];
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : undefined;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return [
    ...(scheme.toLowerCase() === "https"
      ? []
      : [invalid(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host === "" ? [invalid(field, "", `host must be specified${FORM}`)] : []),
    ...(user === undefined ? [] : [invalid(field, user, "user information is not permitted in the URL")]),
    ...(fragment === undefined || fragment === ""
      ? []
      : [invalid(field, fragment, "fragments are not permitted in the URL")]),
    ...(query === undefined || query === "?"
      ? []
      : [invalid(field, query.slice(1), "query parameters are not permitted in the URL")]),
  ];
}

function serviceErrors(service: JsonObject, field: string): ServerError[] {
  const errors: ServerError[] = [];
  // The server mixes the two up, and so do its fields.
  if (textAt(service, "namespace") === "") errors.push(required(`${field}.name`));
  if (textAt(service, "name") === "") errors.push(required(`${field}.namespace`));
  const port: Json = service["port"] ?? 443;
  if (typeof port !== "number" || port < 1 || port > 65535)
    errors.push(invalid(`${field}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  const path = textAt(service, "path");
  if (path === "" || path === "/") return errors;
  const at = `${field}.path`;
  if (path === "//") return [...errors, invalid(at, path, "segment[0] may not be empty")];
  if (!path.startsWith("/")) errors.push(invalid(at, path, "must start with a '/'"));
  path
    .slice(1)
    .replace(/\/$/, "")
    .split("/")
    .forEach((step, i) => {
      const faults = step === "" ? ["may not be empty"] : subdomainFaults(step);
      for (const fault of faults)
        errors.push(invalid(at, path, `segment[${i}]${step === "" ? "" : ":"} ${fault}`));
    });
  return errors;
}

function reviewErrors(versions: readonly string[], field: string, recognised: boolean): ServerError[] {
  if (versions.length === 0) return [required(field)];
  const errors = versions.flatMap((version, i): ServerError[] => {
    if (versions.indexOf(version) < i) return [invalid(`${field}[${i}]`, version, "duplicate version")];
    return dns1035Faults(version).map((fault) => invalid(`${field}[${i}]`, version, fault));
  });
  if (recognised && !versions.some((each) => REVIEW_VERSIONS.includes(each)))
    errors.push(invalid(field, [...versions], `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  return errors;
}
