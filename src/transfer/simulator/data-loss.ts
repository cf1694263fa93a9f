/** Whether data are where they should be: reachable, and in no third hand. */
import type { JsonObject } from "../../core/json.js";
import { type Name, nameText, sameName } from "../api.js";
import { nameOf, objectAt, textAt, uidOf } from "../object.js";
import { type Cluster, handleOf } from "./cluster.js";

export interface DataLoss {
  readonly what: "destroyed" | "taken" | "unreachable";
  readonly detail: string;
}

/** What happened to a piece of storage that should not have; `mayHold` says which claims may have it. */
export function dataLossIn(
  cluster: Cluster,
  handle: string,
  bytes: string,
  mayHold: (claim: JsonObject) => boolean,
): DataLoss[] {
  const storage = cluster.storage.get(handle);
  if (storage === undefined || storage.destroyed || storage.bytes !== bytes)
    return [{ what: "destroyed", detail: `the storage ${handle} is gone` }];
  const volumes = [...cluster.volumes.values()].filter((volume) => handleOf(volume) === handle);
  if (volumes.length === 0) return [{ what: "unreachable", detail: `no volume stands for ${handle}` }];
  return volumes.flatMap((volume) => takers(cluster, volume, mayHold));
}

/** The claims of a transfer: the source by its uid, the target by its name. */
export const holdersOf =
  (sourceUid: string, target: Name) =>
  (claim: JsonObject): boolean =>
    uidOf(claim) === sourceUid || sameName(nameOf(claim), target);

/** Claims that a volume serves and that may not have it. */
function takers(cluster: Cluster, volume: JsonObject, mayHold: (claim: JsonObject) => boolean): DataLoss[] {
  const holder = textAt(objectAt(volume, "spec", "claimRef"), "uid");
  return [...cluster.claims.values()]
    .filter((claim) => uidOf(claim) === holder && !mayHold(claim))
    .map((claim) => ({
      what: "taken",
      detail: `claim ${nameText(nameOf(claim))} holds volume ${nameOf(volume).name}`,
    }));
}
