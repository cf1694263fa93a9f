import type { Command } from "../../command.js";
import {
  annotations,
  batch,
  clusterProfile,
  component,
  dependencies,
  featureGates,
  featureSet,
  gatesFrom,
  tables,
  VERSION_FLAGS,
} from "./flags.js";

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
    {
      line: "slipway compat gates --table kubernetes --binary-version 1.36 --gates-from /var/lib/kubelet/config.yaml",
      does: "gates of a kubelet as it is configured",
    },
  ],
  flags: [
    tables,
    dependencies,
    annotations,
    featureGates,
    gatesFrom,
    component,
    featureSet,
    clusterProfile,
    batch,
    ...VERSION_FLAGS,
  ],
  load: async () => (await import("./gates-run.js")).run,
};
