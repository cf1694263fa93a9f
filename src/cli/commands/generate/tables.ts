/** `slipway generate feature-gates`, `storage-behaviors` and `api-availability`: tables as code. */
import type { Command } from "../../command.js";
import { annotations, dependencies, rules } from "../compat/flags.js";
import { check, declaration, goPackage, input, into, lang, outFile, storagePolicy } from "./flags.js";

const DETAILS =
  "With --out, writes a self-contained module; with --into and --declaration, brings one variable or type alias of a\nhand-written file up to date and leaves every other byte alone. --check writes nothing and exits 3 with a diff\nwhen the code would differ.";

export const generateFeatureGates: Command = {
  path: "generate feature-gates",
  summary: "Write a gate table as typed code, with featureOptions",
  details: DETAILS,
  examples: [
    {
      line: "slipway generate feature-gates --table gates.yaml --out src/gates.ts",
      does: "a typed module",
    },
    {
      line: "slipway generate feature-gates --table gates.yaml --into src/app.ts --declaration gates",
      does: "only that variable",
    },
  ],
  flags: [input, outFile, into, declaration, lang, goPackage, dependencies, annotations, rules, check],
  writes: true,
  load: async () => (await import("./tables-run.js")).featureGates,
};

export const generateApiAvailability: Command = {
  path: "generate api-availability",
  summary: "Write API lifecycles as typed code",
  details: DETAILS,
  examples: [
    {
      line: "slipway generate api-availability --table apis.yaml --out src/apis.ts --check",
      does: "is the committed module up to date?",
    },
  ],
  flags: [input, outFile, into, declaration, lang, goPackage, check],
  writes: true,
  load: async () => (await import("./tables-run.js")).apiAvailability,
};

export const generateStorageBehaviors: Command = {
  path: "generate storage-behaviors",
  summary: "Write the storage behaviour of every version in every release as typed code",
  details: `Reads API lifecycles or a StorageBehaviors document; its invariants are checked first.\n${DETAILS}`,
  examples: [
    {
      line: "slipway generate storage-behaviors --table apis.yaml --out src/storage.ts",
      does: "a typed module of what servers do",
    },
    {
      line: "slipway generate storage-behaviors --table apis.yaml --policy kep --out src/storage.ts",
      does: "by the numbers of KEP-3166",
    },
  ],
  flags: [input, outFile, into, declaration, lang, goPackage, storagePolicy, check],
  writes: true,
  load: async () => (await import("./storage-run.js")).storageBehaviors,
};
