/**
 * Phases as values. A phase names what it needs, and its `run` sees only that; the compiler enforces it.
 * `Assets` is the table of everything that phases exchange, given by the pipeline that puts them together.
 */
import type { Reporter } from "./diagnostics.js";
import type { OutputFile } from "./files.js";

export interface Phase<Assets, Needs extends keyof Assets, Context> {
  readonly name: string;
  readonly needs: readonly Needs[];
  /** One line for `--help` and `slipway graph`. */
  readonly summary: string;
  /** Pure: no disk, clock, randomness, environment or network. */
  run(
    needs: Pick<Assets, Needs>,
    context: Context & { readonly report: Reporter["report"] },
  ): readonly OutputFile[];
}

/** Fixes the table of assets and the context once, so that each phase is typed by what it needs. */
export const phasesOf =
  <Assets, Context>() =>
  <Needs extends keyof Assets>(phase: Phase<Assets, Needs, Context>): Phase<Assets, Needs, Context> =>
    phase;
