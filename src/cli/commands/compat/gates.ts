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
    "Reads gate tables and evaluates the gates for the given versions (binary, emulated, minimum compatibility) and\n--feature-gates. Exit 1 if a component would refuse to start.",
  examples: [
    {
      line: "slipway compat gates --table gates.yaml --binary-version 1.37 --emulated-version 1.35",
      does: "gates of a 1.37 binary that emulates 1.35",
    },
    {
      line: "slipway compat gates --table kubernetes --binary-version 1.36 --gates-from /var/lib/kubelet/config.yaml",
      does: "gates of a kubelet, from its configuration file",
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
