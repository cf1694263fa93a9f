/** Field paths as Kubernetes writes them: `compute[0].platform.aws.zones[1]`, `platform.aws.userTags[team]`. */

/** The steps of a path: member names, indexes and map keys. */
export const pathSteps = (path: string): string[] =>
  [...path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, index, name]) => index ?? name ?? "");

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, path: string): unknown {
  let value: unknown = root;
  for (const step of pathSteps(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/**
 * Every path that a pattern with `[]` for "each element" stands for in a value, and that leads somewhere.
 */
export function matchingPaths(root: unknown, pattern: string): string[] {
  const [head = "", ...rest] = pattern.split("[]");
  let paths = [head];
  for (const part of rest)
    paths = paths.flatMap((path) => {
      const list = valueAt(root, path);
      return Array.isArray(list) ? list.map((_, i) => `${path}[${i}]${part}`) : [];
    });
  return paths.filter((path) => valueAt(root, path) !== undefined);
}

/** Removes the member at a path from a value that the caller owns. */
export function removeAt(root: unknown, path: string): void {
  const steps = pathSteps(path);
  const last = steps.pop();
  const parent = steps.reduce<unknown>((value, step) => valueAt(value, `[${step}]`), root);
  if (typeof parent === "object" && parent !== null && last !== undefined)
    Reflect.deleteProperty(parent, last);
}
