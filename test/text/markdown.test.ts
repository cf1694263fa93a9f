import { suite } from "uvu";
import * as assert from "uvu/assert";
import { codeBlock, codeSpan, markdownTable, markdownText } from "../../src/text/markdown.js";

const test = suite("text/markdown");

test("ordinary names stay as they are", () => {
  for (const name of ["ns/db-0", "a_b.example.com", "system:node:x", "1 < 2", "[x]", "it's"])
    assert.is(markdownText(name), name);
  assert.is(codeSpan("/registry/secrets/ns/s"), "`/registry/secrets/ns/s`");
});

test("a text begins no link, no element and no code, and ends no line", () => {
  assert.is(markdownText("[x](http://e)"), "[x]\\(http://e)");
  assert.is(markdownText("<img src=x>"), "\\<img src=x>");
  assert.is(markdownText("\\<b>`a`\nb"), "\\\\\\<b>\\`a\\`\\u000ab");
});

test("code is not ended by what stands in it", () => {
  assert.is(codeSpan("a`b``c"), "``` a`b``c ```");
  assert.is(codeBlock(["echo '\n```\n# x'"]), "````sh\necho '\n```\n# x'\n````");
  assert.is(codeBlock(["a", "b"], "  "), "  ```sh\n  a\n  b\n  ```");
});

test("a cell is one cell", () => {
  assert.is(markdownTable(["a", "b"], [["x|y", "z\nw"]]), "| a | b |\n| --- | --- |\n| x\\|y | z w |");
});

test.run();
