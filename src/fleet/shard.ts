/** Splitting a fleet over machines that know nothing of each other. */
import { createHash } from "node:crypto";

export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

const MOST = 100_000;

/** A shard as it is written, `3/64`; undefined for anything else. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = /^([0-9]{1,6})\/([0-9]{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.count >= 1 && shard.count <= MOST && shard.index < shard.count ? shard : undefined;
}

/**
 * The shard of a cluster: the first eight bytes of the SHA-256 of its name, as a big-endian number, modulo the number of
 * shards. The order of the fleet and the other clusters in it do not count.
 */
export const shardOf = (name: string, count: number): number =>
  Number(createHash("sha256").update(name).digest().readBigUInt64BE() % BigInt(count));
