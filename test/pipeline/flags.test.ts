import { test } from "uvu";
import * as assert from "uvu/assert";
import schema from "../../schemas/inputs/cluster-function.schema.json" with { type: "json" };
import { GROUPS, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import type { Flag } from "../../src/core/flags.js";
import { FLAGS, RECORDED } from "../../src/pipeline/flags.js";
import { effectiveFlags, ownOptions, recordedOptions } from "../../src/pipeline/options.js";

interface Property {
  readonly description: string;
  readonly enum?: readonly string[];
}

const rows = Object.entries(FLAGS);
const spec: Readonly<Record<string, Property>> = schema.properties.spec.properties;
const inputs: Readonly<Record<string, Property>> = schema.properties.spec.properties.inputs.properties;
/** Members of `spec` that stand for no flag. */
const NO_FLAGS = ["phase", "directory", "files", "inputs", "sharedObjects"];

for (const [where, properties] of [
  ["spec", spec],
  ["inputs", inputs],
] as const) {
  test(`the ${where} of the function has a member for each row that says so, with its words`, () => {
    const taken = rows.filter(([, each]) => "function" in each && each.function === where);
    assert.equal(
      Object.keys(properties)
        .filter((name) => !NO_FLAGS.includes(name))
        .sort(),
      taken.map(([member]) => member).sort(),
    );
    for (const [member, { name, ...flag }] of taken) {
      assert.match(properties[member]?.description ?? "", `--${name}`);
      assert.equal(properties[member]?.enum, "choices" in flag ? flag.choices : undefined, member);
    }
  });
}

test("a flag of several commands is one flag", () => {
  const commands = [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands: each }) => each)];
  const seen = new Map<string, Flag<unknown>>();
  for (const [, row] of rows) {
    assert.not.ok(seen.has(row.name), `${row.name} has two rows`);
    seen.set(row.name, row);
  }
  for (const path of ["create manifests", "create ignition-configs", "check", "validate"])
    for (const flag of commands.find((each) => each.path === path)?.flags ?? [])
      assert.ok([undefined, flag].includes(seen.get(flag.name)), `${path} --${flag.name}`);
  assert.equal(
    commands.filter(({ path }) => path.startsWith("create ")).map(({ flags }) => flags.includes(FLAGS.renew)),
    [false, false, false, false, true, true, false, false, false, false, false, false],
  );
});

/** A value that is not the default, as the command line hands it over. */
function sampleOf({ kind, choices }: Flag<unknown>): string | boolean | readonly string[] {
  if (kind === "switch") return true;
  const word = choices?.at(-1) ?? "word";
  return kind === "list" ? [word, "another"] : word;
}

test("what was recorded is what is read again, of every flag that is remembered", () => {
  const given = Object.fromEntries(RECORDED.map((each) => [each, FLAGS[each].read(sampleOf(FLAGS[each]))]));
  const options = recordedOptions(given, {});
  assert.equal(Object.keys(options).sort(), RECORDED.map((each) => FLAGS[each].name).sort());
  const kept = Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  assert.equal(effectiveFlags({}, kept), given);
});

test("a recorded word that the flag does not take counts as not given", () => {
  const options = {
    contract: "v1",
    secrets: true,
    "data-secrets": "yes",
    namespace: "",
    "age-recipient": "a,,b",
  };
  const { contract, secrets, dataSecrets, namespace, ageRecipients } = effectiveFlags({}, options);
  assert.equal(
    [contract, secrets, dataSecrets, namespace, ageRecipients],
    [undefined, undefined, undefined, undefined, ["a", "b"]],
  );
});

test("a switch is taken back by its own flag", () => {
  assert.is(effectiveFlags({ lenient: false }, { lenient: true }).lenient, false);
  assert.equal(recordedOptions({ lenient: false }, {}), { lenient: false });
  assert.equal(recordedOptions({}, {}), {});
});

test("the place of a file of one person is in the working copy alone; a clone knows of credentials", () => {
  const data = new Uint8Array();
  const files = {
    facts: { path: "facts.yaml", data, isShared: true },
    "pull-secret": { path: "../pull", data, isShared: false },
    credentials: { path: "../aws", data, isShared: false },
  };
  assert.equal(recordedOptions({}, files), {
    facts: "facts.yaml",
    "pull-secret": undefined,
    credentials: true,
  });
  assert.equal(ownOptions(files, { facts: "old", templates: "t" }), {
    templates: "t",
    "pull-secret": "../pull",
    credentials: "../aws",
  });
});

test.run();
