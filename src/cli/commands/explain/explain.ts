import type { Command } from "../../command.js";
import { path } from "./flags.js";

export const explain: Command = {
  path: "explain",
  summary: "Document a field of an input or output",
  details: `Shows type, default, allowed values, release and meaning of a field, and the fields below it, from the schemas.
Without PATH it lists the documents. Letters of either case are alike; indices of lists may be left out.`,
  operands: [path],
  flags: [],
  examples: [
    { line: "slipway explain install-config.platform.aws", does: "the fields of a platform" },
    { line: "slipway explain cloud-facts", does: "what offline facts there are" },
    { line: "slipway explain OpenShiftControlPlane.spec --output json", does: "a part of the schema" },
  ],
  load: async () => (await import("./explain-run.js")).runExplain,
};
