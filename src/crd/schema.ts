/**
 * Holds an object against the CustomResourceDefinition of its kind, in the order of the API server: prune, drop nulls,
 * default, validate, and only then the rules (apiextensions, release 1.34).
 */

import { type JsonObject, textAt } from "../core/json.js";
import { type Found, info, problem } from "../core/problem.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { type CelChecker, celFaults } from "./cel.js";
import { checkValue, type SchemaFault } from "./check.js";
import { prepare } from "./defaults.js";
import type { Crd } from "./read.js";

export { type CelChecker, loadCel } from "./cel.js";
export { type Crd, readCrd } from "./read.js";

/**
 * What an API server with this definition would say on creation of the object, and the members that it would drop
 * (which `kubectl apply` refuses by default). Without `cel` the validation rules are not looked at.
 */
export function checkCustomResource(crd: Crd, object: JsonObject, cel?: CelChecker): Found[] {
  const { version: name } = parseApiVersion(textAt(object, "apiVersion"));
  const version = crd.versions.find((each) => each.name === name);
  if (version?.served !== true) {
    const served = crd.versions.filter((each) => each.served).map((each) => each.name);
    return [
      problem(
        "KUB003",
        "NotSupported",
        "apiVersion",
        `version ${JSON.stringify(name)} of ${crd.kind} is not served`,
        `use one of ${served.join(", ")}`,
      ),
    ];
  }
  const { schema } = version;
  if (schema === undefined) return [];
  const prepared = prepare(object, schema);
  const unknown = prepared.unknown.map(
    (field): Found =>
      problem(
        "KUB004",
        "Invalid",
        field,
        `unknown field in ${crd.kind} of ${crd.group}/${name}; the API server would drop it`,
      ),
  );
  const faults = checkValue(prepared.object, schema, "");
  const rules =
    cel === undefined || faults.some((fault) => fault.blocking)
      ? []
      : celFaults(prepared.object, schema, "", cel);
  return [
    ...unknown,
    ...faults.map((fault) => finding(fault, "KUB003")),
    ...rules.map((fault) => finding(fault, "KUB005")),
  ];
}

const finding = ({ field, kind, message, unchecked }: SchemaFault, code: "KUB003" | "KUB005"): Found =>
  unchecked === true ? info(problem("KUB006", kind, field, message)) : problem(code, kind, field, message);
