/**
 * How kube-apiserver turns a stored value into plain bytes: which providers are tried, what counts as stale and what
 * is said when none fits (docs/reference/storage-and-encryption.md §1.3; apiserver `storage/value/transformer.go`).
 */
import { type Decrypted, failed, openCbc, openGcm, openSecretbox } from "./ciphers.js";
import { joinErrors, type KeyState, readKmsV1, readKmsV2, type Unwrap, type WrappedKey } from "./kms.js";
import { isEncrypted, type KeyedKind, type Provider, prefixOf, startsWith } from "./providers.js";

export type Transformed =
  | {
      readonly ok: true;
      readonly data: Buffer;
      readonly stale: boolean;
      /** Set when only the state of a kms v2 provider decides about staleness. */
      readonly state?: KeyState;
    }
  | {
      readonly ok: false;
      readonly error: string;
      /** True when a part of the text is a plug-in's own. */
      readonly approximate: boolean;
    };

/** Told of every wrapped key that a value holds, and whether an answer for it was there. */
export type OnWrapped = (key: WrappedKey, answered: boolean, state: KeyState | undefined) => void;

interface Attempt {
  readonly result: Decrypted;
  readonly stale: boolean;
  readonly state?: KeyState;
}

interface Prepared {
  readonly prefix: Buffer;
  /** Undefined for identity, which takes what is not encrypted. */
  readonly read: ((body: Buffer, key: Buffer) => Attempt) | undefined;
}

const IDENTITY_ERROR = "identity transformer tried to read encrypted data";

/** The reader of one list of providers. Undefined stands for a resource that is not configured at all. */
export class Transformer {
  private readonly prepared: readonly Prepared[] | undefined;

  constructor(
    readonly providers: readonly Provider[] | undefined,
    unwrap: Unwrap,
    onWrapped: OnWrapped = () => {},
  ) {
    this.prepared = providers?.map((each) => prepare(each, unwrap, onWrapped));
  }

  /** `key` is the whole etcd key, one character a byte. */
  read(value: Buffer, key: string): Transformed {
    const encrypted = isEncrypted(value);
    if (this.prepared === undefined)
      return encrypted
        ? { ok: false, error: IDENTITY_ERROR, approximate: false }
        : { ok: true, data: value, stale: false };
    const authenticated = Buffer.from(key, "latin1");
    const errors: string[] = [];
    let approximate = false;
    for (const [index, { prefix, read }] of this.prepared.entries()) {
      if (read === undefined) {
        // Identity is skipped without a word when the value is encrypted.
        if (encrypted) continue;
        return { ok: true, data: value, stale: index !== 0 };
      }
      if (!startsWith(value, prefix)) continue;
      const { result, stale, state } = read(value.subarray(prefix.length), authenticated);
      if (result.ok)
        return {
          ok: true,
          data: result.data,
          stale: stale || index !== 0,
          ...(state === undefined || stale || index !== 0 ? {} : { state }),
        };
      errors.push(...result.errors);
      approximate ||= result.approximate ?? false;
    }
    return {
      ok: false,
      error: errors.length === 0 ? "no matching prefix found" : joinErrors(errors),
      approximate,
    };
  }
}

function prepare(provider: Provider, unwrap: Unwrap, onWrapped: OnWrapped): Prepared {
  const prefix = Buffer.from(prefixOf(provider), "utf8");
  switch (provider.kind) {
    case "identity":
      return { prefix, read: undefined };
    case "kms": {
      const { name, version } = provider;
      return {
        prefix,
        read: (body, key) => {
          let answered = false;
          const ask: Unwrap = (wrapped) => {
            const answer = unwrap(wrapped);
            answered = answer !== undefined;
            return answer;
          };
          const { result, wrapped, oldForm, state } =
            version === "v1" ? readKmsV1(name, body, key, ask) : readKmsV2(name, body, key, ask);
          if (wrapped !== undefined) onWrapped(wrapped, answered, state);
          return { result, stale: oldForm ?? false, ...(state === undefined ? {} : { state }) };
        },
      };
    }
    default: {
      const keys = provider.keys.map(({ name, secret }) => ({
        prefix: Buffer.from(`${name}:`, "utf8"),
        secret,
      }));
      return { prefix, read: (body, key) => readKeyed(provider.kind, keys, body, key) };
    }
  }
}

const OPEN = { aescbc: openCbc, aesgcm: openGcm, secretbox: openSecretbox } as const;

function readKeyed(
  kind: KeyedKind,
  keys: readonly { readonly prefix: Buffer; readonly secret: Buffer }[],
  body: Buffer,
  authenticated: Buffer,
): Attempt {
  const errors: string[] = [];
  for (const [index, { prefix, secret }] of keys.entries()) {
    if (!startsWith(body, prefix)) continue;
    const result = OPEN[kind](secret, body.subarray(prefix.length), authenticated);
    if (result.ok) return { result, stale: index !== 0 };
    errors.push(...result.errors);
  }
  const family = kind === "secretbox" ? "Secretbox" : "AES";
  const missing = `no matching key was found for the provided ${family} transformer`;
  return { result: failed(...(errors.length === 0 ? [missing] : errors)), stale: false };
}
