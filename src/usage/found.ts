/** What objects use that a release of an upgrade lacks: one finding, as a diagnostic and as data. */
import { type Diagnostic, diagnostic, type Problem } from "../core/diagnostics.js";
import type { Minor } from "../core/minor.js";

/** What becomes of it. */
export type Effect =
  | "not-served"
  | "later"
  | "off"
  | "deprecated"
  | "dropped"
  | "refused"
  | "without-effect"
  | "written";

export interface Use {
  readonly effect: Effect;
  /** `networking.k8s.io/v1beta1 Ingress shop/web` */
  readonly object: string;
  /** What is used: a kind, a field, a function. */
  readonly what: string;
  /** First release with it, or without it. */
  readonly since?: string | undefined;
  readonly before?: string | undefined;
  readonly replacement?: string | undefined;
  readonly gates?: readonly string[] | undefined;
  /** Who writes it. */
  readonly manager?: string | undefined;
  readonly diagnostic: Diagnostic;
}

export const useOf = (use: Omit<Use, "diagnostic">, problem: Problem): Use => ({
  ...use,
  diagnostic: diagnostic(problem),
});

/** The releases of an upgrade or rollback, from the one that runs to the target. */
export interface Path {
  readonly releases: readonly Minor[];
  readonly to: Minor;
}
