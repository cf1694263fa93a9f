import type { JsonObject } from "../../core/json.js";
import { type Problem, warning } from "../../core/problem.js";
import { parseApiVersion } from "../../kubernetes/identity.js";
import type { Referent } from "../../platforms/platform.js";
import { INFRASTRUCTURE_FOLDER } from "./layout.js";

/** The shape of the v1beta1 contract: a core ObjectReference with the namespace of the cluster. */
export const objectReference = ({ apiVersion, kind, name }: Referent, namespace: string): JsonObject => ({
  apiVersion,
  kind,
  name,
  namespace,
});

/**
 * The shape of the v1beta2 contract: no version and no namespace. Its schema holds group and name to DNS names, so a
 * placeholder is written in lower case there.
 */
export const contractReference = ({ apiVersion, kind, name, placeholder }: Referent): JsonObject => {
  const { group } = parseApiVersion(apiVersion);
  return placeholder
    ? { apiGroup: group.toLowerCase(), kind, name: name.toLowerCase() }
    : { apiGroup: group, kind, name };
};

/** Tells that the user has to supply an object and to name it in `field` of `file`. */
export const reportPlaceholder = (
  { kind, name }: Referent,
  file: string,
  field: string,
  report: (problem: Problem) => void,
): void =>
  report(
    warning(
      "CAPI004",
      "Required",
      field,
      `slipway does not generate this object for the platform; ${kind} ${name} is a placeholder`,
      {
        file: `${INFRASTRUCTURE_FOLDER}/${file}`,
        hint: "set --custom-infrastructure DIR to the folder with your provider's object, or add the object to this folder and run slipway validate",
      },
    ),
  );
