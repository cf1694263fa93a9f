import { suite } from "uvu";
import * as assert from "uvu/assert";
import { terminalJson, terminalText } from "../../src/text/terminal.js";

const test = suite("terminal");

/** What clears a screen, moves a cursor, turns a line around, hides a part of it or begins a new one. */
const STEERING = [
  "\u001b[2J",
  "\u009b2J",
  "\u001b]0;title\u0007",
  "\b\b\b",
  "a\rb",
  "\u0000",
  "\u007f",
  "\u202egpj.exe",
  "\u2066\u2069",
  "\u200f",
  "\u061c",
  "\u2028",
  "\ufeff",
  "\u{e0041}",
];

test("what would steer a terminal is shown", () => {
  for (const text of STEERING) {
    const shown = terminalText(`a ${text} b`);
    assert.match(shown, /\\u/, JSON.stringify(text));
    assert.is(terminalText(shown), shown);
  }
});

test("texts of any language, tabs and line breaks stay as they are", () => {
  for (const text of ["a\tb\n", "a\r\nb", "żółw", "日本語", "שלום", "می\u200cخواهم", "👩\u200d💻"])
    assert.is(terminalText(text), text);
});

test("JSON says the same, and steers nothing", () => {
  for (const text of STEERING) {
    const json = terminalJson({ [text]: [text, null] }, 2);
    assert.equal(JSON.parse(json), { [text]: [text, null] });
    assert.is(
      terminalText(json.replace(/[\u{e0000}-\u{e007f}]/gu, "")),
      json.replace(/[\u{e0000}-\u{e007f}]/gu, ""),
    );
  }
  assert.is(terminalJson(undefined), "null");
});

test.run();
