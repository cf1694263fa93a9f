/**
 * The simulator against a second, much simpler telling of the same rules, written from the design's text: whatever the
 * steps, both count the same.
 */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import { readScenario } from "../../src/storage/read/scenario.js";
import { simulate } from "../../src/storage/simulate.js";
import { HEAD } from "../helpers/compat.js";
import { everything, runs } from "../helpers/runs.js";

const test = suite("storage simulate against a model");

const FIRST = 19;
const LAST = 26;
const RESOURCE = "widgets.example.com";

/** v1beta1 is preferred in 1.19 and 1.20, supported in 1.21, migrated in 1.22 to 1.24, then ignored. */
function behavior(version: string, minor: number): string | undefined {
  if (version === "v1") return minor < 20 ? undefined : minor === 20 ? "supported" : "preferred";
  if (minor <= 20) return "preferred";
  return minor === 21 ? "supported" : minor <= 24 ? "actively-migrated" : "ignored";
}
const preferred = (minor: number): string => (minor <= 20 ? "v1beta1" : "v1");

const RESOURCES = `resources:
- group: example.com
  resource: widgets
  versions:
${["v1", "v1beta1"]
  .map((version) => {
    const minors = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
    const cells = minors.flatMap((minor) => {
      const cell = behavior(version, minor);
      return cell === undefined ? [] : [`"1.${minor}": ${cell}`];
    });
    return `  - {version: ${version}, behaviors: {${cells.join(", ")}}}\n`;
  })
  .join("")}`;

interface Step {
  readonly action: "run" | "stop" | "write" | "writeAll" | "delete" | "deleteAll" | "gate" | "etcd" | "list";
  readonly server: "a" | "b";
  readonly to: number;
  readonly crashAfter: number | undefined;
  readonly object: string;
  readonly on: boolean;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(
    ...(["run", "run", "run", "write", "write", "writeAll", "stop", "delete", "deleteAll"] as const),
    ...(["gate", "etcd", "list"] as const),
  ),
  server: fc.constantFrom("a" as const, "b" as const),
  to: fc.integer({ min: FIRST, max: LAST }),
  crashAfter: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined, freq: 3 }),
  object: fc.constantFrom("w1", "w2", "w3", "w4", "new"),
  on: fc.boolean(),
});

interface Held {
  version: string;
  fault: "conversion" | "read" | undefined;
  last: { from: string; to: string; by: string } | undefined;
}
const OBJECT: fc.Arbitrary<Omit<Held, "last">> = fc.record({
  version: fc.constantFrom("v1", "v1beta1", "v1beta1"),
  fault: fc.constantFrom(undefined, undefined, undefined, "conversion" as const, "read" as const),
});

function textOf(steps: readonly Step[], objects: readonly Omit<Held, "last">[]): string {
  const lines = steps.map(({ action, server, to, crashAfter, object, on }) => {
    switch (action) {
      case "run":
        return `action: restart, server: ${server}, release: "1.${to}"${crashAfter === undefined ? "" : `, crashAfter: ${crashAfter}`}`;
      case "stop":
        return `action: stop, server: ${server}`;
      case "write":
      case "delete":
        return `action: ${action}, server: ${server}, object: ${RESOURCE}/${object}`;
      case "writeAll":
        return `action: write, server: ${server}, object: ${RESOURCE}`;
      case "deleteAll":
        return `action: delete, server: ${server}, object: ${RESOURCE}`;
      case "list":
        return `action: list, object: ${RESOURCE}, on: ${on}`;
      default:
        return `action: ${action}, on: ${on}`;
    }
  });
  const list = objects.map(
    ({ version, fault }, i) =>
      `- {resource: ${RESOURCE}, name: w${i + 1}, version: ${version}${fault === undefined ? "" : `, fault: ${fault}`}}\n`,
  );
  // The last object is named although nothing has written it, so that steps may name it.
  return `${HEAD}kind: StorageScenario\npolicy: {maxUpgrade: 9, maxDowngrade: 9}\nservers: [{name: a, release: "1.20"}, {name: b, release: "1.21"}]\nobjects:\n${list.join("")}- {resource: ${RESOURCE}, name: new, version: v1}\n${RESOURCES}steps:\n${lines.map((line) => `- {${line}}\n`).join("")}`;
}

class Model {
  gate = true;
  etcd = true;
  lists = true;
  readonly servers = new Map<string, { minor: number; state: "running" | "stopped" | "crashed" }>([
    ["a", { minor: 20, state: "running" }],
    ["b", { minor: 21, state: "running" }],
  ]);
  readonly objects = new Map<string, Held>();
  count = { converted: 0, failedConversions: 0, failedReads: 0, fights: 0, crashed: false };

  constructor(objects: readonly Omit<Held, "last">[]) {
    for (const [i, each] of objects.entries()) this.objects.set(`w${i + 1}`, { ...each, last: undefined });
    this.objects.set("new", { version: "v1", fault: undefined, last: undefined });
  }

  names(): string[] {
    return [...this.objects.keys()].sort();
  }

  change(held: Held, to: string, by: string): void {
    const { last, version: from } = held;
    if (from === to) return;
    const [mine, other] = [this.servers.get(by), this.servers.get(last?.by ?? "")];
    const undone = last !== undefined && last.by !== by && last.from === to && last.to === from;
    if (undone && other?.state === "running" && other.minor !== mine?.minor) this.count.fights++;
    held.version = to;
    held.last = { from, to, by };
  }

  /** What GET answers. */
  get(name: string, minor: number): "found" | "not-found" | "error" {
    const held = this.objects.get(name);
    if (!this.etcd) return "error";
    if (held === undefined) return "not-found";
    const cell = behavior(held.version, minor);
    if (held.fault === "read" || cell === undefined) return "error";
    return cell === "ignored" ? "not-found" : "found";
  }

  list(minor: number): string[] | null {
    const answers = this.names().map((name) => ({ name, state: this.get(name, minor) }));
    if (!this.etcd || !this.lists || answers.some(({ state }) => state === "error")) return null;
    return answers.filter(({ state }) => state === "found").map(({ name }) => name);
  }

  play({ action, server: name, to, crashAfter, object, on }: Step): void {
    this.count = { converted: 0, failedConversions: 0, failedReads: 0, fights: 0, crashed: false };
    const server = this.servers.get(name);
    if (server === undefined) throw new Error(name);
    if (action === "gate" || action === "etcd") this[action] = on;
    if (action === "list") this.lists = on;
    if (action === "stop") server.state = "stopped";
    if (action === "run") {
      server.minor = to;
      server.state = "running";
      if (this.gate) this.migrate(name, server.minor, crashAfter);
      if (this.count.crashed) server.state = "crashed";
    }
    if (server.state !== "running" || !this.etcd) return;
    if (action === "write") this.write(object, name, server.minor);
    if (action === "writeAll") for (const each of this.names()) this.write(each, name, server.minor);
    if (action === "delete" && this.get(object, server.minor) === "found") this.objects.delete(object);
    if (action === "deleteAll") for (const each of this.list(server.minor) ?? []) this.objects.delete(each);
  }

  write(name: string, by: string, minor: number): void {
    const held = this.objects.get(name);
    if (held === undefined)
      this.objects.set(name, { version: preferred(minor), fault: undefined, last: undefined });
    else if (held.fault === undefined && this.get(name, minor) === "found")
      this.change(held, preferred(minor), by);
  }

  migrate(by: string, minor: number, crashAfter = Number.POSITIVE_INFINITY): void {
    if (!this.etcd || !this.lists) {
      this.count.failedReads = 1;
      this.count.crashed = crashAfter === 0;
      return;
    }
    for (const name of this.names()) {
      const held = this.objects.get(name);
      if (held === undefined) continue;
      if (held.fault === "read") this.count.failedReads++;
      else if (behavior(held.version, minor) !== "actively-migrated") continue;
      else if (held.fault === "conversion") this.count.failedConversions++;
      else if (this.count.converted >= crashAfter) break;
      else {
        this.change(held, preferred(minor), by);
        this.count.converted++;
      }
    }
    this.count.crashed = this.count.converted >= crashAfter;
  }

  after(): object {
    const all = [...this.servers.values()];
    const left = all.filter(({ state }) => state !== "stopped");
    const running = all.filter(({ state }) => state === "running");
    const cell = (name: string, minor: number) => behavior(this.objects.get(name)?.version ?? "", minor);
    return {
      ...this.count,
      toMigrate: this.names().filter((name) =>
        (left.length > 0 ? left : all).some(({ minor }) => cell(name, minor) === "actively-migrated"),
      ).length,
      lost: this.names().filter((name) =>
        running.some(({ minor }) => [undefined, "ignored"].includes(cell(name, minor))),
      ),
      lists: running.map(({ minor }) => this.list(minor)),
      gets: running.map(({ minor }) => this.names().map((name) => this.get(name, minor))),
    };
  }
}

test("gate, etcd and LIST off, crashes, deletions and two servers: every counter and every read is the model's", async () => {
  const seen = { fights: 0, lost: 0, crashes: 0, failures: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(STEP, { minLength: 1, maxLength: 14 }),
      fc.array(OBJECT, { maxLength: 4 }),
      async (steps, objects) => {
        const named = steps.filter(
          ({ action, object }) =>
            !["write", "delete"].includes(action) || object === "new" || Number(object[1]) <= objects.length,
        );
        const { report, diagnostics } = createReporter();
        const scenario = readScenario(textOf(named, objects), "s.yaml", undefined, report);
        if (scenario === undefined || diagnostics.some(({ severity }) => severity === "error"))
          throw new Error(JSON.stringify(diagnostics));
        const result = await simulate(scenario, report);
        const model = new Model(objects);
        for (const [i, step] of named.entries()) {
          model.play(step);
          const found = result.steps[i + 1];
          if (found === undefined) throw new Error(`no step ${i + 1}`);
          const { converted, failedConversions, failedReads, fights, crashed, toMigrate, lost, reads } =
            found;
          assert.equal(
            {
              ...{ converted, failedConversions, failedReads, fights, crashed, toMigrate },
              lost: lost.map((key) => key.slice(RESOURCE.length + 1)),
              lists: reads.map(({ list }) => list),
              gets: reads.map(({ get }) => Object.values(get)),
            },
            model.after(),
            JSON.stringify(step),
          );
          seen.fights += fights;
          seen.lost += lost.length;
          seen.crashes += Number(crashed);
          seen.failures += failedReads + failedConversions;
        }
        assert.equal(
          result.stored.map(({ object, storedVersion }) => `${object} ${storedVersion}`),
          model.names().map((name) => `${RESOURCE}/${name} ${model.objects.get(name)?.version}`),
        );
      },
    ),
    { numRuns: runs(1200) },
  );
  // What never happens proves nothing.
  for (const [what, times] of Object.entries(seen))
    assert.ok(times > (everything ? 20 : 0), `${what}: ${times}`);
});

test.run();
