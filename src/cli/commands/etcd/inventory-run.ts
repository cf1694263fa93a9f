import { basename, dirname, resolve } from "node:path";
import { createReporter, documented, isError, type Problem } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import { writeFiles } from "../../../directory/index.js";
import { type Inventory, takeInventory } from "../../../etcd/inventory.js";
import { inventoryFindings, inventoryJson } from "../../../etcd/inventory-report.js";
import { printClosing } from "../../closing.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode } from "../../exit.js";
import { output } from "../../flags.js";
import { forReader, printDiagnostics } from "../../print.js";
import { printDocument } from "../../print-stream.js";
import { printStream, STDOUT } from "../../stdout-file.js";
import * as flags from "./flags.js";
import { inventoryText } from "./inventory-text.js";
import { openSession, type Session, scopeOf } from "./session.js";

export const runInventory: Handler = async (args, cli): Promise<ExitCode> => {
  const reporter = createReporter();
  const session = await openSession(args, cli, reporter, { hash: false });
  try {
    const survey = await session?.survey();
    const inventory = survey?.complete === true ? takeInventory(survey) : undefined;
    if (inventory !== undefined) {
      inventoryFindings(inventory, reporter.report);
      const file = args.get(flags.kmsRequestsOut);
      if (file === STDOUT) {
        printStream(args, cli, "--kms-requests-out", requestsOf(inventory), reporter.diagnostics);
        return reporter.diagnostics.some(isError) ? EXIT.wrong : EXIT.done;
      }
      if (file !== undefined) await writeRequests(resolve(cli.cwd, file), inventory, reporter.report);
    }
    const diagnostics = forReader(args, reporter.diagnostics);
    const copies = session === undefined ? [] : copiesJson(session);
    const code = inventory === undefined || diagnostics.some(isError) ? EXIT.wrong : EXIT.done;
    if (args.get(output) === "json")
      printDocument(cli.stdout, "EtcdInventory", {
        ok: code === EXIT.done,
        copies,
        prefixes: survey?.prefixes ?? [],
        ...(session === undefined || survey === undefined || inventory === undefined
          ? {}
          : { scope: scopeOf(args, session, reporter.diagnostics, survey) }),
        ...(inventory === undefined ? {} : inventoryJson(inventory)),
        diagnostics: diagnostics.map(documented),
      });
    else {
      printDiagnostics(diagnostics, cli.stderr);
      if (inventory !== undefined) cli.stdout.write(inventoryText(inventory));
      printClosing(args, cli, diagnostics);
    }
    return code;
  } finally {
    await session?.close();
  }
};

const copiesJson = ({ copies }: Session): object[] =>
  copies.map(({ file, form, compacted, revision }) => ({
    file: file.name,
    form,
    bytes: file.size,
    revision: revision()?.toString() ?? "unknown",
    ...(compacted === undefined ? {} : { compactedRevision: compacted.toString() }),
  }));

/** What has to be asked of the plug-ins, in the form in which the answers are given. */
async function writeRequests(
  file: string,
  inventory: Inventory,
  report: (problem: Problem) => void,
): Promise<void> {
  const written = await writeFiles(dirname(file), [
    textFile(basename(file), requestsOf(inventory), { secret: true }),
  ]);
  if (!written.ok) report(written.problem);
}

function requestsOf({ wrappedKeys }: Inventory): string {
  const answers = wrappedKeys
    .filter(({ answered }) => !answered)
    .map(({ provider, version, keyID, encryptedDEKSource }) => ({
      provider,
      api: version,
      keyID,
      encryptedDEKSource,
      plaintext: "",
    }));
  return `${JSON.stringify(answers, null, 1)}\n`;
}
