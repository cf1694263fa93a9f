/**
 * Changes of CustomResourceDefinitions, from the two files to the plan: which definitions belong together, what the API
 * server answers, what the next write does to stored objects, and the steps that lead there without a loss.
 */

import { counted } from "../core/counted.js";
import type { Report } from "../core/diagnostics.js";
import { problem, problemList } from "../core/problem.js";
import { type Compile, loadCompile } from "../crd/cel/compile.js";
import { behaves } from "../kubernetes/behavior.js";
import { migrationApi, migrationObject } from "../kubernetes/storage-migration.js";
import type { Renderer } from "../text/render.js";
import type { Minor } from "./compatibility.js";
import type { StorageCounts } from "./counts.js";
import { hasLegalNames, type StorageCrd } from "./crd.js";
import { type GuardAnswer, guard } from "./crd-guard.js";
import { heldAndDropped, isUnsafe, planOf, type Rewrite, rewritesOf } from "./crd-plan.js";
import { type PlannedStep, plannedSteps } from "./crd-plan-files.js";

export { type Compile, loadCompile };

/** A definition as it is and as it is to be. */
export interface CrdUpdate {
  readonly old: StorageCrd;
  readonly next: StorageCrd;
  /** How many objects etcd holds in each version; undefined when nobody counted. */
  readonly counts: StorageCounts | undefined;
}

export interface JudgedUpdate extends CrdUpdate {
  readonly answer: GuardAnswer;
}

export interface PlannedUpdate extends JudgedUpdate {
  readonly plan: readonly PlannedStep[];
  readonly rewrites: readonly Rewrite[];
  /** True when the server would accept the update and objects would become unreadable. */
  readonly unlisted: boolean;
  /** True when the update is accepted and no object loses anything by it. */
  readonly safe: boolean;
}

/**
 * The definitions of two files that belong together: those of one name, or the only one of each. One that stands in one
 * file only, and one with a name that no cluster can have, is reported and left out.
 */
export function pairsOf(
  old: readonly StorageCrd[],
  next: readonly StorageCrd[],
  report: Report,
): Omit<CrdUpdate, "counts">[] {
  const [one, other] = [old[0], next[0]];
  const pairs =
    old.length === 1 && next.length === 1 && one !== undefined && other !== undefined
      ? [{ old: one, next: other }]
      : old.flatMap((before): Omit<CrdUpdate, "counts">[] => {
          const after = next.find(({ name }) => name === before.name);
          return after === undefined ? [] : [{ old: before, next: after }];
        });
  const legal = pairs.filter((pair) => hasLegalNames(pair.old, report));
  const alone = [
    ...old.filter((each) => !pairs.some((pair) => pair.old === each)),
    ...next.filter((each) => !pairs.some((pair) => pair.next === each)),
  ];
  for (const { place, name } of alone)
    report(
      problem(
        "STO039",
        "NotFound",
        "metadata.name",
        `C10 pairs: ${name} is in only one of the two files and is ignored`,
        {
          severity: pairs.length === 0 ? "error" : "info",
          ...place,
          hint: "note that deleting a definition deletes its objects",
        },
      ),
    );
  return legal;
}

/** What the API server of the release answers to the update; without `compile`, validation rules are taken as they are. */
export const judgeUpdate = (
  update: CrdUpdate,
  target: Minor,
  report: Report,
  compile?: Compile,
): JudgedUpdate => ({ ...update, answer: guard(update.old, update.next, target, report, compile) });

/** The way to the update, with the manifests of its migrations; what it does to stored objects is reported. */
export function planUpdate(
  judged: JudgedUpdate,
  target: Minor,
  renderer: Renderer,
  report: Report,
): PlannedUpdate {
  const { next, old, counts, answer } = judged;
  const api = migrationApi(target, false);
  const ratchets = behaves(target, "ratchets");
  const input = { ...judged, api, ratchets };
  const held = heldAndDropped(next, counts);
  noteCounts(held, answer.storedVersions, counts, old, report);
  const rewrites = rewritesOf(input);
  noteRewrites(rewrites, next, report);
  const plan = plannedSteps(planOf({ ...input, rewrites }), next, api, ({ migration }) =>
    migration === undefined ? undefined : migrationObject(renderer, api, migration),
  );
  const unlisted = answer.allowed && held.length > 0;
  const safe = answer.allowed && !unlisted && !rewrites.some((each) => isUnsafe(each, ratchets));
  return { ...judged, plan, rewrites, unlisted, safe };
}

/** Fields that are lost, or refused from then on, when objects are written by the schema of the new storage version. */
export function noteRewrites(rewrites: readonly Rewrite[], crd: StorageCrd, report: Report): void {
  for (const { from, to, through, changes } of rewrites)
    for (const { effect, field, message } of changes)
      problemList(report, field, crd.place).warnings.report(
        "STO038",
        effect === "required" ? "Required" : "Invalid",
        `C9 schemas: ${rewritten(from, to, through)}: ${message}`,
        effect === "pruned"
          ? "extend the schema; pruned fields are lost without an error"
          : "correct the objects or the schema; an API server rejects changes of such objects",
      );
}

function rewritten(from: string, to: string, through: string | undefined): string {
  if (through !== undefined) return `a migration writes objects stored in ${from} through ${through}`;
  return `written in ${to}${from === to ? ", whose schema has changed" : ` instead of ${from}`}`;
}

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
      problemList(report, "status.storedVersions", place).warnings.report(
        "STO035",
        "Invalid",
        `C6 unlisted: etcd contains ${counted(counts.versions.get(version) ?? 0, "object")} in ${version}, which status.storedVersions does not list`,
        "migrate them before the version is removed; otherwise every LIST of the resource fails",
      );
  if (counts.unreadable > 0)
    problemList(report, `${crd.plural}.${crd.group}`, place).warnings.report(
      "STO035",
      "Invalid",
      `C6 unlisted: the version of ${counted(counts.unreadable, "object")} is unknown`,
      "make them readable first; list them with slipway etcd audit",
    );
}

/** Says of which validation rules of the new definitions nobody here can tell whether they compile. */
export function reportUncompiled(updates: readonly JudgedUpdate[], report: Report): void {
  for (const { next, answer } of updates)
    for (const { rule, why } of answer.uncompiled)
      problemList(report, "x-kubernetes-validations", next.place).warnings.report(
        "STO044",
        "NotSupported",
        `C11 rules: cannot determine whether ${JSON.stringify(rule)} compiles: ${why}`,
        "check the definition with kubectl apply --dry-run=server; an API server rejects rules that do not compile",
      );
}
