/** The wrapped keys that values hold, and what kms v2 providers wrote last. */
import type { KmsAnswers } from "./answers.js";
import type { KeyState, WrappedKey } from "./kms.js";

export interface WrappedKeyUse {
  readonly provider: string;
  readonly version: "v1" | "v2";
  readonly keyID: string;
  /** The wrapped key, base64. */
  readonly encryptedDEKSource: string;
  readonly answered: boolean;
  values: number;
}

/** kms v1 wraps a key for every write; so many are told apart. */
const MOST = 100_000;

export class WrappedKeys {
  private readonly uses = new Map<string, WrappedKeyUse>();
  private readonly newest = new Map<string, { revision: bigint; state: string }>();
  private revision = 0n;
  /** Values whose wrapped key is not in `list` since there are too many. */
  unlisted = 0;

  constructor(private readonly answers: KmsAnswers) {}

  /** The revision of the value that is read next. */
  at(revision: bigint): void {
    this.revision = revision;
  }

  note(
    { provider, version, keyID, wrapped }: WrappedKey,
    answered: boolean,
    state: KeyState | undefined,
  ): void {
    const encryptedDEKSource = wrapped.toString("base64");
    const id = [provider, version, keyID, encryptedDEKSource].join("\0");
    const known = this.uses.get(id);
    if (known !== undefined) known.values++;
    else if (this.uses.size >= MOST) this.unlisted++;
    else this.uses.set(id, { provider, version, keyID, encryptedDEKSource, answered, values: 1 });
    if (state === undefined) return;
    const newest = this.newest.get(provider);
    if (newest === undefined || this.revision > newest.revision)
      this.newest.set(provider, { revision: this.revision, state: `${state.sourceType} ${state.keyID}` });
  }

  /**
   * Type and keyID that a provider writes now, `1 KEYID`: the keyID that the answers call current, else those of the
   * newest value.
   */
  currentState(provider: string): string | undefined {
    const told = this.answers.current(provider);
    return told === undefined ? this.newest.get(provider)?.state : `1 ${told}`;
  }

  /** By provider, key and wrapped key. */
  get list(): readonly WrappedKeyUse[] {
    return [...this.uses.values()].sort(
      (a, b) =>
        order(a.provider, b.provider) ||
        order(a.version, b.version) ||
        order(a.keyID, b.keyID) ||
        order(a.encryptedDEKSource, b.encryptedDEKSource),
    );
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
