/**
 * What reads or hides texts takes a time that grows with them: twice the text, about twice the work. Texts are made of
 * one unit over and over, behind what lets an expression begin, with an end that fits nothing, which is what expressions
 * that try everything twice are slow at. Compared are two sizes of one text, in time of the processor, the best of some
 * tries; what is done within a few milliseconds is too quick to be of a higher order.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { trim } from "../../src/compatibility/flags.js";
import { withoutEnd } from "../../src/core/trim.js";
import { pemBlocks } from "../../src/pki/pem.js";
import { bundleFault, uselessCertificates } from "../../src/pki/trust-bundle.js";
import { pemBlocks as platformBlocks } from "../../src/platforms/pem-blocks.js";
import { redactText } from "../../src/text/redact.js";
import { redactorFor } from "../../src/text/redactor.js";
import { terminalText } from "../../src/text/terminal.js";
import { readYaml } from "../../src/text/yaml-read.js";
import { writeYaml } from "../../src/text/yaml-write.js";

const test = suite("growth");

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  redactText,
  redactorFor: (text) => redactorFor(text).text("x"),
  terminalText,
  trim,
  withoutEnd: (text) => withoutEnd(text, " \t"),
  "PEM of platforms": platformBlocks,
  PEM: pemBlocks,
  bundleFault,
  uselessCertificates: (text) => uselessCertificates(text, new Date(0)),
  readYaml: (text) => readYaml(text, "x"),
  writeYaml: (text) => writeYaml({ a: text }),
};

const UNITS: readonly string[] = [
  ..." \t\n-:\"'\\@[{#|?%0aG.",
  "- ",
  "\n ",
  "a\n",
  "a:",
  "a=",
  "a: ",
  "{a: ",
  "- - ",
  "&a ",
  "*a ",
  "!!x ",
  "://",
  "//a:",
  "a:b@",
  "A://A",
  "?sig=",
  "eyJ-",
  "eyJaaaaaaaaaa.",
  "data:,",
  "ssh-rsa ",
  "ssh-rsa AAAA ",
  "$2a$",
  "Bearer ",
  "-----BEGIN A-----\n",
  "-----BEGIN A-----\n-----END B-----\n",
  "-----BEGIN RSA PRIVATE KEY-----\n",
  "-----BEGIN CERTIFICATE-----\n",
];
const BEGINNINGS = ["", "a: x", 'password: "x', "-----BEGIN A-----\n"];
const SIZE = 16_000;
/** A square gives 4, a line 2. */
const MOST = 3.2;
const TOO_QUICK_MS = 25;
const MEASURES = 4;

function cost(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How the cost grows with twice the size; 2 where it is too small to tell. Sizes take turns: a processor may slow down. */
function growthOnce(read: (text: string) => unknown, textOf: (size: number) => string): number {
  const [text, twice] = [textOf(SIZE), textOf(2 * SIZE)];
  if (cost(() => read(twice)) < TOO_QUICK_MS) return 2;
  const tries = Array.from({ length: 4 }, () => [cost(() => read(text)), cost(() => read(twice))] as const);
  return Math.min(...tries.map(([, more]) => more)) / Math.min(...tries.map(([less]) => less));
}

/**
 * The least of some measures, as far as one is too large: a square is one every time, while an engine that compiles an
 * expression meanwhile, or a busy machine, is late once.
 */
function growth(read: (text: string) => unknown, textOf: (size: number) => string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MEASURES && least >= MOST; i++) least = Math.min(least, growthOnce(read, textOf));
  return least;
}

test("the measure tells a square from a line", () => {
  const line = (text: string): unknown => [...text.repeat(100)].length;
  const square = (text: string): unknown => / +$/.exec(text);
  const blanks = (size: number): string => `${" ".repeat(size)}x`;
  assert.ok(growth(line, blanks) < MOST);
  assert.ok(growth(square, blanks) > MOST);
});

for (const [name, read] of Object.entries(READERS))
  test(name, () => {
    for (const begin of BEGINNINGS)
      for (const unit of UNITS) {
        const textOf = (size: number): string => `${begin}${unit.repeat(size / unit.length)}\u0001y`;
        const found = growth(read, textOf);
        assert.ok(found < MOST, `${JSON.stringify(begin)} and ${JSON.stringify(unit)}: ${found.toFixed(1)}`);
      }
  });

test.run();
