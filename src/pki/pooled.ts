/** RSA keys from a pool that was made ahead. */
import type { KeySource } from "../core/inputs.js";

/** Takes up to so many keys, PEM, out of the pool, so that nobody gets them again; fewer where it holds fewer. */
export type TakeKeys = (count: number) => Promise<readonly string[]>;

/**
 * A source that gives the keys of a pool first, those that are asked for together in one grip. What the pool does not
 * hold, and keys of other algorithms, come from the source itself.
 * @param missed told how many keys of a grip the pool did not hold
 */
export function pooled(source: KeySource, take: TakeKeys, missed: (count: number) => void): KeySource {
  let asked = 0;
  let grip: Promise<readonly string[]> | undefined;
  const next = async (place: number): Promise<string | undefined> => {
    grip ??= Promise.resolve().then(() => {
      const count = asked;
      asked = 0;
      grip = undefined;
      return take(count).then((keys) => {
        if (keys.length < count) missed(count - keys.length);
        return keys;
      });
    });
    return (await grip)[place];
  };
  return {
    generate: async (algorithm, name) => {
      const key = algorithm === "rsa-2048" ? await next(asked++) : undefined;
      return key ?? source.generate(algorithm, name);
    },
  };
}
