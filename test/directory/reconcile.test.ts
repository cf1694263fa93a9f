import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encode, type OutputFile } from "../../src/core/files.js";
import { readDecisions } from "../../src/directory/decisions.js";
import { createDigester } from "../../src/directory/digest.js";
import type { Known } from "../../src/directory/history.js";
import { reconcile } from "../../src/directory/reconcile.js";
import type { DiskFile, PathPlan, PhasePlan, RecordEntry } from "../../src/directory/types.js";

const test = suite("directory/reconcile");
const digester = createDigester("key");
const PATH = "manifests/a.yaml";

interface Case {
  /** Content that counts as generated, and what was compiled then if it differs (null: nothing). */
  readonly base?: string;
  readonly compiled?: string | null;
  readonly removed?: boolean;
  readonly disk?: string;
  readonly desired?: string;
  readonly blind?: boolean;
  readonly ours?: string;
  readonly theirs?: string;
}

const digest = (text: string): string => digester.of(encode(text), false) ?? "";

/** What the working copy knows that wrote the base and, where `removed`, removed it. */
function knownOf({ base, compiled, removed }: Case): Known | undefined {
  if (base === undefined) return undefined;
  return known(
    of(base, compiled === undefined ? {} : { compiled: compiled === null ? null : digest(compiled) }),
    {
      removed: removed === true,
    },
  );
}

const known = (recorded: RecordEntry, { removed = false } = {}): Known => ({
  recorded,
  removals: removed ? 1 : 0,
  copy: {
    ...(recorded.digests[0] === undefined ? {} : { digest: recorded.digests[0] }),
    ...(removed ? { absent: true, changes: 1 } : {}),
  },
  wasHere: !removed,
  contents: [],
  listed: [],
});

/** What is known after a plan, for the run that follows. */
const knownAfter = (plan: PhasePlan): Map<string, Known> =>
  new Map(
    [...plan.copies].map(([path, copy]): [string, Known] => [
      path,
      {
        recorded: plan.entries.get(path),
        removals: plan.removed.get(path) ?? 0,
        copy,
        wasHere: copy.absent !== true && copy.digest !== undefined,
        contents: [],
        listed: [],
      },
    ]),
  );

/** One path, in a folder that holds another generated file, so that the folder is not gone. */
async function judge(given: Case): Promise<{
  readonly plan: PathPlan | undefined;
  readonly entry: Entry | undefined;
  readonly whole: PhasePlan;
}> {
  const neighbour = "manifests/z.yaml";
  const entry = knownOf(given);
  const file = (path: string, text: string): DiskFile => ({ path, data: encode(text), mode: 0o644 });
  const output = (path: string, text: string): OutputFile => ({ path, data: encode(text), secret: false });
  const decisions = await readDecisions(
    {
      ours: given.ours === undefined ? [] : [given.ours],
      theirs: given.theirs === undefined ? [] : [given.theirs],
    },
    "/dir",
    "/dir",
  );
  const whole = await reconcile({
    compilation: {
      phase: "manifests",
      files: [output(neighbour, "z"), ...(given.desired === undefined ? [] : [output(PATH, given.desired)])],
      unverifiable: given.blind === true ? [PATH] : [],
    },
    history: history([[neighbour, known(of("z"))], ...(entry === undefined ? [] : [[PATH, entry] as const])]),
    disk: new Map([
      [neighbour, file(neighbour, "z")],
      ...(given.disk === undefined ? [] : [[PATH, file(PATH, given.disk)] as const]),
    ]),
    folders: new Set(["manifests"]),
    digester,
    decide: (path) => decisions.decide(path),
  });
  const { paths, entries, removed } = whole;
  const own = entries.get(PATH);
  const removals = removed.get(PATH);
  return {
    plan: paths.find(({ path }) => path === PATH),
    entry: own && { ...own, ...(removals === undefined ? {} : { removals }) },
    whole,
  };
}

const history = (paths: Iterable<readonly [string, Known]>) => ({ paths: new Map(paths), hasAny: true });

/** An entry of the record, with the number of its removal. */
type Entry = RecordEntry & { readonly removals?: number };
type Expected = readonly [status: string, action: string, outcome: string, entry: Entry | undefined];
const of = (text: string, more: Partial<Entry> = {}): Entry => ({ digests: [digest(text)], ...more });

const TABLE: readonly (readonly [name: string, given: Case, expected: Expected | undefined])[] = [
  ["new", { desired: "F" }, ["missing", "write", "created", of("F")]],
  ["the user's own", { disk: "U" }, ["added", "none", "kept", undefined]],
  ["found as compiled", { disk: "F", desired: "F" }, ["untouched", "none", "unchanged", of("F")]],
  ["the user's at a new path", { disk: "U", desired: "F" }, ["conflict", "none", "kept", undefined]],
  ["as it was", { base: "G", disk: "G", desired: "G" }, ["untouched", "none", "unchanged", of("G")]],
  ["input changed", { base: "G", disk: "G", desired: "F" }, ["stale", "write", "updated", of("F")]],
  ["no longer compiled", { base: "G", disk: "G" }, ["stale", "delete", "removed", undefined]],
  ["edited", { base: "G", disk: "U", desired: "G" }, ["edited", "none", "kept", of("G")]],
  [
    "edited to what is compiled",
    { base: "G", disk: "F", desired: "F" },
    ["untouched", "none", "unchanged", of("F")],
  ],
  ["edited, input changed", { base: "G", disk: "U", desired: "F" }, ["conflict", "none", "kept", of("G")]],
  ["edited, no longer compiled", { base: "G", disk: "U" }, ["conflict", "none", "kept", of("G")]],
  ["removed", { base: "G", desired: "G" }, ["removed", "none", "removed", of("G", { removals: 1 })]],
  [
    "removed, input changed",
    { base: "G", desired: "F" },
    ["removed", "none", "removed", of("F", { removals: 1 })],
  ],
  ["removed, no longer compiled", { base: "G", removed: true }, undefined],
  [
    "removed earlier",
    { base: "G", removed: true, desired: "F" },
    ["removed", "none", "removed", of("F", { removals: 1 })],
  ],
  [
    "removed, then restored",
    { base: "G", removed: true, disk: "G", desired: "G" },
    ["untouched", "none", "unchanged", of("G", { removals: 2 })],
  ],
  [
    "removed, then edited",
    { base: "G", removed: true, disk: "U", desired: "G" },
    ["edited", "none", "kept", of("G", { removals: 2 })],
  ],
  // Adopted: A on disk counts as generated, G is what was compiled for it.
  [
    "adopted",
    { base: "A", compiled: "G", disk: "A", desired: "G" },
    ["untouched", "none", "unchanged", of("A", { compiled: digest("G") })],
  ],
  [
    "adopted, input changed",
    { base: "A", compiled: "G", disk: "A", desired: "F" },
    ["stale", "write", "updated", of("F")],
  ],
  [
    "adopted, edited",
    { base: "A", compiled: "G", disk: "U", desired: "G" },
    ["edited", "none", "kept", of("A", { compiled: digest("G") })],
  ],
  [
    "adopted, both",
    { base: "A", compiled: "G", disk: "U", desired: "F" },
    ["conflict", "none", "kept", of("A", { compiled: digest("G") })],
  ],
  [
    "adopted, never compiled",
    { base: "A", compiled: null, disk: "A" },
    ["untouched", "none", "unchanged", of("A", { compiled: null })],
  ],
  [
    "adopted, now compiled",
    { base: "A", compiled: null, disk: "A", desired: "F" },
    ["stale", "write", "updated", of("F")],
  ],
  [
    "adopted, no longer compiled",
    { base: "A", compiled: "G", disk: "A" },
    ["stale", "delete", "removed", undefined],
  ],
  // What requires a secret that is not available.
  ["blind", { base: "G", disk: "G", blind: true }, ["unverifiable", "none", "unchanged", of("G")]],
  ["blind, absent", { base: "G", blind: true }, ["unverifiable", "none", "unchanged", of("G")]],
  ["blind, unknown", { disk: "U", blind: true }, ["unverifiable", "none", "unchanged", undefined]],
  ["blind, edited", { base: "G", disk: "U", blind: true }, ["edited", "none", "kept", of("G")]],
  // Decisions on a conflict.
  ["ours", { base: "G", disk: "U", desired: "F", ours: PATH }, ["edited", "none", "kept", of("F")]],
  ["theirs", { base: "G", disk: "U", desired: "F", theirs: PATH }, ["stale", "write", "updated", of("F")]],
  [
    "ours by folder",
    { base: "G", disk: "U", desired: "F", ours: "manifests" },
    ["edited", "none", "kept", of("F")],
  ],
  [
    "theirs by glob",
    { base: "G", disk: "U", desired: "F", theirs: "**/*.yaml" },
    ["stale", "write", "updated", of("F")],
  ],
  ["ours, at a new path", { disk: "U", desired: "F", ours: PATH }, ["edited", "none", "kept", of("F")]],
  ["ours, no longer compiled", { base: "G", disk: "U", ours: PATH }, ["added", "none", "kept", undefined]],
  [
    "theirs, no longer compiled",
    { base: "G", disk: "U", theirs: PATH },
    ["stale", "delete", "removed", undefined],
  ],
  // Decisions on other paths: only where the path itself is named.
  [
    "theirs takes an edit back",
    { base: "G", disk: "U", desired: "G", theirs: PATH },
    ["edited", "write", "updated", of("G")],
  ],
  [
    "theirs by folder keeps an edit",
    { base: "G", disk: "U", desired: "G", theirs: "manifests/" },
    ["edited", "none", "kept", of("G")],
  ],
  [
    "theirs restores",
    { base: "G", removed: true, desired: "F", theirs: PATH },
    ["removed", "write", "created", of("F", { removals: 2 })],
  ],
  [
    "theirs by folder does not",
    { base: "G", desired: "F", theirs: "." },
    ["removed", "none", "removed", of("F", { removals: 1 })],
  ],
  ["theirs has nothing for an addition", { disk: "U", theirs: PATH }, ["added", "none", "kept", undefined]],
  [
    "ours keeps an old file",
    { base: "G", disk: "G", desired: "F", ours: PATH },
    ["edited", "none", "kept", of("F")],
  ],
  [
    "ours keeps a file that is no longer compiled",
    { base: "G", disk: "G", ours: PATH },
    ["added", "none", "kept", undefined],
  ],
  [
    "ours keeps nothing",
    { desired: "F", ours: PATH },
    ["removed", "none", "removed", of("F", { removals: 1 })],
  ],
];

for (const [name, given, expected] of TABLE)
  test(name, async () => {
    const { plan, entry } = await judge(given);
    if (expected === undefined) return assert.is(plan, undefined);
    assert.equal([plan?.status, plan?.action, plan?.outcome, entry], [...expected]);
  });

test("after a decision the next run is quiet", async () => {
  for (const [name, given] of TABLE) {
    if (given.ours === undefined && given.theirs === undefined) continue;
    const first = await judge(given);
    const disk =
      first.plan?.action === "write"
        ? given.desired
        : first.plan?.action === "delete"
          ? undefined
          : given.disk;
    const desired = given.desired;
    const again = await reconcile({
      compilation: {
        phase: "manifests",
        files: desired === undefined ? [] : [{ path: PATH, data: encode(desired), secret: false }],
      },
      history: history(knownAfter(first.whole)),
      disk:
        disk === undefined ? new Map() : new Map([[PATH, { path: PATH, data: encode(disk), mode: 0o644 }]]),
      folders: new Set(["manifests"]),
      digester,
    });
    assert.ok(
      again.paths.every(({ action, status }) => action === "none" && status !== "conflict"),
      `${name}: ${JSON.stringify(again.paths.map(({ status }) => status))}`,
    );
  }
});

test("a folder that is gone as a whole is made anew, but what was removed before stays removed", async () => {
  const entries = new Map<string, Known>([
    ["manifests/a.yaml", known(of("a"))],
    ["manifests/b.yaml", known(of("b"))],
    ["manifests/c.yaml", known(of("c"), { removed: true })],
    ["openshift/d.yaml", known(of("d"))],
    ["openshift/e.yaml", known(of("e"))],
  ]);
  const { paths } = await reconcile({
    compilation: {
      phase: "manifests",
      files: [...entries.keys()].map((path) => ({
        path,
        data: encode(path.charAt(path.length - 6)),
        secret: false,
      })),
    },
    history: history(entries),
    disk: new Map([["openshift/e.yaml", { path: "openshift/e.yaml", data: encode("e"), mode: 0o644 }]]),
    folders: new Set(["openshift"]),
    digester,
  });
  assert.equal(
    paths.map(({ path, status }) => `${path} ${status}`),
    [
      "manifests/a.yaml missing",
      "manifests/b.yaml missing",
      "manifests/c.yaml removed",
      "openshift/d.yaml removed",
      "openshift/e.yaml untouched",
    ],
  );
});

test("other phases and other folders are left alone", async () => {
  const { paths } = await reconcile({
    compilation: { phase: "infrastructure-manifests", files: [] },
    history: history([]),
    disk: new Map(
      ["install-config.yaml", "manifests/a.yaml", "auth/kubeconfig", "infrastructure-manifests/own.yaml"].map(
        (path) => [path, { path, data: encode("x"), mode: 0o644 }],
      ),
    ),
    folders: new Set(["manifests", "auth", "infrastructure-manifests"]),
    digester,
  });
  assert.equal(
    paths.map(({ path, status }) => `${path} ${status}`),
    ["infrastructure-manifests/own.yaml added"],
  );
});

test("without the key a secret file is unverifiable, never a difference", async () => {
  const desired: OutputFile = { path: PATH, data: encode("F"), secret: true };
  const keyed = digester.of(encode("G"), true) ?? "";
  assert.match(keyed, /^hmac-/);
  const judged = async (disk: string) => {
    const { paths } = await reconcile({
      compilation: { phase: "manifests", files: [desired] },
      history: history([[PATH, known({ digests: [keyed] })]]),
      disk: new Map([[PATH, { path: PATH, data: encode(disk), mode: 0o600 }]]),
      folders: new Set(["manifests"]),
      digester: createDigester(undefined),
    });
    return paths[0]?.status;
  };
  assert.is(await judged("G"), "unverifiable");
  assert.is(await judged("F"), "untouched");
});

test("paths, globs and folders of --ours and --theirs", async () => {
  const decisions = await readDecisions(
    {
      ours: ["manifests", "openshift/*-secret.yaml", "/dir/auth/x"],
      theirs: ["manifests/a.yaml", "openshift", "nothing.yaml", "infrastructure-manifest"],
    },
    "/dir",
    "/",
  );
  const side = (path: string): string | undefined => decisions.decide(path)?.side;
  assert.is(side("manifests/a.yaml"), "theirs");
  assert.is(side("manifests/b.yaml"), "ours");
  assert.is(side("openshift/x-secret.yaml"), "ours");
  assert.is(side("openshift/x.yaml"), "theirs");
  assert.is(side("auth/x"), "ours");
  assert.is(side("manifestsx/a.yaml"), undefined);
  assert.is(side("infrastructure-manifests/a.yaml"), undefined);
  assert.equal(
    decisions.problems().map(({ code, message }) => `${code} ${message}`),
    [
      'DIR031 --theirs: no file in this directory matches "nothing.yaml"',
      'DIR031 --theirs: no file in this directory matches "infrastructure-manifest"',
    ],
  );
});

test("a path that both flags name is an error and stays undecided", async () => {
  const decisions = await readDecisions({ ours: ["manifests/*"], theirs: ["manifests/a*"] }, "/dir", "/dir");
  assert.is(decisions.decide("manifests/a.yaml"), undefined);
  assert.is(decisions.problems()[0]?.code, "DIR032");
  const exact = await readDecisions(
    { ours: ["manifests/a.yaml"], theirs: ["./manifests/a.yaml"] },
    "/dir",
    "/dir",
  );
  assert.is(exact.decide("manifests/a.yaml"), undefined);
  assert.is(exact.problems()[0]?.code, "DIR032");
});

test("paths that the shell expanded from the working folder are understood", async () => {
  const decisions = await readDecisions(
    { ours: ["out/manifests/a.yaml", "./out/openshift/"], theirs: [] },
    "/w/out",
    "/w",
  );
  assert.is(decisions.decide("manifests/a.yaml")?.exact, true);
  assert.is(decisions.decide("openshift/b.yaml")?.side, "ours");
});

test.run();
