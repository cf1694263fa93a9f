import type { Command } from "../../command.js";
import {
  annotations,
  batch,
  clusterProfile,
  component,
  dependencies,
  featureGates,
  featureSet,
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
  load: async () => (await import("./gates-run.js")).run,
};
