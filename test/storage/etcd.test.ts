/**
 * The rewrite loop against Debian's etcd with real stored forms: killed in the middle and started again, with bad
 * objects, with another writer, and with etcd taken away.
 */
import { spawn } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../src/core/json.js";
import { type RewriteStore, rewriteLoop } from "../../src/storage/rewrite-loop.js";
import { envelope } from "../etcd/copies.js";
import { Etcd, hasEtcd } from "../etcd/server.js";
import { programFile } from "../helpers/programs.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";
import { CODEC, EtcdStore, type Live, TYPES } from "./etcd-store.js";

const test = suite("storage simulate against etcd");

const widget = (name: string, version: string, more: object = {}): Buffer =>
  Buffer.from(
    `${JSON.stringify({ apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name, namespace: "default" }, ...more })}\n`,
  );
const cronJob = (name: string, version: string): Buffer =>
  envelope(`batch/${version}`, "CronJob", { name, namespace: "default" });

/** In v1beta1: 40 of each kind. Then what must stay as it is. */
const GOOD = 40;
const BROKEN: Readonly<Record<string, Buffer>> = {
  "/registry/example.com/widgets/default/a-truncated": Buffer.from('{"apiVersion": "example.com/v1be'),
  "/registry/example.com/widgets/default/b-stubborn": widget("b-stubborn", "v1beta1", { convertible: false }),
  "/registry/cronjobs/default/a-cut": cronJob("a-cut", "v1beta1").subarray(0, 20),
};
const UNTOUCHED: Readonly<Record<string, Buffer>> = {
  "/registry/example.com/widgets/default/c-current": widget("c-current", "v1"),
  "/registry/example.com/widgets/default/d-supported": widget("d-supported", "v1alpha1"),
  "/registry/example.com/widgetsets/default/other": widget("other", "v1beta1"),
  "/registry/cronjobs/default/c-unknown": cronJob("c-unknown", "v2alpha1"),
};

async function fill(etcd: Etcd): Promise<Map<string, Buffer>> {
  const values = new Map<string, Buffer>(Object.entries({ ...BROKEN, ...UNTOUCHED }));
  for (let i = 0; i < GOOD; i++) {
    const name = `x-${String(i).padStart(3, "0")}`;
    values.set(
      `/registry/example.com/widgets/default/${name}`,
      widget(name, "v1beta1", { spec: { size: i } }),
    );
    values.set(`/registry/cronjobs/default/${name}`, cronJob(name, "v1beta1"));
  }
  for (const [key, value] of values) await etcd.put(key, value);
  return values;
}

interface ProgramRun {
  readonly writes: readonly number[];
  /** Undefined when the program was killed. */
  readonly result: Record<string, Json> | undefined;
}

/** Runs the loop as a process; kills it without warning after so many writes were begun. */
async function run(
  url: string,
  perSecond: number,
  killAfter = Number.POSITIVE_INFINITY,
): Promise<ProgramRun> {
  const program = programFile("storage/rewrite");
  const child = spawn(process.execPath, [program, url, String(perSecond)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (part) => {
    output += part;
    if (output.split("\n").length - 1 >= killAfter) child.kill("SIGKILL");
  });
  await new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = output.split("\n");
  const text = lines.find((line) => line.startsWith("result "))?.slice("result ".length);
  const result: Json = text === undefined ? null : JSON.parse(text);
  return {
    writes: lines
      .filter((line) => line.startsWith("write "))
      .map((line) => Number(line.slice("write ".length))),
    result: isObject(result) ? { ...result } : undefined,
  };
}

const versionOf = ({ value }: Live): string | undefined => CODEC.versionOf(value);
const migrated = (live: readonly Live[]): Live[] =>
  live.filter(({ key }) => /\/x-\d+$/.test(key)).filter((each) => versionOf(each) === "v1");

/** Nothing is lost: every key is there, the bad and the uninvolved ones byte by byte, the others as the same object. */
function nothingLost(before: ReadonlyMap<string, Buffer>, live: readonly Live[]): void {
  assert.equal(live.map(({ key }) => key).sort(), [...before.keys()].sort());
  for (const { key, value, writes } of live) {
    const old = before.get(key) ?? Buffer.alloc(0);
    if (key in BROKEN || key in UNTOUCHED) {
      assert.ok(value.equals(old), key);
      assert.is(writes, 1, key);
    } else if (value.equals(old)) assert.is(writes, 1, key);
    else {
      const expected = CODEC.convert(old, "v1");
      assert.ok("value" in expected && value.equals(Buffer.from(expected.value)), key);
      // Rewritten once, also where the loop was killed and began again.
      assert.is(writes, 2, key);
    }
  }
}

async function withEtcd(body: (etcd: Etcd, folder: string) => Promise<void>): Promise<void> {
  const folder = tempFolder();
  const etcd = await Etcd.start(folder);
  try {
    await body(etcd, folder);
  } finally {
    await etcd.stop();
  }
}

const live = (name: string, body: (etcd: Etcd, folder: string) => Promise<void>): void => {
  if (hasEtcd()) test(name, () => withEtcd(body));
  else skipTest(test, name, "needs etcd and etcdctl (Debian: etcd-server, etcd-client)");
};

live(
  "killed in the middle, the loop goes on where it was; throttled; bad objects stop nothing",
  async (etcd) => {
    const before = await fill(etcd);
    const store = new EtcdStore(etcd.url);
    const perSecond = 100;

    const killed = await run(etcd.url, perSecond, 30);
    assert.is(killed.result, undefined, "the first run was killed");
    const half = await store.all("/registry/");
    const done = migrated(half).length;
    assert.ok(done >= 25 && done < 2 * GOOD, `${done} objects were rewritten before the kill`);
    nothingLost(before, half);

    const second = await run(etcd.url, perSecond);
    const after = await store.all("/registry/");
    assert.is(second.result?.["finished"], true);
    assert.is(second.result?.["converted"], 2 * GOOD - done);
    assert.is(second.result?.["failedConversions"], 1);
    assert.is(second.result?.["failedReads"], 2);
    assert.is(migrated(after).length, 2 * GOOD);
    nothingLost(before, after);

    for (const { writes } of [killed, second]) {
      const gaps = writes.slice(1).map((at, i) => at - (writes[i] ?? 0));
      assert.ok(Math.min(...gaps) >= 1000 / perSecond - 0.5, `the shortest gap is ${Math.min(...gaps)} ms`);
    }

    const third = await run(etcd.url, perSecond);
    assert.is(third.result?.["converted"], 0);
    assert.is(third.writes.length, 0);
    nothingLost(before, await store.all("/registry/"));
  },
);

const AT_ONCE = { perSecond: 1e9, now: () => performance.now(), sleep: async () => {} };

live("an object that another server writes meanwhile is read again", async (etcd) => {
  const key = "/registry/example.com/widgets/default/w";
  const store = new EtcdStore(etcd.url);
  for (const [meanwhile, converted, end] of [
    ["v1", 0, 7],
    ["v1beta1", 1, 7],
  ] as const) {
    await etcd.put(key, widget("w", "v1beta1"));
    let raced = false;
    const racing: RewriteStore<Uint8Array> = {
      list: (...args) => store.list(...args),
      get: (each) => store.get(each),
      replace: async (entry, value) => {
        if (!raced) await etcd.put(key, widget("w", meanwhile, { spec: { size: end } }));
        raced = true;
        return store.replace(entry, value);
      },
    };
    const result = await rewriteLoop({ store: racing, codec: CODEC, types: TYPES, pace: AT_ONCE });
    assert.is(result.converted, converted, meanwhile);
    assert.is(result.failedConversions, 0);
    const [only] = await store.all(key);
    // The other server's content survives.
    assert.equal(JSON.parse(String(only?.value)).spec, { size: end });
    assert.is(only && versionOf(only), "v1");
  }
});

live("etcd taken away ends no loop with an error, and brings back every object", async (etcd, folder) => {
  const before = await fill(etcd);
  let writes = 0;
  const store = new EtcdStore(etcd.url);
  const cut = await rewriteLoop({
    store: {
      list: (...args) => store.list(...args),
      get: (each) => store.get(each),
      replace: async (entry, value) => {
        if (++writes === 10) await etcd.stop();
        return store.replace(entry, value);
      },
    },
    codec: CODEC,
    types: TYPES,
    pageSize: 20,
    pace: AT_ONCE,
  });
  assert.is(cut.finished, true);
  assert.is(cut.converted, 9);
  assert.ok(cut.failedConversions > 0 && cut.failedReads >= 2, JSON.stringify(cut));

  const again = await Etcd.start(folder);
  try {
    const revived = new EtcdStore(again.url);
    const half = await revived.all("/registry/");
    assert.is(migrated(half).length, 9);
    nothingLost(before, half);
    const rest = await rewriteLoop({ store: revived, codec: CODEC, types: TYPES, pace: AT_ONCE });
    assert.is(rest.converted, 2 * GOOD - 9);
    const after = await revived.all("/registry/");
    assert.is(migrated(after).length, 2 * GOOD);
    nothingLost(before, after);
  } finally {
    await again.stop();
  }
});

test.run();
