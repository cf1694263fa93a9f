import { createReporter } from "../../core/diagnostics.js";
import type { OutputFile } from "../../core/files.js";
import type { Handler } from "../command.js";
import { UsageError } from "../exit.js";
import { out } from "./generate.js";
import { check } from "./generate-flags.js";
import { generated } from "./generated-files.js";

/** A command that writes the files of a generator into `--out`, or with `--check` compares them. */
const generator =
  (files: () => Promise<readonly OutputFile[]>): Handler =>
  async (args, world) => {
    const folder = args.get(out);
    if (folder === undefined) throw new UsageError("--out DIR is missing: the folder to write to");
    return generated(args, world, { folder, files: await files(), check: args.get(check) });
  };

export const generateCrds = generator(async () => {
  const [{ crdFiles, CRD_TEMPLATES }, { createRenderer }] = await Promise.all([
    import("../../generators/crds.js"),
    import("../../text/render.js"),
  ]);
  const reporter = createReporter();
  return crdFiles(await createRenderer([CRD_TEMPLATES], reporter.report));
});

export const generateSchemas = generator(async () =>
  (await import("../../generators/schemas.js")).schemaFiles(),
);
