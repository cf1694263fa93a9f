/**
 * The record of what the inputs give (`.slipway/record.json`), and the journal of a run that was cut off.
 *
 * The record is committed, and two versions of it are merged by Git line by line. So every fact has a line of its own
 * that ends in a comma, a fact may be there in two versions (both digests of a file are then known), and what only one
 * version may hold carries a number that grows with each change, so that the later one wins wherever lines end up.
 *
 * A run writes the record that it is about to make true as a journal, then the files, and at the end renames the
 * journal to the record. So after a kill every generated file matches the digest of one of the two, and neither a
 * file that is already new nor one that is still old looks like an edit.
 */
import { API_VERSION } from "../core/api-version.js";
import { byCodeUnit, decode, encode } from "../core/files.js";
import { lookup } from "../core/lookup.js";
import { type Problem, problem } from "../core/problem.js";
import type { FormerRecord } from "../generated/types/former-record.js";
import type { Fact, RecordText } from "../generated/types/record.js";
import { mergeSides, sortedSet } from "../text/yaml-content.js";
import { isOutputOf, PHASES, type PhaseName } from "./layout.js";
import { schemaFaults } from "./schema-faults.js";
import type { RecordEntry } from "./types.js";

export type OptionValue = string | boolean;

/** One phase that was run. */
export interface Phase {
  /** Name and version of the tool that ran it last. */
  readonly tool: string;
  /** The files were deleted after a later phase had taken them in (`--consume`). */
  readonly consumed?: boolean;
  /** Every file that the inputs give, by path. */
  readonly files: Readonly<Record<string, RecordEntry>>;
}

/** A removal or an option is changed this often; the highest number is the latest word on it. */
export type Changes = Readonly<Record<string, number>>;

export interface DirectoryRecord {
  readonly cluster: { readonly name: string; readonly infraID: string; readonly clusterID: string };
  /** Flags that shape what is generated, by name; files are relative to the directory. */
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly optionChanges: Changes;
  /** Options that two people set to different values at once, with the values. */
  readonly disputed: Readonly<Record<string, readonly OptionValue[]>>;
  /** Digests of inputs that everybody has, by flag or file. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
  /** Removals by path: odd for removed, even for brought back. */
  readonly removed: Changes;
  readonly phases: Readonly<Partial<Record<PhaseName, Phase>>>;
  /** Read in its former shape, which knew no working copies. */
  readonly isFormer?: boolean;
}

export type ParsedRecord =
  | { readonly record: DirectoryRecord; readonly problems: readonly [] }
  | { readonly record: undefined; readonly problems: readonly Problem[] };

/** Reads the text of a record or journal; `file` is its path for the problems. */
export async function parseRecord(data: Uint8Array, file: string): Promise<ParsedRecord> {
  const refuse = (message: string): ParsedRecord => ({
    record: undefined,
    problems: [
      problem("DIR020", "Parse", "", `${file} ${message}`, {
        file,
        hint: "restore it from version control; if you remove it instead, slipway compares the files only with a new compile",
      }),
    ],
  });
  const text = decode(data);
  if (text === undefined) return refuse("is not UTF-8 text");
  const value = parseJson(text);
  if (value === undefined)
    return refuse(
      /^(?:<{7}|={7}|>{7})/m.test(text)
        ? "contains a merge conflict that cannot be resolved line by line"
        : "is not JSON",
    );
  const { default: validate } = await import("../generated/validators/record.js");
  const isText = (given: unknown): given is RecordText => validate(given);
  const { default: validateFormer } = await import("../generated/validators/former-record.js");
  const isFormer = (given: unknown): given is FormerRecord => validateFormer(given);
  if (isText(value)) return fromFacts(value.facts, refuse);
  if (isFormer(value)) return checked(fromFormer(value), refuse);
  const version = member(value, "apiVersion");
  if (version !== undefined && version !== API_VERSION)
    return refuse(`has the unsupported version ${JSON.stringify(version)}`);
  const errors = member(value, "phases") === undefined ? validate.errors : validateFormer.errors;
  const faults = schemaFaults(errors ?? []);
  return refuse(`does not match the schema of a record (${faults.map(({ text: each }) => each).join("; ")})`);
}

/** The facts of both sides of a merge that is not settled are facts. */
function parseJson(text: string): unknown {
  const sides = mergeSides(text);
  try {
    if (sides === undefined) return JSON.parse(text);
    const [ours, theirs]: [unknown, unknown] = [JSON.parse(sides[0]), JSON.parse(sides[1])];
    const facts = [member(ours, "facts"), member(theirs, "facts")].flatMap((each): unknown[] =>
      Array.isArray(each) ? each : [each],
    );
    return typeof ours === "object" && ours !== null ? { ...ours, facts } : undefined;
  } catch {
    return undefined;
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

type Refuse = (message: string) => ParsedRecord;

const INFRA_ID = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const CLUSTER_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Refuses a record of a cluster that no run can have made, and one whose paths are no outputs of their phase, so that
 * none of them is ever looked at or deleted.
 */
function checked(record: DirectoryRecord, refuse: Refuse): ParsedRecord {
  const { infraID, clusterID } = record.cluster;
  if (!INFRA_ID.test(infraID))
    return refuse(`contains an invalid infrastructure name ${JSON.stringify(infraID)}`);
  if (!CLUSTER_ID.test(clusterID))
    return refuse(`contains an invalid cluster ID ${JSON.stringify(clusterID)}; must be a UUID`);
  const strange = [
    ...PHASES.flatMap((phase) =>
      [...entriesOf(record, phase).keys()].filter((path) => !isOutputOf(phase, path)),
    ),
    ...Object.keys(record.removed).filter((path) => phaseOf(path) === undefined),
  ];
  const [first] = strange;
  if (first === undefined) return { record, problems: [] };
  return refuse(`lists ${JSON.stringify(first)}, which slipway never generates`);
}

/** The phase of a path: of those that write there, one that was run; a directory serves one way of installing. */
function phaseOf(path: string, run?: { has(phase: PhaseName): boolean }): PhaseName | undefined {
  const writers = PHASES.filter((phase) => isOutputOf(phase, path));
  return writers.find((phase) => run?.has(phase)) ?? writers[0];
}

function fromFacts(facts: readonly Fact[], refuse: Refuse): ParsedRecord {
  const cluster = new Map<string, Set<string>>();
  const files = new Map<string, Fact[]>();
  const options = new Map<string, Fact[]>();
  const inputs = new Map<string, string[]>();
  const phases = new Map<PhaseName, Fact[]>();
  const removed = new Map<string, number>();
  const add = <K, V>(map: Map<K, V[]>, key: K, value: V): void =>
    void map.set(key, [...(map.get(key) ?? []), value]);
  for (const fact of facts) {
    if (fact.cluster !== undefined && typeof fact.is === "string")
      cluster.set(fact.cluster, (cluster.get(fact.cluster) ?? new Set()).add(fact.is));
    else if (fact.file !== undefined && fact.digest !== undefined) add(files, fact.file, fact);
    else if (fact.input !== undefined && fact.digest !== undefined) add(inputs, fact.input, fact.digest);
    else if (fact.option !== undefined && fact.is !== undefined) add(options, fact.option, fact);
    else if (fact.phase !== undefined) add(phases, fact.phase, fact);
    else if (fact.removed !== undefined && fact.changes !== undefined)
      removed.set(fact.removed, Math.max(fact.changes, removed.get(fact.removed) ?? 0));
    else if (Object.keys(fact).length > 0) return refuse(`contains an unknown fact: ${JSON.stringify(fact)}`);
  }
  const only = (name: string): string | undefined => {
    const values = cluster.get(name);
    return values?.size === 1 ? [...values][0] : undefined;
  };
  const [name, infraID, clusterID] = [only("name"), only("infraID"), only("clusterID")];
  if (name === undefined || infraID === undefined || clusterID === undefined)
    return refuse(
      [...cluster.values()].some(({ size }) => size > 1)
        ? "contains two clusters"
        : "does not identify its cluster",
    );
  const latest = [...options].map(([option, each]) => ({ option, ...latestOf(each) }));
  const strange = [...files.keys()].find((path) => phaseOf(path) === undefined);
  if (strange !== undefined) return refuse(`lists ${JSON.stringify(strange)}, which slipway never generates`);
  return checked(
    {
      cluster: { name, infraID, clusterID },
      options: Object.fromEntries(
        latest.flatMap(({ option, values: [value, other] }) =>
          value === undefined || other !== undefined ? [] : [[option, value]],
        ),
      ),
      optionChanges: Object.fromEntries(latest.map(({ option, changes }) => [option, changes])),
      disputed: Object.fromEntries(
        latest.flatMap(({ option, values }) => (values.length > 1 ? [[option, values]] : [])),
      ),
      inputs: Object.fromEntries([...inputs].map(([flag, digests]) => [flag, sortedSet(digests)])),
      removed: Object.fromEntries(removed),
      phases: Object.fromEntries(
        PHASES.flatMap((phase) => {
          const own = [...files].filter(([path]) => phaseOf(path, phases) === phase);
          const said = phases.get(phase);
          return said === undefined ? [] : [[phase, phaseFrom(said, own)]];
        }),
      ),
    },
    refuse,
  );
}

function latestOf(facts: readonly Fact[]): {
  readonly values: readonly OptionValue[];
  readonly changes: number;
} {
  const changes = Math.max(...facts.map((fact) => fact.changes ?? 1));
  const values = facts.flatMap((fact) =>
    fact.is !== undefined && (fact.changes ?? 1) === changes ? [fact.is] : [],
  );
  return { values: [...new Set(values)], changes };
}

function phaseFrom(said: readonly Fact[], files: readonly (readonly [string, readonly Fact[]])[]): Phase {
  const tools = sortedSet(said.flatMap(({ tool }) => tool ?? []));
  const consumed = said.some((fact) => fact.consumed === true);
  return {
    tool: tools.at(-1) ?? "",
    ...(consumed ? { consumed } : {}),
    files: Object.fromEntries(
      files.map(([path, facts]) => {
        const compiled = facts.find((fact) => fact.compiled !== undefined)?.compiled;
        const digests = sortedSet(facts.flatMap(({ digest }) => digest ?? []));
        return [path, { digests, ...(compiled === undefined ? {} : { compiled }) }];
      }),
    ),
  };
}

function fromFormer({ cluster, options, phases }: FormerRecord): DirectoryRecord {
  const of = Object.entries(phases);
  return {
    cluster,
    options,
    optionChanges: Object.fromEntries(Object.keys(options).map((name) => [name, 1])),
    disputed: {},
    inputs: {},
    removed: Object.fromEntries(
      of.flatMap(([, phase]) =>
        Object.entries(phase?.files ?? {}).flatMap(([path, { removed }]) =>
          removed === true ? [[path, 1] as const] : [],
        ),
      ),
    ),
    phases: Object.fromEntries(
      PHASES.flatMap((name) => {
        const phase = lookup(phases, name);
        if (phase === undefined) return [];
        const files = Object.entries(phase.files).map(
          ([path, { digest, compiled }]): [string, RecordEntry] => [
            path,
            { digests: [digest], ...(compiled === undefined ? {} : { compiled }) },
          ],
        );
        return [
          [
            name,
            {
              tool: phase.tool,
              ...(phase.consumed === true ? { consumed: true } : {}),
              files: Object.fromEntries(files),
            },
          ],
        ];
      }),
    ),
    isFormer: true,
  };
}

/** The bytes of a record: a line for every fact, in order. */
export function serialiseRecord(record: DirectoryRecord): Uint8Array {
  const { cluster, options, optionChanges, inputs, removed, phases } = record;
  const facts: Fact[] = [
    { cluster: "clusterID", is: cluster.clusterID },
    { cluster: "infraID", is: cluster.infraID },
    { cluster: "name", is: cluster.name },
    ...Object.entries(options).map(([option, is]) => ({ option, is, changes: optionChanges[option] ?? 1 })),
    ...Object.entries(inputs).flatMap(([input, digests]) => digests.map((digest) => ({ input, digest }))),
    ...Object.entries(removed).map(([path, changes]) => ({ removed: path, changes })),
  ];
  for (const phase of PHASES) {
    const said = phases[phase];
    if (said === undefined) continue;
    facts.push({ phase, tool: said.tool, ...(said.consumed === true ? { consumed: true } : {}) });
    for (const [file, { digests, compiled }] of Object.entries(said.files))
      for (const digest of digests)
        facts.push({ file, digest, ...(compiled === undefined ? {} : { compiled }) });
  }
  const head = JSON.stringify({ apiVersion: API_VERSION, kind: "DirectoryRecord", facts: [] }).slice(0, -2);
  const lines = sortedSet(facts.map((fact) => `${JSON.stringify(fact)},`));
  return encode([head, ...lines, "{}]}", ""].join("\n"));
}

export function entriesOf(record: DirectoryRecord | undefined, phase: PhaseName): Map<string, RecordEntry> {
  return new Map(Object.entries(record?.phases[phase]?.files ?? {}));
}

/** Whether a path counts as removed: each removal and each return raises its number by one. */
export const isOdd = (number: number): boolean => number % 2 === 1;

/** Every path that a record speaks of. */
export const recordedPaths = (record: DirectoryRecord | undefined): string[] =>
  PHASES.flatMap((phase) => [...entriesOf(record, phase).keys()]);

/** What settling must know of the disk. */
export interface DiskView {
  has(path: string): boolean;
  /** True when the file is there and has one of these digests. */
  matches(path: string, digests: readonly string[]): boolean;
  readonly hasState: boolean;
}

/**
 * The record that is true after a run was cut off: of each path the entry that fits the disk. Without a journal it
 * is the record itself.
 */
export function settleRecord(
  record: DirectoryRecord | undefined,
  journal: DirectoryRecord | undefined,
  disk: DiskView,
): DirectoryRecord | undefined {
  if (journal === undefined) return record;
  const phases: Partial<Record<PhaseName, Phase>> = {};
  for (const phase of PHASES) {
    const settled = settlePhase(record?.phases[phase], journal.phases[phase], disk);
    if (settled !== undefined) phases[phase] = settled;
  }
  // The state is written before any file: without it the run was cut off before it had any effect.
  if (record === undefined && Object.keys(phases).length === 0 && !disk.hasState) return undefined;
  const removed = { ...journal.removed };
  for (const [path, changes] of Object.entries(record?.removed ?? {}))
    removed[path] = Math.max(changes, removed[path] ?? 0);
  return { ...(record ?? journal), phases, removed };
}

function settlePhase(old: Phase | undefined, planned: Phase | undefined, disk: DiskView): Phase | undefined {
  const files: Record<string, RecordEntry> = {};
  const paths = new Set([...Object.keys(old?.files ?? {}), ...Object.keys(planned?.files ?? {})]);
  for (const path of [...paths].sort(byCodeUnit)) {
    const entry = settleEntry(path, old?.files[path], planned?.files[path], disk);
    if (entry !== undefined) files[path] = entry;
  }
  const empty = Object.keys(files).length === 0;
  const frame = empty && planned?.consumed === true ? planned : (old ?? (empty ? undefined : planned));
  return frame === undefined ? undefined : { ...frame, files };
}

function settleEntry(
  path: string,
  old: RecordEntry | undefined,
  planned: RecordEntry | undefined,
  disk: DiskView,
): RecordEntry | undefined {
  if (!disk.has(path)) return planned === undefined ? undefined : old;
  if (planned !== undefined && disk.matches(path, planned.digests)) return planned;
  return old ?? planned;
}
