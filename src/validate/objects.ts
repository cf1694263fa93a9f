/** Each object on its own: the API server's rules, our schema of what we emit or the definition of the kind. */
import type { ErrorObject } from "ajv";
import { isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { type Found, info, type Problem, problem, warning } from "../core/problem.js";
import { CONTROL_PLANE_KIND } from "../crd/openshift-control-plane.js";
import { type Crd, checkCustomResource } from "../crd/schema.js";
import { EMITTED_VALIDATORS } from "../generated/validators/emitted/index.js";
import { formatIdentity, identityKey } from "../kubernetes/identity.js";
import { objectFindings } from "../kubernetes/object-rules.js";
import { assistedFindings } from "../kubernetes/openshift-assisted.js";
import { isEncrypted } from "../kubernetes/secrets.js";
import { webhookFindings } from "../platforms/provider-webhooks.js";
import {
  at,
  type Check,
  type Context,
  type EmittedValidators,
  type Known,
  type ValidationOptions,
} from "./context.js";
import { definitionOf } from "./crd-files.js";
import { CLUSTER_SCOPED, NAMESPACED_GROUPS, REQUIRED_FIELDS } from "./provider-fields.js";
import { isControllerSecret } from "./references.js";

const crdOf = (known: Known, { options }: Context): Crd | undefined => definitionOf(known, options);

/** Our schemas of what the phase emits, for any platform. */
export async function emittedValidators(): Promise<EmittedValidators> {
  const folders = Object.keys(EMITTED_VALIDATORS).filter((each) =>
    /^infrastructure-manifests(?:\/|$)/.test(each),
  );
  const loaded = await Promise.all(folders.map((folder) => EMITTED_VALIDATORS[folder]?.()));
  return Object.assign({}, ...loaded);
}

/** Schemas and the rules that hold for every object. */
export const checkObjects: Check = ({ objects, options }) =>
  objects.flatMap((known) => objectProblems(known, options));

/** What is wrong with one object by itself. */
export function objectProblems(known: Known, options: ValidationOptions): Problem[] {
  if (isEncrypted(known.object)) return objectFindings(known.object).map((finding) => at(known, finding));
  const crd = definitionOf(known, options);
  const findings = [
    ...objectFindings(known.object),
    ...webhookFindings(known.object),
    ...assistedFindings(known.object),
    ...(crd === undefined
      ? emittedFindings(known, options.emitted)
      : checkCustomResource(crd, known.object, options.cel)),
  ];
  return findings.map((finding) => at(known, finding));
}

/** Kinds whose rules are all in `objectFindings`. */
const RULED = new Set(["Secret", "ConfigMap", "Namespace"]);

/**
 * By our own schema of what we emit. It is narrower than the definitions of providers: a field or a value that we
 * never write may be legal, and without the definition of the kind that is only said, not refused; nor is a field
 * refused that is missing though we always write it, unless the definition asks for it. A value of another type is
 * wrong by any definition. Of our own kind the schema is the definition.
 */
function emittedFindings({ object, identity }: Known, validators: EmittedValidators = {}): Found[] {
  const { group, kind } = identity;
  const validate = validators[`${textAt(object, "apiVersion")} ${kind}`];
  if (validate === undefined || (group === "" && RULED.has(kind)) || validate(object)) return [];
  const required = REQUIRED_FIELDS.get(kind);
  return (validate.errors ?? []).flatMap((error): Found[] => {
    const field = fieldOf(error.instancePath);
    if (/^metadata(?:\.|$)/.test(field)) return [];
    if (error.keyword === "additionalProperties")
      return [
        info(
          "KUB004",
          "Invalid",
          join(field, param(error, "additionalProperty")),
          `unknown field: slipway does not write it in ${kind} and cannot validate it`,
          "set --crds DIR to validate it against the CustomResourceDefinition",
        ),
      ];
    if (error.keyword === "required") {
      const missing = join(field, param(error, "missingProperty"));
      const needed = required?.has(missing.replaceAll(/\[[0-9]+\]/g, "")) ?? true;
      const hint = "set --crds DIR to check against the CustomResourceDefinition whether it is required";
      return [
        problem(
          "KUB003",
          "Required",
          missing,
          needed ? "is required" : `required value is missing: slipway always writes this field in ${kind}`,
          { ...(needed ? {} : { severity: "warning", hint }) },
        ),
      ];
    }
    const kindOfError = error.keyword === "enum" || error.keyword === "const" ? "NotSupported" : "Invalid";
    const message = error.message ?? "is invalid";
    if (kind === CONTROL_PLANE_KIND || isOfOtherType(error, object))
      return [problem("KUB003", kindOfError, field, message)];
    return [
      warning(
        "KUB003",
        kindOfError,
        field,
        `${message} in the ${kind} that slipway writes; it cannot validate other values`,
        "set --crds DIR to validate it against the CustomResourceDefinition",
      ),
    ];
  });
}

/** True where the value at the error is of none of the types that the schema has for it. */
function isOfOtherType(
  { keyword, schemaPath, instancePath, params }: ErrorObject,
  object: JsonObject,
): boolean {
  if (/\/(?:any|one)Of\//.test(schemaPath)) return false;
  if (keyword === "type") return true;
  const legal: unknown[] = keyword === "const" ? [params["allowedValue"]] : (params["allowedValues"] ?? []);
  const value = stepsOf(instancePath).reduce<Json | undefined>(
    (inner, step) => (isList(inner) ? inner[Number(step)] : isObject(inner) ? inner[step] : undefined),
    object,
  );
  return legal.length > 0 && legal.every((each) => typeof each !== typeof value);
}

const param = ({ params }: ErrorObject, name: string): string => String(params[name] ?? "");
const join = (field: string, name: string): string => (field === "" ? name : `${field}.${name}`);

const stepsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The Kubernetes field path of a JSON pointer. */
const fieldOf = (pointer: string): string =>
  stepsOf(pointer).reduce(
    (path, step) => (/^[0-9]+$/.test(step) ? `${path}[${step}]` : join(path, step)),
    "",
  );

/** No object twice: the second would overwrite the first. */
export const checkDuplicates: Check = ({ objects }) => {
  const seen = new Map<string, Known>();
  return objects.flatMap((known): Problem[] => {
    const key = identityKey(known.identity);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, known);
      return [];
    }
    return [
      at(
        known,
        problem(
          "CAPI017",
          "Duplicate",
          "metadata.name",
          `duplicate object ${formatIdentity(known.identity)}, also in ${first.file}:${first.node.line}`,
          "remove one of them; the later one would overwrite the earlier one",
        ),
      ),
    ];
  });
};

/** All objects of a cluster are in one namespace: `clusterctl move` and the references depend on it. */
export const checkNamespaces: Check = (context) => {
  const { namespace, objects, directory } = context;
  if (namespace === "") return [];
  const own = objects.filter(({ identity }) => identity.group === "" && identity.kind === "Namespace");
  const [first] = own;
  const others = objects.flatMap((known): Problem[] => {
    const { group, kind, namespace: given } = known.identity;
    const crd = crdOf(known, context);
    if (crd === undefined ? CLUSTER_SCOPED.has(kind) : !crd.namespaced) return [];
    if (given === namespace) return [];
    if (kind === "Secret" && given !== "")
      if (given === directory.controllerNamespace || isControllerSecret(known, objects)) return [];
    const mustHave = crd !== undefined || group === "" || NAMESPACED_GROUPS.has(group);
    if (given === "" && !mustHave) return [];
    return [
      at(
        known,
        problem(
          "CAPI011",
          given === "" ? "Required" : "Invalid",
          "metadata.namespace",
          given === ""
            ? "the object has no namespace, so kubectl would use its current namespace"
            : `the object is in the namespace ${JSON.stringify(given)}, but the cluster is in ${JSON.stringify(namespace)}`,
          `set the namespace of all objects to ${namespace}`,
        ),
      ),
    ];
  });
  if (first === undefined || own.some(({ identity }) => identity.name === namespace)) return others;
  const finding = at(
    first,
    problem(
      "CAPI011",
      "Invalid",
      "metadata.name",
      `the Namespace is ${JSON.stringify(first.identity.name)}, but the Cluster is in ${JSON.stringify(namespace)}`,
      `name it ${namespace}, or change the namespace of every object`,
    ),
  );
  return [finding, ...others];
};
