import { createECDH, createPrivateKey, type KeyObject, verify } from "node:crypto";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readValue, readValues } from "../../src/pki/der.js";
import { signP256 } from "../../src/pki/ecdsa.js";
import { ellipticKey } from "../helpers/inputs.js";
import { runs } from "../helpers/runs.js";

const test = suite("ecdsa");

function keyOf(secret: string): KeyObject {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(secret, "hex"));
  const point = curve.getPublicKey();
  return createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      d: Buffer.from(secret, "hex").toString("base64url"),
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
}

const halves = (signature: Buffer): string[] =>
  readValues(readValue(signature).content).map(({ content }) =>
    content.toString("hex").replace(/^00/, "").padStart(64, "0"),
  );

/** RFC 6979 appendix A.2.5, P-256 with SHA-256. */
const SECRET = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
const VECTORS = [
  {
    message: "sample",
    r: "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
    s: "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
  },
  {
    message: "test",
    r: "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
    s: "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
  },
];

for (const { message, r, s } of VECTORS)
  test(`the signature of ${message} is the one of the RFC`, () => {
    assert.equal(halves(signP256(Buffer.from(message), keyOf(SECRET))), [r, s]);
  });

test("any message signs to something that verifies, always the same", () => {
  const keys = Array.from({ length: 8 }, () => createPrivateKey(ellipticKey()));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...keys), (message, key) => {
      const signature = signP256(message, key);
      assert.ok(verify("sha256", message, key, signature));
      assert.equal(signP256(message, key), signature);
    }),
    { numRuns: runs(60) },
  );
});

test.run();
