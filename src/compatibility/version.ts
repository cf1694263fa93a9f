/**
 * Versions as Kubernetes' components read and compare them (docs/reference/compatibility-versions.md §3.1, §3.2). Not
 * semantic versioning: two numbers are enough, missing numbers count as 0, and a pre-release counts only between two
 * versions of exactly three numbers.
 */
import { equalMinors, type Minor } from "../core/minor.js";
import { releaseOfVersion } from "../core/named-release.js";
import { kubernetesMeant } from "../kubernetes/releases.js";

export * from "../core/minor.js";

export interface Version {
  /** Two numbers or more. */
  readonly numbers: readonly number[];
  /** True for exactly three numbers followed by nothing or a well-formed pre-release and build. */
  readonly semantic: boolean;
  /** Such as `alpha.1`; always empty unless `semantic`. */
  readonly preRelease: string;
}

export type Parsed = { readonly version: Version } | { readonly fault: string };

/** Numbers with dots between them, and what follows, which is one line. */
const SHAPE = /^[\t\n\f\r ]*v?([0-9]+(?:\.[0-9]+)*)([\s\S]*)$/;
const shapeOf = (text: string): readonly string[] | undefined => {
  const found = SHAPE.exec(text);
  return found === null || found[2]?.includes("\n") ? undefined : found;
};
const EXTRA =
  /^(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?[\t\n\f\r ]*$/;

/** Reads a version as a component's flag or a gate table does; a fault says why it is no version. */
export function parseVersion(text: string): Parsed {
  const semantic = parseSemantic(text);
  return semantic === undefined ? parseGeneric(text) : { version: semantic };
}

/** What a version has to be wherever a person writes it for slipway itself. */
const STRICT = "must be major.minor or a semantic version";

/**
 * Reads a version that is written for slipway: `1.35`, `v1.35.2`, `1.36.0-rc.1`. Unlike a component, which ignores what
 * follows the numbers, it refuses `1.3x`, `1.33.x` and blanks.
 */
export function parseStrictVersion(text: string): Parsed {
  const parsed = parseVersion(text);
  return "fault" in parsed || releaseOfVersion(text) !== undefined ? parsed : { fault: STRICT };
}

function parseSemantic(text: string): Version | undefined {
  const [, digits = "", extra = ""] = shapeOf(text) ?? [];
  const parts = digits.split(".");
  if (parts.length !== 3 || parts.some(hasLeadingZero)) return undefined;
  const found = EXTRA.exec(extra);
  const numbers = parts.map(Number);
  if (found === null || !numbers.every(Number.isSafeInteger)) return undefined;
  const preRelease = found[1] ?? "";
  const zeroed = preRelease.split(".").some((part) => /^[0-9]+$/.test(part) && hasLeadingZero(part));
  return zeroed ? undefined : { numbers, semantic: true, preRelease };
}

function parseGeneric(text: string): Parsed {
  const found = shapeOf(text);
  if (found === undefined)
    return { fault: "must be a single line that starts with numbers separated by dots" };
  const parts = (found[1] ?? "").split(".");
  if (parts.length < 2) return { fault: "must have at least two numbers" };
  if (hasLeadingZero(parts[0] ?? "")) return { fault: "the first number must not have a leading zero" };
  const numbers = parts.map(Number);
  if (!numbers.every(Number.isSafeInteger)) return { fault: "a number is too large" };
  return { version: { numbers, semantic: false, preRelease: "" } };
}

const hasLeadingZero = (digits: string): boolean => digits.length > 1 && digits.startsWith("0");

/** True for 0.0, the version of what is registered without one: it holds whatever is emulated. */
export const isAlways = ({ numbers }: Version): boolean => numbers.every((each) => each === 0);

/** Negative when `a` is older. */
export function compareVersions(a: Version, b: Version): number {
  const length = Math.max(a.numbers.length, b.numbers.length);
  for (let i = 0; i < length; i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.semantic && b.semantic ? comparePreReleases(a.preRelease, b.preRelease) : 0;
}

function comparePreReleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "") return 1;
  if (b === "") return -1;
  const left = a.split(".");
  const right = b.split(".");
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x = "", y = ""] = [left[i], right[i]];
    if (x === y) continue;
    if (/^[0-9]+$/.test(x) && /^[0-9]+$/.test(y)) {
      if (Number(x) !== Number(y)) return Number(x) - Number(y);
      continue;
    }
    return x < y ? -1 : 1;
  }
  return left.length - right.length;
}

export function formatVersion(version: Version): string {
  return version.numbers.join(".") + (version.preRelease === "" ? "" : `-${version.preRelease}`);
}

export const patchOf = (version: Version): number => version.numbers[2] ?? 0;

export const minorOf = (version: Version): Minor => ({
  major: version.numbers[0] ?? 0,
  minor: version.numbers[1] ?? 0,
});

/**
 * The version of a Kubernetes binary that is meant: that of a release of OpenShift has no patch release to speak of.
 * Undefined as `kubernetesMeant` says.
 */
export function kubernetesVersionMeant(
  named: Version,
  counted: readonly (Minor | undefined)[] = [],
): Version | undefined {
  const release = minorOf(named);
  const meant = kubernetesMeant(release, counted);
  return meant === undefined || equalMinors(meant, release) ? meant && named : ofMinor(meant);
}

/** The full version of a release, for comparisons with versions that have more numbers. */
export const ofMinor = ({ major, minor }: Minor): Version => ({
  numbers: [major, minor],
  semantic: false,
  preRelease: "",
});
