/**
 * The order of the steps of a batch (docs/reference/pvc-transfer.md §6): everything that can be taken back comes first,
 * for all transfers, so that a claim that fails stops the batch with nothing lost; then transfer by transfer, the
 * outage of each as short as can be. Transfers whose names or quotas collide form a group: all their sources are
 * deleted before the first of their targets is made.
 */
import { byCodeUnit } from "../core/files.js";
import { nameText } from "./api.js";
import type { StepSpec, Transfer } from "./model.js";

export interface Work {
  readonly transfer: Transfer;
  readonly stepSpecs: readonly StepSpec[];
}

export interface Scheduled {
  readonly transfer: Transfer;
  readonly stepSpec: StepSpec;
}

/** Steps from here on belong to the second part. */
const FIRST_LATE_STAGE = 4;

/** Order inside a group, by key; a target that is made late comes when its name and quota are free. */
const RANKS: ReadonlyMap<string, number> = new Map(
  [
    "idle",
    "delete",
    "gone",
    "repoint",
    "create",
    "bound",
    "restore",
    "status-request",
    "status-approval",
  ].map((key, rank): [string, number] => [key, rank]),
);

export function schedule(works: readonly Work[]): Scheduled[] {
  const sorted = [...works].sort((a, b) =>
    byCodeUnit(nameText(a.transfer.request), nameText(b.transfer.request)),
  );
  const halves = sorted.map(({ transfer, stepSpecs }) => {
    const cut = stepSpecs.findIndex(({ stage }) => stage >= FIRST_LATE_STAGE);
    const at = cut < 0 ? stepSpecs.length : cut;
    const scheduled = stepSpecs.map((stepSpec): Scheduled => ({ transfer, stepSpec }));
    return { transfer, before: scheduled.slice(0, at), after: scheduled.slice(at) };
  });
  const checks = halves.flatMap(({ before }) => before.filter(({ stepSpec }) => stepSpec.stage === 0));
  const preparations = halves.flatMap(({ before }) => before.filter(({ stepSpec }) => stepSpec.stage !== 0));
  const groups = new Map<number, Scheduled[][]>();
  for (const { transfer, after } of halves) {
    const members = groups.get(transfer.group);
    if (members === undefined) groups.set(transfer.group, [after]);
    else members.push(after);
  }
  return [...checks, ...preparations, ...[...groups.values()].flatMap(interleave)];
}

function interleave(members: readonly (readonly Scheduled[])[]): Scheduled[] {
  const [only] = members;
  if (only !== undefined && members.length === 1) return [...only];
  const rankOf = ({ stepSpec }: Scheduled): number => RANKS.get(stepSpec.key) ?? RANKS.size;
  return members.flat().sort((a, b) => rankOf(a) - rankOf(b));
}
