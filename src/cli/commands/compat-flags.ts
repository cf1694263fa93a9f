/** Flags that several compat commands share. */
import { choiceWithDefault, list, text } from "../flags.js";

export const binaryVersion = text(
  "binary-version",
  "version of the binary, such as 1.35 or v1.35.2; default: the newest release that the data know",
  { value: "VERSION" },
);
export const emulatedVersion = list(
  "emulated-version",
  "version to emulate, [component=]major.minor; default: the binary's",
  { value: "VERSION", alias: "emulation-version" },
);
export const minCompatibilityVersion = list(
  "min-compatibility-version",
  "oldest version to stay compatible with, [component=]major.minor; default: one below the emulated one",
  { value: "VERSION" },
);
export const rules = choiceWithDefault(
  "rules",
  "kep: the source design as written; shipped: what Kubernetes does",
  ["kep", "shipped"] as const,
  "shipped",
  { value: "RULES" },
);
export const stage = choiceWithDefault(
  "stage",
  "graduation stage of the source design (only with --rules kep)",
  ["alpha", "beta"] as const,
  "beta",
  { value: "STAGE" },
);

/** What every question about versions takes. */
export const VERSION_FLAGS = [binaryVersion, emulatedVersion, minCompatibilityVersion, rules, stage] as const;

export const tables = list(
  "table",
  "gate table: FeatureGateTable, versioned_feature_list.yaml or an OpenShift form; one a component",
  { value: "FILE" },
);
export const lifecycle = text("lifecycle", "APILifecycle, or a list of kinds with their lifecycle", {
  value: "FILE",
});
export const featureGates = list("feature-gates", "settings, [component:]Gate=bool,…; may be repeated", {
  value: "SETTINGS",
});
export const dependencies = text("dependencies", "map gate → gates that it depends on", { value: "FILE" });
export const annotations = text(
  "annotations",
  "minimum compatibility versions that a foreign list loses: list of {name, index, minCompatibilityVersion}",
  { value: "FILE" },
);
