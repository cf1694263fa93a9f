/** Choices that a seed decides. */
export interface Draw {
  /** True with the probability. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** Some of a list, in its order. */
  some<T>(list: readonly T[]): T[];
}

/** Mulberry32: small, and the same on every machine. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    chance: (probability) => next() < probability,
    int,
    pick: (list) => {
      const at = int(0, list.length - 1);
      for (const [index, each] of list.entries()) if (index === at) return each;
      throw new Error("nothing to pick from");
    },
    some: (list) => list.filter(() => next() < 0.5),
  };
}
