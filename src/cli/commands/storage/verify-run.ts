import { createReporter, type Report } from "../../../core/diagnostics.js";
import { checkTable } from "../../../storage/check.js";
import { presetPolicy, type StoragePolicy } from "../../../storage/policy.js";
import type { MigrationMode } from "../../../storage/search.js";
import { storyOf } from "../../../storage/story.js";
import {
  type PolicyNumbers,
  type PolicyVerdict,
  verifyLifecycle,
  verifyNumbers,
  verifyTable,
} from "../../../storage/verify.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import {
  maxDowngrade,
  maxUpgrade,
  migrated,
  migration,
  policy as policyFlag,
  supported,
  table as tableFlag,
} from "./flags.js";
import { numberOf, policyOf, readTable } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const own = policyOf(args, cli, reporter.report);
  const mode = args.get(migration);
  const answer =
    args.given(policyFlag) && own === undefined
      ? undefined
      : await verdict(args, cli, own, mode, reporter.report);
  const ok = answer !== undefined && !reporter.failed;
  print(args, cli, {
    kind: "StoragePolicyVerdict",
    json: ok ? jsonOf(answer, mode) : { safe: null, searched: 0, counterexample: [], fix: null },
    text: ok ? storyOf(answer.verdict, answer.numbers, mode) : "",
    diagnostics: reporter.diagnostics,
  });
  if (!ok) return EXIT.wrong;
  return answer.verdict.safe ? EXIT.done : EXIT.no;
};

interface Answer {
  readonly numbers: PolicyNumbers;
  readonly verdict: PolicyVerdict;
}

async function verdict(
  args: Arguments,
  cli: CliContext,
  own: StoragePolicy | undefined,
  mode: MigrationMode,
  report: Report,
): Promise<Answer | undefined> {
  const path = args.get(tableFlag);
  if (path === undefined) {
    const policy = withFlags(own ?? presetPolicy("kep"), args);
    const numbers = numbersOf(policy);
    return { numbers, verdict: verifyNumbers(numbers, mode, policy.moratorium) };
  }
  const source = await readTable(path, cli, report);
  if (source === undefined) return undefined;
  if (source.kind === "lifecycle") {
    const policy = withFlags(own ?? presetPolicy("kep"), args);
    return { numbers: numbersOf(policy), verdict: verifyLifecycle(source.lifecycle, policy, mode) };
  }
  const policy = withFlags(own ?? source.policy ?? presetPolicy("kep"), args);
  // A table that does not say what is preferred has no answer; whether it keeps a policy's durations is another question.
  checkTable(source.table, policy, (problem) => {
    if (problem.code === "STO001" || problem.code === "STO002" || problem.code === "STO006") report(problem);
  });
  return { numbers: numbersOf(policy), verdict: verifyTable(source.table, numbersOf(policy), mode) };
}

/** The numbers that decide. */
export const numbersOf = ({ durations, maxUpgrade, maxDowngrade }: StoragePolicy): PolicyNumbers => ({
  ...durations,
  maxUpgrade,
  maxDowngrade,
});

function withFlags(policy: StoragePolicy, args: Arguments): StoragePolicy {
  return {
    ...policy,
    durations: {
      supported: numberOf(args, supported) ?? policy.durations.supported,
      migrated: numberOf(args, migrated) ?? policy.durations.migrated,
    },
    maxUpgrade: numberOf(args, maxUpgrade) ?? policy.maxUpgrade,
    maxDowngrade: numberOf(args, maxDowngrade) ?? policy.maxDowngrade,
  };
}

const jsonOf = ({ numbers, verdict }: Answer, mode: MigrationMode): object => ({
  safe: verdict.safe,
  searched: verdict.states,
  transitions: verdict.transitions,
  policy: { ...numbers, migration: mode },
  counterexample: verdict.counterexample,
  unsafe: verdict.unsafe,
  unpromised: verdict.unpromised,
  fix: verdict.fix ?? null,
});
