/** How often a property is tried: the one place where the two tiers of tests differ in what a file does. */

export const everything: boolean = process.env["SLIPWAY_TEST_TIER"] === "all";

/** The least that says something in the fast tier. */
const FEW = 25;

/** `count` of the whole run; a tenth of it in the fast tier, whose cases are the first ones of the whole run where a seed is set. */
export const runs = (count: number): number =>
  everything ? count : Math.min(count, Math.max(FEW, Math.ceil(count / 10)));

/** All values in the whole run; the first and every `n`-th after it in the fast tier. */
export const everyNth = <T>(values: readonly T[], n: number): readonly T[] =>
  everything ? values : values.filter((_, index) => index % n === 0);
