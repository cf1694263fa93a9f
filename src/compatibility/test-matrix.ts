/**
 * What to test of a binary: every emulated version in its range, with the gates as they are by default, all alpha or all
 * beta on, and each settable gate the other way round (docs/reference/source-designs.md §2.9).
 */
import { effectiveKube } from "./effective.js";
import { holdingFor, isSettable, type KnownGates } from "./gate-state.js";
import { isSwitch } from "./gate-table.js";
import type { Rules } from "./rules.js";
import { formatMinor, formatVersion, minorOf, minorsBetween, type Version } from "./version.js";

export interface MatrixCell {
  readonly name: string;
  readonly binaryVersion: string;
  readonly emulatedVersion: string;
  readonly minCompatibilityVersion: string;
  /** Value of `--feature-gates`; empty for the defaults. */
  readonly featureGates: string;
  /** Release branch whose own end-to-end tests must pass. */
  readonly tests: string;
}

/** One cell a version with the defaults, one with AllBeta, one with AllAlpha where that is allowed, and one a gate. */
export function testMatrix(
  known: KnownGates,
  binary: Version,
  rules: Rules,
  options: { readonly perGate: boolean },
): MatrixCell[] {
  const own = minorOf(binary);
  const { floor } = effectiveKube(binary, rules);
  return minorsBetween(floor, own)
    .reverse()
    .flatMap((emulation) => {
      const emulating = emulation.minor !== own.minor;
      const versions = effectiveKube(binary, rules, emulating ? { emulation } : {});
      const cell = (name: string, featureGates: string): MatrixCell => ({
        name: `${formatMinor(emulation)}/${name}`,
        binaryVersion: formatVersion(binary),
        emulatedVersion: formatMinor(emulation),
        minCompatibilityVersion: formatMinor(versions.minCompatibility),
        featureGates,
        tests: `release-${formatMinor(emulation)}`,
      });
      const alpha = emulating ? [] : [cell("all-alpha", "AllAlpha=true,AllBeta=true")];
      const single = [...known.values()].flatMap((gate) => {
        if (!options.perGate || isSwitch(gate.name)) return [];
        const holding = holdingFor(gate, versions);
        if (holding.stage !== "Beta" || !isSettable(gate.name, holding, versions, rules)) return [];
        return [cell(gate.name, `${gate.name}=${!holding.default}`)];
      });
      return [cell("default", ""), cell("all-beta", "AllBeta=true"), ...alpha, ...single];
    });
}
