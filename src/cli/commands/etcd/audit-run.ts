import { resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, documented, isError } from "../../../core/diagnostics.js";
import { isObject, type JsonObject, textAt } from "../../../core/json.js";
import { problem } from "../../../core/problem.js";
import { writeStream } from "../../../directory/stream.js";
import { answerJson, auditRow, type ListAnswer, Lists } from "../../../etcd/audit.js";
import { keyText } from "../../../etcd/read/record.js";
import { type Minor, releaseName } from "../../../etcd/releases.js";
import type { Survey } from "../../../etcd/scan.js";
import { Judge, type ObjectVerdict, type ServerVerdict } from "../../../etcd/verdict.js";
import { printClosing } from "../../closing.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode } from "../../exit.js";
import { output } from "../../flags.js";
import { refuseWithout } from "../../idle-flags.js";
import { forReader, printDiagnostics } from "../../print.js";
import { printDocument, StreamedList } from "../../print-stream.js";
import { refuseTwoOutputs, STDOUT } from "../../stdout-file.js";
import { columns } from "../../text-table.js";
import * as flags from "./flags.js";
import { minorOfFlag, openSession, type Session, scopeOf } from "./session.js";

/** Everything that is known once every row was looked at. */
interface Sums {
  readonly verdicts: ReadonlyMap<ServerVerdict, number>;
  readonly stale: number;
  readonly answers: readonly ListAnswer[];
  readonly unreadable: number;
  readonly whole: boolean;
  readonly isNow: boolean;
}

export const runAudit: Handler = async (args, world): Promise<ExitCode> => {
  const reporter = createReporter();
  const report = reporter.report;
  if (args.get(output) === "text") refuseWithout(args, [flags.objectsOut], [flags.problemsOnly]);
  const from = minorOfFlag(flags.from, args, report);
  const session = await openSession(args, world, reporter, { hash: false });
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
    const sums = summarise(survey, judge, rows(), namespace);
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
      if (file === STDOUT) for (const line of lines) world.stdout.pass(line);
      else {
        const written = await writeStream(resolve(world.cwd, file), lines);
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
    const diagnostics = forReader(args, reporter.diagnostics);
    const target = session?.target;
    if (json) {
      printDocument(world.stdout, "EtcdAudit", {
        ok: code === EXIT.done,
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
        objects: new StreamedList(found?.objects ?? []),
        statuses:
          target === undefined ? [] : (found?.sums.answers ?? []).map((each) => answerJson(each, target)),
        diagnostics: diagnostics.map(documented),
      });
      return;
    }
    printDiagnostics(diagnostics, world.stderr);
    if (found !== undefined && target !== undefined && args.get(flags.objectsOut) !== STDOUT)
      world.stdout.write(text(found.sums, target, found.objects));
    printClosing(args, world, diagnostics);
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
  namespace: string | undefined,
): Sums {
  const lists = new Lists(survey, judge, namespace);
  const verdicts = new Map<ServerVerdict, number>();
  let stale = 0;
  for (const row of rows) {
    const verdict = judge.of(survey.table, row);
    verdicts.set(verdict.server, (verdicts.get(verdict.server) ?? 0) + 1);
    if (survey.table.outcome(row).stale === true) stale++;
    lists.add(row, verdict);
  }
  return {
    verdicts,
    stale,
    answers: lists.answers,
    unreadable: lists.unreadable,
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
const SHOWN = 20;

function text(
  { verdicts, stale, answers, unreadable }: Sums,
  target: Minor,
  objects: Iterable<JsonObject>,
): string {
  const rows = [...verdicts].map(([verdict, count]) => [String(count), verdict, MEANING[verdict]]);
  const failing: string[] = [];
  const others = new Map<string, string[]>(NAMED.map((verdict) => [verdict, []]));
  const exiting: string[] = [];
  let more = 0;
  for (const each of objects) {
    const { error, decodeError } = each;
    const { verdict } = each;
    const named = isObject(verdict) ? others.get(textAt(verdict, "server")) : undefined;
    if (named !== undefined && named.length < SHOWN) named.push(String(each["key"]));
    if (isObject(verdict) && verdict["exits"] === true) exiting.push(String(each["key"]));
    if (error === undefined && decodeError === undefined) continue;
    if (failing.length < SHOWN)
      failing.push(
        [`  ${String(each["key"])}`, error ?? decodeError, each["note"]]
          .filter((part) => part !== undefined)
          .map(String)
          .join("\n    "),
      );
    else more++;
  }
  const parts = [
    `Evaluated for Kubernetes ${releaseName(target)}:\n${columns(["objects", "verdict", "meaning"], rows)}`,
    stale === 0
      ? ""
      : `${counted(stale, "value is stale", "values are stale")}: written with an older key or format; the next write updates it.\n`,
    unreadable === 0
      ? HINDERING.some((verdict) => verdicts.has(verdict)) ||
        [...verdicts.keys()].every((verdict) => verdict === "not-an-object")
        ? ""
        : "All objects are readable.\n"
      : `${counted(unreadable, "object", "objects")} cannot be read:\n${failing.join("\n")}\n${more === 0 ? "" : `  … and ${more} more; use --output json or --objects-out to see all\n`}`,
    ...[...others].map(([verdict, keys]) => namedText(verdict, keys, verdicts)),
    exiting.length === 0
      ? ""
      : `${counted(exiting.length, "object makes", "objects make")} API servers exit. Remove ${exiting.length === 1 ? "it" : "them"} from etcd before you start a server or send a request, as etcd plan shows:\n${exiting
          .slice(0, SHOWN)
          .map((key) => `  ${key}\n`)
          .join("")}`,
    answers.length === 0 ? "" : `${answers.map(answerText).join("\n")}\n`,
  ];
  return parts.filter((each) => each !== "").join("\n");
}

/** Verdicts of what can be read and is in the way all the same, or stays behind; somebody has to know which. */
const NAMED = ["misplaced", "unwritable", "orphaned", "not-served"] as const;

function namedText(verdict: string, keys: readonly string[], counts: ReadonlyMap<string, number>): string {
  if (keys.length === 0) return "";
  const count = counts.get(verdict) ?? 0;
  const more = count - keys.length;
  return `${counted(count, "object is", "objects are")} ${verdict}:\n${keys
    .map((key) => `  ${key}\n`)
    .join("")}${more > 0 ? `  … and ${more} more; use --output json or --objects-out to see all\n` : ""}`;
}

function answerText({ request, unreadable, status, withoutGate }: ListAnswer): string {
  const lines = [
    `${request} fails for ${counted(unreadable, "object", "objects")}: ${String(status["reason"] ?? "")} ${String(status["message"])}`,
  ];
  if (withoutGate !== undefined) lines.push(`  without the gate: ${String(withoutGate["message"])}`);
  return lines.join("\n");
}
