import type { Problem } from "../../core/diagnostics.js";
import { DNS_LABEL_HINT, isDnsLabel } from "../../kubernetes/names.js";
import type { Identity, InfrastructureOptions } from "../assets.js";

/** Namespaces that belong to Kubernetes or OpenShift themselves. */
const RESERVED = /^(?:default$|kube-|openshift$|openshift-)/;

/**
 * Checks what every object is named by: the infraID (Cluster name, label value, part of Secret names) and the two
 * namespaces. False when nothing sensible can be rendered.
 */
export function checkNames(
  { infraID }: Identity,
  { namespace, controllerNamespace }: InfrastructureOptions,
  report: (problem: Problem) => void,
): boolean {
  const names = [
    { field: "--infra-id", what: "the infraID", value: infraID },
    { field: "--namespace", what: "the namespace", value: namespace },
    { field: "--controller-namespace", what: "the controller's namespace", value: controllerNamespace },
  ];
  const illegal = names.filter(({ value }) => !isDnsLabel(value));
  for (const { field, what, value } of illegal)
    report({
      code: "CAPI001",
      kind: "Invalid",
      field,
      message: `${what} ${JSON.stringify(value.slice(0, 80))} is not a legal name`,
      hint: DNS_LABEL_HINT,
    });
  if (RESERVED.test(namespace))
    report({
      code: "CAPI001",
      kind: "Invalid",
      severity: "warning",
      field: "--namespace",
      message: `the namespace ${namespace} belongs to the management cluster itself`,
      hint: `give every cluster a namespace of its own; without --namespace it is ${infraID}`,
    });
  return illegal.length === 0;
}
