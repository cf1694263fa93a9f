import { createReporter, type Report } from "../../../core/diagnostics.js";
import { deriveTable } from "../../../storage/derive.js";
import { type GivenTable, readScenario } from "../../../storage/read/scenario.js";
import { simulate } from "../../../storage/simulate.js";
import type { SimulationResult, StepResult } from "../../../storage/simulation-result.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { scenario, table as tableFlag } from "./flags.js";
import { readTable } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const path = args.get(scenario);
  if (path === undefined) throw new UsageError("--scenario FILE is required");
  const text = readTextFile(cli, path, report);
  const table = await givenTable(args, cli, report);
  const missing = args.given(tableFlag) && table === undefined;
  const read = text === undefined || missing ? undefined : readScenario(text, path, table, report);
  const result = read === undefined || reporter.failed ? undefined : await simulate(read, report);
  const ok = result !== undefined && !reporter.failed;
  print(args, cli, {
    kind: "StorageSimulation",
    json: ok ? result : { steps: [], toMigrate: [], lost: [], stored: [] },
    text: ok ? textOf(result) : "",
    diagnostics: reporter.diagnostics,
  });
  if (!ok) return EXIT.wrong;
  return result.lost.length > 0 ? EXIT.no : EXIT.done;
};

async function givenTable(args: Arguments, cli: CliContext, report: Report): Promise<GivenTable | undefined> {
  const path = args.get(tableFlag);
  const source = path === undefined ? undefined : await readTable(path, cli, report);
  if (source === undefined) return undefined;
  if (source.kind === "behaviors") return source.table;
  const { lifecycle } = source;
  return (policy) => deriveTable(lifecycle, policy);
}

function textOf({ steps, toMigrate, lost, stored }: SimulationResult): string {
  const lines = steps.flatMap(stepText);
  lines.push("");
  lines.push(
    toMigrate.length === 0
      ? "Nothing is left to migrate."
      : `Left to migrate: ${named(toMigrate.map(({ object, storedVersion }) => `${object} (${storedVersion})`))}`,
  );
  const left = new Set(stored.map(({ object }) => object));
  if (lost.length === 0) lines.push("Nothing is lost.");
  for (const { object, storedVersion, behavior, step, server, release, recovered } of lost)
    lines.push(
      `No longer available through the API at step ${step}: ${object}, stored as ${storedVersion}, which is ${behavior ?? "unknown"} to ${server} (${release}); ${recovered ? "available again at the end" : left.has(object) ? "still in etcd" : "deleted later"}`,
    );
  return `${lines.join("\n")}\n`;
}

/** As many names as a person reads; json has them all. */
const MOST = 20;
const named = (names: readonly string[]): string =>
  [...names.slice(0, MOST), ...(names.length > MOST ? [`and ${names.length - MOST} more`] : [])].join(", ");

const shortened = (lines: readonly string[]): string[] =>
  [...lines.slice(0, MOST), ...(lines.length > MOST ? [`and ${lines.length - MOST} more`] : [])].map(
    (line) => `   ${line}`,
  );

function stepText(step: StepResult): string[] {
  const {
    action,
    server,
    release,
    object,
    on,
    migrationSeconds,
    crashed,
    rewritten,
    failures,
    fights,
    reads,
  } = step;
  const who = server === undefined ? "" : ` ${server} (${release})`;
  const what = [object, on === undefined ? undefined : on ? "on" : "off"]
    .flatMap((each) => each ?? [])
    .join(" ");
  const lines = [`${step.step}. ${action}${who}${what === "" ? "" : ` ${what}`}`];
  if (migrationSeconds !== null)
    lines.push(
      `   startup migration: ${step.converted} converted, ${step.failedConversions} failed conversions, ${step.failedReads} failed reads, ${Number(migrationSeconds.toFixed(3))} s${crashed ? ", killed" : ""}`,
    );
  lines.push(
    ...shortened(
      rewritten.map(({ object: key, from, to, by }) => `${key}: ${from ?? "new"} -> ${to} (${by})`),
    ),
    ...shortened(failures.map(({ of, why }) => `failed: ${of}: ${why}`)),
  );
  if (fights > 0) lines.push(`   ${fights} objects rewritten after another server`);
  for (const { server: reader, release: at, resource, list, error, get } of reads) {
    const hidden = Object.entries(get).filter(([, state]) => state !== "found");
    const gets =
      hidden.length === 0 ? "" : `; GET ${named(hidden.map(([name, state]) => `${name}: ${state}`))}`;
    lines.push(
      `   ${reader} (${at}) LIST ${resource}: ${list === null ? `fails: ${error}` : `[${named(list)}]`}${gets}`,
    );
  }
  return lines;
}
