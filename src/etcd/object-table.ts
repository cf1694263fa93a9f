/**
 * One row for every live key, in columns: a million keys are a few typed arrays and the texts of the keys, about
 * 150 bytes each, instead of a million objects.
 */
import type { Decoded, Media, TypeName } from "./decode/decode.js";
import type { EncryptedBy } from "./encryption/providers.js";
import type { KeyPlace, Resource } from "./key-layout.js";
import { KeyArena } from "./read/key-set.js";
import type { StoredRecord } from "./read/record.js";

/** Distinct texts beyond this are not told apart: only a hostile copy has so many. */
const MOST_TEXTS = 20_000;
const OTHER = "(one of too many different texts)";
/** Room for the numbers of texts and types: three of them and a byte stay exact in a float. */
const TEXTS_ROOM = 32_768;
const OTHER_TYPE: TypeName = { apiVersion: OTHER, kind: OTHER, group: "", fault: undefined };

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

  /** Result and staleness as five bits. */
  bits(row: number): number {
    return this.flags.at(row) ?? 0;
  }

  result(row: number): Result {
    return RESULTS[(this.flags.at(row) ?? 0) & 3] ?? "not-an-object";
  }
}

export class ObjectTable {
  readonly texts = new Texts();
  readonly resources: Resource[] = [];
  private readonly keys = new KeyArena();
  private readonly resourceIds = new Map<Resource, number>();
  /** 0 stands for no type. */
  private readonly typesById: (TypeName | undefined)[] = [undefined];
  private readonly typeIds = new Map<TypeName, number>();
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
  add(
    record: StoredRecord,
    copy: number,
    { resource }: KeyPlace,
    by: EncryptedBy | undefined,
    decoded: Decoded | undefined,
    oddity: number,
    outcomes: readonly Outcome[],
  ): number {
    const row = this.keys.addText(record.key);
    const { create, mod, version, lease } = this.numbers;
    create.room(row)[row] = record.createRevision;
    mod.room(row)[row] = record.modRevision;
    version.room(row)[row] = record.version;
    lease.room(row)[row] = record.lease;
    this.sizes.room(row)[row] = record.value.length;
    this.copies.room(row)[row] = copy;
    this.resource.room(row)[row] = this.resourceId(resource);
    this.providers.room(row)[row] = this.texts.id(by?.provider);
    this.keyNames.room(row)[row] = this.texts.id(by?.keyName);
    this.media.room(row)[row] = MEDIA.indexOf(decoded?.media);
    this.types.room(row)[row] = decoded === undefined ? 0 : this.typeId(decoded.type);
    this.oddities.room(row)[row] = oddity;
    for (let server = 0; server < this.servers; server++) {
      const outcome = outcomes[server];
      if (outcome !== undefined) this.outcomes[server]?.set(row, outcome);
    }
    return row;
  }

  key = (row: number): string => this.keys.text(row);
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

  /**
   * The same number for rows of a resource that agree in type, media, provider, key, result and staleness; there are few
   * different ones, so that counting goes by this number.
   */
  likeness(row: number): number {
    const flags = this.outcomes[this.servers === 1 ? 0 : this.worstServer(row)]?.bits(row) ?? 0;
    return (
      (((this.types.at(row) ?? 0) * TEXTS_ROOM + (this.providers.at(row) ?? 0)) * TEXTS_ROOM +
        (this.keyNames.at(row) ?? 0)) *
        256 +
      (this.media.at(row) ?? 0) * 32 +
      flags
    );
  }

  resourceOf(row: number): Resource {
    const found = this.resources[this.resourceNumber(row)];
    if (found === undefined) throw new Error(`row ${row} has no resource`);
    return found;
  }

  apiVersion = (row: number): string | undefined => this.typesById[this.typeNumber(row)]?.apiVersion;
  kind = (row: number): string | undefined => this.typesById[this.typeNumber(row)]?.kind;

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

  private typeId(type: TypeName): number {
    const known = this.typeIds.get(type);
    if (known !== undefined) return known;
    if (this.typesById.length > MOST_TEXTS && type !== OTHER_TYPE) return this.typeId(OTHER_TYPE);
    this.typesById.push(type);
    this.typeIds.set(type, this.typesById.length - 1);
    return this.typesById.length - 1;
  }

  private resourceId(resource: Resource): number {
    const known = this.resourceIds.get(resource);
    if (known !== undefined) return known;
    this.resources.push(resource);
    this.resourceIds.set(resource, this.resources.length - 1);
    return this.resources.length - 1;
  }
}
