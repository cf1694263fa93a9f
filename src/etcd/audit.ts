/** The audit: a verdict for every object, and the answers to a LIST of every resource that has unreadable ones. */
import { isSince } from "../core/by-release.js";
import type { JsonObject } from "../core/json.js";
import { configurationChange } from "./encryption/key-search.js";
import { encryptedAs, shownKey } from "./key-layout.js";
import { type ObjectTable, ODDITY } from "./object-table.js";
import { keyText } from "./read/record.js";
import { type Minor, releaseName } from "./releases.js";
import { listPath } from "./requests.js";
import type { Survey } from "./scan.js";
import { type Failure, FEATURE_GATE, FEATURE_SINCE, listStatus } from "./status.js";
import type { Judge, ObjectVerdict } from "./verdict.js";

/** Key of a row as it is shown. */
export const rowKey = (table: ObjectTable, row: number): string => shownKey(keyText(table.key(row)));

/** A row of the table as it is printed; 64-bit numbers are texts. */
export function auditRow(
  survey: Survey,
  row: number,
  verdict: ObjectVerdict,
  copies: readonly string[],
): JsonObject {
  const { table, configs } = survey;
  const server = table.worstServer(row);
  const { result, error, stale } = table.outcome(row, server);
  const lease = table.lease(row);
  const provider = table.provider(row);
  const media = table.mediaOf(row);
  const apiVersion = table.apiVersion(row);
  const kind = table.kind(row);
  const notes = [noteOf(survey, row), verdict.exits].filter((each) => each !== undefined);
  const note = notes.length === 0 ? undefined : notes.join("; ");
  return {
    key: rowKey(table, row),
    createRevision: table.createRevision(row).toString(),
    modRevision: table.modRevision(row).toString(),
    version: table.version(row).toString(),
    ...(lease === 0n ? {} : { lease: lease.toString() }),
    ...(provider === undefined ? {} : { provider, keyName: table.keyName(row) ?? "" }),
    ...(stale === undefined ? {} : { stale }),
    ...(media === undefined ? {} : { media }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    result,
    ...(error === undefined ? {} : { error }),
    ...(verdict.error === undefined ? {} : { decodeError: verdict.error }),
    ...(note === undefined ? {} : { note }),
    verdict: {
      server: verdict.server,
      kep3166: verdict.kep3166,
      reason: verdict.reason,
      ...(verdict.exits === undefined ? {} : { exits: true }),
    },
    ...(copies.length > 1 ? { copy: copies[table.copy(row)] ?? "" } : {}),
    ...(differs(table, row)
      ? {
          servers: servers(
            table,
            row,
            configs.map(({ file }) => file),
          ),
        }
      : {}),
  };
}

/** What the server's words do not say of a row. */
function noteOf(survey: Survey, row: number): string | undefined {
  const { table } = survey;
  const changes = changesFor(survey, row);
  if (changes.length > 0)
    return changes
      .map(({ file, change }) => `a configuration contains its key: in ${file}, ${change}`)
      .join("; ");
  const mangled = table.mangled.get(row);
  if (mangled !== undefined)
    return `the value was corrupted by a terminal or text tool: ${mangled}; make a new copy`;
  const oddity = table.oddity(row);
  const { result } = table.outcome(row, table.worstServer(row));
  if (result === "untransformable") return undefined;
  if ((oddity & ODDITY.probablyWrongKey) !== 0)
    return "the value decrypts to something other than an object, probably with another key of the same name";
  if (result === "undecodable" && table.mediaOf(row) === undefined)
    return "the value is neither protobuf, JSON, CBOR nor YAML and has no encryption prefix";
  const unwritable = table.unwritable.get(row);
  if (unwritable !== undefined) return `GET and LIST as JSON return 500: ${unwritable}`;
  if ((oddity & ODDITY.bare) !== 0) return "the object has no metadata";
  if ((oddity & ODDITY.nameless) !== 0) return "the object has no name or no namespace";
  if ((oddity & ODDITY.otherName) !== 0) return "metadata.name differs from the etcd key";
  if ((oddity & ODDITY.otherNamespace) !== 0) return "metadata.namespace differs from the etcd key";
  if ((oddity & ODDITY.noKind) !== 0)
    return "the value has no kind; the server uses the kind that its key implies";
  return undefined;
}

/** What to change in the configuration of each server that does not read a value whose key was found elsewhere. */
export function changesFor(
  { table, configs, readers }: Survey,
  row: number,
): readonly { readonly file: string; readonly change: string }[] {
  const found = table.found.get(row);
  if (found === undefined) return [];
  const resource = table.resourceOf(row);
  return configs.flatMap((config, server) =>
    readers.applies(server, resource) && table.outcome(row, server).result === "untransformable"
      ? [{ file: config.file, change: configurationChange(found, config, encryptedAs(resource)) }]
      : [],
  );
}

/** True when the servers do not agree about a value. */
export function differs(table: ObjectTable, row: number): boolean {
  if (table.servers === 1) return false;
  const first = table.outcome(row, 0);
  for (let server = 1; server < table.servers; server++) {
    const other = table.outcome(row, server);
    if (other.result !== first.result || other.error !== first.error || other.stale !== first.stale)
      return true;
  }
  return false;
}

const servers = (table: ObjectTable, row: number, files: readonly string[]): JsonObject[] =>
  files.map((encryptionConfig, server) => {
    const { result, error, stale } = table.outcome(row, server);
    return {
      encryptionConfig,
      result,
      ...(stale === undefined ? {} : { stale }),
      ...(error === undefined ? {} : { error }),
    };
  });

/** Why a row cannot be read in the target release; undefined when it can. */
export function failureOf(table: ObjectTable, row: number, verdict: ObjectVerdict): Failure | undefined {
  const { result, error, approximate } = table.outcome(row, table.worstServer(row));
  const common = { key: rowKey(table, row), modRevision: table.modRevision(row) };
  if (result === "untransformable" || result === "undecodable")
    return { ...common, kind: result, error: error ?? "", approximate };
  // What the release cannot decode has the decoder's words, which name a place in its source.
  if (verdict.server === "fails-list")
    return { ...common, kind: "undecodable", error: verdict.error ?? "", approximate: true };
  return undefined;
}

export interface ListAnswer {
  /** Method and path. */
  readonly request: string;
  /** Storage prefix of the server that is asked. */
  readonly prefix: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Objects in its way; more than the Status names. */
  readonly unreadable: number;
  /** The answer with the gate for unsafe deletion on, or of a server that does not have it. */
  readonly status: JsonObject;
  /** The answer with the gate off, where there is one. */
  readonly withoutGate: JsonObject | undefined;
  /** True when a text in it may differ in a detail from the server's. */
  readonly approximate: boolean;
}

const ENOUGH = 101;

/** Collects failures by resource while rows pass in byte order. */
export class Lists {
  private readonly byRequest = new Map<
    string,
    {
      prefix: string;
      group: string;
      resource: string;
      path: string;
      count: number;
      failures: Failure[];
    }
  >();
  /** Objects that cannot be read. */
  unreadable = 0;

  constructor(
    private readonly survey: Survey,
    private readonly judge: Judge,
    private readonly namespace: string | undefined,
  ) {}

  add(row: number, verdict: ObjectVerdict): void {
    const { table, cluster } = this.survey;
    const failure = failureOf(table, row, verdict);
    if (failure === undefined) return;
    this.unreadable++;
    const resource = table.resourceOf(row);
    const path = listPath(resource, cluster, this.judge.target, this.namespace);
    if (path === undefined) return;
    const id = `${resource.prefix} ${path}`;
    const list = this.byRequest.get(id) ?? {
      prefix: resource.prefix,
      group: resource.group,
      resource: resource.resource,
      path,
      count: 0,
      failures: [],
    };
    list.count++;
    if (list.failures.length < ENOUGH) list.failures.push(failure);
    this.byRequest.set(id, list);
  }

  /** The answer to each LIST that fails, in the order of the keys. */
  get answers(): readonly ListAnswer[] {
    const { target } = this.judge;
    return [...this.byRequest.values()].flatMap(({ prefix, group, resource, path, count, failures }) => {
      const status = listStatus(target, { group, resource }, failures, true);
      if (status === undefined) return [];
      return [
        {
          request: `GET ${path}`,
          prefix,
          group,
          resource,
          namespace: this.namespace,
          unreadable: count,
          status,
          withoutGate: !isSince(target, FEATURE_SINCE)
            ? undefined
            : listStatus(target, { group, resource }, failures, false),
          approximate: failures.some(({ approximate }) => approximate),
        },
      ];
    });
  }
}

/** How a list answer is printed. */
export const answerJson = (answer: ListAnswer, target: Minor): JsonObject => ({
  request: answer.request,
  prefix: answer.prefix,
  release: releaseName(target),
  gate: !isSince(target, FEATURE_SINCE) ? "none" : `${FEATURE_GATE}=true`,
  unreadable: answer.unreadable,
  approximate: answer.approximate,
  status: answer.status,
  ...(answer.withoutGate === undefined ? {} : { withoutGate: answer.withoutGate }),
});
