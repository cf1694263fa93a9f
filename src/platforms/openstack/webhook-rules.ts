/**
 * Rules of the provider's webhooks, which no definition of a kind holds (cluster-api-provider-openstack v0.14.7,
 * pkg/webhooks: ValidateCreate of each kind). Pure over objects as they would be applied.
 */

import { isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { type Found, problem } from "../../core/problem.js";

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);
const isThere = (value: Json | undefined): boolean => value !== undefined && value !== null;

const forbidden = (field: string, message: string, hint: string): Found =>
  problem("CAPI101", "Forbidden", field, message, hint);

const RULES = "spec.managedSecurityGroups.allNodesSecurityGroupRules";
/** What says where the packets of a rule come from: one of them. */
const REMOTES = ["remoteManagedGroups", "remoteGroupID", "remoteIPPrefix"];
const PROVIDER_ID = "spec.template.spec.providerID";

export function webhookFindings(object: JsonObject): readonly Found[] {
  if (!textAt(object, "apiVersion").startsWith("infrastructure.cluster.x-k8s.io/")) return [];
  switch (textAt(object, "kind")) {
    case "OpenStackCluster": {
      const rules = at(object, ...RULES.split("."));
      return (isList(rules) ? rules : []).flatMap((rule, index) => {
        const remotes = REMOTES.filter((name) => isThere(at(rule, name)));
        return remotes.length < 2
          ? []
          : [
              forbidden(
                `${RULES}[${index}]`,
                `forbidden: only one of ${remotes.join(" and ")} can be set`,
                "keep one of them",
              ),
            ];
      });
    }
    case "OpenStackMachineTemplate":
      return isThere(at(object, ...PROVIDER_ID.split(".")))
        ? [forbidden(PROVIDER_ID, "forbidden: not supported in a template", "remove it")]
        : [];
    default:
      return [];
  }
}
