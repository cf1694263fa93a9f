import { KUBE } from "../../../compatibility/effective.js";
import { readGateSettings } from "../../../compatibility/gate-flags.js";
import { noteBeyond } from "../../../compatibility/gates-question.js";
import { KUBERNETES_RELEASES } from "../../../compatibility/kubernetes.js";
import { compareMinors, formatMinor, type Minor } from "../../../compatibility/version.js";
import { counted } from "../../../core/counted.js";
import { createReporter, isError, type Report } from "../../../core/diagnostics.js";
import { info, problem } from "../../../core/problem.js";
import type { Effect, Use } from "../../../usage/found.js";
import { judgeUsage, type UsageAnswer } from "../../../usage/usage.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { readManifestTexts } from "../../manifest-texts.js";
import { print } from "../../print.js";
import { from as fromFlag, runtimeConfig, to as toFlag, usagePaths } from "./flags.js";
import { featureGateTexts, flagTexts, releaseFlag } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  if (args.get(toFlag) === undefined) throw new UsageError("--to RELEASE is required");
  const to = releaseOf(args, toFlag, report);
  const from = args.given(fromFlag) ? releaseOf(args, fromFlag, report) : to;
  const texts = await readManifestTexts(args.get(usagePaths), cli, report);
  const settings = {
    runtimeConfig: flagTexts("--runtime-config", args.get(runtimeConfig)),
    gates: readGateSettings(featureGateTexts(args), [KUBE], report).get(KUBE) ?? new Map(),
  };
  const answer =
    from === undefined ||
    to === undefined ||
    reporter.diagnostics.some((each) => isError(each) && each.file.startsWith("--"))
      ? undefined
      : await judgeUsage(texts, { from, to, settings });
  answer?.problems.forEach(report);
  for (const file of answer?.templates ?? [])
    report(
      info("USE010", "Parse", "", "a template, which is not judged", {
        file,
        hint: "render the chart: helm template CHART | slipway compat usage - --to RELEASE",
      }),
    );
  const uses = answer?.uses ?? [];
  const found = [...reporter.diagnostics, ...uses.map(({ diagnostic }) => diagnostic)];
  print(args, cli, {
    kind: "UsageAnswer",
    json: {
      from: from === undefined ? args.get(fromFlag) : formatMinor(from),
      to: to === undefined ? args.get(toFlag) : formatMinor(to),
      objects: answer?.objects ?? 0,
      others: answer?.others ?? 0,
      uses: uses.map(useJson),
    },
    text: answer === undefined ? "" : textOf(answer),
    diagnostics: found,
    outcome: "none",
  });
  if (reporter.failed) return EXIT.wrong;
  return uses.some(({ diagnostic }) => isError(diagnostic)) ? EXIT.no : EXIT.done;
};

/** A release of Kubernetes that the data know, or one just after them. */
function releaseOf(args: Arguments, flag: Flag<string | undefined>, report: Report): Minor | undefined {
  const [oldest] = KUBERNETES_RELEASES;
  const newest = KUBERNETES_RELEASES.at(-1);
  const found = releaseFlag(args, flag, [newest], report);
  if (found === undefined || oldest === undefined || newest === undefined) return found;
  if (compareMinors(found, newest) > 0) noteBeyond(found, newest, report);
  if (compareMinors(found, oldest) >= 0) return compareMinors(found, newest) > 0 ? newest : found;
  report(
    problem("VER011", "NotSupported", `--${flag.name}`, `no data for ${formatMinor(found)}`, {
      file: `--${flag.name}`,
      line: 1,
      column: 1,
      hint: `use a release from ${formatMinor(oldest)} on`,
    }),
  );
  return undefined;
}

const useJson = ({ effect, object, what, since, before, replacement, gates, manager, diagnostic }: Use) => ({
  effect,
  severity: diagnostic.severity,
  object,
  what,
  field: diagnostic.field,
  file: diagnostic.file,
  line: diagnostic.line,
  column: diagnostic.column,
  ...(since === undefined ? {} : { since }),
  ...(before === undefined ? {} : { before }),
  ...(replacement === undefined ? {} : { replacement }),
  ...(gates === undefined ? {} : { gates }),
  ...(manager === undefined ? {} : { manager }),
});

const WORDS: readonly (readonly [Effect, string])[] = [
  ["not-served", "not served"],
  ["dropped", "dropped"],
  ["refused", "rejected"],
  ["later", "only later"],
  ["off", "off by default"],
  ["without-effect", "named without effect"],
  ["written", "written in an old version"],
  ["deprecated", "deprecated"],
];

function textOf({ releases, uses, objects, others }: UsageAnswer): string {
  const [first, last] = [releases[0], releases.at(-1)];
  const range =
    first === undefined || last === undefined || first === last ? "" : `${formatMinor(first)} to `;
  const counts = WORDS.flatMap(([effect, words]) => {
    const count = uses.filter((use) => use.effect === effect).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const custom = others === 0 ? "" : `, ${others} of other kinds`;
  const target = last === undefined ? "" : formatMinor(last);
  return `${counted(objects, "object")}${custom}, Kubernetes ${range}${target}: ${counts.length === 0 ? "nothing is lost" : counts.join(", ")}`;
}
