import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isBase64 } from "../../src/core/base64.js";

const test = suite("base64");

test("standard base64 with its padding, in one line", () => {
  for (const sound of ["", "AAAA", "AB+/", "AAA=", "AA=="]) assert.ok(isBase64(sound), sound);
  for (const broken of [
    "A",
    "AAA",
    "A===",
    "====",
    "AA=A",
    "=AAA",
    "AA-_",
    "AAA\n",
    "AAAA\n",
    "AAAA AAA",
    "AAAé",
  ])
    assert.not(isBase64(broken), broken);
});

test("a text of many megabytes", () => {
  const long = "Ab3/".repeat(8 << 20);
  assert.ok(isBase64(`${long}AA==`));
  assert.not(isBase64(`${long}A-==`));
});

test.run();
