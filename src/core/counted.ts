/** A number with what it counts: `1 file`, `2 files`, `1 value is stale`, `2 values are stale`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
