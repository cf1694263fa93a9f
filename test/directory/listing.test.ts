/** Kustomizations in a clone that never ran: what somebody put in or took out, and what is generated now, both count. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../src/core/files.js";
import { createDigester } from "../../src/directory/digest.js";
import { historyOf } from "../../src/directory/history.js";
import { reconcile } from "../../src/directory/reconcile.js";
import { parseRecord } from "../../src/directory/record.js";
import type { DiskFile, PathPlan } from "../../src/directory/types.js";
import { writeYaml } from "../../src/text/yaml-write.js";

const test = suite("directory/listing");
const digester = createDigester("key");
const FOLDER = "infrastructure-manifests";
const PATH = `${FOLDER}/kustomization.yaml`;

const list = (...resources: readonly string[]): string =>
  writeYaml({ kind: "Kustomization", resources: resources.map((each) => `${each}.yaml`) });

/** The verdict on a kustomization, of which the record has a digest for each of the lists that runs wrote. */
async function judge(given: {
  readonly written: readonly (readonly string[])[];
  readonly removed?: readonly string[];
  readonly disk: string;
  readonly desired: readonly string[];
}): Promise<PathPlan | undefined> {
  const { written, removed = [], disk, desired } = given;
  const names = [...new Set([...written.flat(), ...removed])];
  const facts = [
    ...[
      ["clusterID", "00000000-0000-4000-8000-000000000000"],
      ["infraID", "heron-abcde"],
      ["name", "heron"],
    ].map(([cluster, is]) => ({ cluster, is })),
    { phase: "infrastructure-manifests", tool: "slipway" },
    ...names.map((name) => ({ file: `${FOLDER}/${name}.yaml`, digest: digester.of(encode(name), false) })),
    ...written.map((each) => ({ file: PATH, digest: digester.of(encode(list(...each)), false) })),
    ...removed.map((name) => ({ removed: `${FOLDER}/${name}.yaml`, changes: 1 })),
  ];
  const text = JSON.stringify({ apiVersion: "slipway.dev/v1alpha1", kind: "DirectoryRecord", facts });
  const { record, problems } = await parseRecord(encode(text), "record.json");
  assert.equal(problems, []);
  const compilation = {
    phase: "infrastructure-manifests",
    files: [
      { path: PATH, data: encode(list(...desired)), secret: false },
      ...desired.map((name) => ({ path: `${FOLDER}/${name}.yaml`, data: encode(name), secret: false })),
    ],
  } as const;
  const file: DiskFile = { path: PATH, data: encode(disk), mode: 0o644 };
  const files = new Map([[PATH, file]]);
  const sources = { record, copy: undefined, listed: {}, disk: files, digester };
  const history = historyOf(compilation, sources);
  const { paths } = await reconcile({
    compilation,
    history,
    disk: files,
    folders: new Set([FOLDER]),
    digester,
  });
  return paths.find(({ path }) => path === PATH);
}

const textOf = (plan: PathPlan | undefined): string | undefined =>
  plan?.written === undefined ? undefined : decode(plan.written.data);

test("an addition and a removal of somebody's stay when a run in a clone adds and leaves out files", async () => {
  const plan = await judge({
    written: [["a", "b", "c"]],
    disk: list("a", "c", "own"),
    desired: ["a", "b", "d"],
  });
  assert.equal([plan?.status, plan?.action], ["stale", "write"]);
  assert.is(textOf(plan), list("a", "own", "d"));
});

test("a file that the record says was removed is in no list", async () => {
  const plan = await judge({
    written: [["a", "c"]],
    removed: ["b"],
    disk: list("a", "c", "own"),
    desired: ["a", "c", "d"],
  });
  assert.is(textOf(plan), list("a", "c", "own", "d"));
});

const BRANCHES = [
  ["a", "z"],
  ["a", "b", "z"],
  ["a", "c", "z"],
] as const;

test("lists of two branches that Git merged count as generated together", async () => {
  const whole = await judge({
    written: BRANCHES,
    disk: list("a", "b", "c", "own", "z"),
    desired: ["a", "b", "c", "z"],
  });
  assert.equal([whole?.status, whole?.action], ["edited", "none"]);
  const more = await judge({
    written: BRANCHES,
    disk: list("a", "b", "c", "own", "z"),
    desired: ["a", "b", "c", "d", "z"],
  });
  assert.is(textOf(more), list("a", "b", "c", "own", "d", "z"));
});

test("where nobody can tell whether a name was taken out, the user decides", async () => {
  const plan = await judge({
    written: BRANCHES,
    disk: list("a", "own"),
    desired: ["a", "b", "c", "d", "z"],
  });
  assert.equal([plan?.status, plan?.action], ["conflict", "none"]);
});

const marked = (before: string, ours: string, theirs: string, after: string): string =>
  `${before}<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> other\n${after}`;

test("marks of a merge are settled where each side added to what was generated", async () => {
  const disk = marked(list("a"), "- b.yaml\n- own.yaml\n", "- c.yaml\n- theirs.yaml\n", "- z.yaml\n");
  const plan = await judge({ written: BRANCHES, disk, desired: ["a", "b", "c", "z"] });
  assert.equal([plan?.status, plan?.action], ["stale", "write"]);
  assert.is(textOf(plan), list("a", "b", "own", "c", "theirs", "z"));
});

test("marks are the user's where a side took something out", async () => {
  const disk = marked(list("a"), "- own.yaml\n", "- c.yaml\n", "");
  const plan = await judge({ written: BRANCHES, disk, desired: ["a", "b", "c", "z"] });
  assert.equal([plan?.status, plan?.isUnsettled], ["conflict", true]);
});

test.run();
