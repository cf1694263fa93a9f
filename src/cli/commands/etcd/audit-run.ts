import { resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, documented, isError } from "../../../core/diagnostics.js";
import type { JsonObject } from "../../../core/json.js";
import { problem } from "../../../core/problem.js";
import { writeStream } from "../../../directory/stream.js";
import { answerJson, auditRow, type ListAnswer, Lists, rowKey } from "../../../etcd/audit.js";
import { type Cause, Causes, causeJson, OTHERS, UNREADABLE } from "../../../etcd/causes.js";
import { keyText } from "../../../etcd/read/record.js";
import { type Minor, releaseName } from "../../../etcd/releases.js";
import type { Survey } from "../../../etcd/scan.js";
import { Judge, type ObjectVerdict, type ServerVerdict } from "../../../etcd/verdict.js";
import { printClosing } from "../../closing.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode } from "../../exit.js";
import { type Finding, type OwnRule, ownFinding } from "../../findings/finding.js";
import { type Arguments, output, reportForm } from "../../flags.js";
import { refuseWithout } from "../../idle-flags.js";
import { acceptedJson, printAccepted, printDiagnostics, review } from "../../print.js";
import { printDocument, StreamedList } from "../../print-stream.js";
import { refuseTwoOutputs, STDOUT } from "../../stdout-file.js";
import { hanging, widthOf, wrapped } from "../../wrap.js";
import * as flags from "./flags.js";
import { minorOfFlag, openSession, type Session, scopeOf } from "./session.js";

/** Everything that is known once every row was looked at. */
interface Sums {
  readonly verdicts: ReadonlyMap<ServerVerdict, number>;
  readonly stale: number;
  readonly answers: readonly ListAnswer[];
  readonly unreadable: number;
  readonly causes: readonly Cause[];
  /** Objects over which an API server exits: how many, and the keys of the first. */
  readonly exiting: { readonly count: number; readonly keys: readonly string[] };
  readonly whole: boolean;
  readonly isNow: boolean;
}

export const runAudit: Handler = async (args, cli): Promise<ExitCode> => {
  const reporter = createReporter();
  const report = reporter.report;
  if (args.get(output) === "text") refuseWithout(args, [flags.objectsOut], [flags.problemsOnly]);
  const from = minorOfFlag(flags.from, args, report);
  const session = await openSession(args, cli, reporter, { hash: false });
  const json = args.get(output) === "json";
  if (session === undefined || reporter.failed) {
    await session?.close();
    finish(undefined, EXIT.wrong);
    return EXIT.wrong;
  }
  try {
    const survey = await session.survey();
    if (!survey.complete) {
      finish(undefined, EXIT.wrong);
      return EXIT.wrong;
    }
    const judge = new Judge(survey.cluster, session.target, from);
    const namespace = args.get(flags.namespace);
    if (namespace !== undefined && !hasNamespace(survey, namespace))
      report(
        problem(
          "ETC043",
          "NotFound",
          "--namespace",
          `the copy contains no objects in the namespace ${namespace}`,
          "check the spelling of --namespace",
        ),
      );
    const rows = (): Iterable<number> => rowsOf(survey, namespace);
    const configured = args.given(flags.encryptionConfig);
    const sums = summarise(survey, judge, rows(), { namespace, configured });
    const objects = (): Iterable<JsonObject> =>
      shown(survey, judge, rows(), session, args.get(flags.problemsOnly));
    const file = args.get(flags.objectsOut);
    if (file === STDOUT) refuseTwoOutputs(args, "--objects-out");
    if (file !== undefined) {
      const { copies: _, ...scope } = scopeOf(args, session, reporter.diagnostics, {
        ...survey,
        namespace,
        partOfObjects: args.get(flags.problemsOnly),
      });
      const lines = linesOf(objects(), scope);
      if (file === STDOUT) for (const line of lines) cli.stdout.pass(line);
      else {
        const written = await writeStream(resolve(cli.cwd, file), lines);
        if (!written.ok) report(written.problem);
      }
    }
    const isNo = sums.unreadable > 0 || HINDERING.some((verdict) => sums.verdicts.has(verdict));
    const code = reporter.diagnostics.some(isError) ? EXIT.wrong : isNo ? EXIT.no : EXIT.done;
    finish({ sums, objects: file === undefined ? objects() : [] }, code);
    return code;
  } finally {
    await session.close();
  }

  function finish(found: { sums: Sums; objects: Iterable<JsonObject> } | undefined, code: ExitCode): void {
    const causes = (found?.sums.causes ?? []).map((cause) => findingOf(cause, session?.names[0] ?? ""));
    const { diagnostics, accepted } = review(args, cli, reporter.diagnostics, causes);
    const target = session?.target;
    if (json) {
      printDocument(cli.stdout, "EtcdAudit", {
        ok: (cli.review?.settle(code) ?? code) === EXIT.done,
        target: target === undefined ? undefined : releaseName(target),
        ...(session === undefined || found === undefined
          ? {}
          : {
              scope: scopeOf(args, session, reporter.diagnostics, {
                whole: found.sums.whole,
                isNow: found.sums.isNow,
                namespace: args.get(flags.namespace),
                partOfObjects: args.get(flags.problemsOnly) || args.given(flags.objectsOut),
              }),
            }),
        ...(found === undefined ? {} : summaryJson(found.sums)),
        ...(found === undefined ? {} : { causes: found.sums.causes.map(causeJson) }),
        objects: new StreamedList(found?.objects ?? []),
        statuses:
          target === undefined ? [] : (found?.sums.answers ?? []).map((each) => answerJson(each, target)),
        diagnostics: diagnostics.map(documented),
        ...acceptedJson(cli, accepted),
      });
      return;
    }
    if (reportForm(args.get(output)) !== undefined) return;
    // The answer first: its head says whether to go on.
    if (found !== undefined && target !== undefined && args.get(flags.objectsOut) !== STDOUT)
      cli.stdout.write(text(args, found.sums, target, cli.stdout.columns));
    printDiagnostics(diagnostics, cli.stderr);
    printAccepted(cli, accepted);
    printClosing(args, cli, diagnostics);
  }
};

export function* rowsOf(survey: Survey, namespace: string | undefined): Generator<number> {
  for (const row of survey.order())
    if (namespace === undefined || namespaceOf(survey, row) === namespace) yield row;
}

function namespaceOf({ table }: Survey, row: number): string | undefined {
  const { family } = table.resourceOf(row);
  const rest = table.restOf(row);
  return family !== "none" && family !== "unknown" && rest.length === 2 ? keyText(rest[0] ?? "") : undefined;
}

const hasNamespace = (survey: Survey, namespace: string): boolean => {
  for (const _ of rowsOf(survey, namespace)) return true;
  return survey.cluster.namespaces.has(namespace);
};

export function summarise(
  survey: Survey,
  judge: Judge,
  rows: Iterable<number>,
  { namespace, configured }: { readonly namespace: string | undefined; readonly configured: boolean },
): Sums {
  const causes = new Causes(survey, configured);
  const lists = new Lists(survey, judge, namespace);
  const verdicts = new Map<ServerVerdict, number>();
  let stale = 0;
  const exiting = { count: 0, keys: [] as string[] };
  for (const row of rows) {
    const verdict = judge.of(survey.table, row);
    verdicts.set(verdict.server, (verdicts.get(verdict.server) ?? 0) + 1);
    if (survey.table.outcome(row).stale === true) stale++;
    if (verdict.exits !== undefined && ++exiting.count <= SHOWN) exiting.keys.push(rowKey(survey.table, row));
    lists.add(row, verdict);
    causes.add(row, verdict);
  }
  return {
    verdicts,
    stale,
    answers: lists.answers,
    unreadable: lists.unreadable,
    causes: causes.list,
    exiting,
    whole: survey.whole,
    isNow: survey.isNow,
  };
}

function* shown(
  survey: Survey,
  judge: Judge,
  rows: Iterable<number>,
  { names }: Session,
  problemsOnly: boolean,
): Generator<JsonObject> {
  for (const row of rows) {
    const verdict = judge.of(survey.table, row);
    if (problemsOnly && isFine(survey, row, verdict)) continue;
    yield auditRow(survey, row, verdict, names);
  }
}

const isFine = ({ table }: Survey, row: number, { server }: ObjectVerdict): boolean =>
  server === "not-an-object" || (server === "ok" && table.outcome(row).stale !== true);

/** Nothing else in the file says what it was limited to, so that each line of a part does. */
function* linesOf(objects: Iterable<JsonObject>, scope: JsonObject): Generator<string> {
  for (const each of objects)
    yield `${JSON.stringify(scope["complete"] === true ? each : { ...each, scope })}\n`;
}

const summaryJson = ({ verdicts, stale, unreadable }: Sums): object => ({
  summary: {
    verdicts: Object.fromEntries([...verdicts].sort(([a], [b]) => (a < b ? -1 : 1))),
    stale,
    unreadable,
  },
});

export const MEANING: Readonly<Record<ServerVerdict, string>> = {
  ok: "stored in the version that the target writes",
  rewritten: "readable; the next write stores it in another version",
  unreadable: "cannot be decrypted or decoded",
  "fails-list": "the target cannot decode it; every LIST of the resource fails",
  misplaced: "readable, but its name or namespace differs from its key; affects the whole resource",
  unwritable: "readable, but cannot be encoded as JSON; every LIST of the resource as JSON fails",
  "not-served": "the target does not serve the resource; the key stays",
  orphaned: "the resource has no CRD; the key stays",
  unknown: "belongs to another API server, an unknown resource, or one whose CRD is not in the copies",
  "not-an-object": "outside of every storage prefix",
};
/** Verdicts of what can be read and fails requests all the same. */
const HINDERING = ["misplaced", "unwritable"] as const;
/** A cause as a finding; what only stays behind in etcd makes no request fail. */
const findingOf = ({ verdict, error, count, keys, remedy }: Cause, file: string): Finding =>
  ownFinding(
    RULES[verdict] ?? "etcd-unreadable",
    file,
    `${counted(count, "object")}${count > keys.length ? `, such as ${keys[0]}` : `: ${keys.join(", ")}`}: ${error}`,
    {
      severity: FAILING.includes(verdict) ? "error" : "warning",
      field: keys[0] ?? "",
      hint: `${remedy.text}${remedy.command === undefined ? "" : `: ${remedy.command}`}`,
    },
  );

const FAILING: readonly ServerVerdict[] = [...UNREADABLE, ...HINDERING];
const RULES: Readonly<Partial<Record<ServerVerdict, OwnRule>>> = {
  unreadable: "etcd-unreadable",
  "fails-list": "etcd-fails-list",
  misplaced: "etcd-misplaced",
  unwritable: "etcd-unwritable",
  orphaned: "etcd-orphaned",
  "not-served": "etcd-not-served",
};
/** So many causes are shown in full. */
const SHOWN = 20;

function text(
  args: Arguments,
  { verdicts, stale, answers, unreadable, causes, exiting }: Sums,
  target: Minor,
  columns: number | undefined,
): string {
  const width = widthOf(columns);
  const remedies = new Map<string, number>();
  const isFailing = causes.filter(({ verdict }) => UNREADABLE.some((each) => each === verdict));
  const others = causes.filter((cause) => !isFailing.includes(cause));
  const isHindered = HINDERING.some((verdict) => verdicts.has(verdict));
  const isEmpty = [...verdicts.keys()].every((verdict) => verdict === "not-an-object");
  const all = [...verdicts.values()].reduce((a, b) => a + b, 0);
  const head =
    unreadable > 0
      ? `${unreadable} of ${counted(all, "object", "objects")} cannot be read: ${counted(isFailing.length, "cause")}.`
      : isEmpty
        ? ""
        : isHindered
          ? "All objects can be decoded, but some are in the way of requests."
          : "All objects are readable.";
  const parts = [
    wrapped(`Evaluated for Kubernetes ${releaseName(target)}.${head === "" ? "" : ` ${head}`}`, width),
    verdictLines(verdicts, width),
    stale === 0
      ? []
      : wrapped(
          `${counted(stale, "value is stale", "values are stale")}: written with an older key or format; the next write updates it.`,
          width,
        ),
    ...[...isFailing, ...others].slice(0, SHOWN).map((cause) => causeLines(args, cause, remedies, width)),
    causes.length <= SHOWN
      ? []
      : [`… and ${counted(causes.length - SHOWN, "more cause")}; use --output json to see all`],
    exiting.count === 0
      ? []
      : [
          ...wrapped(
            `${counted(exiting.count, "object makes", "objects make")} API servers exit. Remove ${exiting.count === 1 ? "it" : "them"} from etcd before you start a server or send a request, as etcd plan shows:`,
            width,
          ),
          ...exiting.keys.map((key) => `    ${key}`),
          ...(exiting.count <= SHOWN ? [] : [`    … and ${exiting.count - SHOWN} more`]),
        ],
    answers.flatMap((answer) => answerLines(answer, width)),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function verdictLines(verdicts: Sums["verdicts"], width: number): string[] {
  const names = ["verdict", ...verdicts.keys()].map((name) => name.length);
  const mark = (count: string, verdict: string): string =>
    `${count.padEnd("objects".length)}  ${verdict.padEnd(Math.max(...names))}  `;
  return [
    `${mark("objects", "verdict")}meaning`,
    ...[...verdicts].flatMap(([verdict, count]) =>
      hanging(mark(String(count), verdict), MEANING[verdict], width),
    ),
  ];
}

/** How the verdicts that are no failure to read are put behind a count. */
const AS_SAID: Readonly<Record<string, string>> = { "not-served": "not served" };

/** One cause: how many objects of which resources, the first keys, what helps. */
function causeLines(
  args: Arguments,
  { verdict, error, count, resources, keys, remedy }: Cause,
  remedies: Map<string, number>,
  width: number,
): string[] {
  const state = OTHERS.some((each) => each === verdict) ? ` ${AS_SAID[verdict] ?? verdict}` : "";
  const more = count - keys.length;
  // A remedy that several causes share is printed with the first of them.
  const id = JSON.stringify(remedy);
  const known = remedies.get(id);
  const number = known ?? remedies.size + 1;
  remedies.set(id, number);
  return [
    ...indented(`${counted(count, "object")}${state}: ${error}`, width),
    ...hanging("  ", resources.map(([name, number]) => `${name} ${number}`).join(", "), width),
    ...keys.map((key) => `    ${key}`),
    ...(more > 0 ? [`    … and ${more} more; --output json or --objects-out FILE has all`] : []),
    ...(known === undefined
      ? [
          ...hanging(
            `  remedy ${number}: `,
            `${remedy.text}${remedy.command === undefined ? "" : ":"}`,
            width,
          ),
          // As one line, so that it can be copied.
          ...(remedy.command === undefined ? [] : [`    ${args.complete(remedy.command)}`]),
        ]
      : [`  remedy ${number}, see above`]),
  ];
}

/** A paragraph whose other lines are indented. */
const indented = (text: string, width: number): string[] =>
  wrapped(text, width - 2).map((line, i) => (i === 0 ? line : `  ${line}`));

function answerLines({ request, unreadable, status, withoutGate }: ListAnswer, width: number): string[] {
  return [
    ...indented(
      `${request} fails for ${counted(unreadable, "object", "objects")}: ${String(status["reason"] ?? "")} ${String(status["message"])}`,
      width,
    ),
    ...(withoutGate === undefined
      ? []
      : hanging("  without the gate: ", String(withoutGate["message"]), width)),
  ];
}
