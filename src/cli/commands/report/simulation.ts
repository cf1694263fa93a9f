/** The played scenario of a report. */

import type { Report } from "../../../core/diagnostics.js";
import type { SimulationReport } from "../../../report/sections/simulation.js";
import { readScenario } from "../../../storage/read/scenario.js";
import { simulate } from "../../../storage/simulate.js";
import type { CliContext } from "../../cli-context.js";
import type { Arguments } from "../../flags.js";
import { readTextFile } from "../../read-text.js";
import * as flags from "./flags.js";

/** Undefined when an error was reported. */
export async function simulationPart(
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<SimulationReport | undefined> {
  const path = args.get(flags.scenario);
  const text = path === undefined ? undefined : readTextFile(cli, path, report);
  if (path === undefined || text === undefined) return undefined;
  let failed = false;
  const scenario = readScenario(text, path, undefined, (problem) => {
    failed ||= (problem.severity ?? "error") === "error";
    report(problem);
  });
  if (scenario === undefined || failed) return undefined;
  const { steps, lost, stored } = await simulate(scenario, report);
  return { file: path, steps, lost, stored };
}
