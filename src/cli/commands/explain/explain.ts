import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { textWithDefault } from "../../flags.js";
import { origin, path, platform } from "./flags.js";

export const explain: Command = {
  path: "explain",
  summary: "Describe a field, a diagnostic code or where a file comes from",
  details: `Shows type, default, allowed values, release and meaning of a field, from the schemas; of a diagnostic code, what it
means and what to do. Without TOPIC it lists the documents. Upper and lower case are the same; list indices are optional.
With --origin it shows where a generated file comes from: template, phase, inputs, tables by release, references.
FILE:FIELD and FILE:LINE ask about one field or line, bootstrap.ign:/PATH about a file of the bootstrap node.`,
  operands: [path],
  // The directory counts with --origin alone.
  flags: [origin, textWithDefault("dir", FLAGS.dir.describe, ".", { value: "DIR" }), platform],
  examples: [
    { line: "slipway explain install-config.platform.aws", does: "the fields of a platform" },
    { line: "slipway explain cloud-facts", does: "all facts" },
    { line: "slipway explain IC110", does: "a diagnostic code" },
    { line: "slipway explain OpenShiftControlPlane.spec --output json", does: "a part of the schema" },
    {
      line: "slipway explain --origin manifests/cluster-proxy-01-config.yaml:status.noProxy",
      does: "what a field is made from",
    },
    {
      line: "slipway explain --origin manifests/cluster-proxy-01-config.yaml:7",
      does: "what a line of the file on disk is made from",
    },
  ],
  load: async () => (await import("./explain-run.js")).runExplain,
};
