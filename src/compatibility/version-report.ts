/**
 * The document of /version, in the shipped form and in that of the design (docs/reference/compatibility-versions.md
 * §3.4).
 */
import type { JsonObject } from "../core/json.js";
import { behavesSince } from "../kubernetes/behavior.js";
import type { EffectiveVersion } from "./effective.js";
import type { Rules } from "./rules.js";
import { compareMinors, formatMinor, formatVersion, type Minor, minorOf, release } from "./version.js";

/** First release whose /version names the emulated and the minimum compatibility version (apimachinery v0.33). */
export const VERSIONS_REPORTED_SINCE = release(behavesSince("reportsVersions"));

export const reportsVersions = (binary: Minor, rules: Rules): boolean =>
  rules.set === "kep" || compareMinors(binary, VERSIONS_REPORTED_SINCE) >= 0;

/** Go prints a zero number as an empty text here. */
const digits = (number: number): string => (number === 0 ? "" : String(number));

/** Only what the versions decide; commit, build date and compiler of a binary are not ours to know. */
export function versionReport(
  { binary, emulation, minCompatibility }: EffectiveVersion,
  rules: Rules,
): JsonObject {
  const own = minorOf(binary);
  if (rules.set === "kep")
    return {
      major: digits(emulation.major),
      minor: digits(emulation.minor),
      binaryMajor: digits(own.major),
      binaryMinor: digits(own.minor),
      compatibility: digits(minCompatibility.minor),
      gitVersion: `v${formatMinor(emulation)}.0`,
    };
  const git = formatVersion(
    binary.numbers.length < 3 ? { ...binary, numbers: [...binary.numbers, 0] } : binary,
  );
  return {
    major: digits(own.major),
    minor: digits(own.minor),
    emulationMajor: digits(emulation.major),
    emulationMinor: digits(emulation.minor),
    minCompatibilityMajor: digits(minCompatibility.major),
    minCompatibilityMinor: digits(minCompatibility.minor),
    gitVersion: `v${git}`,
  };
}
