import { resolve } from "node:path";
import { createReporter } from "../../../core/diagnostics.js";
import { readAssetFiles } from "../../../library/asset-files.js";
import { runFunction } from "../../../pipeline/function.js";
import { identitiesOf } from "../../age.js";
import { printClosing } from "../../closing.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { printDiagnostics } from "../../print.js";
import { readStdinText } from "../../read-text.js";
import { TOOL } from "../create/compile-request.js";

export const run: Handler = async (args, cli) => {
  const { report, diagnostics: ofInputs } = createReporter();
  const identities = identitiesOf(args, cli, report);
  const { text, ok, diagnostics } = await runFunction((await readStdinText(cli, report)) ?? "", {
    readDirectory: (path) => readAssetFiles(resolve(cli.cwd, path), identities),
    inputs: cli,
    identities,
    tool: TOOL,
  });
  printDiagnostics([...ofInputs, ...diagnostics], cli.stderr);
  cli.stdout.pass(text);
  printClosing(args, cli, [...ofInputs, ...diagnostics]);
  return ok && ofInputs.length === 0 ? EXIT.done : EXIT.wrong;
};
