/**
 * Numbers of an estimate: those of a server have 64 bits and stop at the largest (google/cel-go checker/cost.go). Above
 * 2^53 they are not exact here, which is far above every limit.
 */

/** The largest, which stands for what has no bound. */
export const MOST = 2 ** 64;

/** How many characters, bytes, items or entries a value may have. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN_SIZE: Size = { min: 0, max: MOST };
export const fixedSize = (size: number): Size => ({ min: size, max: size });

export const add = (a: number, b: number): number => Math.min(a + b, MOST);
export const multiply = (a: number, b: number): number => Math.min(a * b, MOST);
/** A size as a cost: rounded up. */
export const scale = (size: number, factor: number): number => Math.min(Math.ceil(size * factor), MOST);
export const sum = (costs: readonly number[]): number => costs.reduce(add, 0);

const both = (a: Size, b: Size, of: (a: number, b: number) => number): Size => ({
  min: of(a.min, b.min),
  max: of(a.max, b.max),
});
export const addSizes = (a: Size, b: Size): Size => both(a, b, add);
export const multiplySizes = (a: Size, b: Size): Size => both(a, b, multiply);
/** What holds both. */
export const unionOf = (a: Size, b: Size): Size => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

/** A path with the room behind it that others may write into. */
export interface FieldPath {
  readonly cells: string[];
  readonly capacity: number;
  readonly length: number;
}

/**
 * Where a value comes from: a variable, then names of members, `@items`, `@keys`, `@values`. Paths share memory as
 * slices of Go do: two that were made of one write into the same cell behind it, where there is room, and both end in
 * what was written last. A server looks sizes up by what is there by then, so it has to be followed here.
 */
export function pathThrough(path: FieldPath | undefined, name: string): FieldPath {
  const length = path?.length ?? 0;
  if (path !== undefined && length < path.capacity) {
    path.cells[length] = name;
    return { ...path, length: length + 1 };
  }
  const cells = [...(path?.cells.slice(0, length) ?? []), name];
  return { cells, capacity: Math.max(1, length * 2), length: length + 1 };
}

export const pathOf = (variable: string): FieldPath => pathThrough(undefined, variable);
export const namesOf = ({ cells, length }: FieldPath): string[] => cells.slice(0, length);
