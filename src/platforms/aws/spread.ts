/** Numbers of machines and of files. */

/** `index` with as many digits as the count has, so that names sort (facts §3.7). */
export const padded = (index: number, count: number): string =>
  String(index).padStart(String(count).length, "0");

/** The share of one of `zones` in `total`: equal for all, the remainder to the first ones (facts §3.7). */
export const share = (total: number, zones: number, index: number): number =>
  Math.floor(total / zones) + (index < total % zones ? 1 : 0);
