import { suite } from "uvu";
import * as assert from "uvu/assert";
import { canonicalQuantity, parseQuantity } from "../../src/kubernetes/quantities.js";

const test = suite("canonical quantities");

/** What apimachinery's resource.Quantity prints for what it reads. */
const PRINTED: readonly (readonly [string, string | undefined])[] = [
  ["1024Mi", "1Gi"],
  ["16384Mi", "16Gi"],
  ["1000Mi", "1000Mi"],
  ["1025Mi", "1025Mi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Ki", "512"],
  ["1023", "1023"],
  ["1073741824", "1073741824"],
  ["2000000000", "2G"],
  ["1000M", "1G"],
  ["100G", "100G"],
  ["1.500G", "1.500G"],
  ["0.5", "500m"],
  ["1e10", "10e9"],
  ["1e9", "1e9"],
  ["1E9", "1E9"],
  ["+2n", "+2n"],
  ["-5Gi", "-5Gi"],
  ["-2048Mi", "-2Gi"],
  ["007Gi", "007Gi"],
  ["008Gi", "8Gi"],
  ["0", "0"],
  ["0Gi", "0"],
  ["many", undefined],
  ["", undefined],
];

for (const [text, printed] of PRINTED)
  test(`${JSON.stringify(text)} is printed as ${printed}`, () => {
    assert.is(canonicalQuantity(text), printed);
    if (printed !== undefined) {
      assert.is(parseQuantity(printed), parseQuantity(text), "the amount is the same");
      assert.is(canonicalQuantity(printed), printed, "and it stays so");
    }
  });

test.run();
