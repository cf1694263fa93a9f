/** A number with what it counts: `1 file`, `2 files`. For words whose plural ends in s alone. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
