/**
 * Kube-aware order of API versions (apimachinery `version.CompareKubeAwareVersionStrings`): stable before beta before
 * alpha, then the higher number; anything else is older than all of these and orders by text.
 */

interface KubeVersion {
  readonly major: number;
  readonly stability: 0 | 1 | 2;
  readonly minor: number;
}

const STABILITY = { alpha: 0, beta: 1 } as const;

function parse(text: string): KubeVersion | undefined {
  const [, major, stability, minor] = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  const numbers = { major: Number(major), minor: Number(minor ?? 0) };
  if (!Number.isSafeInteger(numbers.major) || !Number.isSafeInteger(numbers.minor)) return undefined;
  return { ...numbers, stability: stability === "alpha" || stability === "beta" ? STABILITY[stability] : 2 };
}

/** Positive when `a` comes before `b` in preference: `v2` > `v1` > `v1beta2` > `v1alpha3` > `foo`. */
export function compareKubeVersions(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined && right === undefined) return a < b ? 1 : -1;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  return left.stability - right.stability || left.major - right.major || left.minor - right.minor;
}
