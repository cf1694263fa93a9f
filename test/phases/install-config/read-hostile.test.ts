// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells are among the hostile texts
/** Hostile sizes and repetitions: a value or a problem, in bounded time, never a crash. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cpuMs } from "../../helpers/cpu.js";
import { configText, readConfig } from "../../helpers/install-config.js";

const test = suite("install-config hostile");

const MEGABYTE = 1 << 20;
const filled = (unit: string, size = MEGABYTE): string =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
const UNITS = [
  "a",
  "{",
  "{{",
  "${",
  "$(",
  "<a",
  "__A",
  "@A",
  "%A",
  "A_",
  ".",
  "\\",
  '"',
  '\\"',
  "'",
  "- ",
  "a: ",
  "[",
  "&a ",
  " ",
  "\t",
  "{%",
  "ssh-rsa ",
  "-----BEGIN A",
  "é",
  "😀",
  "0",
  "_",
  "!",
  "http://",
  "@",
  "eyJ",
];

/** The value in each style of writing that can hold it. */
const STYLES: readonly ((value: string) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => `'${value.replaceAll("'", "''")}'`,
  (value) => value,
  (value) => `|\n  ${value}`,
];

/** Reads a value in a field: something must come of it, and what is said of it stays short. */
function hold(field: string, value: string): void {
  const text = configText({ baseDomain: undefined, pullSecret: undefined, x: `${field}: ${value}` });
  const { read, diagnostics } = readConfig(text);
  assert.ok(read !== undefined || diagnostics.length > 0, `${field}: ${value.slice(0, 20)}`);
  for (const { message, hint, field: at } of diagnostics)
    assert.ok(message.length + hint.length + at.length < 1000, message.slice(0, 300));
}

test("much of anything in any field, written in any style", () => {
  for (const field of ["baseDomain", "pullSecret", "sshKey", "additionalTrustBundle", "fips", "unknown"])
    for (const unit of UNITS) for (const style of STYLES) hold(field, style(filled(unit, 4_000)));
});

test("a megabyte of what costs most, in bounded time", () => {
  for (const unit of ["${", "{%", "$(", '"', "\\", "<a", "- ", "ssh-rsa "]) {
    const took = cpuMs(() => hold("pullSecret", JSON.stringify(filled(unit))));
    assert.ok(took < 60_000, `${unit}: ${took} ms of CPU`);
  }
});

test("many lines, many keys, many aliases", () => {
  const cases = [
    filled("a:\n"),
    filled("- a\n"),
    filled("# c\n"),
    filled("\n"),
    filled("---\n"),
    filled("{{ x }}\n"),
    filled("EOF\n"),
    `pullSecret: x\n${filled("  y\n")}`,
    `pullSecret: 'x\n${filled("y: z\n")}`,
    Array.from({ length: 50_000 }, (_, i) => `k${i}: ${i}`).join("\n"),
    `a: *${"b".repeat(5000)}`,
    `${"k".repeat(1000)}: 1\n${"k".repeat(1000)}: 2`,
    `a: !!int ${filled("x")}`,
    `a: !${"t".repeat(5000)}! x`,
    `a: &a [b]\n${Array.from({ length: 20_000 }, (_, i) => `k${i}: *a`).join("\n")}`,
  ];
  for (const text of cases) {
    const took = cpuMs(() => {
      for (const { message } of readConfig(text).diagnostics)
        assert.ok(message.length < 1000, message.slice(0, 300));
    });
    assert.ok(took < 60_000, `${text.slice(0, 40)}: ${took} ms of CPU`);
  }
});

test.run();
