import type { Command } from "../command.js";
import { text } from "../flags.js";
import { annotations, dependencies, featureGates, tables, VERSION_FLAGS } from "./compat-flags.js";

export const batch = text("batch", "questions, one JSON document a line; answers them line by line", {
  value: "FILE",
});
export const component = text("component", "ask as this binary: gates of others are unknown to it", {
  value: "NAME",
});
export const featureSet = text("feature-set", "for OpenShift tables: the feature set, such as Default", {
  value: "NAME",
});
export const clusterProfile = text("cluster-profile", "for OpenShift tables: SelfManagedHA or Hypershift", {
  value: "NAME",
});

export const compatGates: Command = {
  path: "compat gates",
  summary: "State, stage and lock of every feature gate, with the reason",
  details:
    "Reads gate tables. Answers at a binary, an emulated and a minimum compatibility version, with what\n--feature-gates sets. Exit 1 when a component would refuse to start.",
  examples: [
    {
      line: "slipway compat gates --table gates.yaml --binary-version 1.37 --emulated-version 1.35",
      does: "gates of 1.37 that behaves as 1.35",
    },
  ],
  flags: [
    tables,
    dependencies,
    annotations,
    featureGates,
    component,
    featureSet,
    clusterProfile,
    batch,
    ...VERSION_FLAGS,
  ],
  load: async () => (await import("./compat-gates-run.js")).run,
};
