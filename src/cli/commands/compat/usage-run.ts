import { statSync } from "node:fs";
import { resolve } from "node:path";
import { KUBE } from "../../../compatibility/effective.js";
import { readGateSettings } from "../../../compatibility/gate-flags.js";
import { noteBeyond } from "../../../compatibility/gates-question.js";
import { KUBERNETES_RELEASES } from "../../../compatibility/kubernetes.js";
import { compareMinors, formatMinor, type Minor } from "../../../compatibility/version.js";
import { counted } from "../../../core/counted.js";
import { createReporter, isError, type Report } from "../../../core/diagnostics.js";
import { decode, encode } from "../../../core/files.js";
import { info, problem, warning } from "../../../core/problem.js";
import type { Effect, Use } from "../../../usage/found.js";
import {
  judgeUsage,
  servedOf,
  type UsageAnswer,
  type UsageQuestion,
  type UsageText,
} from "../../../usage/usage.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { readManifestTexts } from "../../manifest-texts.js";
import { print } from "../../print.js";
import { STDIN } from "../../read-text.js";
import { writeNamed } from "../../write-named.js";
import { from as fromFlag, runtimeConfig, to as toFlag, usagePaths, write } from "./flags.js";
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
  const rewritten: Written[] = [];
  const answer =
    from === undefined ||
    to === undefined ||
    reporter.diagnostics.some((each) => isError(each) && each.file.startsWith("--"))
      ? undefined
      : await judgeUsage(
          args.get(write) ? await rewriteTexts(texts, { from, to, settings }, cli, rewritten, report) : texts,
          { from, to, settings },
        );
  answer?.problems.forEach(report);
  for (const each of answer?.settings ?? []) report(warning(each));
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
      ...(args.get(write) ? { written: rewritten } : {}),
    },
    text:
      answer === undefined
        ? ""
        : [
            ...rewritten.map(({ file, object, to: now }) => `${file}: ${object} -> ${now}`),
            textOf(answer),
          ].join("\n"),
    diagnostics: found,
    outcome: "none",
  });
  if (reporter.failed) return EXIT.wrong;
  return uses.some(({ diagnostic }) => isError(diagnostic)) ? EXIT.no : EXIT.done;
};

const commentsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^|\s)#\s*(.*)$/gm)].map(([, comment = ""]) => comment.trim()).filter(Boolean);

/** Comments that stood at what is no longer there. */
function lostComments(before: string, after: string): readonly string[] {
  const left = [...commentsIn(after)];
  return commentsIn(before).filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** True for a file that only its owner can read, and which stays so. */
const isPrivate = (path: string): boolean => (statSync(path).mode & 0o077) === 0;

interface Written {
  readonly file: string;
  readonly object: string;
  readonly to: string;
}

/** Rewrites what can be converted without loss, and answers the texts as they are then. */
async function rewriteTexts(
  texts: readonly UsageText[],
  question: UsageQuestion,
  cli: CliContext,
  rewritten: Written[],
  report: Report,
): Promise<readonly UsageText[]> {
  if (texts.some(({ file }) => file === STDIN))
    throw new UsageError("--write changes files, and standard input is none; write it to a file first");
  const [{ rewrite }, { keepLayout }, { valuesOf }, { spliceTexts }] = await Promise.all([
    import("../../../usage/rewrite.js"),
    import("../../../directory/keep-layout.js"),
    import("../../../text/yaml-content.js"),
    import("../../../text/yaml-splice.js"),
  ]);
  const served = servedOf(question);
  const after: UsageText[] = [];
  for (const each of texts) {
    const { file, text } = each;
    const values = valuesOf(encode(text));
    const results = (values ?? []).map((value) => rewrite(value, served));
    for (const { object, why } of results.flatMap(({ kept }) => kept))
      report(
        warning("USE011", "NotSupported", "", `${object} is not rewritten: ${why.join("; ")}`, {
          file,
          hint: "change the object by hand",
        }),
      );
    const changes = results.flatMap((result) => result.changes);
    if (changes.length === 0) {
      after.push(each);
      continue;
    }
    const now = results.map(({ value }) => value);
    const spliced = spliceTexts(encode(text), now);
    const kept =
      spliced !== undefined
        ? { data: spliced, keepsComments: true }
        : file.endsWith(".json")
          ? { data: encode(`${JSON.stringify(now[0], null, 2)}\n`), keepsComments: now.length === 1 }
          : await keepLayout(encode(text), now);
    if (!kept.keepsComments) {
      report(
        warning(
          "USE011",
          "NotSupported",
          "",
          "the file is not rewritten: its layout and comments cannot be preserved",
          {
            file,
            hint: "change the objects by hand",
          },
        ),
      );
      after.push(each);
      continue;
    }
    const lost = lostComments(text, decode(kept.data) ?? "");
    if (lost.length > 0)
      report(
        warning(
          "USE011",
          "Invalid",
          "",
          `${counted(lost.length, "comment")} of a changed field ${lost.length === 1 ? "is" : "are"} removed: ${lost.map((each) => JSON.stringify(each)).join(", ")}`,
          { file, hint: "add what you still need to the new fields" },
        ),
      );
    const status = await writeNamed(
      cli,
      { path: file, data: kept.data, secret: isPrivate(resolve(cli.cwd, file)) },
      report,
      { replace: true },
    );
    if (status === undefined) after.push(each);
    else {
      after.push({ file, text: decode(kept.data) ?? text });
      rewritten.push(...changes.map(({ object, to }) => ({ file, object, to })));
    }
  }
  return after;
}

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
  ["without-effect", "named but absent"],
  ["written", "written in an old version"],
  ["deprecated", "deprecated"],
];

function textOf({ releases, uses, objects, others, records }: UsageAnswer): string {
  const [first, last] = [releases[0], releases.at(-1)];
  const range =
    first === undefined || last === undefined || first === last ? "" : `${formatMinor(first)} to `;
  const counts = WORDS.flatMap(([effect, words]) => {
    const count = uses.filter((use) => use.effect === effect).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const recorded = records === 0 ? "" : `, ${counted(records, "record")} of requests`;
  const custom = others === 0 ? "" : `, ${others} of other kinds`;
  const target = last === undefined ? "" : formatMinor(last);
  return `${counted(objects, "object")}${custom}${recorded}, Kubernetes ${range}${target}: ${counts.length === 0 ? "nothing is lost" : counts.join(", ")}`;
}
