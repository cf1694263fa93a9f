import { resolve } from "node:path";
import { createReporter } from "../../../core/diagnostics.js";
import { readAssetFiles } from "../../../library/asset-files.js";
import { runFunction } from "../../../pipeline/function.js";
import { identitiesOf } from "../../age.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { printDiagnostics } from "../../print.js";
import { TOOL } from "../create/compile-request.js";

export const run: Handler = async (args, world) => {
  const { report, diagnostics: ofKeys } = createReporter();
  const identities = identitiesOf(args, world, report);
  const { text, ok, diagnostics } = await runFunction(await world.stdin.text(), {
    readDirectory: (path) => readAssetFiles(resolve(world.cwd, path), identities),
    inputs: world,
    identities,
    tool: TOOL,
  });
  printDiagnostics([...ofKeys, ...diagnostics], world.stderr);
  world.stdout.write(text);
  return ok && ofKeys.length === 0 ? EXIT.done : EXIT.wrong;
};
