/** Whom a volume names in its claimRef, from the point of view of a transfer. */
import type { JsonObject } from "../core/json.js";
import { sameName } from "./api.js";
import type { Transfer } from "./model.js";
import { at, textAt, uidOf } from "./object.js";
import type { ClaimTest } from "./patches.js";

export type Reference =
  /** The source claim of the plan, by its uid. */
  | "source"
  /** The source's name without that uid: a rollback has pointed the volume back. */
  | "source-name"
  /** The target's name, nobody's uid. */
  | "target-reserved"
  /** The claim that has the target's name now, by its uid. */
  | "target"
  /** A claim that had the target's name and is gone. */
  | "target-gone"
  | "unclaimed"
  | "other";

/** The binding controller has seen that the claim with the uid of the volume's claimRef is gone (B7). */
export const isReleased = (volume: JsonObject | undefined): boolean =>
  ["Released", "Failed"].includes(textAt(volume, "status", "phase"));

export function referenceOf(
  transfer: Transfer,
  volume: JsonObject,
  target: JsonObject | undefined,
): Reference {
  if (at(volume, "spec", "claimRef") === undefined) return "unclaimed";
  const named = {
    namespace: textAt(volume, "spec", "claimRef", "namespace"),
    name: textAt(volume, "spec", "claimRef", "name"),
  };
  const uid = textAt(volume, "spec", "claimRef", "uid");
  if (sameName(named, transfer.source)) return uid === transfer.source.uid ? "source" : "source-name";
  if (!sameName(named, transfer.target)) return "other";
  if (uid === "") return "target-reserved";
  return target !== undefined && uidOf(target) === uid ? "target" : "target-gone";
}

/** How a patch tests that a volume still names the source; one that was reserved by name alone has no uid to test. */
export const sourceTest = ({ source }: Transfer): Exclude<ClaimTest, "unclaimed"> =>
  source.uid === "" ? { reservedFor: source } : { uid: source.uid };
