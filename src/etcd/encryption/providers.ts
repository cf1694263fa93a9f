/** What a configuration says about one resource: which providers read it, in which order. */

export interface EncryptionKey {
  readonly name: string;
  readonly secret: Buffer;
}

export type KeyedKind = "aescbc" | "aesgcm" | "secretbox";

export type Provider =
  | { readonly kind: "identity" }
  | { readonly kind: KeyedKind; readonly keys: readonly EncryptionKey[] }
  | { readonly kind: "kms"; readonly version: "v1" | "v2"; readonly name: string };

/** What stands in front of a value that the provider wrote (docs/reference/storage-and-encryption.md §1.3). */
export function prefixOf(provider: Provider): string {
  switch (provider.kind) {
    case "identity":
      return "";
    case "kms":
      return `${ENCRYPTED}kms:${provider.version}:${provider.name}:`;
    default:
      return `${ENCRYPTED}${provider.kind}:v1:`;
  }
}

export const ENCRYPTED = "k8s:enc:";
const ENCRYPTED_BYTES = Buffer.from(ENCRYPTED, "latin1");

export const startsWith = (value: Buffer, prefix: Buffer): boolean =>
  value.length >= prefix.length && value.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

/** Byte by byte, since every value is asked. */
export function isEncrypted(value: Buffer): boolean {
  if (value.length < ENCRYPTED_BYTES.length || value[3] !== 0x3a) return false;
  for (let i = 0; i < ENCRYPTED_BYTES.length; i++) if (value[i] !== ENCRYPTED_BYTES[i]) return false;
  return true;
}

/** What an encrypted value says of itself. */
export interface EncryptedBy {
  /** Such as `aescbc/v1`. */
  readonly provider: string;
  /** Name of the key, or of the plug-in for kms. */
  readonly keyName: string;
}

const LONGEST_NAME = 1024;

/** k3s and RKE2 name a key that they rotate to by its time: `aescbckey-2026-03-09T09:46:54+01:00`. */
const TIMED_NAME =
  /^[^:]{0,200}[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:Z|[-+][0-9]{2}:[0-9]{2})(?=:)/;
/** Random bytes look like this once in 10,000 values. */
const LONGER_NAME = /^[^:]*:[\x20-\x39\x3b-\x7e]{4,}:/;
/** Ends a name of which only the beginning is known. */
export const AND_MORE = ":…";

/**
 * Provider and key that a value names, or undefined when it is not encrypted. Of an unknown name with a colon in it only
 * the beginning can be told from what follows it, except in the form of k3s.
 */
export function encryptedBy(value: Buffer, providers: readonly Provider[] = []): EncryptedBy | undefined {
  if (!isEncrypted(value)) return undefined;
  const head = value.toString(
    "latin1",
    ENCRYPTED.length,
    Math.min(value.length, ENCRYPTED.length + LONGEST_NAME),
  );
  const [kind = "", version = ""] = head.split(":", 2);
  const rest = head.slice(kind.length + version.length + 2);
  const known = namesOf(kind, version, providers).find((name) => rest.startsWith(`${name}:`));
  return {
    provider: printable(`${kind}/${version}`),
    keyName: known === undefined ? nameIn(rest) : printable(known),
  };
}

/** The name at the start of a text that goes on with a colon and encrypted bytes. */
function nameIn(rest: string): string {
  const timed = TIMED_NAME.exec(rest)?.[0];
  if (timed !== undefined) return timed;
  const colon = rest.indexOf(":");
  const name = printable(colon < 0 ? "" : rest.slice(0, colon));
  return LONGER_NAME.test(rest) ? name + AND_MORE : name;
}

function namesOf(kind: string, version: string, providers: readonly Provider[]): string[] {
  const names = providers.flatMap((each) => {
    if (each.kind === "kms") return kind === "kms" && each.version === version ? [each.name] : [];
    return each.kind === kind && version === "v1" && each.kind !== "identity"
      ? each.keys.map(({ name }) => name)
      : [];
  });
  return names.filter((name) => name.includes(":")).sort((a, b) => b.length - a.length);
}

/** Text of a damaged or hostile value: what is not printable becomes U+FFFD. */
const printable = (latin1: string): string =>
  Buffer.from(latin1, "latin1").toString("utf8").replace(/\p{C}/gu, "\ufffd").slice(0, 253);
