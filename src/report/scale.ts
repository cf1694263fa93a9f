/** Scales of charts: from values to places on an axis. */

export type Scale = (value: number) => number;

/** A straight scale; an axis of no length puts everything in its middle. */
export const linear =
  (from: number, to: number, start: number, end: number): Scale =>
  (value) =>
    from === to ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start);

/** A scale on which equal factors are equally long; values below `from` count as `from`, which is above 0. */
export const logarithmic = (from: number, to: number, start: number, end: number): Scale => {
  const straight = linear(Math.log(from), Math.log(to), start, end);
  return (value) => straight(Math.log(Math.max(value, from)));
};

/**
 * Round values from 0 up to the first one that is not below `largest`, about `count` of them: whole numbers that are
 * 1, 2 or 5 times a power of ten apart.
 */
export function ticks(largest: number, count: number): number[] {
  const rough = Math.max(largest, 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power);
  const steps = Math.max(1, Math.ceil(largest / step));
  return Array.from({ length: steps + 1 }, (_, i) => i * step);
}
