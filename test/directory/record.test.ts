import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../src/core/files.js";
import { type DirectoryRecord, parseRecord, serialiseRecord } from "../../src/directory/record.js";

const test = suite("directory/record");

const digest = (sign: string): string => `sha256:${sign.repeat(64)}`;
const RECORD: DirectoryRecord = {
  cluster: { name: "wren", infraID: "wren-abcde", clusterID: "0f8b2a51-0000-4000-8000-000000000000" },
  options: { release: "4.22", lenient: true },
  optionChanges: { release: 2, lenient: 1 },
  disputed: {},
  inputs: { facts: [digest("f")] },
  removed: { "manifests/gone.yaml": 1 },
  phases: {
    manifests: {
      tool: "slipway 1",
      files: {
        "manifests/a.yaml": { digests: [digest("a")] },
        "manifests/b.yaml": { digests: [digest("b")], compiled: null },
      },
    },
  },
};

const text = (record: DirectoryRecord): string => decode(serialiseRecord(record)) ?? "";
async function read(record: string): Promise<DirectoryRecord> {
  const parsed = await parseRecord(encode(record), "record.json");
  assert.equal(parsed.problems, []);
  if (parsed.record === undefined) throw new Error("no record");
  return parsed.record;
}

test("written and read back; a line for each fact, in order, every one with a comma", async () => {
  assert.equal(await read(text(RECORD)), RECORD);
  const lines = text(RECORD).split("\n").slice(1, -2);
  assert.equal(lines, [...lines].sort());
  assert.ok(lines.every((line) => line.endsWith(",") && JSON.parse(line.slice(0, -1)) !== null));
});

test("the lines of both sides of a merge: all digests, the latest option and removal", async () => {
  const other = text({
    ...RECORD,
    options: { release: "4.21", lenient: true },
    optionChanges: { release: 1, lenient: 1 },
    removed: { "manifests/gone.yaml": 2 },
    phases: { manifests: { tool: "slipway 2", files: { "manifests/a.yaml": { digests: [digest("c")] } } } },
  }).split("\n");
  const own = text(RECORD).split("\n");
  const union = [...own.slice(0, -2), ...other.slice(1)].join("\n");
  const marked = [
    own[0],
    "<<<<<<< HEAD",
    ...own.slice(1, -2),
    "=======",
    ...other.slice(1, -2),
    ">>>>>>> x",
    ...own.slice(-2),
  ].join("\n");
  for (const merged of [union, marked, union.replaceAll("\n", "\r\n")]) {
    const record = await read(merged);
    assert.equal(record.phases.manifests?.files["manifests/a.yaml"]?.digests, [digest("a"), digest("c")]);
    assert.is(record.options["release"], "4.22");
    assert.is(record.removed["manifests/gone.yaml"], 2);
    assert.is(record.phases.manifests?.tool, "slipway 2");
    assert.equal(record.disputed, {});
  }
});

test("two values of one option with the same number are disputed", async () => {
  const record = await read(
    text(RECORD).replace(/(\{"option":"release","is":")4\.22(".*\n)/, "$14.22$2$14.20$2"),
  );
  assert.equal(record.disputed, { release: ["4.22", "4.20"] });
  assert.is(record.options["release"], undefined);
});

test("a record of two clusters, of one that cannot be, and facts that are not known, are refused", async () => {
  for (const wrong of [
    text({ ...RECORD, cluster: { ...RECORD.cluster, clusterID: "__proto__" } }),
    text({ ...RECORD, cluster: { ...RECORD.cluster, infraID: "A_b" } }),
    text(RECORD).replace(/(\{"cluster":"name".*\n)/, '$1{"cluster":"name","is":"robin"},\n'),
    text(RECORD).replace(/(\{"cluster":"name".*\n)/, '$1{"is":"robin"},\n'),
    text(RECORD).replaceAll("manifests/gone.yaml", "install-config.yaml"),
  ])
    assert.is((await parseRecord(encode(wrong), "record.json")).problems[0]?.code, "DIR020");
});

test("the former form is read", async () => {
  const former = {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "DirectoryRecord",
    cluster: RECORD.cluster,
    options: { release: "4.22", "pull-secret": "../../me/pull.json" },
    phases: {
      manifests: {
        tool: "slipway 1",
        inputs: {},
        files: {
          "manifests/a.yaml": { digest: digest("a") },
          "manifests/b.yaml": { digest: digest("b"), removed: true },
        },
      },
    },
  };
  const record = await read(JSON.stringify(former));
  assert.equal(record.removed, { "manifests/b.yaml": 1 });
  assert.equal(record.phases.manifests?.files["manifests/a.yaml"], { digests: [digest("a")] });
  assert.is(record.isFormer, true);
});

test.run();
