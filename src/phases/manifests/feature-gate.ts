/**
 * openshift/99_feature-gate.yaml: always written; the default set is the absence of a name
 * (docs/reference/install-config-and-manifests.md §3.6, §3.12).
 */
import type { JsonObject } from "../../core/json.js";
import { parseFeatureGate } from "../../platforms/enabled-gates.js";
import type { Asset } from "./input.js";

export const featureGate: Asset = ({ config }) => [
  {
    template: "openshift/99_feature-gate.yaml",
    path: "openshift/99_feature-gate.yaml",
    view: { spec: featureGateSpec(config.featureSet ?? "", config.featureGates ?? []) },
  },
];

/** Custom gates keep their order; a list without a member is absent. */
function featureGateSpec(featureSet: string, entries: readonly string[]): JsonObject {
  return {
    ...(featureSet === "" ? {} : { featureSet }),
    ...(entries.length === 0 ? {} : { customNoUpgrade: customGates(entries) }),
  };
}

/** Names of the gates that are set, in the order written, by what they are set to. */
export function customGates(entries: readonly string[]): JsonObject {
  const gates = entries.flatMap((entry) => parseFeatureGate(entry) ?? []);
  const names = (enabled: boolean): string[] =>
    gates.filter((gate) => gate.enabled === enabled).map(({ name }) => name);
  const [enabled, disabled] = [names(true), names(false)];
  return {
    ...(enabled.length === 0 ? {} : { enabled }),
    ...(disabled.length === 0 ? {} : { disabled }),
  };
}
