/**
 * Damaged and hostile copies, made from sound ones by chance: whatever a file says, reading ends, within bounds, in a
 * diagnosis or a result. Used by the tests and by scripts/etcd-fuzz.mjs.
 */
import type { Problem } from "../../src/core/diagnostics.js";
import { Lists } from "../../src/etcd/audit.js";
import { NO_ANSWERS } from "../../src/etcd/encryption/answers.js";
import { readEncryptionConfig } from "../../src/etcd/encryption/config.js";
import { surveyFindings } from "../../src/etcd/findings.js";
import { takeInventory } from "../../src/etcd/inventory.js";
import { findCandidates } from "../../src/etcd/plan/candidates.js";
import { type Copy, openCopy } from "../../src/etcd/read/copies.js";
import { CopyFault } from "../../src/etcd/read/copy-file.js";
import { checkHash } from "../../src/etcd/read/hash.js";
import { scan } from "../../src/etcd/scan.js";
import { Judge } from "../../src/etcd/verdict.js";
import { dump, envelope, memoryFile, snapshot, type TestRecord } from "./copies.js";
import { aescbc, aesgcm, cbor, keyOf, kmsV1, kmsV2, secretbox } from "./values.js";

/** A small generator of numbers that depends on its seed alone. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const KEY = keyOf("fuzz");
const CONFIG = JSON.stringify({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [
    {
      resources: ["*.*"],
      providers: [
        { aesgcm: { keys: [{ name: "k", secret: KEY.toString("base64") }] } },
        { aescbc: { keys: [{ name: "k", secret: KEY.toString("base64") }] } },
        { secretbox: { keys: [{ name: "k", secret: KEY.toString("base64") }] } },
        { kms: { apiVersion: "v1", name: "p", endpoint: "unix:///p" } },
        { kms: { apiVersion: "v2", name: "q", endpoint: "unix:///q" } },
        { identity: {} },
      ],
    },
  ],
});

function records(): TestRecord[] {
  const list: TestRecord[] = [];
  const put = (key: string, value: Uint8Array): void => void list.push({ key, value });
  const widget = (name: string): { [key: string]: string | { [key: string]: string } } => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name },
  });
  for (let i = 0; i < 120; i++) {
    const key = `/registry/secrets/ns-${i % 3}/name-${i}`;
    const plain = envelope(
      "v1",
      "Secret",
      {
        name: `name-${i}`,
        finalizers: ["a.example.com/b"],
        owners: [{ kind: "Pod", name: "p", apiVersion: "v1" }],
      },
      Buffer.alloc(0),
    );
    const forms = [
      () => plain,
      () => aesgcm("k", KEY, plain, key),
      () => aescbc("k", KEY, plain, key),
      () => secretbox("k", KEY, plain, key),
      () => kmsV1("p", keyOf("w"), KEY, plain, key),
      () =>
        kmsV2({ provider: "q", keyID: "1", wrapped: keyOf("w"), source: KEY, seed: i % 2 === 0 }, plain, key),
      () =>
        Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: `name-${i}` } })),
      () => Buffer.from(`apiVersion: v1\nkind: Secret\nmetadata: {name: name-${i}}\n`),
    ];
    put(key, forms[i % forms.length]?.() ?? plain);
    put(
      `/registry/example.com/widgets/ns/w-${i}`,
      i % 2 === 0 ? cbor(widget(`w-${i}`)) : Buffer.from(JSON.stringify(widget(`w-${i}`))),
    );
  }
  put(
    "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
    Buffer.from(
      JSON.stringify({
        apiVersion: "apiextensions.k8s.io/v1beta1",
        kind: "CustomResourceDefinition",
        metadata: { name: "widgets.example.com" },
        spec: {
          group: "example.com",
          names: { plural: "widgets", kind: "Widget" },
          scope: "Namespaced",
          versions: [{ name: "v1", served: true, storage: true }],
        },
        status: { storedVersions: ["v1"] },
      }),
    ),
  );
  put(
    "/registry/clusterroles/all",
    envelope(
      "rbac.authorization.k8s.io/v1",
      "ClusterRole",
      { name: "all" },
      Buffer.from("12090a012a12012a1a012a", "hex"),
    ),
  );
  put("/registry/namespaces/ns", envelope("v1", "Namespace", { name: "ns" }));
  put(
    "/registry/secrets/ns/large",
    envelope(
      "v1",
      "Secret",
      { name: "large" },
      Buffer.concat([Buffer.from([0x12, 0x90, 0x4e]), Buffer.alloc(10_000)]),
    ),
  );
  list.push({ key: "/registry/secrets/ns-0/name-0", value: undefined });
  put("/registry/secrets/ns-0/name-0", envelope("v1", "Secret", { name: "name-0" }));
  return list;
}

export type Base = { readonly form: "snapshot" | "dump"; readonly data: Buffer };

export const bases = (): readonly Base[] => {
  const list = records();
  return [
    { form: "snapshot", data: snapshot(list) },
    { form: "snapshot", data: snapshot(list, { compacted: 200n }) },
    { form: "dump", data: dump(list) },
  ];
};

const PAGE = 4096;

/** A damaged copy of `base`; the same numbers give the same damage. */
export function mutate({ form, data }: Base, next: () => number): Buffer {
  const pick = (below: number): number => Math.floor(next() * below);
  const result = Buffer.from(data);
  const flip = (): void => {
    for (let n = 1 + pick(20); n > 0; n--) {
      const at = pick(result.length);
      result[at] = (result[at] ?? 0) ^ (1 << pick(8));
    }
  };
  const kind = pick(10);
  if (kind < 2) flip();
  else if (kind === 2) return result.subarray(0, pick(result.length));
  else if (kind === 3) {
    const from = pick(result.length);
    result.fill(pick(256), from, Math.min(result.length, from + pick(3000)));
  } else if (form === "dump") return mutateText(result, pick);
  else mutatePages(result, pick);
  return result;
}

const TEXTS = [
  "{",
  "}",
  "[",
  "]",
  '"',
  ",",
  ":",
  "\\",
  "null",
  "99999999999999999999",
  "1e400",
  '{"kvs":[',
  "\u0000",
  '"value":"',
  "}}}}",
  "-",
  "true",
  '"lease":18446744073709551616,',
];

function mutateText(data: Buffer, pick: (below: number) => number): Buffer {
  const at = pick(data.length);
  const text = TEXTS[pick(TEXTS.length)] ?? "";
  const times = pick(4) === 0 ? 1 + pick(5000) : 1;
  const inserted = Buffer.from(text.repeat(times));
  const drop = pick(2) === 0 ? 0 : pick(200);
  return Buffer.concat([data.subarray(0, at), inserted, data.subarray(at + drop)]);
}

function mutatePages(data: Buffer, pick: (below: number) => number): void {
  const pages = Math.floor(data.length / PAGE);
  const page = pick(pages) * PAGE;
  const odd = [0, 1, 0xff, 0xffff, 0x7fffffff, 0xffffffff, PAGE, data.length, pages][pick(9)] ?? 0;
  switch (pick(7)) {
    case 0: // a field of a page header
      data.writeUInt32LE(odd >>> 0, page + pick(4) * 4);
      break;
    case 1: // a field of an element
      data.writeUInt32LE(odd >>> 0, page + 16 + pick(200) * 4);
      break;
    case 2: // one page over another
      data.copy(data, page, pick(pages) * PAGE, Math.min(data.length, (pick(pages) + 1) * PAGE));
      break;
    case 3: // a child of a branch
      data.writeBigUInt64LE(BigInt(pick(pages + 2)), page + 24 + pick(20) * 16);
      break;
    case 4: // another root, with a checksum that fits
      data.writeBigUInt64LE(BigInt(pick(pages + 2)), 32);
      seal(data, 0);
      break;
    case 5: // another page size, with a checksum that fits
      data.writeUInt32LE(1024 << pick(15), 24);
      seal(data, 0);
      break;
    default: // sizes of a page's elements
      for (let i = 0; i < 8; i++) data.writeUInt32LE((odd + i) >>> 0, page + 16 + pick(60) * 16 + 8);
  }
}

function seal(data: Buffer, page: number): void {
  let hash = 0xcbf29ce484222325n;
  for (const byte of data.subarray(page + 16, page + 72))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  data.writeBigUInt64LE(hash, page + 72);
}

export interface Outcome {
  readonly problems: readonly Problem[];
  readonly keys: number;
}

/** Everything that the commands do with a copy, short of writing. */
export async function readAll(form: Base["form"], data: Buffer): Promise<Outcome> {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const config = readEncryptionConfig(CONFIG, "config.json", report);
  let copy: Copy;
  try {
    copy = openCopy(memoryFile("copy", data), form, report);
  } catch (error) {
    if (!(error instanceof CopyFault)) throw error;
    return { problems: [error.problem], keys: 0 };
  }
  await checkHash(copy, true, report);
  const survey = await scan({
    copies: [copy],
    prefixes: [],
    configs: config === undefined ? [] : [config],
    answers: { ...NO_ANSWERS, unwrap: () => ({ ok: true, data: KEY }) },
    report,
  });
  if (!survey.complete) return { problems, keys: survey.table.length };
  surveyFindings(survey, true, report);
  takeInventory(survey);
  const judge = new Judge(survey.cluster, { major: 1, minor: 36 });
  const lists = new Lists(survey, judge, undefined);
  for (const row of survey.order()) lists.add(row, judge.of(survey.table, row));
  JSON.stringify(lists.answers);
  findCandidates(survey, judge, {
    namespace: undefined,
    configured: true,
    forms: ["dump"],
    unansweredIsLost: true,
  });
  return { problems, keys: survey.table.length };
}

export interface FuzzReport {
  readonly cases: number;
  /** Cases in which something was said: a fault, a hash that does not fit, a finding. */
  readonly diagnosed: number;
  /** Dumps that are still whole JSON with valid entries: nothing tells them from a sound one. */
  readonly plausible: number;
  readonly slowestMs: number;
  readonly peakMiB: number;
}

/** Runs so many cases; throws for the first in which something else than a diagnosis or a result comes out. */
export async function fuzz(cases: number, seed: number): Promise<FuzzReport> {
  const sound = bases();
  const next = random(seed);
  let diagnosed = 0;
  let plausible = 0;
  let slowestMs = 0;
  let peak = 0;
  for (let i = 0; i < cases; i++) {
    const base = sound[i % sound.length];
    if (base === undefined) break;
    const data = mutate(base, next);
    const before = process.cpuUsage();
    let outcome: Outcome;
    try {
      outcome = await readAll(base.form, data);
    } catch (error) {
      throw new Error(
        `case ${i} of seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : "?"}`,
      );
    }
    const { user, system } = process.cpuUsage(before);
    slowestMs = Math.max(slowestMs, (user + system) / 1000);
    peak = Math.max(peak, process.memoryUsage().rss);
    if (outcome.problems.length > 0) diagnosed++;
    else if (base.form === "dump" || data.equals(base.data)) plausible++;
    else throw new Error(`case ${i} of seed ${seed}: a damaged snapshot was read without a word`);
  }
  return { cases, diagnosed, plausible, slowestMs, peakMiB: peak / 2 ** 20 };
}
