/**
 * What the webhooks of the provider refuse when an object is made (cluster-api-provider-gcp 1.12, webhooks/): confidential
 * computing of machines alone; a GCPCluster is taken as it is.
 */

import { isObject, type JsonObject, textAt } from "../../core/json.js";
import { type Found, problem } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import { confidentialFamilies } from "./tables.js";

export function webhookFindings(object: JsonObject): readonly Found[] {
  const { apiVersion, kind, spec } = object;
  if (typeof apiVersion !== "string" || !apiVersion.startsWith("infrastructure.cluster.x-k8s.io/")) return [];
  const template = isObject(spec) && isObject(spec["template"]) ? spec["template"]["spec"] : undefined;
  if (kind !== "GCPMachineTemplate" || !isObject(template)) return [];
  const { confidentialCompute, onHostMaintenance = "Migrate" } = template;
  if (typeof confidentialCompute !== "string" || confidentialCompute === "Disabled") return [];
  const refused = (member: string, message: string, hint: string): readonly Found[] => [
    problem("CAPI101", "Invalid", `spec.template.spec.${member}`, message, hint),
  ];
  if (onHostMaintenance === "Migrate")
    return refused(
      "onHostMaintenance",
      "requires onHostMaintenance: Terminate: confidential VMs cannot be migrated",
      "set onHostMaintenance: Terminate",
    );
  const families = confidentialFamilies(confidentialCompute);
  if (families === undefined)
    return refused(
      "confidentialCompute",
      `unsupported value ${quote(confidentialCompute)}`,
      "use AMDEncryptedVirtualization, AMDEncryptedVirtualizationNestedPaging or IntelTrustedDomainExtensions, or remove it",
    );
  const type = textAt(template, "instanceType");
  return families.includes(type.split("-")[0] ?? "")
    ? []
    : refused(
        "instanceType",
        `the machine type ${quote(type)} does not support ${confidentialCompute}`,
        `use a machine type of ${families.join(" or ")}`,
      );
}
