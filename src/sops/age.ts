/**
 * Data keys, encrypted for people. `age-encryption`, by the author of age, is that format in TypeScript; it draws its
 * randomness from the platform.
 */
import type { WrappedKey } from "./metadata.js";

/** A recipient that age can encrypt for. */
export const RECIPIENT = /^age1[02-9ac-hj-np-z]{58,}$/;
const IDENTITY = /^AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]+$/;

/** The private keys of a key file, one a line between comments; none where a line is something else. */
export function readIdentities(text: string): {
  readonly identities: readonly string[];
  /** Number of the first line that is something else, from 1. */
  readonly other?: number;
} {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const isKey = (line: string): boolean => line !== "" && !line.startsWith("#");
  const other = lines.findIndex((line) => isKey(line) && !IDENTITY.test(line));
  return other < 0 ? { identities: lines.filter(isKey) } : { identities: [], other: other + 1 };
}

/** Undefined when a recipient cannot be used: its checksum is wrong. */
export async function wrapKey(
  dataKey: Uint8Array,
  recipients: readonly string[],
): Promise<readonly WrappedKey[] | undefined> {
  const { armor, Encrypter } = await import("age-encryption");
  try {
    return await Promise.all(
      recipients.map(async (recipient) => {
        const encrypter = new Encrypter();
        encrypter.addRecipient(recipient);
        return { recipient, enc: armor.encode(await encrypter.encrypt(dataKey)) };
      }),
    );
  } catch {
    return undefined;
  }
}

/** The data key, where one of the identities fits one of the wrapped keys. */
export async function unwrapKey(
  keys: readonly WrappedKey[],
  identities: readonly string[],
): Promise<Uint8Array | undefined> {
  if (keys.length === 0 || identities.length === 0) return undefined;
  const { armor, Decrypter } = await import("age-encryption");
  for (const { enc } of keys)
    try {
      const decrypter = new Decrypter();
      for (const identity of identities) decrypter.addIdentity(identity);
      return await decrypter.decrypt(armor.decode(enc));
    } catch {
      // Not for any of these identities, or damaged: the next one may be.
    }
  return undefined;
}
