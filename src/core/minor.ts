/** Releases of Kubernetes (`1.35`) and of OpenShift (`4.22`): a major and a minor number, and nothing else. */

export interface Minor {
  readonly major: number;
  readonly minor: number;
}

/** Reads `1.35`: two plain numbers and nothing else, the form of our own tables. */
export function parseMinor(text: string): Minor | undefined {
  const found = /^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$/.exec(text);
  return found === null ? undefined : { major: Number(found[1]), minor: Number(found[2]) };
}

/** A release written in our own source or tables; throws on anything else. */
export function release(text: string): Minor {
  const found = parseMinor(text);
  if (found === undefined) throw new Error(`${text} is not a release`);
  return found;
}

export const formatMinor = ({ major, minor }: Minor): string => `${major}.${minor}`;

/** Negative when `a` is older. */
export const compareMinors = (a: Minor, b: Minor): number => a.major - b.major || a.minor - b.minor;
export const equalMinors = (a: Minor | undefined, b: Minor | undefined): boolean =>
  a === undefined || b === undefined ? a === b : compareMinors(a, b) === 0;
export const maxMinor = (a: Minor, b: Minor): Minor => (compareMinors(a, b) >= 0 ? a : b);
export const minMinor = (a: Minor, b: Minor): Minor => (compareMinors(a, b) <= 0 ? a : b);

/** Moves by minors; stops at 0 and never borrows from the major number. */
export const addMinors = ({ major, minor }: Minor, count: number): Minor => ({
  major,
  minor: Math.max(0, minor + count),
});

/** Every release from `first` to `last`; empty when they are not of one major or out of order. */
export function minorsBetween(first: Minor, last: Minor): Minor[] {
  if (first.major !== last.major || first.minor > last.minor) return [];
  return Array.from({ length: last.minor - first.minor + 1 }, (_, i) => addMinors(first, i));
}
