/**
 * Effective versions: what a component emulates and which releases it must stay compatible with, with defaults, ranges
 * and the order in which flags apply (docs/reference/compatibility-versions.md §3.3; docs/reference/source-designs.md
 * §2.1).
 */

import type { Position, Report } from "../core/diagnostics.js";
import { invalid, problemList } from "../core/problem.js";
import { behavesSince } from "../kubernetes/behavior.js";
import { kubernetesMeant, meansNothing, releaseInWords } from "../kubernetes/releases.js";
import { type FlagItem, type FlagText, splitItems, trim } from "./flags.js";
import { NOWHERE, type Rules } from "./rules.js";
import {
  addMinors,
  compareMinors,
  equalMinors,
  formatMinor,
  type Minor,
  maxMinor,
  minMinor,
  minorOf,
  parseStrictVersion,
  parseVersion,
  patchOf,
  release,
  type Version,
} from "./version.js";

/** The component of the Kubernetes control plane; a flag item without a component means it. */
export const KUBE = "kube";

/** The oldest release that shipped binaries can emulate (docs/reference/compatibility-versions.md §3.3). */
export const SHIPPED_FLOOR = release(behavesSince("emulates"));

const NO_FLOOR = release("0.0");

/** How many minors back a binary reaches. */
export const REACH = { shipped: 3, "kep-alpha": 1, "kep-beta": 3 } as const;

/** A component that has versions of its own: kube, or an aggregated server. */
export interface VersionedComponent {
  readonly name: string;
  readonly binary: Version;
  /** Lowest versions that may be asked for; computed from the binary for kube. */
  readonly floors?: { readonly emulation: Minor; readonly minCompatibility: Minor };
  /** The versions follow those of another component: same major given, minor moved by `minorOffset`. */
  readonly mappedFrom?: { readonly component: string; readonly major: number; readonly minorOffset: number };
}

export interface EffectiveVersion {
  readonly component: string;
  readonly binary: Version;
  readonly emulation: Minor;
  readonly minCompatibility: Minor;
  readonly floor: Minor;
  readonly minCompatibilityFloor: Minor;
  /** True when a flag set it, whatever the value. */
  readonly emulationGiven: boolean;
  readonly minCompatibilityGiven: boolean;
}

export interface VersionFlags {
  readonly emulated: readonly FlagText[];
  readonly minCompatibility: readonly FlagText[];
}

/** The lowest emulation of a kube binary. Binaries that came before emulation behave as themselves only. */
export function kubeFloor(binary: Minor, rules: Rules): Minor {
  if (rules.set === "kep") return addMinors(binary, -REACH[`kep-${rules.stage}`]);
  return minMinor(maxMinor(addMinors(binary, -REACH.shipped), SHIPPED_FLOOR), binary);
}

/** Before it the minimum compatibility version is the release before the binary's, whatever is emulated. */
const MINIMUM_BY_EMULATION_SINCE = release(behavesSince("minimumByEmulation"));

/** The lowest minimum compatibility version. */
export const kubeMinimumFloor = (binary: Minor, rules: Rules): Minor =>
  rules.set === "shipped" && compareMinors(binary, MINIMUM_BY_EMULATION_SINCE) < 0
    ? addMinors(binary, -1)
    : kubeFloor(binary, rules);

/**
 * First release whose components know `--min-compatibility-version` (docs/reference/compatibility-versions.md §3.6);
 * before it the minimum follows the emulation.
 */
export const MINIMUM_FLAG_SINCE = release(behavesSince("minimumFlag"));

export const canSetMinimum = (binary: Minor, rules: Rules): boolean =>
  rules.set === "kep" || compareMinors(binary, MINIMUM_FLAG_SINCE) >= 0;

/** The default of the minimum compatibility version: one minor below the emulation, but not below the floor. */
export const defaultMinCompatibility = (emulation: Minor, floor: Minor): Minor =>
  maxMinor(addMinors(emulation, -1), floor);

/** The versions of one kube component at an emulation and minimum that are already known to be valid. */
export function effectiveKube(
  binary: Version,
  rules: Rules,
  given: { emulation?: Minor | undefined; minCompatibility?: Minor | undefined } = {},
): EffectiveVersion {
  const minCompatibilityFloor = kubeMinimumFloor(minorOf(binary), rules);
  const emulation = given.emulation ?? minorOf(binary);
  return {
    component: KUBE,
    binary,
    emulation,
    minCompatibility: given.minCompatibility ?? defaultMinCompatibility(emulation, minCompatibilityFloor),
    floor: kubeFloor(minorOf(binary), rules),
    minCompatibilityFloor,
    emulationGiven: given.emulation !== undefined,
    minCompatibilityGiven: given.minCompatibility !== undefined,
  };
}

/** Reads the version flags, applies them in order and validates every component; reports all violations. */
export function resolveVersions(
  components: readonly VersionedComponent[],
  flags: VersionFlags,
  rules: Rules,
  report: Report,
): ReadonlyMap<string, EffectiveVersion> {
  const ownEmulations = new Map(components.map(({ name, binary }) => [name, minorOf(binary)]));
  const emulated = spread(readVersions(flags.emulated, components, report), components, ownEmulations);
  const minimum = spread(readVersions(flags.minCompatibility, components, report), components);
  const result = new Map<string, EffectiveVersion>();
  for (const { name, binary, floors } of components) {
    const [lowest, lowestMinimum] =
      name === KUBE
        ? [kubeFloor(minorOf(binary), rules), kubeMinimumFloor(minorOf(binary), rules)]
        : [NO_FLOOR, NO_FLOOR];
    const floor = floors?.emulation ?? lowest;
    const minCompatibilityFloor = floors?.minCompatibility ?? lowestMinimum;
    const emulation = emulated.get(name)?.minor ?? minorOf(binary);
    const effective: EffectiveVersion = {
      component: name,
      binary,
      emulation,
      minCompatibility: minimum.get(name)?.minor ?? defaultMinCompatibility(emulation, minCompatibilityFloor),
      floor,
      minCompatibilityFloor,
      emulationGiven: emulated.get(name)?.byFlag ?? false,
      minCompatibilityGiven: minimum.get(name)?.byFlag ?? false,
    };
    result.set(name, effective);
    validateEffective(
      effective,
      report,
      {
        emulation: emulated.get(name)?.place ?? NOWHERE,
        minCompatibility: minimum.get(name)?.place ?? emulated.get(name)?.place ?? NOWHERE,
      },
      { emulation: emulated.get(name)?.named, minCompatibility: minimum.get(name)?.named },
    );
  }
  return result;
}

/** One thing for each version flag. */
interface ByFlag<T> {
  readonly emulation: T;
  readonly minCompatibility: T;
}

/**
 * Reports every range that the versions leave (docs/reference/compatibility-versions.md §3.3).
 * @param named releases as they were written, where those were of OpenShift
 */
export function validateEffective(
  { component, binary, emulation, minCompatibility, floor, minCompatibilityFloor }: EffectiveVersion,
  report: Report,
  places: ByFlag<Position> = { emulation: NOWHERE, minCompatibility: NOWHERE },
  named: ByFlag<Minor | undefined> = { emulation: undefined, minCompatibility: undefined },
): void {
  const top = minorOf(binary);
  const words = {
    emulation: inWords(named.emulation, emulation),
    minimum: inWords(named.minCompatibility, minCompatibility),
  };
  if (outside(emulation, floor, top))
    problemList(report, field("--emulated-version", component), places.emulation).report(
      "VER005",
      "Invalid",
      `binary ${formatMinor(top)} cannot emulate version ${words.emulation}`,
      `use ${versionBetween(floor, top)}`,
    );
  if (outside(minCompatibility, minCompatibilityFloor, emulation))
    problemList(report, field("--min-compatibility-version", component), places.minCompatibility).report(
      "VER006",
      "Invalid",
      `minimum compatibility version ${words.minimum} is out of range for emulated version ${words.emulation}`,
      compareMinors(minCompatibilityFloor, emulation) > 0
        ? "use another emulated version; no minimum compatibility version is valid for this one"
        : `use ${versionBetween(minCompatibilityFloor, emulation)}`,
    );
}

const inWords = (named: Minor | undefined, meant: Minor): string => releaseInWords(named ?? meant, meant);

const versionBetween = (low: Minor, high: Minor): string =>
  equalMinors(low, high)
    ? `version ${formatMinor(low)}`
    : `a version from ${formatMinor(low)} to ${formatMinor(high)}`;

const outside = (version: Minor, low: Minor, high: Minor): boolean =>
  compareMinors(version, low) < 0 || compareMinors(version, high) > 0;

const field = (flag: string, component: string): string =>
  component === KUBE ? flag : `${flag} ${component}`;

interface Given {
  readonly minor: Minor;
  /** The release as it was written; undefined where nobody wrote it. */
  readonly named?: Minor;
  readonly place: Position;
  /** False for a version that only follows the default of another component. */
  readonly byFlag: boolean;
}

/** The values of one version flag by component; what cannot be read is reported and left out. */
function readVersions(
  texts: readonly FlagText[],
  components: readonly VersionedComponent[],
  report: Report,
): Map<string, Given> {
  const result = new Map<string, Given>();
  for (const item of texts.flatMap((each) => (each.text === "" ? [] : splitItems(each)))) {
    const problems = problemList(report, item.flag, item.place);
    const { component, text } = splitComponent(item);
    const parsed = parseVersion(text);
    if ("fault" in parsed) {
      problems.add(invalid("VER001", "", text, parsed.fault, "use major.minor, such as 1.35"));
      continue;
    }
    if (patchOf(parsed.version) !== 0) {
      problems.invalid(
        "VER002",
        text,
        "must be major.minor, without a patch release",
        `use ${formatMinor(minorOf(parsed.version))}`,
      );
      continue;
    }
    if ("fault" in parseStrictVersion(text))
      problems.warnings.report(
        "VER014",
        "Invalid",
        `the component reads ${JSON.stringify(text)} as ${formatMinor(minorOf(parsed.version))}`,
        `use ${formatMinor(minorOf(parsed.version))}, or correct the version`,
      );
    const known = components.find(({ name }) => name === component);
    if (known === undefined) {
      problems.report(
        "VER004",
        "NotFound",
        `component ${JSON.stringify(component)} is not registered`,
        `use one of ${components.map(({ name }) => name).join(", ")}`,
      );
      continue;
    }
    if (known.mappedFrom !== undefined) {
      problems.forbidden(
        "VER007",
        `the version of component ${component} is derived from component ${known.mappedFrom.component}`,
        `set the version of ${known.mappedFrom.component}`,
      );
      continue;
    }
    const before = result.get(component);
    if (before !== undefined) {
      problems.report(
        "VER003",
        "Duplicate",
        `the version of component ${component} is set twice: ${formatMinor(before.minor)} and ${text}`,
        "set it once; a version without a component applies to kube",
      );
      continue;
    }
    const named = minorOf(parsed.version);
    const minor = component === KUBE ? kubernetesMeant(named, [minorOf(known.binary)]) : named;
    if (minor === undefined) problems.add(meansNothing(named));
    else result.set(component, { minor, named, place: item.place, byFlag: true });
  }
  return result;
}

function splitComponent({ text }: FlagItem): { component: string; text: string } {
  const at = text.indexOf("=");
  if (at < 0) return { component: KUBE, text };
  return { component: trim(text.slice(0, at)), text: trim(text.slice(at + 1)) };
}

/**
 * Adds the versions of components that follow another one: those of a flag first, then those of the defaults, since a
 * mapped component follows the default of its source too.
 */
function spread(
  given: ReadonlyMap<string, Given>,
  components: readonly VersionedComponent[],
  defaults: ReadonlyMap<string, Minor> = new Map(),
): ReadonlyMap<string, Given> {
  const result = new Map(given);
  const follow = (sourceOf: (name: string) => Given | undefined): void => {
    for (let changed = true; changed; ) {
      changed = false;
      for (const { name, mappedFrom } of components) {
        const source = mappedFrom === undefined ? undefined : sourceOf(mappedFrom.component);
        if (mappedFrom === undefined || source === undefined || result.has(name)) continue;
        const minor = addMinors({ ...source.minor, major: mappedFrom.major }, mappedFrom.minorOffset);
        result.set(name, { minor, place: source.place, byFlag: source.byFlag });
        changed = true;
      }
    }
  };
  follow((name) => result.get(name));
  follow((name) => {
    const minor = defaults.get(name);
    return result.get(name) ?? (minor && { minor, place: NOWHERE, byFlag: false });
  });
  return result;
}

/** True when the component behaves as another release than its own. */
export const isEmulating = ({ binary, emulation }: EffectiveVersion): boolean =>
  !equalMinors(minorOf(binary), emulation);
