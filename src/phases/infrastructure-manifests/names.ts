import { type Problem, problem, warning } from "../../core/problem.js";
import { DNS_LABEL_HINT, isDnsLabel } from "../../kubernetes/names.js";
import type { Identity, InfrastructureOptions } from "../assets.js";

/** Namespaces that belong to Kubernetes or OpenShift themselves. */
const RESERVED = /^(?:default$|kube-|openshift$|openshift-)/;

const NAMED = {
  infraID: { field: "--infra-id", what: "the infrastructure name" },
  namespace: { field: "--namespace", what: "the namespace" },
  controllerNamespace: { field: "--controller-namespace", what: "the controller's namespace" },
} as const;

/** Those of the names that are given and are not legal. */
export const nameProblems = (
  names: {
    readonly [Name in keyof typeof NAMED]?: string | undefined;
  },
): Problem[] =>
  (["infraID", "namespace", "controllerNamespace"] as const).flatMap((name): Problem[] => {
    const value = names[name];
    if (value === undefined || isDnsLabel(value)) return [];
    const { field, what } = NAMED[name];
    return [
      problem(
        "CAPI001",
        "Invalid",
        field,
        `${what} ${JSON.stringify(value.slice(0, 80))} is not a valid name`,
        DNS_LABEL_HINT,
      ),
    ];
  });

/**
 * Checks what every object is named by: the infraID (Cluster name, label value, part of Secret names) and the two
 * namespaces. False when nothing sensible can be rendered.
 */
export function checkNames(
  { infraID }: Identity,
  { namespace, controllerNamespace }: InfrastructureOptions,
  report: (problem: Problem) => void,
): boolean {
  const illegal = nameProblems({ infraID, namespace, controllerNamespace });
  illegal.forEach(report);
  if (RESERVED.test(namespace))
    report(
      warning(
        "CAPI001",
        "Invalid",
        "--namespace",
        `the namespace ${namespace} is reserved for the management cluster`,
        `use a separate namespace for each cluster; the default is ${infraID}`,
      ),
    );
  return illegal.length === 0;
}
