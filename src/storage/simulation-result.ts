/** What a played scenario shows. */
import type { Behavior } from "./model.js";

export interface ReadAnswer {
  readonly server: string;
  readonly release: string;
  readonly resource: string;
  /** Names that LIST returns; null when it fails or the resource is not served. */
  readonly list: readonly string[] | null;
  readonly error: string | null;
  readonly get: Readonly<Record<string, "found" | "not-found" | "error">>;
}

export interface Change {
  readonly object: string;
  readonly from: string | null;
  readonly to: string;
  readonly by: "migration" | "client";
}

export interface StepResult {
  readonly step: number;
  readonly action: string;
  readonly server?: string;
  readonly release?: string;
  readonly object?: string;
  readonly on?: boolean;
  /** Seconds that the startup migration took under its throttle; null when none ran. */
  readonly migrationSeconds: number | null;
  readonly crashed: boolean;
  readonly rewritten: readonly Change[];
  readonly failures: readonly { readonly of: string; readonly why: string }[];
  readonly converted: number;
  readonly failedConversions: number;
  readonly failedReads: number;
  readonly fights: number;
  readonly toMigrate: number;
  readonly lost: readonly string[];
  readonly reads: readonly ReadAnswer[];
}

export interface LostObject {
  readonly object: string;
  readonly storedVersion: string;
  /** Null where the release does not know the version. */
  readonly behavior: Behavior | null;
  readonly step: number;
  readonly server: string;
  readonly release: string;
  /** True when the last step shows it again everywhere. */
  readonly recovered: boolean;
}

export interface SimulationResult {
  readonly steps: readonly StepResult[];
  readonly toMigrate: readonly { readonly object: string; readonly storedVersion: string }[];
  readonly lost: readonly LostObject[];
  readonly stored: readonly { readonly object: string; readonly storedVersion: string }[];
}
