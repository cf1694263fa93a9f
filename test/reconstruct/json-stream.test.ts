/** JSON objects one behind the other: found, whatever stands in their strings and wherever the text ends. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { splitJsonStream } from "../../src/reconstruct/json-stream.js";

const test = suite("JSON stream");

const OBJECTS = ['{"a": "}{ \\" \\\\"}', '{"b": {"c": [1, "\\u007b"]}}'];

test("objects are parted where they end, whatever their strings hold", () => {
  const text = OBJECTS.join("\n");
  assert.equal(splitJsonStream(text), [
    { text: OBJECTS[0], offset: 0 },
    { text: OBJECTS[1], offset: (OBJECTS[0] ?? "").length + 1 },
  ]);
});

test("a text that is cut off anywhere is no such text", () => {
  const text = OBJECTS.join("");
  for (let end = 0; end < text.length; end++) assert.is(splitJsonStream(text.slice(0, end)), undefined);
});

test("a string that never ends is read once, however long it is", () => {
  // Where the reader went back for every character of it, this would not end.
  for (const unit of ["a", "\\\\", '\\"', "{"])
    assert.is(splitJsonStream(`{"kind": "${unit.repeat(300_000)}`), undefined);
});

test.run();
