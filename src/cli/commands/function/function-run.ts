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

export const run: Handler = async (args, world) => {
  const { report, diagnostics: ofInputs } = createReporter();
  const identities = identitiesOf(args, world, report);
  const { text, ok, diagnostics } = await runFunction((await readStdinText(world, report)) ?? "", {
    readDirectory: (path) => readAssetFiles(resolve(world.cwd, path), identities),
    inputs: world,
    identities,
    tool: TOOL,
  });
  printDiagnostics([...ofInputs, ...diagnostics], world.stderr);
  world.stdout.pass(text);
  printClosing(args, world, [...ofInputs, ...diagnostics]);
  return ok && ofInputs.length === 0 ? EXIT.done : EXIT.wrong;
};
