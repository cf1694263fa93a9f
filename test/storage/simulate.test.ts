import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import { readBehaviors } from "../../src/storage/read/behaviors.js";
import { readScenario } from "../../src/storage/read/scenario.js";
import { simulate } from "../../src/storage/simulate.js";
import type { SimulationResult } from "../../src/storage/simulation-result.js";
import { HEAD } from "../helpers/compat.js";
import { runs } from "../helpers/runs.js";

const test = suite("storage simulate");

/** v1beta1 is preferred up to 1.20, supported in 1.21, migrated in 1.22 to 1.24, ignored from 1.25 on. */
const RESOURCES = `resources:
- group: example.com
  resource: widgets
  versions:
  - version: v1
    behaviors: {"1.20": supported, "1.21": preferred, "1.22": preferred, "1.23": preferred, "1.24": preferred, "1.25": preferred, "1.26": preferred}
  - version: v1beta1
    behaviors: {"1.19": preferred, "1.20": preferred, "1.21": supported, "1.22": actively-migrated, "1.23": actively-migrated, "1.24": actively-migrated, "1.25": ignored, "1.26": ignored}
- group: ""
  resource: gadgets
  versions:
  - version: v2
    behaviors: {"1.20": supported, "1.21": preferred, "1.22": preferred, "1.23": preferred, "1.24": preferred, "1.25": preferred, "1.26": preferred}
  - version: v1
    behaviors: {"1.19": preferred, "1.20": preferred, "1.21": supported, "1.22": actively-migrated, "1.23": actively-migrated, "1.24": actively-migrated, "1.25": ignored, "1.26": ignored}
`;

const scenarioText = (steps: readonly string[], more = "", objects = "w1 w2 w3"): string =>
  `${HEAD}kind: StorageScenario\nthrottle: 2\n${more}servers: [{name: a, release: "1.20"}]\nobjects:\n${objects
    .split(" ")
    .filter(Boolean)
    .map((each) => {
      const [name, fault] = each.split(":");
      const gadget = name?.startsWith("g") === true;
      return `- {resource: ${gadget ? "gadgets" : "widgets.example.com"}, namespace: d, name: ${name}, version: ${gadget ? "v1" : "v1beta1"}${fault === undefined ? "" : `, fault: ${fault}`}}\n`;
    })
    .join("")}${RESOURCES}steps:\n${steps.map((step) => `- {${step}}\n`).join("")}`;

async function play(
  ...args: Parameters<typeof scenarioText>
): Promise<SimulationResult & { readonly warnings: string[] }> {
  const { report, diagnostics } = createReporter();
  const scenario = readScenario(scenarioText(...args), "s.yaml", undefined, report);
  if (scenario === undefined || diagnostics.some(({ severity }) => severity === "error"))
    throw new Error(JSON.stringify(diagnostics));
  const result = await simulate(scenario, report);
  return { ...result, warnings: diagnostics.map(({ code }) => code) };
}

const up = (release: string, more = ""): string => `action: upgrade, release: "${release}"${more}`;
const versions = ({ stored }: SimulationResult): string =>
  stored.map(({ object, storedVersion }) => `${object.split("/").at(-1)}=${storedVersion}`).join(" ");
const step = (result: SimulationResult, i: number) => {
  const found = result.steps[i];
  if (found === undefined) throw new Error(`no step ${i}`);
  return found;
};

test("one release at a time: supported leaves objects alone, actively migrated rewrites them under the throttle", async () => {
  const result = await play([up("1.21"), up("1.22")]);
  assert.is(step(result, 1).converted, 0);
  assert.is(step(result, 2).converted, 3);
  // Three writes at two a second: the third begins one second after the first.
  assert.is(step(result, 2).migrationSeconds, 1);
  assert.is(versions(result), "w1=v1 w2=v1 w3=v1");
  assert.equal(result.lost, []);
  assert.equal(step(result, 2).reads[0]?.list, ["d/w1", "d/w2", "d/w3"]);
});

test("the jump of the design's own numbers: lost to LIST and GET, still in etcd", async () => {
  const result = await play([up("1.21"), up("1.25")], "", "w1");
  assert.equal(result.lost, [
    {
      object: "widgets.example.com/d/w1",
      storedVersion: "v1beta1",
      behavior: "ignored",
      step: 2,
      server: "a",
      release: "1.25",
      recovered: false,
    },
  ]);
  assert.equal(step(result, 2).reads[0]?.list, []);
  assert.equal(step(result, 2).reads[0]?.get, { "d/w1": "not-found" });
  assert.is(versions(result), "w1=v1beta1");
});

test("a downgrade brings back what was ignored", async () => {
  const result = await play([up("1.21"), up("1.25"), 'action: downgrade, release: "1.24"'], "", "w1");
  assert.is(result.lost[0]?.recovered, true);
  assert.is(versions(result), "w1=v1");
});

test("killed in the middle, the server goes on where it was", async () => {
  const result = await play([up("1.22", ", crashAfter: 1"), "action: restart"]);
  assert.is(step(result, 1).crashed, true);
  assert.is(step(result, 1).converted, 1);
  assert.equal(step(result, 1).reads, []);
  assert.is(step(result, 2).converted, 2);
  assert.equal(
    step(result, 2)
      .rewritten.map(({ object }) => object.at(-1))
      .join(""),
    "23",
  );
});

test("a failed conversion and an unreadable object stop nothing else", async () => {
  const result = await play(
    [up("1.22"), up("1.23"), "action: repair, object: widgets.example.com/d/w1", "action: restart"],
    "",
    "w1:conversion w2:read w3 g1",
  );
  assert.is(step(result, 1).failedConversions, 1);
  assert.is(step(result, 1).failedReads, 1);
  assert.is(step(result, 1).converted, 2);
  assert.match(
    step(result, 1).reads.find(({ resource }) => resource === "widgets.example.com")?.error ?? "",
    "d/w2 cannot be read",
  );
  assert.equal(step(result, 1).reads.find(({ resource }) => resource === "gadgets")?.list, ["d/g1"]);
  assert.is(step(result, 4).converted, 1);
  assert.equal(result.toMigrate, [{ object: "widgets.example.com/d/w2", storedVersion: "v1beta1" }]);
});

test("one type's LIST fails: the other type is migrated", async () => {
  const result = await play(["action: list, object: gadgets, on: false", up("1.22")], "", "w1 g1");
  assert.is(step(result, 2).failedReads, 1);
  assert.is(versions(result), "g1=v1 w1=v1");
  assert.is(step(result, 2).reads.find(({ resource }) => resource === "gadgets")?.list, null);
});

test("etcd away: the server starts, every read fails, and the next start migrates", async () => {
  const result = await play(
    [
      "action: etcd, on: false",
      up("1.22"),
      "action: write, object: widgets.example.com",
      "action: etcd, on: true",
      "action: restart",
    ],
    "",
    "w1 g1",
  );
  assert.is(step(result, 2).failedReads, 2);
  assert.is(step(result, 3).failures[0]?.why, "etcd is not available");
  assert.is(step(result, 5).converted, 2);
  assert.equal(result.lost, []);
});

test("with the gate off nothing is migrated, client writes aside", async () => {
  const result = await play(
    [
      up("1.22"),
      "action: write, object: widgets.example.com/d/w1",
      "action: gate, on: true",
      "action: restart",
    ],
    "gate: false\n",
  );
  assert.is(step(result, 1).converted, 0);
  assert.is(step(result, 1).migrationSeconds, null);
  assert.is(step(result, 1).toMigrate, 3);
  assert.equal(step(result, 2).rewritten, [
    { object: "widgets.example.com/d/w1", from: "v1beta1", to: "v1", by: "client" },
  ]);
  assert.is(step(result, 4).converted, 2);
});

test("two servers: one release of supported avoids a fight, a longer distance does not", async () => {
  const steps = (release: string): string[] => [
    `action: start, server: b, release: "${release}"`,
    "action: write, server: a, object: widgets.example.com",
    "action: restart, server: b",
    "action: write, server: a, object: widgets.example.com",
  ];
  const near = await play(steps("1.21"), "", "w1");
  assert.is(
    near.steps.reduce((sum, { fights }) => sum + fights, 0),
    0,
  );
  const far = await play(steps("1.22"), "", "w1");
  assert.equal(
    far.steps.map(({ fights }) => fights),
    [0, 0, 1, 1, 1],
  );
});

test("an older server cannot read what it does not know, and its whole LIST fails", async () => {
  const result = await play(
    [
      'action: start, server: b, release: "1.21"',
      "action: write, server: b, object: widgets.example.com/d/w1",
      'action: downgrade, server: a, release: "1.19"',
    ],
    "",
  );
  const old = step(result, 3).reads.find(({ server }) => server === "a");
  assert.is(old?.list, null);
  assert.match(old?.error ?? "", "d/w1 is stored as v1, which is unknown to 1.19");
  assert.equal(old?.get, { "d/w1": "error", "d/w2": "found", "d/w3": "found" });
  assert.is(result.lost[0]?.behavior, null);
});

test("a jump beyond the policy is played, with a warning", async () => {
  assert.equal((await play([up("1.25")])).warnings, ["STO054"]);
  assert.equal((await play([up("1.25")], "policy: {maxUpgrade: 5}\n")).warnings, []);
});

test("a server that is started anew comes to the storage of the others: its jump counts too", async () => {
  const start = (name: string, release: string) => `action: start, server: ${name}, release: "${release}"`;
  assert.equal((await play([start("b", "1.25")])).warnings, ["STO054"]);
  assert.equal((await play([start("b", "1.24")])).warnings, []);
  assert.equal((await play([start("a", "1.25")])).warnings, ["STO054"]);
  assert.equal((await play(["action: stop", start("b", "1.25")])).warnings, ["STO054"]);
});

test("clients delete what they see, through a server that runs and an etcd that answers", async () => {
  const all = "action: delete, object: widgets.example.com";
  const one = `${all}/d/w1`;
  assert.is(versions(await play([one])), "w2=v1beta1 w3=v1beta1");
  assert.is(versions(await play([all])), "");
  const why = async (steps: readonly string[], objects = "w1 w2") => {
    const result = await play(steps, "", objects);
    assert.is(result.stored.length, 2);
    return result.steps.at(-1)?.failures.map((each) => each.why);
  };
  assert.equal(await why(["action: stop", one]), ["the server is not running"]);
  assert.equal(await why(["action: etcd, on: false", all]), ["etcd is not available"]);
  assert.equal(await why(["action: etcd, on: false", one]), ["etcd is not available"]);
  assert.equal(await why([up("1.21"), up("1.25"), one]), ["the object does not exist"]);
  assert.equal(await why([one], "w1:read w2"), ["d/w1 cannot be read"]);
  assert.equal(await why([all], "w1:read w2"), ["d/w1 cannot be read"]);
  assert.equal(await why(["action: list, object: widgets.example.com, on: false", all]), ["the LIST fails"]);
  assert.equal(await why(["action: write, object: widgets.example.com/d/w1"], "w1:read w2"), [
    "the object cannot be read",
  ]);
});

test("shown again is what a running server finds: neither what was deleted nor what nobody serves", async () => {
  const lost = [up("1.21"), up("1.25")];
  const recovered = async (...steps: string[]) =>
    (await play([...lost, ...steps], "", "w1")).lost.map((each) => each.recovered);
  assert.equal(await recovered(), [false]);
  assert.equal(await recovered("action: stop"), [false]);
  assert.equal(await recovered('action: downgrade, release: "1.24"'), [true]);
  assert.equal(await recovered('action: downgrade, release: "1.24"', "action: etcd, on: false"), [false]);
  assert.equal(
    await recovered('action: downgrade, release: "1.24"', "action: delete, object: widgets.example.com/d/w1"),
    [false],
  );
});

test("a server that crashed still has its objects to migrate; one that was stopped beside another has none", async () => {
  const crashed = await play([up("1.22", ", crashAfter: 1")]);
  assert.is(step(crashed, 1).toMigrate, 2);
  assert.equal(
    crashed.toMigrate.map(({ object }) => object.at(-1)),
    ["2", "3"],
  );
  const stopped = await play(["action: gate, on: false", up("1.22"), "action: stop"]);
  assert.is(stopped.toMigrate.length, 3);
  const replaced = await play([
    "action: gate, on: false",
    up("1.22"),
    'action: start, server: b, release: "1.21"',
    "action: stop, server: a",
  ]);
  assert.is(replaced.toMigrate.length, 0);
});

test("killed at the last object, at none, and never", async () => {
  const play1 = async (crashAfter: number, release = "1.22", more = "") => {
    const result = await play([up(release, `, crashAfter: ${crashAfter}`)], more);
    return [step(result, 1).converted, step(result, 1).crashed, result.warnings];
  };
  assert.equal(await play1(3), [3, true, []]);
  assert.equal(await play1(0), [0, true, []]);
  assert.equal(await play1(0, "1.21"), [0, true, []]);
  assert.equal(await play1(4), [3, false, ["STO055"]]);
  assert.equal(await play1(1, "1.22", "gate: false\n"), [0, false, ["STO055"]]);
});

test("a member that an action does not take has no effect, and is said", async () => {
  for (const each of [
    "action: stop, release: '1.22'",
    "action: gate, on: true, server: a",
    "action: write, object: widgets.example.com, crashAfter: 1",
    "action: read, object: gadgets",
    "action: restart, on: true",
  ])
    assert.equal((await play([each])).warnings, ["STO055"], each);
});

test("reads are of the resources that the scenario names, with any name", async () => {
  const result = await play(["action: write, object: widgets.example.com/__proto__"], "", "w1");
  assert.equal(
    step(result, 1).reads.map(({ resource }) => resource),
    ["widgets.example.com"],
  );
  assert.equal(Object.entries(step(result, 1).reads[0]?.get ?? {}), [
    ["__proto__", "found"],
    ["d/w1", "found"],
  ]);
});

test("three servers in a row: every write of the oldest is taken back once by each start of the newest", async () => {
  const result = await play(
    [
      'action: start, server: b, release: "1.22"',
      'action: start, server: c, release: "1.21"',
      "action: write, server: a, object: widgets.example.com/d/w1",
      // Taken back by a client through c, then a again, then by the migration of b.
      "action: write, server: c, object: widgets.example.com/d/w1",
      "action: write, server: a, object: widgets.example.com/d/w1",
      "action: restart, server: b",
      // Without the old server nobody writes v1beta1 again.
      "action: stop, server: a",
      "action: write, server: c, object: widgets.example.com/d/w1",
      "action: restart, server: b",
    ],
    "",
    "w1",
  );
  assert.equal(
    result.steps.map(({ fights }) => fights),
    [0, 0, 0, 1, 1, 1, 1, 0, 0, 0],
  );
  assert.is(versions(result), "w1=v1");
});

test("a policy of the scenario makes the table that follows from lifecycles", () => {
  const { report, diagnostics } = createReporter();
  const asked: number[] = [];
  const text = (more: string) => `${HEAD}kind: StorageScenario\n${more}steps: [{action: read}]\n`;
  const given = readBehaviors(`${HEAD}kind: StorageBehaviors\n${RESOURCES}`, "t.yaml", report)?.table;
  if (given === undefined) throw new Error(JSON.stringify(diagnostics));
  const read = (more: string) =>
    readScenario(
      text(more),
      "s.yaml",
      ({ durations }) => {
        asked.push(durations.migrated);
        return given;
      },
      report,
    );
  read("");
  read("policy: {migrated: 5}\n");
  assert.equal(asked, [3, 5]);
  assert.equal(diagnostics, []);
  read(RESOURCES);
  assert.equal(
    diagnostics.map(({ code, field }) => `${code} ${field}`),
    ["TAB012 resources"],
  );
});

test("bad input: all of it at once, each where it stands, with what was meant", () => {
  const { report, diagnostics } = createReporter();
  const text = `${HEAD}kind: StorageScenario
servers:
- name: old
  release: "1.20"
objects:
- resource: widget.example.com
  name: w1
  version: v1
- resource: widgets.example.com
  name: w2
  version: v1beta
- resource: widgets.example.com
  name: a/b
  version: v1
${RESOURCES}steps:
- action: upgrade
  release: "1.19"
- action: upgrade
  server: odl
  release: "1.21"
- action: delete
  object: widgets.example.com/w22
- action: write
  object: widgets.example.com/a/b/c
- action: list
  object: widgets.example.com/w2
  on: false
`;
  readScenario(text, "s.yaml", undefined, report);
  const lines = text.split("\n");
  const at = (line: string): number => lines.indexOf(line) + 1;
  assert.equal(
    diagnostics.map(({ line, column, field, hint }) => [line, column, field, hint]),
    [
      [at("- resource: widget.example.com"), 13, "objects[0].resource", "did you mean widgets.example.com?"],
      [at("  version: v1beta"), 12, "objects[1].version", "did you mean v1beta1?"],
      [at("  name: a/b"), 9, "objects[2].name", "use a name without a slash"],
      [at('  release: "1.19"'), 12, "steps[0].release", "use a later release"],
      [at("  server: odl"), 11, "steps[1].server", "did you mean old?"],
      [
        at("  object: widgets.example.com/w22"),
        11,
        "steps[2].object",
        "did you mean widgets.example.com/w2?",
      ],
      [
        at("  object: widgets.example.com/a/b/c"),
        11,
        "steps[3].object",
        "use resource.group/namespace/name, or resource.group for all of its objects",
      ],
      [at("  object: widgets.example.com/w2"), 11, "steps[4].object", "use widgets.example.com"],
    ],
  );
});

test("two preferred versions in one release, or none, are no behaviours to play", () => {
  for (const [from, to] of [
    ['"1.21": supported', '"1.21": preferred'],
    ['"1.19": preferred, ', '"1.19": supported, '],
  ] as const) {
    const { report, diagnostics } = createReporter();
    readScenario(scenarioText([]).replace(from, to), "s.yaml", undefined, report);
    assert.equal(
      diagnostics.map(({ code }) => code),
      ["STO001"],
    );
  }
});

test("bad input: positions and rule names", () => {
  for (const [step_, expected] of [
    ["action: upgrade, server: z, release: '1.22'", "STO050 15 S1 servers: z was never started"],
    [
      "action: write, object: things.example.com/d/x",
      "STO051 15 S2 objects: the behaviors do not contain resource things.example.com",
    ],
    [
      "action: delete, object: widgets.example.com/d/x",
      "STO051 15 S2 objects: widgets.example.com/d/x does not exist",
    ],
    ["action: upgrade, release: '1.40'", "STO052 15 S3 releases: the behaviors do not contain 1.40"],
    ["action: restart, crashAfter: -1", "STO053 15 S4 numbers: invalid value -1: must be 0 or more"],
    ["action: jump", 'TAB004 15 unsupported value "jump"'],
    ["action: etcd", "TAB003 15 required value is missing (steps[0].on)"],
  ] as const) {
    const { report, diagnostics } = createReporter();
    readScenario(scenarioText([step_], "", ""), "s.yaml", undefined, report);
    const start = scenarioText([step_], "", "").split("\n").indexOf(`- {${step_}}`) + 1;
    assert.match(
      diagnostics.map(({ code, line, field, message }) => `${code} ${line} ${message} (${field})`).join("\n"),
      expected.replace(" 15 ", ` ${start} `),
    );
  }
});

const STEPS = fc.oneof(
  fc.record({
    kind: fc.constant("move"),
    to: fc.integer({ min: 19, max: 26 }),
    crash: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constantFrom("write", "restart"), to: fc.constant(0), crash: fc.constant(undefined) }),
);

test("whatever happens, no object leaves etcd, and what is complete and near is never lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEPS, { maxLength: 10 }), async (moves) => {
      let at = 20;
      let near = true;
      let down = false;
      const steps = moves.map(({ kind, to, crash }) => {
        if (kind === "write") return "action: write, object: widgets.example.com";
        if (kind === "restart" || to === at) {
          down = false;
          return "action: restart";
        }
        const forward = to > at;
        // Jumps of at most three, the releases that migrate; down to where v1 is known; and no migration cut short.
        if (to - at > 3 || to < 20 || crash !== undefined || down) near = false;
        at = to;
        down = crash !== undefined;
        return `action: ${forward ? "upgrade" : "downgrade"}, release: "1.${to}"${crash === undefined ? "" : `, crashAfter: ${crash}`}`;
      });
      const result = await play(steps, "policy: {maxUpgrade: 9, maxDowngrade: 9}\n");
      assert.is(result.stored.length, 3);
      for (const { lost, reads } of result.steps)
        for (const { list, resource } of reads)
          if (list !== null && resource === "widgets.example.com") assert.is(list.length + lost.length, 3);
      if (near) assert.equal(result.lost, []);
    }),
    { numRuns: runs(200) },
  );
});

test.run();
