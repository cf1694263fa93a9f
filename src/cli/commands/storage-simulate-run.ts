import { createReporter } from "../../core/diagnostics.js";
import type { Report } from "../../storage/compatibility.js";
import { deriveTable } from "../../storage/derive.js";
import type { BehaviorTable } from "../../storage/model.js";
import { presetPolicy } from "../../storage/policy.js";
import { readScenario } from "../../storage/read/scenario.js";
import { readTableSource } from "../../storage/read/table.js";
import { type SimulationResult, type StepResult, simulate } from "../../storage/simulate.js";
import type { Handler } from "../command.js";
import { EXIT, UsageError } from "../exit.js";
import type { Arguments } from "../flags.js";
import { print } from "../print.js";
import { readTextFile } from "../read-text.js";
import type { World } from "../world.js";
import { scenario, table as tableFlag } from "./storage.js";

export const run: Handler = async (args, world) => {
  const reporter = createReporter();
  const { report } = reporter;
  const path = args.get(scenario);
  if (path === undefined) throw new UsageError("--scenario FILE is missing");
  const text = readTextFile(world, path, report);
  const table = givenTable(args, world, report);
  const missing = args.given(tableFlag) && table === undefined;
  const read = text === undefined || missing ? undefined : readScenario(text, path, table, report);
  const result = read === undefined || reporter.failed ? undefined : await simulate(read, report);
  const ok = result !== undefined && !reporter.failed;
  print(args, world, {
    kind: "StorageSimulation",
    json: ok ? result : { steps: [], toMigrate: [], lost: [], stored: [] },
    text: ok ? textOf(result) : "",
    diagnostics: reporter.diagnostics,
  });
  if (!ok) return EXIT.wrong;
  return result.lost.length > 0 ? EXIT.no : EXIT.done;
};

function givenTable(args: Arguments, world: World, report: Report): BehaviorTable | undefined {
  const path = args.get(tableFlag);
  const text = path === undefined ? undefined : readTextFile(world, path, report);
  const source = path === undefined || text === undefined ? undefined : readTableSource(text, path, report);
  if (source === undefined) return undefined;
  return source.kind === "behaviors" ? source.table : deriveTable(source.lifecycle, presetPolicy("kep"));
}

function textOf({ steps, toMigrate, lost }: SimulationResult): string {
  const lines = steps.flatMap(stepText);
  lines.push("");
  lines.push(
    toMigrate.length === 0
      ? "Nothing is left to migrate."
      : `Still to migrate: ${toMigrate.map(({ object, storedVersion }) => `${object} (${storedVersion})`).join(", ")}`,
  );
  if (lost.length === 0) lines.push("Nothing is lost.");
  for (const { object, storedVersion, behavior, step, server, release, recovered } of lost)
    lines.push(
      `Lost to the API at step ${step}: ${object}, stored as ${storedVersion}, which is ${behavior ?? "not known"} to ${server} (${release}); ${recovered ? "shown again at the end" : "still in etcd"}`,
    );
  return `${lines.join("\n")}\n`;
}

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
  for (const { object: key, from, to, by } of rewritten)
    lines.push(`   ${key}: ${from ?? "new"} -> ${to} (${by})`);
  for (const { of, why } of failures) lines.push(`   failed: ${of}: ${why}`);
  if (fights > 0) lines.push(`   ${fights} objects taken back from another server`);
  for (const { server: reader, release: at, resource, list, error, get } of reads) {
    const hidden = Object.entries(get).filter(([, state]) => state !== "found");
    const gets =
      hidden.length === 0 ? "" : `; GET ${hidden.map(([name, state]) => `${name}: ${state}`).join(", ")}`;
    lines.push(
      `   ${reader} (${at}) LIST ${resource}: ${list === null ? `fails: ${error}` : `[${list.join(", ")}]`}${gets}`,
    );
  }
  return lines;
}
