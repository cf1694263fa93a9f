/**
 * A file that a flag names and that holds something wrong: what is said of it is said of that file, and what would be
 * right is not the flag again, which was given.
 */
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Diagnostic } from "../../src/core/diagnostics.js";
import { tempFolder } from "../helpers/temp.js";
import { answer } from "./answer.js";
import { lay, STDIN, type Unit, unitsIn } from "./command-lines.js";

const test = suite("named-files");
process.env["SOURCE_DATE_EPOCH"] = "1800000000";
const folder = tempFolder();
const units = await unitsIn(join(folder, "units"));

const DAMAGES: readonly (readonly [name: string, damage: (data: Buffer) => Buffer])[] = [
  ["prose", () => Buffer.from("hello\n")],
  ["cut off", (data) => data.subarray(0, Math.floor(data.length / 2))],
  ["not text", (data) => Buffer.concat([data.subarray(0, 40), Buffer.from([0xff, 0xfe]), data.subarray(40)])],
];

/** The flags of a unit that name files of its tree, each with the file. */
const namedFiles = ({ words, tree }: Unit): readonly (readonly [flag: string, file: string])[] =>
  words.flatMap((word, i) => {
    const file = words[i + 1];
    const isInput = word.startsWith("--") && word !== "--objects-out";
    return isInput && file !== undefined && tree.has(file) ? [[word, file] as const] : [];
  });

const commandOf = ({ words }: Unit): string =>
  words
    .filter((word) => /^[a-z-]+$/.test(word))
    .slice(0, 2)
    .join(" ");

const seen = new Set<string>();
const cases = units.flatMap((unit) =>
  namedFiles(unit).flatMap(([flag, file]) => {
    const name = `${commandOf(unit)} ${flag}`;
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ unit, flag, file, name }];
  }),
);

test("every kind of file is among them", () => {
  assert.ok(cases.length > 40, String(cases.length));
});

/** What a run says, by its json answers: one a line where there are several. */
async function diagnosticsOf(unit: Unit, tree: ReadonlyMap<string, Buffer>): Promise<readonly Diagnostic[]> {
  const place = join(folder, "run");
  lay(tree, place);
  const words = unit.words.includes("--output") ? unit.words : [...unit.words, "--output", "json"];
  const { stdout } = await answer(words, place, tree.get(STDIN));
  return texts(stdout).flatMap((text) => {
    const { diagnostics = [] }: { readonly diagnostics?: readonly Diagnostic[] } = JSON.parse(text);
    return diagnostics;
  });
}

/** The json documents of an answer. */
function texts(stdout: string): readonly string[] {
  if (!stdout.startsWith("{")) return [];
  return stdout.startsWith("{\n") ? [stdout] : stdout.trim().split("\n");
}

/** What the two halves of an input contradict each other in may be said of either. */
const OF_BOTH = /^(?:transfer|storage behaviors|generate storage-behaviors)\b/;

for (const { unit, flag, file, name } of cases)
  test(`${name} ${file}`, async () => {
    const sound = new Set((await diagnosticsOf(unit, unit.tree)).map(({ message }) => message));
    const own = unit.tree.get(file) ?? Buffer.alloc(0);
    for (const [how, damage] of DAMAGES) {
      const found = await diagnosticsOf(unit, new Map([...unit.tree, [file, damage(own)]]));
      const errors = found.filter(({ severity, message }) => severity === "error" && !sound.has(message));
      const ofFile = errors.filter((each) => each.file === file);
      if (errors.length > 0 && file !== STDIN && !OF_BOTH.test(name))
        assert.ok(
          ofFile.length > 0,
          `${how}: ${errors.map((each) => `${each.file}: ${each.message}`).join("\n")}`,
        );
      for (const { message, hint } of ofFile)
        assert.not.match(hint, new RegExp(`(?<!leave )${flag} [A-Z]`), `${how}: ${message}`);
    }
  });

test.run();
