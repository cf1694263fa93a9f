/** `slipway generate …`: files that follow from what slipway itself knows, or from tables. */
import type { Command, Group } from "../../command.js";
import { check, out, transferGroup } from "./flags.js";
import { generateApiAvailability, generateFeatureGates, generateStorageBehaviors } from "./tables.js";

const crds: Command = {
  path: "generate crds",
  summary: "Write the APIs OpenShiftControlPlane and StorageTransfer: definitions and roles",
  details: `OpenShiftControlPlane goes to the management cluster before the objects of infrastructure-manifests/. The
StorageTransfer definitions go to the cluster whose claims are transferred, and its two roles to the namespaces of
those who ask and of those who agree (kubectl apply -n). Files of the folder that slipway does not generate are left
alone.`,
  flags: [out, check, transferGroup],
  examples: [
    { line: "slipway generate crds --out api", does: "write, or bring up to date" },
    { line: "slipway generate crds --out api --check", does: "is what is committed what slipway generates?" },
  ],
  writes: true,
  load: async () => (await import("./folders-run.js")).generateCrds,
};

const schemas: Command = {
  path: "generate schemas",
  summary: "Write every JSON Schema: inputs, json results, and the objects that are emitted",
  flags: [out, check],
  examples: [{ line: "slipway generate schemas --out schemas", does: "for editors and pipelines" }],
  writes: true,
  load: async () => (await import("./folders-run.js")).generateSchemas,
};

export const generateGroup: Group = {
  word: "generate",
  summary: "Write CRDs, JSON Schemas, and tables as code",
  commands: [generateFeatureGates, generateStorageBehaviors, generateApiAvailability, crds, schemas],
};
