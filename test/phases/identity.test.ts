import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import { createIdentity, infraIDOf } from "../../src/phases/identity.js";
import { seededRandom } from "../helpers/inputs.js";
import { withShared } from "../helpers/shared.js";
import { readState } from "../helpers/upstream.js";

const test = suite("identity");
const random = seededRandom("identity");

const drawn = (name: string) => {
  const reporter = createReporter();
  const identity = createIdentity(name, {}, seededRandom(name), reporter.report);
  return { identity, codes: reporter.diagnostics.map(({ code, severity }) => `${severity} ${code}`) };
};

test("the name becomes the beginning of the infrastructure ID", () => {
  for (const [name, start] of [
    ["tern", "tern"],
    ["tern.sea", "tern-sea"],
    ["tern..sea", "tern-sea"],
    ["tern--sea", "tern-sea"],
    ["a_b.c", "a-b-c"],
    ["abcdefghijklmnopqrstu", "abcdefghijklmnopqrstu"],
    ["abcdefghijklmnopqrstuv", "abcdefghijklmnopqrstu"],
    ["abcdefghijklmnopqrst-uv", "abcdefghijklmnopqrst"],
    ["abcdefghijklmnopqrs.-uv", "abcdefghijklmnopqrs-u"],
    ["tern-", "tern"],
  ] as const)
    assert.match(infraIDOf(name, random), new RegExp(`^${start}-[bcdfghjklmnpqrstvwxz2456789]{5}$`));
});

test("a name that is cut is a warning, and only then", () => {
  assert.equal(drawn("abcdefghijklmnopqrstuv").codes, ["warning ID003"]);
  assert.equal(drawn("abcdefghijklmnopqrstu").codes, []);
});

test("an identity that is drawn has the right shape and can be given", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,50}[a-z0-9])?$/), fc.string(), (name, seed) => {
      const identity = createIdentity(name, {}, seededRandom(seed), () => undefined);
      assert.ok(identity !== undefined && identity.infraID.length <= 27);
      assert.match(
        identity.clusterID,
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      const reporter = createReporter();
      assert.equal(createIdentity(name, identity, random, reporter.report), identity);
      assert.equal(reporter.diagnostics, []);
    }),
  );
});

test("every character of the alphabet comes up, equally often", () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 2000; index++)
    for (const character of infraIDOf("a", random).slice(2))
      counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.is(counts.size, 27);
  for (const [character, count] of counts) assert.ok(count > 250 && count < 500, `${character}: ${count}`);
});

test("what is given is checked, all of it", () => {
  for (const [given, problems] of [
    [{ infraID: "tern-abcde" }, []],
    [{ infraID: "1tern" }, []],
    [{ infraID: "t".repeat(27) }, []],
    [{ infraID: "t".repeat(28) }, ["ID001 TooLong infraID"]],
    [{ infraID: "" }, ["ID001 Invalid infraID"]],
    [{ infraID: "Tern" }, ["ID001 Invalid infraID"]],
    [{ infraID: "tern-" }, ["ID001 Invalid infraID"]],
    [{ infraID: "-tern" }, ["ID001 Invalid infraID"]],
    [{ infraID: "te.rn" }, ["ID001 Invalid infraID"]],
    [{ infraID: "tern\n" }, ["ID001 Invalid infraID"]],
    [{ clusterID: "00000000-0000-0000-0000-000000000000" }, []],
    [{ clusterID: "00000000000000000000000000000000" }, ["ID002 Invalid clusterID"]],
    [{ clusterID: "0000000g-0000-0000-0000-000000000000" }, ["ID002 Invalid clusterID"]],
    [{ clusterID: "" }, ["ID002 Invalid clusterID"]],
    [{ infraID: "/", clusterID: "/" }, ["ID001 Invalid infraID", "ID002 Invalid clusterID"]],
  ] as const) {
    const reporter = createReporter();
    const identity = createIdentity("tern", given, random, reporter.report);
    assert.equal(
      reporter.diagnostics.map(({ code, kind, field }) => `${code} ${kind} ${field}`),
      problems,
    );
    assert.is(identity === undefined, problems.length > 0);
  }
});

test("a cluster ID in capitals is taken in small letters", () => {
  const clusterID = "ABCDEF00-0000-4000-8000-00000000000F";
  assert.is(
    createIdentity("tern", { clusterID }, random, () => undefined)?.clusterID,
    clusterID.toLowerCase(),
  );
});

withShared(test, "data/upstream-4.22/none-compact", "an identity of upstream can be given", (folder) => {
  const { infraID, clusterID } = readState(folder);
  const identity = { infraID, clusterID };
  assert.equal(
    createIdentity("gannet", identity, random, () => assert.unreachable()),
    identity,
  );
});

test.run();
