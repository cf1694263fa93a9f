import { createReporter } from "../../../core/diagnostics.js";
import type { OutputFile } from "../../../core/files.js";
import type { Handler } from "../../command.js";
import { UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { generated } from "./files.js";
import { check, out, transferGroup } from "./flags.js";

/** A command that writes the files of a generator into `--out`, or with `--check` compares them. */
const generator =
  (files: (args: Arguments) => Promise<readonly OutputFile[]>): Handler =>
  async (args, cli) => {
    const folder = args.get(out);
    if (folder === undefined) throw new UsageError("--out DIR is required: the folder to write to");
    return generated(args, cli, { folder, files: await files(args), check: args.get(check) });
  };

export const generateCrds = generator(async (args) => {
  const [{ crdFiles, CRD_TEMPLATES }, { createRenderer }, { transferGroupFault }] = await Promise.all([
    import("../../../generators/crds.js"),
    import("../../../text/render.js"),
    import("../../../crd/storage-transfer.js"),
  ]);
  const group = args.get(transferGroup);
  const fault = group === undefined ? undefined : transferGroupFault(group);
  if (fault !== undefined) throw new UsageError(`--transfer-group ${group}: ${fault}`);
  const reporter = createReporter();
  const renderer = await createRenderer([CRD_TEMPLATES], reporter.report);
  return crdFiles(renderer, group === undefined ? {} : { transferGroup: group });
});

export const generateSchemas = generator(async () =>
  (await import("../../../generators/schemas.js")).schemaFiles(),
);
