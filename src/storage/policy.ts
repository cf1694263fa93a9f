/** Policies: how many releases a version stays in each behaviour, and how far a cluster may move in one step. */
import presets from "../../tables/storage-policies.json" with { type: "json" };
import { STABILITIES, type Stability } from "../compatibility/api-table.js";
import type { Minor } from "./compatibility.js";

/** Releases in each behaviour after a version has lost preference. */
export interface Durations {
  readonly supported: number;
  readonly migrated: number;
}

export interface ServedDuration {
  readonly releases: number;
  readonly months: number;
}

export interface StoragePolicy {
  readonly name: string;
  /** GA and beta versions. */
  readonly durations: Durations;
  readonly alpha: Durations;
  /** A version that was ever written stays decodable for ever: the rule of Kubernetes today. */
  readonly moratorium: boolean;
  readonly maxUpgrade: number;
  readonly maxDowngrade: number;
  /** How long a deprecated version must still be served. */
  readonly served: Readonly<Record<Stability, ServedDuration>>;
  /** Days of releases, where they are given; served durations are checked between them. */
  readonly dates: readonly { readonly release: Minor; readonly date: Date }[];
}

/** `shipped` is what servers do; `moratorium` is another name of it. */
export type PresetName = "kep" | "shipped" | "moratorium";
export const PRESETS: readonly PresetName[] = ["kep", "shipped", "moratorium"];

export function presetPolicy(name: PresetName): StoragePolicy {
  const { durations, alpha, moratorium, maxUpgrade, maxDowngrade, served } =
    presets.policies[name === "moratorium" ? "shipped" : name];
  return { name, durations, alpha, moratorium, maxUpgrade, maxDowngrade, served, dates: [] };
}

export const durationsOf = (policy: StoragePolicy, stability: Stability): Durations =>
  stability === "alpha" ? policy.alpha : policy.durations;

/** Largest number that a policy may have; a search grows with the square of the jumps. */
export const LARGEST = 1000;

export { STABILITIES };
