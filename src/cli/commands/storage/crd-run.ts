import { counted } from "../../../core/counted.js";
import { createReporter, type Report } from "../../../core/diagnostics.js";
import { type OutputFile, textFile } from "../../../core/files.js";
import { hasRules } from "../../../crd/validation.js";
import {
  MIGRATION_TEMPLATES,
  type MigrationApi,
  migrationApi,
  needsOf,
} from "../../../kubernetes/storage-migration.js";
import { formatMinor, type Minor } from "../../../storage/compatibility.js";
import { readStorageCounts, type StorageCounts } from "../../../storage/counts.js";
import { readStorageCrds, type StorageCrd } from "../../../storage/crd.js";
import { kubectlText, objectOf, refusalOf } from "../../../storage/crd-guard.js";
import {
  judgeUpdate,
  loadCompile,
  type PlannedUpdate,
  pairsOf,
  planUpdate,
  reportUncompiled,
} from "../../../storage/crd-update.js";
import { createRenderer } from "../../../text/render.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { CliContext } from "../../cli-context.js";
import type { FileOutcome } from "../../closing.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { type Finding, ownFinding } from "../../findings/finding.js";
import type { Arguments } from "../../flags.js";
import { type PlanPage, planText } from "../../plan-page.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import {
  newCrd,
  oldCrd,
  outDir,
  storageCounts,
  target as targetFlag,
  verbose as verboseFlag,
} from "./flags.js";
import { targetOf } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const target = targetOf(args, targetFlag, report);
  const old = readCrds(args.get(oldCrd), cli, report);
  const next = readCrds(args.get(newCrd), cli, report);
  const pairs = old === undefined || next === undefined ? [] : pairsOf(old, next, report);
  const counts = pairs.map(({ old: crd }) => countsOf(args, cli, crd, report));
  const compile = pairs.some(({ next: crd }) => hasRules(objectOf(crd))) ? await loadCompile() : undefined;
  const judged =
    target === undefined
      ? []
      : pairs.map((pair, i) => judgeUpdate({ ...pair, counts: counts[i] }, target, report, compile));
  if (target === undefined || judged.length === 0 || reporter.failed) {
    print(args, cli, {
      kind: "CRDGuardAnswer",
      json: { allowed: null, refusal: null, plan: [] },
      text: "",
      diagnostics: reporter.diagnostics,
    });
    return EXIT.wrong;
  }
  const renderer = await createRenderer([MIGRATION_TEMPLATES], report);
  const guarded = judged.map((each) => planUpdate(each, target, renderer, report));
  reportUncompiled(guarded, report);
  const written = await writePlans(args, cli, guarded, report);
  const verbose = args.get(verboseFlag);
  const texts = guarded.map((each) =>
    planText(
      pageOf(each, target, migrationApi(target, false), written.folder || undefined, verbose),
      cli.stdout,
    ),
  );
  const [first] = guarded;
  print(args, cli, {
    kind: "CRDGuardAnswer",
    json: {
      target: formatMinor(target),
      ...(guarded.length === 1 && first !== undefined
        ? jsonOf(first)
        : {
            allowed: guarded.every(({ answer }) => answer.allowed),
            safe: guarded.every(({ safe }) => safe),
            refusal: refusalsOf(guarded),
            plan: [],
            definitions: guarded.map(jsonOf),
          }),
    },
    text: texts.join("\n"),
    textFirst: true,
    diagnostics: reporter.diagnostics,
    findings: guarded.flatMap(findingsOf),
    outcome: written.files === undefined ? undefined : { files: written.files },
  });
  if (reporter.failed) return EXIT.wrong;
  return guarded.every(({ safe }) => safe) ? EXIT.done : EXIT.no;
};

/** Why the answer is "no"; what objects lose is in the diagnostics as well. */
function findingsOf({ next, answer, safe, unlisted }: PlannedUpdate): readonly Finding[] {
  const { file, line, column } = next.place;
  if (!answer.allowed)
    return answer.errors.map(({ field, message }) =>
      ownFinding("crd-refused", file, message, { field, line, column }),
    );
  const message = `${next.name}: stored objects ${unlisted ? "become unreadable" : "lose fields or become invalid"}`;
  return safe ? [] : [ownFinding("crd-unsafe", file, message, { line, column })];
}

const jsonOf = ({ next, answer, plan, rewrites, safe }: PlannedUpdate): JsonLike => ({
  definition: next.name,
  allowed: answer.allowed,
  safe,
  refusal: refusalOf(answer) ?? null,
  errors: answer.errors.map(({ field, message, exact }) => ({ field, message, exact })),
  unchecked: answer.unchecked,
  storedVersions: answer.storedVersions,
  storageVersion: answer.storageVersion,
  rewrites,
  plan,
});
type JsonLike = Readonly<Record<string, unknown>>;

/** The refusals of several definitions, each behind its name; null where there is none. */
function refusalsOf(guarded: readonly PlannedUpdate[]): string | null {
  const texts = guarded.flatMap(({ next, answer }) => {
    const refusal = refusalOf(answer);
    return refusal === undefined ? [] : [`${next.name}: ${refusal}`];
  });
  return texts.length === 0 ? null : texts.join("; ");
}

function readCrds(path: string, cli: CliContext, report: Report): StorageCrd[] | undefined {
  const text = readTextFile(cli, path, report);
  return text === undefined ? undefined : readStorageCrds(text, path, report);
}

/** Definitions of both files by their names; one in each file are taken for two states of one. */
function countsOf(
  args: Arguments,
  cli: CliContext,
  crd: StorageCrd,
  report: Report,
): StorageCounts | undefined {
  const path = args.get(storageCounts);
  const text = path === undefined ? undefined : readTextFile(cli, path, report);
  return path === undefined || text === undefined ? undefined : readStorageCounts(text, path, crd, report);
}

/** Writes the files of every plan, each in a folder by the name of its definition where there are several; empty for none. */
interface WrittenPlans {
  /** Undefined where nothing was to be written, or nothing could be. */
  readonly folder: string | undefined;
  readonly files: FileOutcome["files"] | undefined;
}

async function writePlans(
  args: Arguments,
  cli: CliContext,
  guarded: readonly PlannedUpdate[],
  report: Report,
): Promise<WrittenPlans> {
  const folder = args.get(outDir);
  if (folder === undefined) return { folder: undefined, files: undefined };
  const files = guarded.flatMap(({ plan, next }) => {
    const below = guarded.length === 1 ? "" : `${next.name}/`;
    return plan.flatMap(({ artefact, manifest, script, scriptFile }): OutputFile[] => [
      ...(artefact === undefined || manifest === undefined
        ? []
        : [textFile(`${below}${artefact}`, writeYaml(manifest))]),
      ...(script === undefined ? [] : [textFile(`${below}${scriptFile ?? artefact}`, script)]),
    ]);
  });
  const [{ resolve }, { writeFiles }] = await Promise.all([
    import("node:path"),
    import("../../../directory/atomic.js"),
  ]);
  if (files.length === 0) return { folder: "", files: [] };
  const result = await writeFiles(resolve(cli.cwd, folder), files);
  if (result.ok) return { folder, files: result.value };
  report(result.problem);
  return { folder: undefined, files: [] };
}

/** The answer and the way as a page; manifests and scripts are on it where they are not written to files. */
function pageOf(
  { next, answer, plan, rewrites, unlisted, safe }: PlannedUpdate,
  target: Minor,
  api: MigrationApi,
  written: string | undefined,
  verbose: boolean,
): PlanPage {
  const server = `the API server of ${formatMinor(target)}`;
  const but = unlisted ? ", but objects become unreadable" : safe ? "" : ", but objects lose fields";
  const isWhole = answer.allowed && !unlisted;
  const way =
    plan.length === 0
      ? ""
      : isWhole && safe
        ? " The steps complete the change."
        : " Follow the steps instead of applying it.";
  const verdict = answer.allowed
    ? `Allowed${answer.uncompiled.length === 0 ? "" : " if its validation rules compile"}: ${server} accepts the new ${next.name}${but}.`
    : `Rejected by ${server}.`;
  const errors = answer.errors.map(({ field, message }) => `${field}: ${message}`);
  const lost = rewrites.flatMap(({ from, to, through, changes }) => {
    const by = through === undefined ? "" : ` through ${through}`;
    const what = from === to && through === undefined ? `in ${to}` : `${from} to ${to}${by}`;
    return changes.map(({ message }) => `${what}: ${message}`);
  });
  const { old, new: now } = answer.storageVersion;
  const migrates = plan.some(({ action }) => action === "migrate");
  return {
    title: `Update of ${next.name} on Kubernetes ${formatMinor(target)}: ${counted(plan.length, "step")}`,
    verdict: `${verdict}${way}`,
    summary: [
      ["blocked by", errors.length === 0 ? ["nothing"] : errors],
      [
        "cannot be undone",
        lost.length === 0 ? ["nothing"] : ["the next write changes stored objects:", ...lost],
      ],
      [
        "changes",
        [
          old === now ? `objects stay stored in ${now}` : `storage version: ${old} -> ${now}`,
          `stored versions before: ${answer.storedVersions.join(", ") || "none"}`,
        ],
      ],
      [
        "stays safe",
        plan.length === 0 || unlisted ? [] : ["after every step, all stored objects are readable"],
      ],
      ["requires", migrates ? needsOf(api, target) : []],
      ["not checked", answer.allowed ? answer.unchecked : []],
    ],
    steps: plan.map(({ summary, command, artefact, manifest, script, scriptFile }) => ({
      does: summary,
      notes: [],
      verbatim: [
        ...(command === "" ? [] : [command]),
        ...(written !== undefined || !verbose
          ? []
          : [
              ...(scriptFile === undefined ? [] : [`${artefact}:`]),
              ...indent(manifest === undefined ? "" : writeYaml(manifest)),
              ...(scriptFile === undefined ? [] : [`${scriptFile}:`]),
              ...indent(script ?? ""),
            ]),
      ],
    })),
    parts: [
      {
        title: "The API server would answer",
        rows: answer.allowed
          ? []
          : kubectlText(next.name, answer)
              .split("\n")
              .map((line) => ["", line] as const),
      },
      {
        title: "Files",
        rows:
          plan.length === 0
            ? []
            : [
                written === undefined
                  ? verbose
                    ? ["", "--out DIR writes the files of the steps"]
                    : ["", "--out DIR writes the files of the steps, --verbose prints them"]
                  : ["", `written to ${written}`],
              ],
      },
    ],
  };
}

const indent = (text: string): string[] =>
  text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => `  ${line}`.trimEnd());
