/** Values of every kind in which a bit or some bytes changed: an audit calls readable what the server reads, and nothing else. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject } from "../../src/core/json.js";
import apis from "../../tables/kubernetes-apis.json" with { type: "json" };
import { slipway } from "../helpers/cli.js";
import { dice } from "../helpers/compute.js";
import { type KubeServers, kubeTests } from "../helpers/kube-servers.js";
import { runs } from "../helpers/runs.js";
import { tempFolder } from "../helpers/temp.js";
import { everyKind, NAMESPACE } from "./every-kind.js";
import { put } from "./live-store.js";

const test = suite("changed values");
const withKube = kubeTests(test, { apiServer: ["--watch-cache=false"] });

interface Stored {
  readonly kind: string;
  /** Place of the kind in the store, and in the API. */
  readonly place: string;
  readonly url: string;
  readonly value: Buffer;
}

/** What the store has below a key. */
async function valuesBelow(kube: KubeServers, prefix: string): Promise<Buffer[]> {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const body = { key: base64(prefix), range_end: base64(`${prefix.slice(0, -1)}0`) };
  const answer = await fetch(`${kube.etcdUrl}/v3/kv/range`, { method: "POST", body: JSON.stringify(body) });
  const { kvs = [] }: { kvs?: { value: string }[] } = JSON.parse(await answer.text());
  return kvs.map(({ value }) => Buffer.from(value, "base64"));
}

async function storedOf(kube: KubeServers): Promise<Stored[]> {
  const objects = everyKind();
  const documents = objects.map((object) => JSON.stringify(object)).join("\n");
  kube.kubectl(["create", "--filename", "-"], documents);
  const stored: Stored[] = [];
  for (const row of apis.resources.filter(({ namespaced }) => namespaced)) {
    const apiVersion = objects.find(({ kind }) => kind === row.kind)?.["apiVersion"];
    const place = `/registry/${row.path}/${NAMESPACE}`;
    for (const value of apiVersion === undefined ? [] : await valuesBelow(kube, `${place}/`)) {
      const group = String(apiVersion).includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
      stored.push({ kind: row.kind, place, url: `/${group}/namespaces/${NAMESPACE}/${row.resource}`, value });
    }
  }
  return stored;
}

/** A bit, a byte, or eight bytes of nothing. */
function harm(value: Buffer, roll: (sides: number) => number): Buffer {
  const data = Buffer.from(value);
  // Behind the four bytes that say that this is protobuf.
  const at = 4 + roll(data.length - 4);
  const way = roll(3);
  if (way === 0) data.writeUInt8((data[at] ?? 0) ^ (1 << roll(8)), at);
  if (way === 1) data.writeUInt8(roll(256), at);
  if (way === 2) data.fill(0, at, Math.min(at + 8, data.length));
  return data;
}

interface Audited {
  readonly key: string;
  readonly verdict: { readonly server: string };
  readonly note?: string;
}

const READS = new Set(["ok", "rewritten", "misplaced"]);
const NO_JSON = "GET and LIST as JSON return 500: ";

/** An object that is read and cannot be written as JSON says in its note which type the server stumbles over. */
function agrees(audited: Audited | undefined, status: number, said: string): boolean {
  if (audited === undefined) return false;
  const { note = "" } = audited;
  if (note.startsWith(NO_JSON))
    return status === 500 && said.includes(note.slice(NO_JSON.length).replace(/: the text is not JSON$/, ""));
  return READS.has(audited.verdict.server) === (status === 200);
}

withKube("an audit reads what the server reads", async (kube) => {
  const roll = dice(35);
  const stored = (await storedOf(kube)).filter(({ value }) => value.length < 10_000);
  const kinds = new Set(stored.map(({ kind }) => kind));
  assert.ok(kinds.size >= 20, [...kinds].join(" "));
  const harmed = Array.from({ length: runs(5000) }, (_, i) => {
    const each = stored[roll(stored.length)];
    if (each === undefined) throw new Error("nothing is stored");
    const { kind, place, url, value } = each;
    return { kind, key: `${place}/harmed-${i}`, url: `${url}/harmed-${i}`, value: harm(value, roll) };
  });
  for (const { key, value } of harmed) await put(kube, key, value);
  const folder = tempFolder();
  const saved = kube.shell(
    `export ETCDCTL_API=3; etcdctl --endpoints ${kube.etcdUrl} snapshot save etcd.db`,
    folder,
  );
  assert.is(saved.code, 0, saved.stderr);
  const { stdout } = slipway(
    ["etcd", "audit", "--snapshot", "etcd.db", "--target", "1.37", "--output", "json"],
    { cwd: folder },
  );
  const found: readonly Audited[] = JSON.parse(stdout).objects;
  const verdicts = new Map(found.map((each) => [each.key, each]));
  const counts = { reads: 0, fails: 0 };
  const wrong: string[] = [];
  for (const { kind, key, url, value } of harmed) {
    const { status, body } = await kube.request("GET", url);
    const verdict = verdicts.get(key);
    counts[status === 200 ? "reads" : "fails"]++;
    const said = isObject(body) ? String(body["message"]) : "";
    if (!agrees(verdict, status, said))
      wrong.push(`${kind} ${JSON.stringify(verdict)}, GET ${status}: ${said} ${value.toString("base64")}`);
  }
  assert.equal(wrong, [], JSON.stringify(counts));
  assert.ok(counts.reads > harmed.length / 5 && counts.fails > harmed.length / 5, JSON.stringify(counts));
  process.stdout.write(`     ${kinds.size} kinds, ${JSON.stringify(counts)}\n`);
});

test.run();
