/**
 * The rewrite loop that a server runs once when it starts (docs/reference/source-designs.md §3): every object in an
 * actively migrated version is written back in the preferred one. It is throttled; it can be stopped anywhere and
 * started again, since what is rewritten is never rewritten twice; one object or type that fails does not stop the
 * others.
 */
import type { Behavior } from "./model.js";

export interface Entry<V> {
  readonly key: string;
  readonly value: V;
  /** Revision of the value; a replacement succeeds only while it is the current one. */
  readonly revision: string;
}

export interface Page<V> {
  readonly entries: readonly Entry<V>[];
  readonly more: boolean;
}

/** A call that failed; the loop goes on with the next object or type. */
export interface Failed {
  readonly failed: string;
}

export interface RewriteStore<V> {
  /** Entries below a prefix in key order, behind `after`. */
  list(prefix: string, after: string | undefined, limit: number): Promise<Page<V> | Failed>;
  get(key: string): Promise<Entry<V> | undefined | Failed>;
  replace(entry: Entry<V>, value: V): Promise<"written" | "conflict" | Failed>;
}

/** A type whose objects may have to be rewritten. */
export interface RewriteType {
  readonly name: string;
  readonly prefix: string;
  behaviorOf(version: string): Behavior | undefined;
  /** Undefined where the release does not serve the type: it is passed over. */
  readonly preferred: string | undefined;
}

export interface Codec<V> {
  /** The version that a value is stored in; undefined when it cannot be told. */
  versionOf(value: V): string | undefined;
  convert(value: V, version: string): { readonly value: V } | Failed;
}

/** Milliseconds, from a clock that only goes forward. */
export interface Pace {
  /** Writes a second; each write waits for its turn. */
  readonly perSecond: number;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export interface RewriteCounters {
  converted: number;
  failedConversions: number;
  failedReads: number;
}

export interface Rewritten {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

export interface RewriteResult extends RewriteCounters {
  readonly rewritten: readonly Rewritten[];
  readonly failures: readonly { readonly of: string; readonly why: string }[];
  /** False when it was stopped before the last object. */
  readonly finished: boolean;
}

export interface RewriteOptions<V> {
  readonly store: RewriteStore<V>;
  readonly codec: Codec<V>;
  readonly types: readonly RewriteType[];
  readonly pace: Pace;
  readonly pageSize?: number;
  /** Asked before each write; true ends the loop there. */
  readonly stop?: (counters: Readonly<RewriteCounters>) => boolean;
}

const RETRIES = 5;

export async function rewriteLoop<V>(options: RewriteOptions<V>): Promise<RewriteResult> {
  const { store, types, pageSize = 500 } = options;
  const run = new Run(options);
  for (const type of types) {
    if (type.preferred === undefined) continue;
    let after: string | undefined;
    for (let more = true; more && !run.stopped; ) {
      const page = await store.list(type.prefix, after, pageSize);
      if ("failed" in page) {
        run.failRead(type.name, page.failed);
        break;
      }
      for (const entry of page.entries) {
        if (run.stopped) break;
        await run.rewrite(entry, type, type.preferred);
        after = entry.key;
      }
      more = page.more && page.entries.length > 0;
    }
    if (run.stopped) break;
  }
  return run.result();
}

class Run<V> {
  stopped = false;
  private readonly counters: RewriteCounters = { converted: 0, failedConversions: 0, failedReads: 0 };
  private readonly rewritten: Rewritten[] = [];
  private readonly failures: { of: string; why: string }[] = [];
  private last: number | undefined;

  constructor(private readonly options: RewriteOptions<V>) {}

  failRead(of: string, why: string): void {
    this.counters.failedReads++;
    this.failures.push({ of, why });
  }

  private failConversion(of: string, why: string): void {
    this.counters.failedConversions++;
    this.failures.push({ of, why });
  }

  /** One object; on a conflict it is read again, for the other writer may have been an older server. */
  async rewrite(first: Entry<V>, type: RewriteType, preferred: string): Promise<void> {
    const { store, codec } = this.options;
    let entry: Entry<V> | undefined = first;
    for (let attempt = 0; attempt < RETRIES && entry !== undefined; attempt++) {
      const from = codec.versionOf(entry.value);
      if (from === undefined) return this.failRead(entry.key, "its stored version is unknown");
      if (type.behaviorOf(from) !== "actively-migrated") return;
      const converted = codec.convert(entry.value, preferred);
      if ("failed" in converted) return this.failConversion(entry.key, converted.failed);
      await this.turn();
      if (this.options.stop?.(this.counters) === true) {
        this.stopped = true;
        return;
      }
      const outcome = await store.replace(entry, converted.value);
      if (outcome === "written") {
        this.counters.converted++;
        this.rewritten.push({ key: entry.key, from, to: preferred });
        return;
      }
      if (outcome !== "conflict") return this.failConversion(entry.key, outcome.failed);
      const again: Entry<V> | undefined | Failed = await store.get(entry.key);
      if (again !== undefined && "failed" in again) return this.failRead(entry.key, again.failed);
      entry = again;
    }
    if (entry !== undefined)
      this.failConversion(entry.key, `it was changed ${RETRIES} times in the meantime`);
  }

  /** A write begins no sooner than one interval after the one before it. */
  private async turn(): Promise<void> {
    const { now, sleep, perSecond } = this.options.pace;
    const due = this.last === undefined ? now() : this.last + 1000 / perSecond;
    // A timer may fire a little early.
    for (let at = now(); at < due; at = now()) await sleep(due - at);
    this.last = now();
  }

  result(): RewriteResult {
    return {
      ...this.counters,
      rewritten: this.rewritten,
      failures: this.failures,
      finished: !this.stopped,
    };
  }
}
