import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { FLEET_FLAGS } from "../../fleet/flags.js";
import { withFleet } from "../../fleet/with-fleet.js";
import { file } from "./flags.js";

export const validate: Command = {
  path: "validate",
  summary: "Check an install-config or an asset directory",
  details: `Checks an install-config (FILE), or a directory: its install-config, its facts and the objects in infrastructure-manifests, including your edits (schemas, references, namespaces, Secrets, the selector, placeholders). If the directory contains Ignition configs, also checks their certificates for expiry. Writes nothing. Exit 0 if there are no errors, otherwise 1.`,
  operands: [file],
  flags: [...flagsOf("validate"), ...FLEET_FLAGS],
  examples: [
    { line: "slipway validate install-config.yaml --release 4.20", does: "one file, for a given release" },
    { line: "slipway validate --dir cluster", does: "inputs and generated objects" },
  ],
  findings: true,
  load: async () => withFleet("validate", (await import("./validate-run.js")).validate, file),
};
