import { createReporter } from "../../../core/diagnostics.js";
import { type OutputFile, textFile } from "../../../core/files.js";
import { formatMinor, type Minor, type Report } from "../../../storage/compatibility.js";
import { readStorageCounts, type StorageCounts } from "../../../storage/counts.js";
import { readStorageCrd, type StorageCrd } from "../../../storage/crd.js";
import { guard, kubectlText, refusalOf } from "../../../storage/crd-guard.js";
import { heldAndDropped, planOf } from "../../../storage/crd-plan.js";
import { type PlannedStep, plannedSteps } from "../../../storage/crd-plan-files.js";
import { type MigrationApi, migrationApi, needsOf } from "../../../storage/migration-api.js";
import { migrationObject, STORAGE_TEMPLATES } from "../../../storage/migration-objects.js";
import { createRenderer } from "../../../text/render.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import type { World } from "../../world.js";
import { newCrd, oldCrd, outDir, storageCounts, target as targetFlag } from "./flags.js";
import { targetOf } from "./inputs.js";

export const run: Handler = async (args, world) => {
  const reporter = createReporter();
  const { report } = reporter;
  const target = targetOf(args, targetFlag, report);
  const old = readCrd(args.get(oldCrd), world, report);
  const next = readCrd(args.get(newCrd), world, report);
  const counts = old === undefined ? undefined : countsOf(args, world, old, report);
  const answer =
    old !== undefined && next !== undefined && target !== undefined
      ? guard(old, next, target, report)
      : undefined;
  if (
    old === undefined ||
    next === undefined ||
    target === undefined ||
    answer === undefined ||
    reporter.failed
  ) {
    print(args, world, {
      kind: "CRDGuardAnswer",
      json: { allowed: null, refusal: null, plan: [] },
      text: "",
      diagnostics: reporter.diagnostics,
    });
    return EXIT.wrong;
  }
  const held = heldAndDropped(next, counts);
  noteCounts(held, answer.storedVersions, counts, old, report);
  const api = migrationApi(target, false);
  const renderer = await createRenderer([STORAGE_TEMPLATES], report);
  const plan = plannedSteps(planOf({ old, next, answer, api, counts }), next, api, ({ migration }) =>
    migration === undefined ? undefined : migrationObject(renderer, api, migration),
  );
  const unlisted = answer.allowed && held.length > 0;
  const written = await writePlan(args, world, plan, report);
  print(args, world, {
    kind: "CRDGuardAnswer",
    json: {
      target: formatMinor(target),
      definition: next.name,
      allowed: answer.allowed,
      safe: answer.allowed && !unlisted,
      refusal: refusalOf(answer) ?? null,
      errors: answer.errors,
      storedVersions: answer.storedVersions,
      storageVersion: answer.storageVersion,
      plan: plan.map(({ script, ...step }) => ({ ...step, ...(script === undefined ? {} : { script }) })),
    },
    text: textOf({ next, answer, plan, target, api, unlisted, written }),
    diagnostics: reporter.diagnostics,
  });
  if (reporter.failed) return EXIT.wrong;
  return answer.allowed && !unlisted ? EXIT.done : EXIT.no;
};

function readCrd(path: string, world: World, report: Report): StorageCrd | undefined {
  const text = readTextFile(world, path, report);
  return text === undefined ? undefined : readStorageCrd(text, path, report);
}

function countsOf(args: Arguments, world: World, crd: StorageCrd, report: Report): StorageCounts | undefined {
  const path = args.get(storageCounts);
  const text = path === undefined ? undefined : readTextFile(world, path, report);
  return path === undefined || text === undefined ? undefined : readStorageCounts(text, path, crd, report);
}

const objects = (count: number): string => (count === 1 ? "1 object" : `${count} objects`);

function noteCounts(
  held: readonly string[],
  stored: readonly string[],
  counts: StorageCounts | undefined,
  crd: StorageCrd,
  report: Report,
): void {
  if (counts === undefined) return;
  const place = { file: counts.file, line: 0, column: 0 };
  for (const version of held)
    if (!stored.includes(version))
      report({
        severity: "warning",
        code: "STO035",
        kind: "Invalid",
        ...place,
        field: "status.storedVersions",
        message: `C6 unlisted: etcd holds ${objects(counts.versions.get(version) ?? 0)} in ${version}, which status.storedVersions does not list`,
        hint: "the API server would let the version go, and then no LIST of the resource works",
      });
  if (counts.unreadable > 0)
    report({
      severity: "warning",
      code: "STO035",
      kind: "Invalid",
      ...place,
      field: `${crd.plural}.${crd.group}`,
      message: `C6 unlisted: the version of ${objects(counts.unreadable)} cannot be told`,
      hint: "make them readable first: slipway etcd audit",
    });
}

async function writePlan(
  args: Arguments,
  world: World,
  plan: readonly PlannedStep[],
  report: Report,
): Promise<string | undefined> {
  const folder = args.get(outDir);
  if (folder === undefined) return undefined;
  const files = plan.flatMap(({ artefact, manifest, script }): OutputFile[] =>
    artefact === undefined
      ? []
      : [textFile(artefact, script ?? (manifest === undefined ? "" : writeYaml(manifest)))],
  );
  const [{ resolve }, { writeFiles }] = await Promise.all([
    import("node:path"),
    import("../../../directory/atomic.js"),
  ]);
  const result = await writeFiles(resolve(world.cwd, folder), files);
  if (result.ok) return folder;
  report(result.problem);
  return undefined;
}

interface TextInput {
  readonly next: StorageCrd;
  readonly answer: ReturnType<typeof guard>;
  readonly plan: readonly PlannedStep[];
  readonly target: Minor;
  readonly api: MigrationApi;
  readonly unlisted: boolean;
  readonly written: string | undefined;
}

function textOf({ next, answer, plan, target, api, unlisted, written }: TextInput): string {
  const release = formatMinor(target);
  const head = answer.allowed
    ? `allowed: the API server of ${release} accepts the new ${next.name}${unlisted ? ", and objects become unreadable" : ""}`
    : `refused by the API server of ${release}:\n${kubectlText(next.name, answer)}`;
  if (plan.length === 0) return `${head}\n`;
  const migrates = plan.some(({ action }) => action === "migrate");
  const needs = migrates ? needsOf(api, target).map((each) => `  needs ${each}`) : [];
  const steps = plan.flatMap(({ id, summary, command, manifest, script }) => [
    `${id}. ${summary}`,
    ...(command === "" ? [] : [`    ${command}`]),
    ...(written !== undefined ? [] : indent(script ?? (manifest === undefined ? "" : writeYaml(manifest)))),
  ]);
  const title = answer.allowed && !unlisted ? "To finish the change:" : "What leads there instead:";
  const files = written === undefined ? [] : [`The files are in ${written}.`];
  return [head, "", title, ...needs, ...steps, ...files, ""].join("\n");
}

const indent = (text: string): string[] =>
  text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => `      ${line}`.trimEnd());
