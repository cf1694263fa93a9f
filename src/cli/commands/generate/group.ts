/** `slipway generate …`: files that follow from what slipway itself knows, or from tables. */
import type { Command, Group } from "../../command.js";
import { check, out, transferGroup } from "./flags.js";
import { generateApiAvailability, generateFeatureGates, generateStorageBehaviors } from "./tables.js";

const crds: Command = {
  path: "generate crds",
  summary: "Write the CRDs and roles of OpenShiftControlPlane and StorageTransfer",
  details: `Apply the OpenShiftControlPlane CRD to the management cluster before infrastructure-manifests/. Apply the
StorageTransfer CRDs to the cluster whose claims are transferred, and its two roles to the requesting and the
approving namespaces (kubectl apply -n). Other files in the folder are not changed.`,
  flags: [out, check, transferGroup],
  examples: [
    { line: "slipway generate crds --out api", does: "create or update" },
    {
      line: "slipway generate crds --out api --check",
      does: "check that committed files are up to date",
    },
  ],
  writes: true,
  findings: true,
  load: async () => (await import("./folders-run.js")).generateCrds,
};

const schemas: Command = {
  path: "generate schemas",
  summary: "Write all JSON Schemas: inputs, JSON output, and generated objects",
  flags: [out, check],
  examples: [{ line: "slipway generate schemas --out schemas", does: "for editors and pipelines" }],
  writes: true,
  findings: true,
  load: async () => (await import("./folders-run.js")).generateSchemas,
};

export const generateGroup: Group = {
  word: "generate",
  summary: "Write CRDs, JSON Schemas and code from tables",
  commands: [generateFeatureGates, generateStorageBehaviors, generateApiAvailability, crds, schemas],
};
