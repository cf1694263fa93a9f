import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compileGoPattern } from "../../src/text/go-regexp.js";

const test = suite("Go regular expressions");

const MATCHES: readonly [pattern: string, text: string, expected: boolean][] = [
  ["^a$", "a\n", false],
  ["^a.b$", "a\rb", true],
  ["^a.b$", "a\nb", false],
  ["(?s)^a.b$", "a\nb", true],
  ["(?i)^abc$", "ABC", true],
  ["(?m)^b$", "a\nb\nc", true],
  ["\\Aab\\z", "ab", true],
  ["\\Aab\\z", "ab\n", false],
  ["^[[:alpha:]]+$", "aZ", true],
  ["^[[:alpha:]]+$", "a1", false],
  ["^[]a]+$", "]a", true],
  ["^[^]]$", "]", false],
  ["^[0-9-._~]+$", "1-._~", true],
  ["^[a-z-.]+$", "a-.", true],
  ["^[\\w.-]+$", "a_B.-", true],
  ["^\\s$", "\u00a0", false],
  ["^\\s$", "\t", true],
  ["^\\S$", "\u00a0", true],
  ["^a{,2}$", "a{,2}", true],
  ["^a{2}$", "aa", true],
  ["^\\pL$", "é", true],
  ["^\\p{Greek}$", "Ω", true],
  ["^\\P{Lu}$", "A", false],
  ["^\\Qa.b\\E$", "a.b", true],
  ["^\\Qa.b\\E$", "axb", false],
  ["^\\x41\\x{e9}\\101$", "AéA", true],
  ["^(?P<name>a)(?:b)/\\-$", "ab/-", true],
  ["^.$", "😀", true],
  ["^[\\S]$", "a", true],
  ["^a(?i)b$", "aB", true],
  ["(?U)^a+", "a", true],
];
test("mean what they mean in Go", () => {
  for (const [pattern, text, expected] of MATCHES)
    assert.is(compileGoPattern(pattern)?.test(text), expected, `${pattern} on ${JSON.stringify(text)}`);
});

test("what Go refuses is not compiled", () => {
  for (const pattern of [
    "(",
    "[a",
    "a**",
    "(?=a)",
    "(?!a)",
    "(?<!a)",
    "\\8",
    "\\y",
    "[[:foo:]]",
    "\\C",
    "*a",
    "a{1001}",
    "((a{100}){100}){100}",
    `${"(".repeat(2000)}a${")".repeat(2000)}`,
    "a".repeat(10_001),
  ])
    assert.is(compileGoPattern(pattern), undefined, pattern);
});

test("a pattern whose ways to match multiply ends", () => {
  for (const pattern of ["^(a|a)*$", "^(a+)+$", "^(.*)*(.*)*(.*)*x$", "(a?){100}a{100}$"])
    compileGoPattern(pattern)?.test(`${"a".repeat(5000)}!`);
});

test.run();
