/**
 * One row for every live key, in columns: a million keys are a few typed arrays and the texts of the keys, about
 * 150 bytes each, instead of a million objects.
 */
import type { Decoded, Media, TypeName } from "./decode/decode.js";
import type { FoundKey } from "./encryption/key-search.js";
import type { EncryptedBy } from "./encryption/providers.js";
import type { KeyPlace, Resource } from "./key-layout.js";
import { KeyArena } from "./read/key-set.js";
import type { StoredRecord } from "./read/record.js";

/** Rows that there is room for at first. */
const FIRST_ROOM = 1024;
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

/** Everything about a row that is a number; all of one length. */
interface Columns {
  readonly create: BigInt64Array;
  readonly mod: BigInt64Array;
  readonly version: BigInt64Array;
  readonly lease: BigInt64Array;
  readonly sizes: Uint32Array;
  readonly copies: Uint8Array;
  readonly resource: Uint32Array;
  readonly providers: Uint32Array;
  readonly keyNames: Uint32Array;
  readonly media: Uint8Array;
  readonly types: Uint32Array;
  readonly oddities: Uint8Array;
}

const columns = (length: number): Columns => ({
  create: new BigInt64Array(length),
  mod: new BigInt64Array(length),
  version: new BigInt64Array(length),
  lease: new BigInt64Array(length),
  sizes: new Uint32Array(length),
  copies: new Uint8Array(length),
  resource: new Uint32Array(length),
  providers: new Uint32Array(length),
  keyNames: new Uint32Array(length),
  media: new Uint8Array(length),
  types: new Uint32Array(length),
  oddities: new Uint8Array(length),
});

function grown(before: Columns, length: number): Columns {
  const after = columns(length);
  after.create.set(before.create);
  after.mod.set(before.mod);
  after.version.set(before.version);
  after.lease.set(before.lease);
  after.sizes.set(before.sizes);
  after.copies.set(before.copies);
  after.resource.set(before.resource);
  after.providers.set(before.providers);
  after.keyNames.set(before.keyNames);
  after.media.set(before.media);
  after.types.set(before.types);
  after.oddities.set(before.oddities);
  return after;
}

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

/** Findings about a single object that are no failure to read, as bits. */
export const ODDITY = {
  none: 0,
  otherName: 1,
  noKind: 2,
  probablyWrongKey: 4,
  otherNamespace: 8,
  nameless: 16,
  unwritable: 32,
  /** A custom resource without metadata: the API server exits when it reads it. */
  bare: 64,
} as const;
/** The object is not the one that its key is read as: no request for it works as it should. */
export const MISPLACED = ODDITY.otherName | ODDITY.otherNamespace | ODDITY.nameless;

/** Columns of one server's outcomes. */
class Outcomes {
  private flags = new Uint8Array(FIRST_ROOM);
  private errors = new Uint32Array(FIRST_ROOM);

  constructor(private readonly texts: Texts) {}

  grow(length: number): void {
    const { flags, errors } = this;
    this.flags = new Uint8Array(length);
    this.flags.set(flags);
    this.errors = new Uint32Array(length);
    this.errors.set(errors);
  }

  set(row: number, { result, error, approximate, stale }: Outcome): void {
    const staleBits = stale === undefined ? 0 : stale ? 2 : 1;
    this.flags[row] = RESULTS.indexOf(result) | (approximate ? 4 : 0) | (staleBits << 3);
    if (error !== undefined) this.errors[row] = this.texts.id(error);
  }

  setStale(row: number, stale: boolean): void {
    this.flags[row] = ((this.flags[row] ?? 0) & 7) | ((stale ? 2 : 1) << 3);
  }

  get(row: number): Outcome {
    const flags = this.flags[row] ?? 0;
    const staleBits = flags >> 3;
    return {
      result: RESULTS[flags & 3] ?? "not-an-object",
      error: this.texts.text(this.errors[row] ?? 0),
      approximate: (flags & 4) !== 0,
      stale: staleBits === 0 ? undefined : staleBits === 2,
    };
  }

  /** Result and staleness as five bits. */
  bits(row: number): number {
    return this.flags[row] ?? 0;
  }

  result(row: number): Result {
    return RESULTS[(this.flags[row] ?? 0) & 3] ?? "not-an-object";
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
  private data = columns(FIRST_ROOM);
  private readonly outcomes: readonly Outcomes[];

  /** Row → what would read its value, where a server does not and some configuration has the key. */
  readonly found = new Map<number, FoundKey>();

  /** Row → what a text tool did to its value on the way, where it cannot be read for that. */
  readonly mangled = new Map<number, string>();

  /** Row → the server's words where it decodes the object and cannot write it as JSON. */
  readonly unwritable = new Map<number, string>();

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
    if (row >= this.data.mod.length) this.grow();
    const { data } = this;
    data.create[row] = record.createRevision;
    data.mod[row] = record.modRevision;
    data.version[row] = record.version;
    if (record.lease !== 0n) data.lease[row] = record.lease;
    data.sizes[row] = record.value.length;
    data.copies[row] = copy;
    data.resource[row] = this.resourceId(resource);
    if (by !== undefined) {
      data.providers[row] = this.texts.id(by.provider);
      data.keyNames[row] = this.texts.id(by.keyName);
    }
    if (decoded !== undefined) {
      data.media[row] = MEDIA.indexOf(decoded.media);
      data.types[row] = this.typeId(decoded.type);
    }
    data.oddities[row] = oddity;
    for (let server = 0; server < this.servers; server++) {
      const outcome = outcomes[server];
      if (outcome !== undefined) this.outcomes[server]?.set(row, outcome);
    }
    return row;
  }

  private grow(): void {
    const length = Math.ceil(this.data.mod.length * 1.5);
    this.data = grown(this.data, length);
    for (const each of this.outcomes) each.grow(length);
  }

  key = (row: number): string => this.keys.text(row);
  createRevision = (row: number): bigint => this.data.create[row] ?? 0n;
  modRevision = (row: number): bigint => this.data.mod[row] ?? 0n;
  version = (row: number): bigint => this.data.version[row] ?? 0n;
  lease = (row: number): bigint => this.data.lease[row] ?? 0n;
  size = (row: number): number => this.data.sizes[row] ?? 0;
  copy = (row: number): number => this.data.copies[row] ?? 0;
  provider = (row: number): string | undefined => this.texts.text(this.data.providers[row] ?? 0);
  keyName = (row: number): string | undefined => this.texts.text(this.data.keyNames[row] ?? 0);
  mediaOf = (row: number): Media | undefined => MEDIA[this.data.media[row] ?? 0];
  oddity = (row: number): number => this.data.oddities[row] ?? 0;
  resourceNumber = (row: number): number => this.data.resource[row] ?? 0;
  /** A number for apiVersion and kind together, for grouping. */
  typeNumber = (row: number): number => this.data.types[row] ?? 0;

  /**
   * The same number for rows of a resource that agree in type, media, provider, key, result and staleness; there are few
   * different ones, so that counting goes by this number.
   */
  likeness(row: number): number {
    const flags = this.outcomes[this.servers === 1 ? 0 : this.worstServer(row)]?.bits(row) ?? 0;
    return (
      (((this.data.types[row] ?? 0) * TEXTS_ROOM + (this.data.providers[row] ?? 0)) * TEXTS_ROOM +
        (this.data.keyNames[row] ?? 0)) *
        256 +
      (this.data.media[row] ?? 0) * 32 +
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
