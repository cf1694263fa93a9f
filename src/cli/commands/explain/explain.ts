import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { textWithDefault } from "../../flags.js";
import { origin, path, platform } from "./flags.js";

export const explain: Command = {
  path: "explain",
  summary: "Describe a field, a diagnostic code or the origin of a file",
  details: `Shows the type, default, allowed values, release and meaning of a field, or the meaning and remedy of a diagnostic
code. Without TOPIC it lists the documents. TOPIC is case-insensitive, and list indices are optional.
--origin shows where a generated file comes from: template, phase, inputs, release tables, references. FILE:FIELD and
FILE:LINE select one field or line; bootstrap.ign:/PATH selects a file on the bootstrap node.`,
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
      does: "where a field comes from",
    },
    {
      line: "slipway explain --origin manifests/cluster-proxy-01-config.yaml:7",
      does: "where a line of the file on disk comes from",
    },
  ],
  load: async () => (await import("./explain-run.js")).runExplain,
};
