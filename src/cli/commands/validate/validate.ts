import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { FLEET_FLAGS } from "../../fleet/flags.js";
import { withFleet } from "../../fleet/with-fleet.js";
import { file } from "./flags.js";

export const validate: Command = {
  path: "validate",
  summary: "Check an install-config, or a directory and all that is in it",
  details: `Checks an install-config (FILE), or a directory: its install-config and facts, and infrastructure-manifests as they lie on disk after edits: schemas, references, namespaces, Secrets, the selector, placeholders; after ignition-configs, how long its certificates last. Writes nothing. Exit 0 when there is no error, 1 otherwise.`,
  operands: [file],
  flags: [...flagsOf("validate"), ...FLEET_FLAGS],
  examples: [
    { line: "slipway validate install-config.yaml --release 4.20", does: "one file, for a release" },
    { line: "slipway validate --dir cluster", does: "inputs and objects" },
  ],
  load: async () => withFleet("validate", (await import("./validate-run.js")).validate, file),
};
