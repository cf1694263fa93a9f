/**
 * Several people, one repository: random histories of three working copies. Whatever they do, no value of a user is
 * lost, no file is silently missing, nothing that slipway wrote anywhere counts as somebody's edit, and after a run
 * everything is quiet. In an encrypted repository people join, leave and work without a key: whoever lacks one writes
 * nothing. SLIPWAY_TEAM_RUNS sets the number of histories.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../src/core/files.js";
import type { Json } from "../../src/core/json.js";
import { parseState } from "../../src/directory/state.js";
import { isSealed, isTorn, open } from "../../src/sops/file.js";
import { updateKeys } from "../../src/sops/update-keys.js";
import { sidesOfMerge } from "../../src/text/merge-marks.js";
import { valuesOf } from "../../src/text/yaml-content.js";
import { Clone, filesOf, Repository } from "../helpers/git-model.js";
import { seededRandom } from "../helpers/inputs.js";
import {
  check,
  create,
  type MiniConfig,
  type MiniOptions,
  type MiniResult,
  manifestsOf,
} from "../helpers/mini-pipeline.js";
import { runs } from "../helpers/runs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/team");
const STATE = ".openshift_install_state.json";
const CONFIG_FILE = "install-config.yaml";

/** What docs/asset-directory.md lists for .gitignore: whole folders, or files with secrets alone. */
const RULES: readonly RegExp[] = [
  /^(?:manifests|openshift|infrastructure-manifests-secrets)\//,
  /^(?:openshift\/s\d|infrastructure-manifests-secrets\/)/,
];
const OWN = /^\.slipway\/(?!record\.json$|\.gitignore$|\.gitattributes$)/;

/** The file with the recipients, as .sops.yaml is. */
const RECIPIENTS = "recipients";
const PEOPLE = await Promise.all(
  [0, 1, 2].map(async () => {
    const identity = await generateX25519Identity();
    return { identity, recipient: await identityToRecipient(identity) };
  }),
);
const EVERYBODY = PEOPLE.map(({ identity }) => identity);
const NOW = "2027-01-15T08:00:00Z";

type Action =
  | { readonly do: "re-key"; readonly who: number; readonly whom: number }
  | { readonly do: "edit"; readonly who: number; readonly pick: number; readonly how: Edit }
  | { readonly do: "delete"; readonly who: number; readonly pick: number }
  | { readonly do: "format"; readonly who: number; readonly pick: number; readonly how: Layout }
  | { readonly do: "configure"; readonly who: number; readonly change: Partial<MiniConfig> }
  | {
      readonly do: "create" | "check" | "commit" | "pull" | "share state" | "lose state" | "move";
      readonly who: number;
    }
  | { readonly do: "switch" | "merge"; readonly who: number; readonly branch: string };

/** A field of one's own, or the field that the configuration fills. */
type Edit = "own field" | "same field";
type Layout = "comment" | "marker" | "order" | "crlf";

const who = fc.nat({ max: 2 });
const pick = fc.nat({ max: 30 });
const of = <T extends string>(...values: readonly T[]) => fc.constantFrom(...values);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: of("edit"), who, pick, how: of("own field", "own field", "same field") }),
  },
  { weight: 2, arbitrary: fc.record({ do: of("delete"), who, pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: of("format"), who, pick, how: of("comment", "marker", "order", "crlf") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: of("configure"),
      who,
      change: fc.oneof(
        fc.record({ text: of("a", "b", "c") }),
        fc.record({ count: fc.nat({ max: 4 }) }),
        fc.record({ secrets: fc.nat({ max: 2 }) }),
      ),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: of("create"), who }) },
  { weight: 3, arbitrary: fc.record({ do: of("commit"), who }) },
  { weight: 4, arbitrary: fc.record({ do: of("pull"), who }) },
  { weight: 2, arbitrary: fc.record({ do: of("check"), who }) },
  { weight: 2, arbitrary: fc.record({ do: of("share state"), who }) },
  { weight: 2, arbitrary: fc.record({ do: of("re-key"), who, whom: fc.integer({ min: 1, max: 2 }) }) },
  fc.record({ do: of("lose state", "move"), who }),
  { weight: 2, arbitrary: fc.record({ do: of("switch", "merge"), who, branch: of("main", "other") }) },
);

class Team {
  private readonly base = tempFolder();
  private readonly repository: Repository;
  private readonly copies: Clone[] = [];
  private key = "";
  private counter = 0;
  /** Every value that was ever generated for a path, as text. */
  private readonly generated = new Map<string, Set<string>>();
  private readonly everRemoved = new Set<string>();
  private moves = 0;

  /** Without rules the repository is encrypted, and only what belongs to one working copy is ignored. */
  constructor(
    private readonly rules: RegExp | undefined,
    private readonly crlf: boolean,
  ) {
    this.repository = new Repository(
      (path) => OWN.test(path) || (rules !== undefined && (path === STATE || rules.test(path))),
    );
  }

  private get encrypts(): boolean {
    return this.rules === undefined;
  }

  private optionsOf(copy: Clone): Pick<MiniOptions, "identities" | "sealing"> {
    if (!this.encrypts) return {};
    const identity = PEOPLE[this.copies.indexOf(copy)]?.identity ?? "";
    const recipients = this.recipientsOf(copy);
    const inputs = { clock: { now: () => new Date(NOW) }, random: this.random };
    return { identities: [identity], sealing: { recipientsOf: () => ({ recipients }), inputs } };
  }

  private readonly random = seededRandom("team");

  private recipientsOf(copy: Clone): readonly string[] {
    return this.read(copy, RECIPIENTS)
      .split(/\r?\n/)
      .filter((line) => line !== "");
  }

  /** The encrypted files of a working copy, with every version of one that a merge tore. */
  private sealedIn(
    copy: Clone,
  ): readonly { readonly path: string; readonly versions: readonly Uint8Array[] }[] {
    return filesOf(copy.dir).flatMap((path) => {
      const data = readFileSync(join(copy.dir, path));
      if (isSealed(path, data)) return [{ path, versions: [data] }];
      if (!data.includes("ENC[") || !isTorn(path, data)) return [];
      return [{ path, versions: (sidesOfMerge(decode(data) ?? "") ?? []).map(encode) }];
    });
  }

  /** True where a file is encrypted for others only. */
  private async isClosedTo(copy: Clone): Promise<boolean> {
    const { identities = [] } = this.optionsOf(copy);
    for (const { path, versions } of this.sealedIn(copy))
      for (const data of versions)
        if ((await open(path, data, identities, () => undefined)) === undefined) return true;
    return false;
  }

  /** Someone joins or leaves: the list changes, and every file follows it. */
  private async rekey(copy: Clone, whom: number): Promise<void> {
    const { recipient = "" } = PEOPLE[whom] ?? {};
    const before = this.recipientsOf(copy);
    const after = before.includes(recipient)
      ? before.filter((each) => each !== recipient)
      : [...before, recipient];
    this.write(copy, RECIPIENTS, `${after.join("\n")}\n`);
    if (!(await this.updateKeys(copy))) this.write(copy, RECIPIENTS, `${before.join("\n")}\n`);
  }

  /** Answers false, and has written nothing, where a file stays closed or is torn. */
  private async updateKeys(copy: Clone): Promise<boolean> {
    const { identities = [] } = this.optionsOf(copy);
    const recipients = this.recipientsOf(copy);
    const written = new Map<string, Uint8Array>();
    for (const { path, versions } of this.sealedIn(copy)) {
      const [data, ...others] = versions;
      const opened = data && (await open(path, data, identities, () => undefined));
      if (data === undefined || opened === undefined || others.length > 0) return false;
      const update = await updateKeys({ path, data, opened, recipients, now: NOW, random: this.random });
      if (update?.refused !== undefined) return false;
      if (update?.data !== undefined) written.set(path, update.data);
    }
    for (const [path, data] of written) writeFileSync(join(copy.dir, path), data);
    return true;
  }

  async start(): Promise<void> {
    const first = this.clone(0);
    this.configure(first, { name: "wren", text: "a", count: 3, secrets: 2 });
    if (this.encrypts)
      this.write(
        first,
        RECIPIENTS,
        PEOPLE.slice(0, 2)
          .map(({ recipient }) => `${recipient}\n`)
          .join(""),
      );
    assert.ok((await create(first.dir, this.optionsOf(first))).ok);
    const { state } = await parseState(await this.plain(STATE, readFileSync(join(first.dir, STATE))));
    this.key = state?.rootCA?.key ?? "";
    this.generate(first);
    first.commit();
    first.push();
    for (const index of [1, 2]) this.clone(index).switchTo("main");
  }

  async act(each: Action): Promise<void> {
    const copy = this.copies[each.who];
    if (copy === undefined) return;
    switch (each.do) {
      case "edit":
        return this.edit(copy, each.pick, each.how);
      case "format":
        return this.format(copy, each.pick, each.how);
      case "delete": {
        const path = this.pickFile(copy, each.pick);
        if (path === undefined) return;
        this.everRemoved.add(path);
        return rmSync(join(copy.dir, path));
      }
      case "configure":
        return this.configure(copy, each.change);
      case "create":
        return this.create(copy);
      case "check":
        return this.check(copy);
      case "commit":
        copy.commit();
        return void copy.push();
      case "pull":
        copy.commit();
        this.settle(copy, copy.merge(copy.branch));
        copy.commit();
        return void copy.push();
      case "merge":
        copy.commit();
        this.settle(copy, copy.merge(each.branch));
        return copy.commit();
      case "switch":
        copy.switchTo(each.branch);
        return void copy.push();
      case "re-key":
        return this.encrypts ? this.rekey(copy, each.whom) : undefined;
      case "share state": {
        if (this.encrypts) return;
        const other = this.copies.find(({ dir }) => dir !== copy.dir && existsSync(join(dir, STATE)));
        if (other !== undefined && !existsSync(join(copy.dir, STATE)))
          cpSync(join(other.dir, STATE), join(copy.dir, STATE));
        return;
      }
      case "lose state":
        // Somebody always keeps it.
        if (!this.encrypts && this.copies.filter(({ dir }) => existsSync(join(dir, STATE))).length > 1)
          rmSync(join(copy.dir, STATE), { force: true });
        return;
      case "move":
        return this.move(copy);
    }
  }

  async finish(): Promise<void> {
    for (const copy of this.copies) await this.create(copy);
    for (const copy of this.encrypts ? this.copies : []) {
      if (await this.isClosedTo(copy)) continue;
      assert.ok(await this.updateKeys(copy), "every file of a quiet directory follows its recipients");
      const wanted = [...this.recipientsOf(copy)].sort();
      for (const { path, versions } of this.sealedIn(copy)) {
        const [opened] = await Promise.all(
          versions.map((data) => open(path, data, EVERYBODY, () => undefined)),
        );
        assert.equal(opened?.metadata.age.map(({ recipient }) => recipient).sort(), wanted, path);
      }
      if (!(await this.isClosedTo(copy))) await this.create(copy);
    }
  }

  private clone(index: number): Clone {
    const dir = join(this.base, `copy${index}`);
    mkdirSync(dir, { recursive: true });
    const copy = new Clone(this.repository, dir, "main", this.crlf && index === 2);
    this.copies[index] = copy;
    return copy;
  }

  private move(copy: Clone): void {
    const index = this.copies.indexOf(copy);
    const moved = new Clone(this.repository, join(this.base, `moved${this.moves++}`), copy.branch, copy.crlf);
    moved.head = copy.head;
    cpSync(copy.dir, moved.dir, { recursive: true });
    rmSync(copy.dir, { recursive: true });
    this.copies[index] = moved;
  }

  /** Markers in the configuration are settled as their side says; those in other files are left to slipway. */
  private settle(copy: Clone, conflicts: readonly string[]): void {
    for (const path of conflicts.filter((each) => each === CONFIG_FILE || each === RECIPIENTS))
      this.write(
        copy,
        path,
        this.read(copy, path).replace(/<{7}[^\n]*\n(.*?)={7}\r?\n.*?>{7}[^\n]*\n/gs, "$1"),
      );
  }

  private read = (copy: Clone, path: string): string => readFileSync(join(copy.dir, path), "utf8");

  private write(copy: Clone, path: string, text: string): void {
    mkdirSync(dirname(join(copy.dir, path)), { recursive: true });
    writeFileSync(join(copy.dir, path), text);
  }

  private configOf(copy: Clone): MiniConfig {
    return JSON.parse(this.read(copy, CONFIG_FILE));
  }

  private configure(copy: Clone, change: Partial<MiniConfig>): void {
    const before = existsSync(join(copy.dir, CONFIG_FILE)) ? this.configOf(copy) : {};
    this.write(copy, CONFIG_FILE, `${JSON.stringify({ ...before, ...change }, null, 2)}\n`);
  }

  private pickFile(copy: Clone, at: number): string | undefined {
    // What is encrypted is edited with sops, which the model has not.
    const own = this.encrypts ? /^manifests\// : /^(?:manifests|openshift)\//;
    const paths = filesOf(copy.dir).filter((path) => own.test(path));
    return paths[at % Math.max(1, paths.length)];
  }

  private edit(copy: Clone, at: number, how: Edit): void {
    const path = this.pickFile(copy, at);
    if (path === undefined) return;
    const text = this.read(copy, path);
    if (text.includes("<<<<<<<") || how === "own field" || !/^text:/m.test(text))
      this.write(
        copy,
        path,
        `${text}${text.endsWith("\n") ? "" : "\n"}mine${this.counter}: user${this.counter++}\n`,
      );
    else this.write(copy, path, text.replace(/^text:.*$/m, `text: user${this.counter++}`));
  }

  private format(copy: Clone, at: number, how: Layout): void {
    const path = this.pickFile(copy, at);
    if (path === undefined) return;
    const text = this.read(copy, path);
    const lines = text.split("\n");
    if (text.includes("<<<<<<<")) return;
    const forms: Readonly<Record<Layout, () => string>> = {
      comment: () => `# note ${this.counter++}\n${text}`,
      marker: () => (text.startsWith("---") ? text : `---\n${text}`),
      order: () => (/^ |^-|^#/m.test(text) ? text : `${lines.slice(0, -1).reverse().join("\n")}\n`),
      crlf: () => text.replaceAll(/\r?\n/g, "\r\n"),
    };
    this.write(copy, path, forms[how]());
  }

  private generate(copy: Clone): ReadonlyMap<string, string> {
    const desired = new Map<string, string>();
    for (const { path, data } of manifestsOf(this.configOf(copy), this.key)) {
      const text = valueText(data);
      desired.set(path, text);
      this.generated.set(path, (this.generated.get(path) ?? new Set()).add(text));
    }
    return desired;
  }

  private async snapshot(copy: Clone): Promise<Map<string, string>> {
    const paths = filesOf(copy.dir).filter((path) => /^(?:manifests|openshift)\//.test(path));
    const texts = await Promise.all(
      paths.map(async (path): Promise<[string, string]> => {
        const data = await this.plain(path, readFileSync(join(copy.dir, path)));
        return [path, decode(data) ?? ""];
      }),
    );
    return new Map(texts);
  }

  /** What a file says, whoever it is encrypted for. */
  private async plain(path: string, data: Uint8Array): Promise<Uint8Array> {
    if (!isSealed(path, data)) return data;
    return (await open(path, data, EVERYBODY, () => undefined))?.data ?? data;
  }

  private async create(copy: Clone): Promise<void> {
    const desired = this.generate(copy);
    const before = await this.snapshot(copy);
    const options = this.optionsOf(copy);
    if (this.encrypts ? await this.isClosedTo(copy) : !existsSync(join(copy.dir, STATE)))
      return this.refused(copy, before);
    const result = await create(copy.dir, options);
    if (!result.ok) {
      const codes = new Set(
        result.problems.filter(({ severity }) => severity === undefined).map(({ code }) => code),
      );
      assert.equal([...codes], ["DIR030"], JSON.stringify(result.problems));
      for (const { file = "" } of result.problems) this.assertTheirs(before, file, "conflict");
      assert.equal(await this.snapshot(copy), before, "a conflict writes nothing");
      const decided = await create(copy.dir, { ...options, ours: ["."] });
      assert.ok(decided.ok, JSON.stringify(decided.problems));
      return this.settled(copy, before, desired, decided);
    }
    return this.settled(copy, before, desired, result);
  }

  /** Everything that has to be true after a run. */
  private async settled(
    copy: Clone,
    before: ReadonlyMap<string, string>,
    desired: ReadonlyMap<string, string>,
    result: MiniResult,
  ): Promise<void> {
    const after = await this.snapshot(copy);
    for (const { path, was } of result.files) {
      if (was === "edited" || was === "conflict") this.assertTheirs(before, path, was);
      if (was === "removed") assert.ok(this.everRemoved.has(ownPath(path)), `${path} counts as removed`);
    }
    for (const [path, text] of before)
      for (const [value] of text.matchAll(/user\d+|# note \d+/g))
        if (this.isTheirs(path, text) || value.startsWith("#"))
          assert.ok(
            this.everRemoved.has(path) ||
              after.get(path)?.includes(value) ||
              (value.startsWith("#") && !after.has(path)),
            `${path} lost ${value}:\n${text}\n--- now\n${after.get(path)}`,
          );
    for (const path of desired.keys())
      assert.ok(after.has(path) || this.everRemoved.has(path), `${path} is silently missing`);
    const again = await create(copy.dir, this.optionsOf(copy));
    assert.ok(again.ok, JSON.stringify(again.problems));
    assert.equal(
      again.files.filter(
        ({ status, was }) => status === "created" || status === "updated" || was === "stale",
      ),
      [],
      "a second run is quiet",
    );
    assert.is((await check(copy.dir, this.optionsOf(copy))).clean, true);
    for (const [path, text] of this.generate(copy))
      if (!this.isTheirs(path, after.get(path) ?? "")) {
        if (after.has(path)) assert.is(valueText(encode(after.get(path) ?? "")), text, `${path} is old`);
      }
  }

  private async refused(copy: Clone, before: ReadonlyMap<string, string>): Promise<void> {
    const result = await create(copy.dir, this.optionsOf(copy));
    assert.is(result.ok, false);
    const codes = this.encrypts ? ["SOPS001", "SOPS002"] : ["DIR013", "DIR017"];
    assert.ok(
      result.problems.some(({ code }) => codes.includes(code)),
      JSON.stringify(result.problems),
    );
    assert.equal(await this.snapshot(copy), before);
    return this.check(copy);
  }

  private async check(copy: Clone): Promise<void> {
    this.generate(copy);
    const before = await this.snapshot(copy);
    const { files, problems } = await check(copy.dir, this.optionsOf(copy));
    assert.equal(
      problems.filter(({ severity = "error" }) => severity === "error"),
      [],
    );
    for (const { path, status } of files) {
      if (!/^(?:manifests|openshift)\//.test(path)) continue;
      if (status === "edited" || status === "conflict" || status === "added")
        this.assertTheirs(before, path, status);
      if (status === "removed") assert.ok(this.everRemoved.has(path), `${path} counts as removed`);
    }
  }

  private assertTheirs(before: ReadonlyMap<string, string>, path: string, status: string): void {
    const text = before.get(path);
    if (text === undefined || (status === "added" && this.repository.kept.has(path))) return;
    assert.ok(this.isTheirs(path, text), `${path} counts as ${status}, and is as it was generated:\n${text}`);
  }

  /** True for a content that nobody ever generated. */
  private isTheirs(path: string, text: string): boolean {
    return text !== "" && !(this.generated.get(path)?.has(valueText(encode(text))) ?? false);
  }
}

const ownPath = (path: string): string =>
  path.replace(/^infrastructure-manifests-secrets\/30_(manifests|openshift)_/, "$1/");

/** The value of a file as text; of what is not YAML the text. */
function valueText(data: Uint8Array): string {
  const values = valuesOf(data);
  const sorted = (value: Json): Json =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return values === undefined ? (decode(data) ?? "") : JSON.stringify(values.map(sorted));
}

for (const [index, rules] of [...RULES, undefined].entries())
  test(`histories of three working copies, ${rules === undefined ? "encrypted" : `rules ${index + 1}`}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 4, maxLength: 24 }),
        fc.boolean(),
        async (actions, crlf) => {
          const team = new Team(rules, crlf);
          await team.start();
          for (const each of actions) await team.act(each);
          await team.finish();
        },
      ),
      {
        includeErrorInReport: true,
        numRuns: Math.ceil(Number(process.env["SLIPWAY_TEAM_RUNS"] ?? runs(150)) / (RULES.length + 1)),
        // The same histories in every run; other seeds are for those who look for faults.
        seed: Number(process.env["SLIPWAY_TEAM_SEED"] ?? 20_270_115),
      },
    );
  });

test.run();
