/**
 * Digests for the record, which is committed and read by anybody.
 *
 * A plain digest of a file that holds a weak password would let a reader try passwords against it. So the digest of
 * a secret file is keyed, with a key that only the state file yields; without the state such a file cannot be
 * compared, which `check` reports as unverifiable.
 */
import { createHash, createHmac } from "node:crypto";
import { canonicalBytes } from "../text/yaml-content.js";

export interface Digester {
  /** `sha256:…`, or `hmac-sha256:…` for a secret file; undefined for a secret file without the key. */
  of(data: Uint8Array, secret: boolean): string | undefined;
  /**
   * Whether a digest is of these bytes, or, for YAML, of a file that slipway would write with the same values;
   * undefined when that needs the key and it is not there.
   */
  matches(digest: string, data: Uint8Array): boolean | undefined;
}

const PLAIN = "sha256:";
const KEYED = "hmac-sha256:";

export const isKeyed = (digest: string): boolean => digest.startsWith(KEYED);

/** The same file is asked for by the comparison, the record and the working copy. */
function once(digestOf: (data: Uint8Array) => string): (data: Uint8Array) => string {
  const known = new WeakMap<Uint8Array, string>();
  return (data) => {
    const before = known.get(data);
    if (before !== undefined) return before;
    const digest = digestOf(data);
    known.set(data, digest);
    return digest;
  };
}

/** @param rootKey private key of the root CA as it is in the state, or undefined without a state */
export function createDigester(rootKey: string | undefined): Digester {
  const key =
    rootKey === undefined
      ? undefined
      : createHash("sha256").update("slipway record\n").update(rootKey).digest();
  const plain = once((data) => PLAIN + createHash("sha256").update(data).digest("hex"));
  const withKey =
    key === undefined
      ? undefined
      : once((data) => KEYED + createHmac("sha256", key).update(data).digest("hex"));
  const keyed = (data: Uint8Array): string | undefined => withKey?.(data);
  return {
    of: (data, secret) => (secret ? keyed(data) : plain(data)),
    matches(digest, data) {
      const of = isKeyed(digest) ? keyed : plain;
      const own = of(data);
      if (own === undefined) return undefined;
      if (own === digest) return true;
      const canonical = canonicalBytes(data);
      return canonical !== undefined && of(canonical) === digest;
    },
  };
}
