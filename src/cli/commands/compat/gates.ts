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
  summary: "Show state, stage and lock of every feature gate, with the reason",
  details:
    "Reads gate tables. Evaluates the gates at a binary, an emulated and a minimum compatibility version, with\n--feature-gates. Exit 1 if a component would refuse to start.",
  examples: [
    {
      line: "slipway compat gates --table gates.yaml --binary-version 1.37 --emulated-version 1.35",
      does: "gates of 1.37 that emulates 1.35",
    },
    {
      line: "slipway compat gates --table kubernetes --binary-version 1.36 --gates-from /var/lib/kubelet/config.yaml",
      does: "gates of a kubelet with its configuration",
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
