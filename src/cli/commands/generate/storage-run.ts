import { createHash } from "node:crypto";
import { basename } from "node:path";
import { isKubernetes } from "../../../compatibility/kubernetes-name.js";
import { createReporter, type Report } from "../../../core/diagnostics.js";
import type { TableOrigin } from "../../../generators/storage-behaviors.js";
import { checkTable } from "../../../storage/check.js";
import { deriveTable } from "../../../storage/derive.js";
import type { BehaviorTable } from "../../../storage/model.js";
import { presetPolicy } from "../../../storage/policy.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import type { Arguments } from "../../flags.js";
import { readTextFile } from "../../read-text.js";
import { policyOf, readTable } from "../storage/inputs.js";
import { codeLanguageOf, emitCode, goCode, inputOf, packageOf, type TableCode } from "./code.js";
import { storagePolicy } from "./flags.js";

export const storageBehaviors: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const path = inputOf(args);
  const own = policyOf(args, cli, report, storagePolicy);
  const source = await readTable(path, cli, report);
  if (source === undefined || reporter.failed) return emitCode(args, cli, undefined, reporter);
  const policy = own ?? (source.kind === "behaviors" ? source.policy : undefined) ?? presetPolicy("shipped");
  const table = source.kind === "behaviors" ? source.table : deriveTable(source.lifecycle, policy);
  checkTable(table, policy, report);
  const origin = {
    input: basename(path),
    sha256: isKubernetes(path) ? undefined : digestOf(cli, path, report),
    policy,
    isExplicit: source.kind === "behaviors",
  };
  return emitCode(args, cli, await codeOf(table, args, origin), reporter);
};

/** SHA-256 of the text of a file, that nobody has to guess which state of it a module was made from. */
function digestOf(cli: CliContext, path: string, report: Report): string | undefined {
  const text = readTextFile(cli, path, report);
  return text === undefined ? undefined : createHash("sha256").update(text).digest("hex");
}

async function codeOf(table: BehaviorTable, args: Arguments, origin: TableOrigin): Promise<TableCode> {
  if (codeLanguageOf(args) === "ts") {
    const { storageBehaviorsDeclarations } = await import("../../../generators/storage-behaviors.js");
    return {
      module: async () =>
        (await import("../../../generators/storage-behaviors-typescript.js")).storageBehaviorsModule(
          table,
          origin,
        ),
      declarations: storageBehaviorsDeclarations(table),
    };
  }
  const { goStorageBehaviors } = await import("../../../generators/storage-behaviors-go.js");
  return goCode(goStorageBehaviors(table, origin, await packageOf(args, "storage")));
}
