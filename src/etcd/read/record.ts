/** What every reader yields, whatever the copy is. */

export interface StoredRecord {
  /** The bytes of the key, one character a byte, so that texts order as etcd orders keys. */
  readonly key: string;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  /** Counts the writes of this life of the key; starts again at 1 after a deletion. */
  readonly version: bigint;
  /** 0 when the key has no lease. */
  readonly lease: bigint;
  /** Valid until the next record is asked for. */
  readonly value: Buffer;
}

export interface HistoryRecord extends StoredRecord {
  /** True for the record of a deletion, which has no value. */
  readonly tombstone: boolean;
}

/** The text of a key; bytes that are not UTF-8 become U+FFFD. */
export const keyText = (key: string): string => {
  for (let i = 0; i < key.length; i++)
    if (key.charCodeAt(i) > 0x7f) return Buffer.from(key, "latin1").toString("utf8");
  return key;
};

/** The key of a text, as records carry it. */
export const keyOfText = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
