/** The two rule sets that every question can be answered by (docs/reference/compatibility-versions.md §5). */
import type { Position } from "../core/diagnostics.js";

/** `kep`: the source design as written. `shipped`: what Kubernetes does. */
export type RuleSet = "kep" | "shipped";

/** Graduation stage of the source design; it decides how far back a binary may emulate. */
export type DesignStage = "alpha" | "beta";

export interface Rules {
  readonly set: RuleSet;
  /** Only `kep` looks at it. */
  readonly stage: DesignStage;
}

export const SHIPPED: Rules = { set: "shipped", stage: "beta" };
export const KEP: Rules = { set: "kep", stage: "beta" };
export const NOWHERE: Position = { file: "", line: 0, column: 0 };
