/**
 * What is known about objects that cannot be read: from the objects that name them as owner, and from an older
 * revision of the same object that can still be read.
 */
import { isList, isObject, type JsonObject } from "../../core/json.js";
import { contentOf, type Decoded } from "../decode/decode.js";
import { ANY_OBJECT } from "../decode/messages.js";
import { KeyLayout, restOf } from "../key-layout.js";
import type { Copy } from "../read/copies.js";
import { CopyFault } from "../read/copy-file.js";
import { keyText, type StoredRecord } from "../read/record.js";
import { WireFault } from "../read/varint.js";
import { readValue, type ScanOptions, type Survey } from "../scan.js";
import type { Candidate } from "./candidates.js";

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Another object that names the unreadable one as its owner. */
export interface Dependent {
  readonly key: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface Relations {
  /** Revision from which finalizers and owners are known; undefined where none can be read. */
  readonly knownFrom: bigint | undefined;
  readonly finalizers: readonly string[] | undefined;
  readonly owners: readonly Owner[] | undefined;
  readonly dependents: readonly Dependent[];
  readonly moreDependents: number;
}

interface Found {
  knownFrom: bigint | undefined;
  metadata: JsonObject | undefined;
  readonly dependents: Dependent[];
  moreDependents: number;
}

/** Dependents beyond this many of one object are counted only. */
const MOST_DEPENDENTS = 20;

/** Reads the copies once more for the relations of the candidates, in their order. */
export async function findRelations(
  survey: Survey,
  candidates: readonly Candidate[],
  options: ScanOptions,
): Promise<readonly Relations[]> {
  if (candidates.length === 0) return [];
  const { table } = survey;
  const found = candidates.map(
    (): Found => ({ knownFrom: undefined, metadata: undefined, dependents: [], moreDependents: 0 }),
  );
  const byOwner = new Map<string, number>();
  const byKey = new Map<string, number>();
  candidates.forEach(({ row, served, namespace, name }, i) => {
    byOwner.set(ownerId(served.group, served.kind, namespace, name), i);
    byKey.set(table.key(row), i);
  });
  const search = new Search(survey, options, candidates, found, byOwner, byKey);
  let left = 1024;
  for (const copy of options.copies)
    try {
      for (const step of search.steps(copy)) {
        void step;
        if (--left > 0) continue;
        left = 1024;
        await options.pause?.();
      }
    } catch (error) {
      if (!(error instanceof CopyFault)) throw error;
      options.report(error.problem);
    }
  return found.map(relationsOf);
}

class Search {
  private readonly layout: KeyLayout;

  constructor(
    private readonly survey: Survey,
    private readonly options: ScanOptions,
    private readonly candidates: readonly Candidate[],
    private readonly found: readonly Found[],
    private readonly byOwner: ReadonlyMap<string, number>,
    private readonly byKey: ReadonlyMap<string, number>,
  ) {
    this.layout = new KeyLayout(options.prefixes, survey.prefixes);
  }

  /** Visits the live objects, then the history of the candidates. */
  *steps(copy: Copy): Generator<undefined> {
    for (const record of copy.live(this.options.at)) {
      this.look(record);
      yield undefined;
    }
    const upTo = this.options.at ?? copy.revision();
    if (copy.history === undefined || upTo === undefined) return;
    for (const record of copy.history(upTo)) {
      if (!record.tombstone) this.remember(record);
      yield undefined;
    }
  }

  private look(record: StoredRecord): void {
    const own = this.byKey.get(record.key);
    const metadata = this.metadataOf(record);
    if (metadata === undefined) return;
    if (own !== undefined) this.know(own, record, metadata.metadata);
    for (const owner of ownersIn(metadata.metadata)) {
      const namespace = metadata.namespace;
      const index =
        this.byOwner.get(ownerId(groupOf(owner.apiVersion), owner.kind, namespace, owner.name)) ??
        this.byOwner.get(ownerId(groupOf(owner.apiVersion), owner.kind, undefined, owner.name));
      const found = index === undefined ? undefined : this.found[index];
      if (found === undefined) continue;
      if (found.dependents.length >= MOST_DEPENDENTS) found.moreDependents++;
      else
        found.dependents.push({
          key: keyText(record.key),
          kind: metadata.kind,
          namespace,
          name: metadata.name,
        });
    }
  }

  /** An older revision of the same life of a candidate. */
  private remember(record: StoredRecord): void {
    const index = this.byKey.get(record.key);
    const candidate = index === undefined ? undefined : this.candidates[index];
    if (index === undefined || candidate === undefined || record.createRevision !== candidate.createRevision)
      return;
    if (this.found[index]?.metadata !== undefined) return;
    const metadata = this.metadataOf(record);
    if (metadata !== undefined) this.know(index, record, metadata.metadata);
  }

  private know(index: number, record: StoredRecord, metadata: JsonObject): void {
    const found = this.found[index];
    if (found === undefined || found.metadata !== undefined) return;
    found.metadata = metadata;
    found.knownFrom = record.modRevision;
  }

  private metadataOf({ key, value }: StoredRecord):
    | {
        readonly metadata: JsonObject;
        readonly kind: string;
        readonly namespace: string | undefined;
        readonly name: string;
      }
    | undefined {
    const place = this.layout.place(key);
    const { decoded } = readValue(this.survey.readers.of(place.resource), place, key, value);
    if (decoded?.ok !== true) return undefined;
    const metadata = contentMetadata(decoded);
    if (metadata === undefined) return undefined;
    const rest = restOf(key, place).map(keyText);
    return {
      metadata,
      kind: decoded.type.kind ?? "",
      namespace: rest.length > 1 ? rest[0] : undefined,
      name: rest.at(-1) ?? "",
    };
  }
}

function contentMetadata(decoded: Decoded & { readonly ok: true }): JsonObject | undefined {
  try {
    const metadata = contentOf(decoded, ANY_OBJECT)["metadata"];
    return isObject(metadata) ? metadata : {};
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    return undefined;
  }
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
const ownerId = (group: string, kind: string, namespace: string | undefined, name: string): string =>
  [group, kind, namespace ?? "", name].join("\0");

function ownersIn(metadata: JsonObject): Owner[] {
  const list = metadata["ownerReferences"];
  if (!isList(list)) return [];
  return list.filter(isObject).map((owner) => {
    const text = (name: string): string => (typeof owner[name] === "string" ? owner[name] : "");
    return { apiVersion: text("apiVersion"), kind: text("kind"), name: text("name"), uid: text("uid") };
  });
}

function relationsOf({ knownFrom, metadata, dependents, moreDependents }: Found): Relations {
  const finalizers = metadata?.["finalizers"];
  return {
    knownFrom,
    finalizers:
      metadata === undefined
        ? undefined
        : isList(finalizers)
          ? finalizers.filter((each) => typeof each === "string")
          : [],
    owners: metadata === undefined ? undefined : ownersIn(metadata),
    dependents,
    moreDependents,
  };
}
