/** The same function, which computes once for each key. It must be pure. */
export function remembered<A extends readonly unknown[], R>(
  keyOf: (...given: A) => string,
  compute: (...given: A) => Promise<R>,
): (...given: A) => Promise<R> {
  const known = new Map<string, Promise<R>>();
  return (...given) => {
    const key = keyOf(...given);
    const before = known.get(key);
    if (before !== undefined) return before;
    const now = compute(...given);
    known.set(key, now);
    return now;
  };
}
