/** A run as reports show it. */
import type { AcceptedFinding } from "./baseline.js";
import type { Finding } from "./finding.js";
import type { Failing } from "./review.js";

export interface RunReport {
  readonly version: string;
  /** The words after `slipway`. */
  readonly command: string;
  readonly exit: number;
  readonly now: Date;
  /** The file or folder that stands for what has no file of its own. */
  readonly fallback: string;
  readonly kept: readonly Finding[];
  readonly accepted: readonly AcceptedFinding[];
  /** Findings of this severity and above make the command fail. */
  readonly fails: Failing;
}
