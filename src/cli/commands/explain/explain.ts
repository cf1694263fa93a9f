import { FLAGS } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { textWithDefault } from "../../flags.js";
import { origin, path, platform } from "./flags.js";

export const explain: Command = {
  path: "explain",
  summary: "Document a field of an input or output, or where a written file comes from",
  details: `Shows type, default, allowed values, release and meaning of a field, and the fields below it, from the schemas.
Without PATH it lists the documents. Letters of either case are alike; indices of lists may be left out.

--origin says where a file that slipway writes comes from, by its path below the asset directory or by its name: the
template, the phase and the asset that renders it, what that is made from (fields of the install-config, members of
the state, facts, flags), the rows of tables by release that decide about it, and the sections of docs/reference and
of upstream's code that say why. FILE:FIELD asks the same of one field of the object, bootstrap.ign:/PATH of a file of the bootstrap node.
FILE:LINE and bootstrap.ign:/PATH:LINE ask it of what stands on a line of the file on disk. Nothing is compiled.`,
  operands: [path],
  // The directory counts with --origin alone.
  flags: [origin, textWithDefault("dir", FLAGS.dir.describe, ".", { value: "DIR" }), platform],
  examples: [
    { line: "slipway explain install-config.platform.aws", does: "the fields of a platform" },
    { line: "slipway explain cloud-facts", does: "what offline facts there are" },
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
