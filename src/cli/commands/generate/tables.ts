/** `slipway generate feature-gates`, `storage-behaviors` and `api-availability`: tables as code. */
import type { Command } from "../../command.js";
import { annotations, dependencies, rules } from "../compat/flags.js";
import { check, declaration, goPackage, input, into, lang, outFile, storagePolicy } from "./flags.js";

const DETAILS =
  "With --out, writes a self-contained module. With --into and --declaration, updates one variable or type alias in a\nhand-written file and nothing else. --check writes nothing and exits 3 with a diff if the code differs.";

export const generateFeatureGates: Command = {
  path: "generate feature-gates",
  summary: "Generate typed code from a gate table, with featureOptions",
  details: DETAILS,
  examples: [
    {
      line: "slipway generate feature-gates --table gates.yaml --out src/gates.ts",
      does: "a typed module",
    },
    {
      line: "slipway generate feature-gates --table gates.yaml --into src/app.ts --declaration gates",
      does: "update only one variable",
    },
    {
      line: "slipway generate feature-gates --table gates.yaml --out gates.md --check",
      does: "check that the committed page is up to date",
    },
  ],
  flags: [input, outFile, into, declaration, lang, goPackage, dependencies, annotations, rules, check],
  writes: true,
  findings: true,
  load: async () => (await import("./tables-run.js")).featureGates,
};

export const generateApiAvailability: Command = {
  path: "generate api-availability",
  summary: "Generate typed code from API lifecycles",
  details: DETAILS,
  examples: [
    {
      line: "slipway generate api-availability --table apis.yaml --out src/apis.ts --check",
      does: "check that the committed module is up to date",
    },
  ],
  flags: [input, outFile, into, declaration, lang, goPackage, check],
  writes: true,
  findings: true,
  load: async () => (await import("./tables-run.js")).apiAvailability,
};

export const generateStorageBehaviors: Command = {
  path: "generate storage-behaviors",
  summary: "Generate typed code from the storage behavior of each version",
  details: `Reads API lifecycles or a StorageBehaviors document, and checks its invariants first.\n${DETAILS}`,
  examples: [
    {
      line: "slipway generate storage-behaviors --table apis.yaml --out src/storage.ts",
      does: "a typed module with the servers' behavior",
    },
    {
      line: "slipway generate storage-behaviors --table apis.yaml --policy kep --out src/storage.ts",
      does: "with the numbers in KEP-3166",
    },
  ],
  flags: [input, outFile, into, declaration, lang, goPackage, storagePolicy, check],
  writes: true,
  findings: true,
  load: async () => (await import("./storage-run.js")).storageBehaviors,
};
