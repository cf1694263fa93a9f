/** Shows the states that a plan goes through, by running its own artefacts on the simulated cluster. */
import type { JsonObject } from "../core/json.js";
import { nameText } from "./api.js";
import { annotationOf, at, objectAt, textAt } from "./object.js";
import { policyOf } from "./patches.js";
import { Cluster } from "./simulator/cluster.js";
import { settle } from "./simulator/controllers.js";
import { execute, quiesce } from "./simulator/execute.js";
import type { ClusterState, Observed } from "./state.js";
import type { NumberedStep } from "./steps.js";

export interface SimulatedStep {
  /** `start`, or the id of a step. */
  readonly step: string;
  readonly ok: boolean;
  /** Why the step was refused; empty when it was not. */
  readonly reason: string;
  readonly transfer: string;
  /** Phases; `absent` where there is no object. */
  readonly source: string;
  readonly target: string;
  readonly volume: string;
  readonly policy: string;
  /** `namespace/name`, with `(reserved)` while no uid is bound. */
  readonly claimRef: string;
}

/**
 * @param state the dump that the plan was made from; workloads are taken to stop when gate 4 asks for it
 * @returns the state before the first step and after each step, of the transfer that the step is about
 */
export function simulatePlan(steps: readonly NumberedStep[], state: ClusterState): SimulatedStep[] {
  const cluster = Cluster.from(relevant(steps, state));
  const shown: SimulatedStep[] = [];
  const started = new Set<string>();
  for (const { transfer } of steps) {
    const name = nameText(transfer.request);
    if (started.has(name)) continue;
    started.add(name);
    shown.push(observe(cluster, transfer, "start", { ok: true }));
  }
  for (const { step, stepSpec, transfer } of steps) {
    if (stepSpec.key === "idle") quiesce(cluster, transfer);
    settle(cluster);
    const answer = execute(cluster, stepSpec);
    settle(cluster);
    shown.push(observe(cluster, transfer, step.id, answer));
    if (!answer.ok) break;
  }
  return shown;
}

function observe(
  cluster: Cluster,
  transfer: NumberedStep["transfer"],
  step: string,
  answer: { readonly ok: true } | { readonly ok: false; readonly reason: string },
): SimulatedStep {
  const volume = cluster.volumes.get(transfer.volume?.name ?? "");
  const phaseOf = (object: JsonObject | undefined): string =>
    object === undefined
      ? "absent"
      : at(object, "metadata", "deletionTimestamp") !== undefined
        ? "Terminating"
        : textAt(object, "status", "phase");
  const reference = objectAt(volume, "spec", "claimRef");
  const referred = `${textAt(reference, "namespace")}/${textAt(reference, "name")}`;
  return {
    step,
    ok: answer.ok,
    reason: answer.ok ? "" : answer.reason,
    transfer: nameText(transfer.request),
    source: phaseOf(cluster.claims.get(nameText(transfer.source))),
    target: phaseOf(cluster.claims.get(nameText(transfer.target))),
    volume: transfer.volume === null ? "none" : phaseOf(volume),
    policy: volume === undefined ? "" : policyOf(volume),
    claimRef:
      Object.keys(reference).length === 0
        ? ""
        : textAt(reference, "uid") === ""
          ? `${referred} (reserved)`
          : referred,
  };
}

/** Only what the transfers are about; the rest of a big dump would only be looked at in vain. */
function relevant(steps: readonly NumberedStep[], state: ClusterState): ClusterState {
  const claims = new Set<string>();
  const volumes = new Set<string>();
  for (const { transfer } of steps) {
    claims.add(nameText(transfer.source)).add(nameText(transfer.target));
    if (transfer.volume !== null) volumes.add(transfer.volume.name);
  }
  const only = (
    table: ReadonlyMap<string, Observed>,
    keys: ReadonlySet<string>,
  ): ReadonlyMap<string, Observed> => new Map([...table].filter(([key]) => keys.has(key)));
  const seen = new Map(
    [...only(state.claims, claims)].map(([key, observed]): [string, Observed] => [
      key,
      { ...observed, object: completed(observed.object) },
    ]),
  );
  return { ...state, claims: seen, volumes: only(state.volumes, volumes) };
}

const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";

/** A dump that was shortened may lack the annotation that every bound claim has. */
function completed(claim: JsonObject): JsonObject {
  if (textAt(claim, "status", "phase") !== "Bound" || annotationOf(claim, BIND_COMPLETED) !== undefined)
    return claim;
  const metadata = objectAt(claim, "metadata");
  return {
    ...claim,
    metadata: { ...metadata, annotations: { ...objectAt(metadata, "annotations"), [BIND_COMPLETED]: "yes" } },
  };
}
