/**
 * Sequences of what a user does to an asset directory, against a model that knows the full text of every file. After
 * every run: the statuses are the model's, the disk is the model's, no byte of the user is lost without --theirs,
 * and a second run changes nothing, not even an mtime.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, type OutputFile } from "../../src/core/files.js";
import { FOLDERS, folderOf, type PhaseName, type Side, type Status } from "../../src/directory/index.js";
import { parseState } from "../../src/directory/state.js";
import {
  check,
  create,
  fingerprintOf,
  type MiniConfig,
  manifestsOf,
  wrap,
} from "../helpers/mini-pipeline.js";
import { runs } from "../helpers/runs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/property");

type Action =
  | { readonly do: "edit" | "delete" | "restore" | "foresee"; readonly pick: number }
  | { readonly do: "add"; readonly name: string }
  | { readonly do: "delete folder"; readonly folder: string }
  | { readonly do: "configure"; readonly change: Partial<MiniConfig> }
  | { readonly do: "lose record" }
  | { readonly do: "create"; readonly manifestsOnly: boolean }
  | { readonly do: "decide"; readonly side: Side; readonly all: boolean; readonly pick: number }
  | { readonly do: "check"; readonly strict: boolean }
  | { readonly do: "dry run" };

const pick = fc.nat({ max: 30 });
const folders = FOLDERS.filter(({ path }) => path !== "auth").map(({ path }) => path);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    do: fc.constantFrom("edit" as const, "delete" as const, "restore" as const, "foresee" as const),
    pick,
  }),
  fc.record({
    do: fc.constant("add" as const),
    name: fc.constantFrom(
      "manifests/m2.yaml",
      "manifests/m3.yaml",
      "manifests/u.yaml",
      "openshift/s1.yaml",
      "infrastructure-manifests/own.yaml",
    ),
  }),
  fc.record({ do: fc.constant("delete folder" as const), folder: fc.constantFrom(...folders) }),
  fc.record({
    do: fc.constant("configure" as const),
    change: fc.oneof(
      fc.record({ text: fc.constantFrom("a", "b") }),
      fc.record({ count: fc.nat({ max: 4 }) }),
      fc.record({ secrets: fc.nat({ max: 2 }) }),
    ),
  }),
  fc.record({ do: fc.constant("lose record" as const) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("create" as const), manifestsOnly: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("decide" as const),
      side: fc.constantFrom("ours" as const, "theirs" as const),
      all: fc.boolean(),
      pick,
    }),
  },
  fc.record({ do: fc.constant("check" as const), strict: fc.boolean() }),
  fc.record({ do: fc.constant("dry run" as const) }),
);

/** What the model knows of one path that was generated. */
interface Known {
  readonly text: string;
  readonly removed: boolean;
}

interface Verdict {
  readonly status: Status;
  /** The content after the run; undefined when the file is not there. */
  readonly after: string | undefined;
  readonly known: Known | undefined;
}

class Model {
  readonly disk = new Map<string, string>();
  known = new Map<PhaseName, Map<string, Known>>();
  config: MiniConfig = { name: "wren", text: "a", count: 3, secrets: 1 };
  /** What the state lists: everything that the last run compiled in the first phase. */
  listed: Map<string, string> | undefined;
  key = "";

  /** The verdicts of a run, and whether it may write. */
  run(phases: readonly PhaseName[], decide: (path: string, status: Status) => Side | undefined) {
    const verdicts = new Map<string, Verdict>();
    const compiled = manifestsOf(this.config, this.key);
    this.judgePhase("manifests", textsOf(compiled), decide, verdicts);
    if (phases.includes("infrastructure-manifests")) {
      const after: OutputFile[] = [...verdicts]
        .filter(([, verdict]) => verdict.after !== undefined)
        .map(([path, verdict]) => ({ path, data: Buffer.from(verdict.after ?? ""), secret: false }))
        .sort((a, b) => (a.path < b.path ? -1 : 1));
      this.judgePhase(
        "infrastructure-manifests",
        textsOf(wrap(after, fingerprintOf(compiled))),
        decide,
        verdicts,
      );
    }
    const ok = ![...verdicts.values()].some(({ status }) => status === "conflict");
    return { verdicts, ok, listed: textsOf(compiled) };
  }

  commit(phases: readonly PhaseName[], { verdicts, listed }: ReturnType<Model["run"]>): void {
    for (const phase of phases) {
      const known = new Map([...(this.known.get(phase) ?? [])].filter(([path]) => !verdicts.has(path)));
      for (const [path, verdict] of verdicts)
        if (verdict.known !== undefined && phaseOf(path) === phase) known.set(path, verdict.known);
      this.known.set(phase, known);
    }
    for (const [path, { after }] of verdicts)
      if (after === undefined) this.disk.delete(path);
      else this.disk.set(path, after);
    this.listed = listed;
  }

  private judgePhase(
    phase: PhaseName,
    desired: ReadonlyMap<string, string>,
    decide: (path: string, status: Status) => Side | undefined,
    verdicts: Map<string, Verdict>,
  ): void {
    const base = this.baseOf(phase);
    const paths = new Set([
      ...base.keys(),
      ...desired.keys(),
      ...[...this.disk.keys()].filter((path) => phaseOf(path) === phase),
    ]);
    for (const path of paths) {
      const verdict = this.judge(path, base, desired.get(path));
      if (verdict === undefined) continue;
      const side = decide(path, verdict.status);
      verdicts.set(path, side === undefined ? verdict : this.decided(path, verdict, side, desired.get(path)));
    }
  }

  /** Without a record, what the state lists counts as generated. */
  private baseOf(phase: PhaseName): Map<string, Known> {
    const known = this.known.get(phase);
    if (known !== undefined) return known;
    if (phase !== "manifests") return new Map();
    return new Map([...(this.listed ?? [])].map(([path, text]) => [path, { text, removed: false }]));
  }

  private judge(
    path: string,
    base: ReadonlyMap<string, Known>,
    desired: string | undefined,
  ): Verdict | undefined {
    const known = base.get(path);
    const disk = this.disk.get(path);
    const written = desired === undefined ? undefined : { text: desired, removed: false };
    if (disk === undefined && desired === undefined) return undefined;
    if (disk === undefined) {
      const removed =
        known !== undefined && (known.removed || !(this.isPartial() || this.isGone(folderOf(path), base)));
      return removed
        ? { status: "removed", after: undefined, known: { ...known, removed: true } }
        : { status: "missing", after: desired, known: written };
    }
    if (disk === desired) return { status: "untouched", after: disk, known: written };
    if (known === undefined)
      return { status: desired === undefined ? "added" : "conflict", after: disk, known: undefined };
    const kept = { ...known, removed: false };
    if (known.text === desired) return { status: "edited", after: disk, known: kept };
    if (known.text !== disk) return { status: "conflict", after: disk, known: kept };
    return { status: "stale", after: desired, known: written };
  }

  private decided(path: string, verdict: Verdict, side: Side, desired: string | undefined): Verdict {
    const { status } = verdict;
    const disk = this.disk.get(path);
    const written = desired === undefined ? undefined : { text: desired, removed: false };
    if (side === "theirs") {
      if (status === "conflict") return { status: "stale", after: desired, known: written };
      return status === "edited" || status === "removed"
        ? { status, after: desired, known: written }
        : verdict;
    }
    if (status !== "conflict" && status !== "stale" && status !== "missing") return verdict;
    if (disk === undefined)
      return { status: "removed", after: undefined, known: written && { ...written, removed: true } };
    return { status: desired === undefined ? "added" : "edited", after: disk, known: written };
  }

  /**
   * Most secrets that were here are absent at once, and their folders are not: a copy that leaves secrets out, in which
   * nothing counts as removed.
   */
  private isPartial(): boolean {
    const folders = new Set([...this.disk.keys()].map(folderOf));
    const secrets = [...this.known.values()]
      .flatMap((known) => [...known])
      .filter(([path, { removed }]) => !removed && isSecret(path) && folders.has(folderOf(path)));
    const missing = secrets.filter(([path]) => !this.disk.has(path)).length;
    return missing >= 3 && missing * 2 > secrets.length;
  }

  private isGone(folder: string, base: ReadonlyMap<string, Known>): boolean {
    const own = [...base].filter(([path, { removed }]) => folderOf(path) === folder && !removed);
    if (own.some(([path]) => this.disk.has(path))) return false;
    return own.length > 1 || ![...this.disk.keys()].some((path) => folderOf(path) === folder);
  }
}

const textsOf = (files: readonly OutputFile[]): Map<string, string> =>
  new Map(files.map(({ path, data }) => [path, decode(data) ?? ""]));
/** What the small pipeline writes as a secret file. */
const isSecret = (path: string): boolean =>
  path.startsWith("infrastructure-manifests-secrets/") || path.startsWith("openshift/s");
const phaseOf = (path: string): PhaseName | undefined =>
  FOLDERS.find((each) => each.path === folderOf(path))?.phase;

/** A model beside its real directory. */
class Play {
  readonly model = new Model();
  private counter = 0;
  private readonly dir = tempFolder();

  async start(): Promise<void> {
    this.configure({});
    assert.ok((await create(this.dir)).ok);
    const { state } = await parseState(readFileSync(join(this.dir, ".openshift_install_state.json")));
    this.model.key = state?.rootCA?.key ?? "";
    this.model.commit(
      BOTH,
      this.model.run(BOTH, () => undefined),
    );
    this.assertDisk();
  }

  async act(action: Action): Promise<void> {
    switch (action.do) {
      case "edit":
      case "delete":
      case "restore":
      case "foresee":
        return this.touch(action.do, action.pick);
      case "add":
        return this.write(action.name, `user: ${this.counter++}\n`);
      case "delete folder":
        rmSync(join(this.dir, action.folder), { recursive: true, force: true });
        for (const path of this.model.disk.keys())
          if (folderOf(path) === action.folder) this.model.disk.delete(path);
        return;
      case "configure":
        return this.configure(action.change);
      case "lose record":
        rmSync(join(this.dir, ".slipway"), { recursive: true, force: true });
        this.model.known = new Map();
        return;
      case "create":
        return this.create(action.manifestsOnly ? ["manifests"] : BOTH, {});
      case "decide":
        return this.decide(action.side, action.all, action.pick);
      case "check":
        return this.check(action.strict);
      case "dry run":
        return this.dryRun();
    }
  }

  async finish(): Promise<void> {
    await this.create(BOTH, { theirs: ["."] }, (_, status) => (status === "conflict" ? "theirs" : undefined));
    await this.check(false);
  }

  private async create(
    phases: readonly PhaseName[],
    flags: { ours?: readonly string[]; theirs?: readonly string[] },
    decide: (path: string, status: Status) => Side | undefined = () => undefined,
  ): Promise<void> {
    const expected = this.model.run(phases, decide);
    const before = new Map(this.model.disk);
    const result = await create(this.dir, { phases, ...flags });
    assert.is(result.ok, expected.ok, JSON.stringify(result.problems));
    if (!result.ok) {
      const conflicts = [...expected.verdicts]
        .filter(([, { status }]) => status === "conflict")
        .map(([path]) => path);
      assert.equal(
        result.problems
          .filter(({ code }) => code === "DIR030")
          .map(({ file }) => file)
          .sort(),
        conflicts.sort(),
      );
      return this.assertDisk();
    }
    assertSame(
      statusesOf(result.files.map(({ path, was }) => [path, was])),
      statusesOf([...expected.verdicts].map(([path, { status }]) => [path, status])),
    );
    this.model.commit(phases, expected);
    this.assertDisk();
    for (const [path, text] of before)
      if (text.includes("user: ") && decide(path, "conflict") !== "theirs")
        assert.is(this.model.disk.get(path), text, `${path} lost what the user wrote`);
    await this.assertQuiet(phases);
  }

  /** A second run changes nothing, not even an mtime. */
  private async assertQuiet(phases: readonly PhaseName[]): Promise<void> {
    const before = this.stamps();
    const again = await create(this.dir, { phases });
    assert.ok(again.ok, JSON.stringify(again.problems));
    assert.equal(this.stamps(), before);
    assert.not.ok(
      again.files.some(({ status, was }) => status === "created" || status === "updated" || was === "stale"),
    );
  }

  private async decide(side: Side, all: boolean, pick: number): Promise<void> {
    const { verdicts } = this.model.run(BOTH, () => undefined);
    const paths = [...verdicts.keys()].sort();
    const path = paths[pick % Math.max(1, paths.length)];
    if (path === undefined) return;
    await this.create(BOTH, { [side]: [all ? "." : path] }, (each, status) =>
      all ? (status === "conflict" ? side : undefined) : each === path ? side : undefined,
    );
  }

  private async check(strict: boolean): Promise<void> {
    const phases = BOTH.filter((phase) => this.model.known.has(phase));
    const expected =
      phases.length === 0 ? new Map<string, Verdict>() : this.model.run(phases, () => undefined).verdicts;
    const result = await check(this.dir, { strict });
    if (phases.length > 0)
      assertSame(
        statusesOf(result.files.map(({ path, status }) => [path, status])),
        statusesOf([...expected].map(([path, { status }]) => [path, status])),
      );
    const counted = ["stale", "conflict", "missing", ...(strict ? ["edited", "added", "removed"] : [])];
    if (phases.length > 0)
      assert.is(result.clean, ![...expected.values()].some(({ status }) => counted.includes(status)));
    this.assertDisk();
  }

  private async dryRun(): Promise<void> {
    const before = this.stamps();
    const expected = this.model.run(BOTH, () => undefined);
    const result = await create(this.dir, { dryRun: true });
    assert.is(result.ok, expected.ok);
    if (result.ok)
      assertSame(
        statusesOf(result.files.map(({ path, was }) => [path, was])),
        statusesOf([...expected.verdicts].map(([path, { status }]) => [path, status])),
      );
    assert.equal(this.stamps(), before);
  }

  private touch(what: "edit" | "delete" | "restore" | "foresee", pick: number): void {
    const { verdicts } = this.model.run(BOTH, () => undefined);
    const paths = [...new Set([...this.model.disk.keys(), ...verdicts.keys()])].sort();
    const path = paths[pick % Math.max(1, paths.length)];
    if (path === undefined) return;
    const phase = phaseOf(path);
    const known = phase === undefined ? undefined : this.model.known.get(phase)?.get(path);
    const texts = {
      edit: `${this.model.disk.get(path) ?? ""}user: ${this.counter++}\n`,
      restore: known?.text,
      foresee: textsOf(manifestsOf(this.model.config, this.model.key)).get(path),
      delete: undefined,
    };
    const text = texts[what];
    if (text !== undefined) this.write(path, text);
    if (what === "delete") this.remove(path);
  }

  private remove(path: string): void {
    rmSync(join(this.dir, path), { force: true });
    this.model.disk.delete(path);
    // An empty folder is none to the model.
    if (![...this.model.disk.keys()].some((each) => folderOf(each) === folderOf(path)))
      rmSync(join(this.dir, folderOf(path)), { recursive: true, force: true });
  }

  private write(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), text);
    this.model.disk.set(path, text);
  }

  private configure(change: Partial<MiniConfig>): void {
    this.model.config = { ...this.model.config, ...change };
    writeFileSync(join(this.dir, "install-config.yaml"), JSON.stringify(this.model.config));
  }

  private assertDisk(): void {
    const real = new Map<string, string>();
    for (const path of this.paths())
      if (phaseOf(path) !== undefined) real.set(path, readFileSync(join(this.dir, path), "utf8"));
    assert.equal(Object.fromEntries([...real].sort()), Object.fromEntries([...this.model.disk].sort()));
    assert.is(readFileSync(join(this.dir, "install-config.yaml"), "utf8"), JSON.stringify(this.model.config));
    const strange = this.paths().filter((path) => /\.tmp$|journal|\/lock/.test(path));
    assert.equal(strange, []);
  }

  private paths(): string[] {
    return readdirSync(this.dir, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(this.dir.length + 1))
      .sort();
  }

  private stamps(): string[] {
    return this.paths().map((path) => {
      const { mtimeNs, ino, mode } = statSync(join(this.dir, path), { bigint: true });
      return `${path} ${mtimeNs} ${ino} ${mode}`;
    });
  }
}

const BOTH: readonly PhaseName[] = ["manifests", "infrastructure-manifests"];
function assertSame(actual: readonly string[], expected: readonly string[]): void {
  const wrong = actual.filter((each) => !expected.includes(each));
  const lacking = expected.filter((each) => !actual.includes(each));
  assert.ok(wrong.length + lacking.length === 0, `got ${wrong.join(", ")}; expected ${lacking.join(", ")}`);
}
const statusesOf = (pairs: readonly (readonly [string, Status | undefined])[]): string[] =>
  pairs.flatMap(([path, status]) => (status === undefined ? [] : [`${path} ${status}`])).sort();

test("whatever the user does, the statuses are right, nothing of theirs is lost, and a second run is quiet", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 14 }), async (actions) => {
      const play = new Play();
      await play.start();
      for (const each of actions) await play.act(each);
      await play.finish();
    }),
    {
      // The same histories in every run; other seeds are for those who look for faults.
      seed: Number(process.env["SLIPWAY_PROPERTY_SEED"] ?? 20_270_115),
      path: process.env["SLIPWAY_PROPERTY_PATH"] ?? "",
      includeErrorInReport: true,
      numRuns: Number(process.env["SLIPWAY_PROPERTY_RUNS"] ?? runs(120)),
      interruptAfterTimeLimit: 240_000,
    },
  );
});

test.run();
