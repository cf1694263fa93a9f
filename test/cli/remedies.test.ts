/** Every command of slipway that a message, remedy or page names is there, with the flags that it is named with. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GROUPS, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import { GLOBAL_FLAGS } from "../../src/cli/flags.js";

const test = suite("commands in remedies");

const commands = new Map(
  [...SINGLE_COMMANDS, ...GROUPS.flatMap((group) => group.commands)].map((each) => [each.path, each]),
);
const groups = new Set(GROUPS.map(({ word }) => word));

/** A command as a text names it: its words, then flags until something that is part of no command line. */
const MENTION =
  /\bslipway ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?((?: +(?:--[a-z][a-z-]*(?:[ =](?:[A-Z][A-Za-z/.-]*|\$\{[^}]*\}|[a-z./-]+))?|[A-Z]{2,}))*)/g;

function faultsOf(text: string): string[] {
  return [...text.matchAll(MENTION)].flatMap(([whole, first = "", second = "", rest = ""]) => {
    const command = commands.get(`${first} ${second}`) ?? commands.get(first);
    if (command === undefined)
      return groups.has(first) && second !== "" && !PROSE.has(second) ? [`${whole}: no such command`] : [];
    const known = new Set(
      [...command.flags, ...GLOBAL_FLAGS].flatMap(({ name, alias }) => [`--${name}`, `--${alias ?? name}`]),
    ).add("--help");
    return [...rest.matchAll(/--[a-z][a-z-]*/g)]
      .filter(([flag]) => !known.has(flag))
      .map(([flag]) => `${whole}: ${command.path} has no ${flag}`);
  });
}

/** Words that follow the name of a group in a sentence. */
const PROSE: ReadonlySet<string> = new Set([
  "and",
  "or",
  "is",
  "of",
  "for",
  "with",
  "has",
  "to",
  "the",
  "commands",
]);

const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending) && !file.includes("generated"))
    .map((file) => join(folder, file));

test("a command that is not there, and a flag that a command does not have, are found", () => {
  assert.equal(faultsOf("slipway create manifest --dir D"), [
    "slipway create manifest --dir D: no such command",
  ]);
  assert.equal(faultsOf("run slipway check --renew"), ["slipway check --renew: check has no --renew"]);
  assert.equal(
    faultsOf("write each document to its own file: slipway create manifests --split-documents"),
    [],
  );
  assert.equal(faultsOf("what slipway knows"), []);
});

for (const [folder, ending] of [
  ["src", ".ts"],
  ["docs", ".md"],
] as const)
  test(`those of ${folder}/ can be run`, () => {
    const files = filesBelow(folder, ending);
    const faults = files.flatMap((file) =>
      faultsOf(readFileSync(file, "utf8")).map((each) => `${file}: ${each}`),
    );
    assert.ok(files.length > 5);
    assert.equal(faults, []);
  });

test.run();
