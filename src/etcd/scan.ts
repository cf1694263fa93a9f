/**
 * One pass over the live keys of all copies: each value is turned into plain bytes and decoded as its API server
 * would, and leaves a row in a table. Few objects are kept beside that: definitions, namespaces, roles.
 */

import type { Problem } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { Cluster } from "./cluster.js";
import { contentOf, type Decoded, decodeValue } from "./decode/decode.js";
import type { KmsAnswers } from "./encryption/answers.js";
import type { EncryptionConfig } from "./encryption/config.js";
import { KeySearch } from "./encryption/key-search.js";
import { encryptedBy } from "./encryption/providers.js";
import { WrappedKeys } from "./encryption/wrapped-keys.js";
import { KeyLayout, type KeyPlace, type Resource, shownKey } from "./key-layout.js";
import { howMangled } from "./mangled.js";
import { ObjectTable, ODDITY, type Outcome } from "./object-table.js";
import type { Copy } from "./read/copies.js";
import { CopyFault } from "./read/copy-file.js";
import { keyText, type StoredRecord } from "./read/record.js";
import { WireFault } from "./read/varint.js";
import { Readers, type ResourceReader } from "./readers.js";
import type { BuiltIn } from "./releases.js";

export interface ScanOptions {
  readonly copies: readonly Copy[];
  /** The state to read; the newest of each copy by default. */
  readonly at?: bigint | undefined;
  /** Storage prefixes that count; empty to detect them. */
  readonly prefixes: readonly string[];
  /** One for each server or kind of server; none reads as a server without the flag does. */
  readonly configs: readonly EncryptionConfig[];
  readonly answers: KmsAnswers;
  readonly report: (problem: Problem) => void;
  /** Called every thousand keys or so; what it answers is waited for. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Everything that one pass over the copies tells. */
export interface Survey {
  readonly table: ObjectTable;
  /** Rows in byte order of their keys, each key once. Sorts when it is first called. */
  order(): Uint32Array;
  /** The same rows in the order that costs least. */
  rows(): Iterable<number>;
  readonly cluster: Cluster;
  readonly wrapped: WrappedKeys;
  readonly configs: readonly EncryptionConfig[];
  readonly readers: Readers;
  readonly prefixes: readonly string[];
  /** False when a copy could not be read to its end. */
  readonly complete: boolean;
  /**
   * False when dumps hold a part of what lies below a storage prefix, or when nothing lies below any: what is not in
   * them may be there all the same.
   */
  readonly whole: boolean;
  /** False when a copy was read at an older revision: what was written since is not seen. */
  readonly isNow: boolean;
}

const PAUSE_AFTER = 1024;

/**
 * Reads the copies once; a second time where a key of a built-in resource showed a prefix below which other keys had
 * been met before, since a custom resource alone does not tell one.
 */
export async function scan(options: ScanOptions): Promise<Survey> {
  let held: Problem[] | undefined = [];
  const report = (problem: Problem): void => {
    if (held === undefined) options.report(problem);
    else held.push(problem);
  };
  const first = await scanOnce({ ...options, report }, []);
  if (options.prefixes.length === 0 && first.complete && hasMisplaced(first))
    return scanOnce(options, first.prefixes);
  for (const each of held) options.report(each);
  held = undefined;
  return first;
}

/** True when a key counts as lying below no prefix, and lies below one that was found after it. */
function hasMisplaced({ table, prefixes }: Survey): boolean {
  for (let row = 0; row < table.length; row++) {
    if (table.resourceOf(row).family !== "none") continue;
    const key = table.key(row);
    if (prefixes.some((each) => key.startsWith(each) && key[each.length] === "/")) return true;
  }
  return false;
}

async function scanOnce(options: ScanOptions, known: readonly string[]): Promise<Survey> {
  const { copies, at, configs, answers, report, pause } = options;
  const layout = new KeyLayout(options.prefixes, known);
  const wrapped = new WrappedKeys(answers);
  const readers = new Readers(configs, answers, wrapped);
  const table = new ObjectTable(readers.servers);
  const cluster = new Cluster();
  const surveyor = new Surveyor(layout, readers, table, cluster, wrapped, configs, answers);
  let complete = true;
  let left = PAUSE_AFTER;
  for (const [index, copy] of copies.entries())
    try {
      let [keys, values] = [0, 0];
      for (const record of copy.live(at)) {
        keys++;
        if (record.value.length > 0) values++;
        surveyor.take(record, index, copy);
        if (--left > 0) continue;
        left = PAUSE_AFTER;
        await pause?.();
      }
      // Of a dump with keys alone (ETC008) nothing can be said about objects.
      if (copy.form === "dump" && keys > 0 && values === 0) complete = false;
    } catch (error) {
      if (!(error instanceof CopyFault)) throw error;
      report(error.problem);
      complete = false;
    }
  surveyor.settleStaleness();
  const current = copies.filter((copy) => at === undefined || copy.revision() === at);
  cluster.settle(current);
  const [only] = copies;
  // A single key-value store holds a key once; only a dump or several copies can repeat it.
  const unique = copies.length === 1 && only?.form !== "dump";
  let sorted: Uint32Array | undefined;
  const order = (): Uint32Array => {
    sorted ??= inByteOrder(table, copies, report);
    return sorted;
  };
  const rows = (): Iterable<number> => (unique ? Array(table.length).keys() : order());
  const prefixes = layout.found;
  const whole =
    prefixes.length > 0 && prefixes.every((prefix) => copies.some((copy) => copy.covers(`${prefix}/`)));
  const isNow = current.length === copies.length;
  return { table, order, rows, cluster, wrapped, configs, readers, prefixes, complete, whole, isNow };
}

class Surveyor {
  private readonly search: KeySearch;
  /** Rows whose staleness depends on what a kms v2 provider now writes. */
  private readonly pending: { row: number; server: number; provider: string; state: string }[] = [];

  constructor(
    private readonly layout: KeyLayout,
    private readonly readers: Readers,
    private readonly table: ObjectTable,
    private readonly cluster: Cluster,
    private readonly wrapped: WrappedKeys,
    private readonly configs: readonly EncryptionConfig[],
    answers: KmsAnswers,
  ) {
    this.search = new KeySearch(configs, answers.unwrap, (key) => wrapped.note(key, false, undefined));
  }

  take(record: StoredRecord, copy: number, from: Copy): void {
    const { key, value } = record;
    const place = this.layout.place(key);
    const reader = this.readers.of(place.resource);
    this.wrapped.at(record.modRevision);
    const { decoded, outcomes, waiting } = readValue(reader, place, key, value);
    const by = encryptedBy(value, reader.providers);
    const row = this.table.add(
      record,
      copy,
      place,
      by,
      decoded,
      oddityOf(key, place, decoded, by?.provider),
      outcomes,
    );
    if (decoded?.ok === true && decoded.jsonFault !== undefined)
      this.table.unwritable.set(row, decoded.jsonFault);
    for (const each of waiting) this.pending.push({ row, ...each });
    const failing = outcomes.findIndex(
      ({ result }) => result === "untransformable" || result === "undecodable",
    );
    if (failing >= 0) this.explain(row, record, place, reader, failing);
    if (reader.keep !== undefined) this.cluster.meet(reader.keep, key, place, from);
    if (decoded?.ok === true && reader.keep !== undefined)
      this.cluster.keep(reader.keep, contentOf(decoded, reader.keep.message), key, place, record.modRevision);
  }

  /** Looks for a reason why a value is not lost although a server does not read it. */
  private explain(
    row: number,
    { key, value }: StoredRecord,
    place: KeyPlace,
    reader: ResourceReader,
    failing: number,
  ): void {
    const isObject = (data: Buffer): boolean =>
      judge(decodeValue(data, reader.codec, reader.types, reader.bodies), reader, place.resource).ok;
    const found = this.search.find(value, key, this.configs[failing], isObject);
    if (found !== undefined) this.table.found.set(row, found);
    const mangled = howMangled(value, (data) =>
      readValue(reader, place, key, data).outcomes.some(({ result }) => result === "ok"),
    );
    if (mangled !== undefined) this.table.mangled.set(row, mangled);
  }

  settleStaleness(): void {
    for (const { row, server, provider, state } of this.pending)
      this.table.setStale(row, server, this.wrapped.currentState(provider) !== state);
  }
}

interface ValueRead {
  /** What the first server that can decrypt the value makes of it. */
  readonly decoded: Decoded | undefined;
  readonly outcomes: readonly Outcome[];
  readonly waiting: readonly { readonly server: number; readonly provider: string; readonly state: string }[];
}

const NOT_AN_OBJECT: Outcome = {
  result: "not-an-object",
  error: undefined,
  approximate: false,
  stale: undefined,
};

const ok = (stale: boolean): Outcome => ({ result: "ok", error: undefined, approximate: false, stale });
const FRESH: readonly Outcome[] = [ok(false)];
const STALE: readonly Outcome[] = [ok(true)];
const NOTHING: ValueRead["waiting"] = [];

/** Reads a value as every server does that has a configuration of its own. */
export function readValue(reader: ResourceReader, place: KeyPlace, key: string, value: Buffer): ValueRead {
  let decoded: Decoded | undefined;
  const outcomes: Outcome[] = [];
  const waiting: { server: number; provider: string; state: string }[] = [];
  for (const [server, { transformer, sameAs }] of reader.servers.entries()) {
    const before = sameAs === undefined ? undefined : outcomes[sameAs];
    if (before !== undefined) {
      outcomes.push(before);
      for (const each of [...waiting]) if (each.server === sameAs) waiting.push({ ...each, server });
      continue;
    }
    const transformed = transformer.read(value, key);
    if (!transformed.ok) {
      const { error, approximate } = transformed;
      outcomes.push({ result: "untransformable", error, approximate, stale: undefined });
      continue;
    }
    const { data, stale, state } = transformed;
    const now =
      data === value && decoded !== undefined
        ? decoded
        : judge(decodeValue(data, reader.codec, reader.types, reader.bodies), reader, place.resource);
    if (place.resource.family === "none" && !now.ok) {
      outcomes.push(NOT_AN_OBJECT);
      continue;
    }
    decoded ??= now;
    // Nearly every value ends here.
    if (now.ok && reader.servers.length === 1 && state === undefined)
      return { decoded, outcomes: stale ? STALE : FRESH, waiting: NOTHING };
    outcomes.push(
      now.ok ? ok(stale) : { result: "undecodable", error: now.error, approximate: now.approximate, stale },
    );
    if (state !== undefined)
      waiting.push({ server, provider: state.provider, state: `${state.sourceType} ${state.keyID}` });
  }
  return { decoded, outcomes, waiting };
}

/**
 * What a server finds wrong after the decoding itself: a kind that is not the one of its place cannot be converted,
 * and the kinds that are kept are read to their ends.
 */
function judge(decoded: Decoded, { keep }: ResourceReader, { builtIn }: Resource): Decoded {
  if (!decoded.ok) return decoded;
  const { media, type } = decoded;
  const refuse = (error: string, approximate: boolean): Decoded => ({
    ok: false,
    media,
    type,
    error,
    approximate,
  });
  const { kind, group } = type;
  if (builtIn !== undefined && kind !== undefined && type.apiVersion !== undefined)
    if (kind !== builtIn.kind || !builtIn.versions.some(({ apiVersion }) => groupOf(apiVersion) === group))
      return refuse(conversionError(type.apiVersion, kind, builtIn), true);
  if (keep === undefined) return decoded;
  try {
    contentOf(decoded, keep.message);
    return decoded;
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    return refuse(error.message, false);
  }
}

/** The server's words, with the Go packages of both types as they are usually called. */
function conversionError(apiVersion: string, kind: string, to: BuiltIn): string {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const internal = to.group === "" ? "core" : to.group.split(".", 1).join();
  return `converting (${version}.${kind}) to (${internal}.${to.kind}): unknown conversion`;
}

const groupOf = (apiVersion: string): string => {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
};

function oddityOf(
  key: string,
  { resource, at }: KeyPlace,
  decoded: Decoded | undefined,
  provider: string | undefined,
): number {
  if (decoded === undefined) return ODDITY.none;
  // A wrong key of AES-CBC passes the padding check once in 256 values, and then gives bytes of no form at all.
  if (!decoded.ok)
    return provider === "aescbc/v1" || provider === "kms/v1" ? ODDITY.probablyWrongKey : ODDITY.none;
  const { objectName, objectNamespace, type } = decoded;
  const itself =
    (type.kind === undefined ? ODDITY.noKind : ODDITY.none) |
    (decoded.jsonFault === undefined ? ODDITY.none : ODDITY.unwritable);
  const { family, builtIn } = resource;
  if (family === "custom" && "value" in decoded.body && isBare(decoded.body.value))
    return itself | ODDITY.nameless | ODDITY.bare;
  if (family === "none" || family === "unknown" || family === "foreign" || builtIn?.internal === true)
    return itself;
  return itself | misplacement(key, at, objectName, objectNamespace);
}

/** `metadata` that is null is read as empty. */
const isBare = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Object.hasOwn(value, "metadata");

/** Compares the end of the key, NAMESPACE/NAME or NAME, with what the object says of itself. */
function misplacement(key: string, at: number, name: string, namespace: string): number {
  if (name === "") return ODDITY.nameless;
  const slash = key.indexOf("/", at);
  // Nearly every name is ASCII, and then the same in the key.
  const same = (text: string, from: number, to: number): boolean =>
    (text.length === to - from && key.startsWith(text, from)) || keyText(key.slice(from, to)) === text;
  if (slash < 0) return same(name, at, key.length) ? ODDITY.none : ODDITY.otherName;
  if (namespace === "") return ODDITY.nameless;
  return (
    (same(name, slash + 1, key.length) ? ODDITY.none : ODDITY.otherName) |
    (same(namespace, at, slash) ? ODDITY.none : ODDITY.otherNamespace)
  );
}

/** Sorts the rows; of a key that was found more than once the newest counts. */
function inByteOrder(
  table: ObjectTable,
  copies: readonly Copy[],
  report: (problem: Problem) => void,
): Uint32Array {
  const { modRevision } = table;
  // Texts while they are compared; the table itself holds bytes.
  const keys = Array.from({ length: table.length }, (_, row) => table.key(row));
  const key = (row: number): string => keys[row] ?? "";
  const order = Uint32Array.from(Array(table.length).keys());
  let ascending = true;
  for (let row = 1; row < order.length && ascending; row++) ascending = key(row - 1) < key(row);
  if (ascending) return order;
  order.sort((a, b) => {
    const left = key(a);
    const right = key(b);
    if (left !== right) return left < right ? -1 : 1;
    const difference = modRevision(b) - modRevision(a);
    return difference < 0n ? -1 : difference > 0n ? 1 : a - b;
  });
  let kept = 0;
  let first: number | undefined;
  for (const row of order) {
    const before = order[kept - 1];
    if (kept > 0 && before !== undefined && key(before) === key(row)) {
      first ??= row;
      continue;
    }
    order[kept++] = row;
  }
  if (first !== undefined)
    problemList(report, "", { file: copies[table.copy(first)]?.file.name ?? "" }).warnings.report(
      "ETC009",
      "Duplicate",
      `${order.length - kept} keys are in more than one copy, the first is ${JSON.stringify(shownKey(keyText(key(first))))}; the record with the latest revision is used`,
      "use copies of different stores, not two copies of the same store",
    );
  return order.subarray(0, kept);
}
