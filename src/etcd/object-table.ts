/**
 * One row for every live key, in columns: a million keys are a few typed arrays and the texts of the keys, about
 * 150 bytes each, instead of a million objects.
 */
import type { Media } from "./decode/decode.js";
import type { KeyPlace, Resource } from "./key-layout.js";

/** Distinct texts beyond this are not told apart: only a hostile copy has so many. */
const MOST_TEXTS = 20_000;
const OTHER = "(one of too many different texts)";

/** Texts that repeat, such as kinds and errors, as small numbers. 0 stands for no text. */
export class Texts {
  private readonly ids = new Map<string, number>();
  private readonly texts: (string | undefined)[] = [undefined];

  id(text: string | undefined): number {
    if (text === undefined) return 0;
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    if (this.texts.length > MOST_TEXTS && text !== OTHER) return this.id(OTHER);
    this.texts.push(text);
    this.ids.set(text, this.texts.length - 1);
    return this.texts.length - 1;
  }

  text(id: number): string | undefined {
    return this.texts[id];
  }

  get size(): number {
    return this.texts.length;
  }
}

type Numbers = Uint8Array | Uint16Array | Uint32Array | BigInt64Array;

class Column<T extends Numbers> {
  constructor(
    private data: T,
    private readonly larger: (length: number) => T,
  ) {}

  at(row: number): T[number] | undefined {
    return this.data[row];
  }

  /** `put` writes into the array at a row for which there is room. */
  room(row: number): T {
    if (row >= this.data.length) {
      const larger = this.larger(Math.max(1024, Math.ceil(this.data.length * 1.5)));
      copyInto(larger, this.data);
      this.data = larger;
    }
    return this.data;
  }
}

function copyInto(target: Numbers, source: Numbers): void {
  if (target instanceof BigInt64Array) {
    if (source instanceof BigInt64Array) target.set(source);
  } else if (!(source instanceof BigInt64Array)) target.set(source);
}

const bytes = (): Column<Uint8Array> => new Column(new Uint8Array(0), (length) => new Uint8Array(length));
const words = (): Column<Uint32Array> => new Column(new Uint32Array(0), (length) => new Uint32Array(length));
const longs = (): Column<BigInt64Array> =>
  new Column(new BigInt64Array(0), (length) => new BigInt64Array(length));

export const RESULTS = ["ok", "untransformable", "undecodable", "not-an-object"] as const;
export type Result = (typeof RESULTS)[number];

const MEDIA: readonly (Media | undefined)[] = [undefined, "protobuf", "json", "cbor", "yaml"];

/** What a server with a given configuration makes of a value. */
export interface Outcome {
  readonly result: Result;
  readonly error: string | undefined;
  /** True when a part of the error text is not exactly the server's. */
  readonly approximate: boolean;
  /** Undefined where nothing was decrypted. */
  readonly stale: boolean | undefined;
}

/** What is known of a key besides its outcome. */
export interface RowFacts {
  readonly key: string;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly version: bigint;
  readonly lease: bigint;
  /** Bytes of the stored value. */
  readonly size: number;
  readonly copy: number;
  readonly place: KeyPlace;
  readonly provider: string | undefined;
  readonly keyName: string | undefined;
  readonly media: Media | undefined;
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly oddity: number;
}

/** Findings about a single object that are no failure to read. */
export const ODDITY = { none: 0, otherName: 1, noKind: 2, probablyWrongKey: 4 } as const;

/** Columns of one server's outcomes. */
class Outcomes {
  private readonly flags = bytes();
  private readonly errors = words();

  constructor(private readonly texts: Texts) {}

  set(row: number, { result, error, approximate, stale }: Outcome): void {
    const staleBits = stale === undefined ? 0 : stale ? 2 : 1;
    this.flags.room(row)[row] = RESULTS.indexOf(result) | (approximate ? 4 : 0) | (staleBits << 3);
    this.errors.room(row)[row] = this.texts.id(error);
  }

  setStale(row: number, stale: boolean): void {
    const flags = this.flags.room(row);
    flags[row] = ((flags[row] ?? 0) & 7) | ((stale ? 2 : 1) << 3);
  }

  get(row: number): Outcome {
    const flags = this.flags.at(row) ?? 0;
    const staleBits = flags >> 3;
    return {
      result: RESULTS[flags & 3] ?? "not-an-object",
      error: this.texts.text(this.errors.at(row) ?? 0),
      approximate: (flags & 4) !== 0,
      stale: staleBits === 0 ? undefined : staleBits === 2,
    };
  }

  result(row: number): Result {
    return RESULTS[(this.flags.at(row) ?? 0) & 3] ?? "not-an-object";
  }
}

export class ObjectTable {
  readonly texts = new Texts();
  readonly resources: Resource[] = [];
  private readonly keys: string[] = [];
  private readonly resourceIds = new Map<Resource, number>();
  private readonly numbers = { create: longs(), mod: longs(), version: longs(), lease: longs() };
  private readonly sizes = words();
  private readonly copies = bytes();
  private readonly resource = words();
  private readonly providers = words();
  private readonly keyNames = words();
  private readonly media = bytes();
  private readonly types = words();
  private readonly oddities = bytes();
  private readonly outcomes: readonly Outcomes[];

  /** `servers`: how many configurations each value is read with, at least 1. */
  constructor(readonly servers: number) {
    this.outcomes = Array.from({ length: servers }, () => new Outcomes(this.texts));
  }

  get length(): number {
    return this.keys.length;
  }

  /** Adds a row and answers its number. */
  add(facts: RowFacts, outcomes: readonly Outcome[]): number {
    const row = this.keys.length;
    this.keys.push(facts.key);
    const { create, mod, version, lease } = this.numbers;
    create.room(row)[row] = facts.createRevision;
    mod.room(row)[row] = facts.modRevision;
    version.room(row)[row] = facts.version;
    lease.room(row)[row] = facts.lease;
    this.sizes.room(row)[row] = facts.size;
    this.copies.room(row)[row] = facts.copy;
    this.resource.room(row)[row] = this.resourceId(facts.place.resource);
    this.providers.room(row)[row] = this.texts.id(facts.provider);
    this.keyNames.room(row)[row] = this.texts.id(facts.keyName);
    this.media.room(row)[row] = MEDIA.indexOf(facts.media);
    this.types.room(row)[row] = this.texts.id(typeId(facts.apiVersion, facts.kind));
    this.oddities.room(row)[row] = facts.oddity;
    outcomes.forEach((outcome, server) => {
      this.outcomes[server]?.set(row, outcome);
    });
    return row;
  }

  key = (row: number): string => this.keys[row] ?? "";
  createRevision = (row: number): bigint => this.numbers.create.at(row) ?? 0n;
  modRevision = (row: number): bigint => this.numbers.mod.at(row) ?? 0n;
  version = (row: number): bigint => this.numbers.version.at(row) ?? 0n;
  lease = (row: number): bigint => this.numbers.lease.at(row) ?? 0n;
  size = (row: number): number => this.sizes.at(row) ?? 0;
  copy = (row: number): number => this.copies.at(row) ?? 0;
  provider = (row: number): string | undefined => this.texts.text(this.providers.at(row) ?? 0);
  keyName = (row: number): string | undefined => this.texts.text(this.keyNames.at(row) ?? 0);
  mediaOf = (row: number): Media | undefined => MEDIA[this.media.at(row) ?? 0];
  oddity = (row: number): number => this.oddities.at(row) ?? 0;
  resourceNumber = (row: number): number => this.resource.at(row) ?? 0;
  /** A number for apiVersion and kind together, for grouping. */
  typeNumber = (row: number): number => this.types.at(row) ?? 0;

  resourceOf(row: number): Resource {
    const found = this.resources[this.resourceNumber(row)];
    if (found === undefined) throw new Error(`row ${row} has no resource`);
    return found;
  }

  apiVersion = (row: number): string | undefined => typeOf(this.texts.text(this.typeNumber(row))).apiVersion;
  kind = (row: number): string | undefined => typeOf(this.texts.text(this.typeNumber(row))).kind;

  /** Namespace and name, or name alone, as in the key. */
  restOf(row: number): readonly string[] {
    const { family, prefix, path } = this.resourceOf(row);
    const key = this.key(row);
    if (family === "none") return [key];
    return key.slice(prefix.length + path.length + 2).split("/");
  }

  outcome(row: number, server = 0): Outcome {
    const found = this.outcomes[server];
    if (found === undefined) throw new Error(`there is no server ${server}`);
    return found.get(row);
  }

  result = (row: number): Result => this.outcomes[this.worstServer(row)]?.result(row) ?? "not-an-object";

  setStale(row: number, server: number, stale: boolean): void {
    this.outcomes[server]?.setStale(row, stale);
  }

  /** The first server that cannot read the value, or the first of all. */
  worstServer(row: number): number {
    for (let server = 0; server < this.servers; server++) {
      const result = this.outcomes[server]?.result(row);
      if (result === "untransformable" || result === "undecodable") return server;
    }
    return 0;
  }

  private resourceId(resource: Resource): number {
    const known = this.resourceIds.get(resource);
    if (known !== undefined) return known;
    this.resources.push(resource);
    this.resourceIds.set(resource, this.resources.length - 1);
    return this.resources.length - 1;
  }
}

const SEPARATOR = "\n";

const typeId = (apiVersion: string | undefined, kind: string | undefined): string | undefined =>
  apiVersion === undefined && kind === undefined ? undefined : `${apiVersion ?? ""}${SEPARATOR}${kind ?? ""}`;

function typeOf(id: string | undefined): { apiVersion: string | undefined; kind: string | undefined } {
  if (id === undefined) return { apiVersion: undefined, kind: undefined };
  const at = id.indexOf(SEPARATOR);
  if (at < 0) return { apiVersion: id, kind: undefined };
  return { apiVersion: id.slice(0, at) || undefined, kind: id.slice(at + 1) || undefined };
}
