import { createReporter } from "../../../core/diagnostics.js";
import {
  type CheckResult,
  describeCheck,
  diffPlans,
  openDirectory,
  type PhaseName,
  type PhasePlan,
} from "../../../directory/index.js";
import { answerCheck, compareWithFreshCompile } from "../../../pipeline/check.js";
import { FLAGS as flags } from "../../../pipeline/flags.js";
import { commandOf } from "../../../pipeline/ignition-forms.js";
import { closedProblems } from "../../../pipeline/sealed-inputs.js";
import { identitiesOf } from "../../age.js";
import { checkedFiles } from "../../closing.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { checkFindings } from "../../findings/of-check.js";
import { output } from "../../flags.js";
import { print } from "../../print.js";
import { compileRequest } from "../create/compile-request.js";
import { strict } from "./flags.js";

export const check: Handler = async (args, cli) => {
  const reporter = createReporter();
  const identities = identitiesOf(args, cli, reporter.report);
  const opened = await openDirectory(args.get(flags.dir), {
    write: false,
    identities,
    given: cli.given,
  });
  let plans: readonly PhasePlan[] | undefined;
  let result: CheckResult = { clean: false, files: [] };
  if (!opened.ok) reporter.report(opened.problem);
  else {
    const directory = opened.value;
    directory.problems.forEach(reporter.report);
    // Without a key nobody expects more; a key that was given, and opens nothing, is the wrong one.
    closedProblems(directory, identities, "unknown").forEach(reporter.report);
    if (!reporter.failed) {
      const target = "infrastructure-manifests";
      const base = await compileRequest(directory, target, args, cli, reporter.report, "unknown");
      if (!reporter.failed) plans = await compareWithFreshCompile({ ...base, directory });
    }
    if (plans !== undefined && !reporter.failed)
      result = answerCheck(directory, plans, {
        strict: args.get(strict),
        hasKey: identities.length > 0,
        report: reporter.report,
      });
  }
  const next = (phase: PhaseName): string => commandOf(phase, plans ?? []);
  const failed = plans === undefined || reporter.failed;
  const diff = !failed && args.get(flags.diff) ? await diffPlans(plans ?? []) : "";
  if (args.get(output) === "text" && diff !== "") cli.stdout.write(diff);
  print(args, cli, {
    kind: "CheckResult",
    json: { clean: !failed && result.clean, files: result.files, ...(diff === "" ? {} : { diff }) },
    text: failed ? "" : args.complete(describeCheck(result, next)),
    diagnostics: reporter.diagnostics,
    findings: failed ? [] : checkFindings(result, args.get(strict)),
    outcome: failed ? undefined : checkedFiles(result),
  });
  if (failed) return EXIT.wrong;
  return result.clean ? EXIT.done : EXIT.no;
};
