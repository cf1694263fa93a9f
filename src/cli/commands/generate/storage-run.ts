import { createReporter } from "../../../core/diagnostics.js";
import { checkTable } from "../../../storage/check.js";
import { deriveTable } from "../../../storage/derive.js";
import type { BehaviorTable } from "../../../storage/model.js";
import { presetPolicy } from "../../../storage/policy.js";
import type { Handler } from "../../command.js";
import { UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { policyOf, readTable } from "../storage/inputs.js";
import { emitCode, goCode, packageOf, type TableCode } from "./code.js";
import { input, lang, storagePolicy } from "./flags.js";

export const storageBehaviors: Handler = async (args, world) => {
  const reporter = createReporter();
  const { report } = reporter;
  const path = args.get(input);
  if (path === undefined) throw new UsageError("--input FILE is missing");
  const own = policyOf(args, world, report, storagePolicy);
  const source = await readTable(path, world, report);
  if (source === undefined || reporter.failed) return emitCode(args, world, undefined, reporter);
  const policy = own ?? (source.kind === "behaviors" ? source.policy : undefined) ?? presetPolicy("kep");
  const table = source.kind === "behaviors" ? source.table : deriveTable(source.lifecycle, policy);
  checkTable(table, policy, report);
  return emitCode(args, world, await codeOf(table, args), reporter);
};

async function codeOf(table: BehaviorTable, args: Arguments): Promise<TableCode> {
  if (args.get(lang) === "ts") {
    const { storageBehaviorsDeclarations } = await import("../../../generators/storage-behaviors.js");
    return {
      module: async () =>
        (await import("../../../generators/storage-behaviors-typescript.js")).storageBehaviorsModule(table),
      declarations: storageBehaviorsDeclarations(table),
    };
  }
  const { goStorageBehaviors } = await import("../../../generators/storage-behaviors-go.js");
  return goCode(goStorageBehaviors(table, await packageOf(args, "storage")));
}
