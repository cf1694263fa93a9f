import {
  checkPrimeSync,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { generateKey } from "../../src/pki/generate-key.js";
import { rsaPrivateKey } from "../../src/pki/rsa-key.js";

const test = suite("RSA keys from primes");

const number = (text: string | undefined): bigint =>
  BigInt(`0x${Buffer.from(text ?? "", "base64url").toString("hex")}`);

/** The primes of a key that OpenSSL made. */
function primes(bits = 2048): [bigint, bigint, string] {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  const { p, q } = privateKey.export({ format: "jwk" });
  return [number(p), number(q), privateKey.export({ type: "pkcs1", format: "pem" }).toString()];
}

test("the primes of OpenSSL's keys give OpenSSL's keys, byte for byte, in either order", () => {
  for (let count = 0; count < 5; count++) {
    const [p, q, pem] = primes();
    assert.is(rsaPrivateKey(p, q), pem);
    assert.is(rsaPrivateKey(q, p), pem);
  }
});

test("a fresh key is sound: 2,048 bits, two probable primes, signs and verifies", async () => {
  const pem = await generateKey("rsa-2048");
  const key = createPrivateKey(pem);
  assert.is(key.asymmetricKeyDetails?.modulusLength, 2048);
  assert.is(key.asymmetricKeyDetails?.publicExponent, 65537n);
  assert.is(key.export({ type: "pkcs1", format: "pem" }).toString(), pem);
  const { p, q, n } = key.export({ format: "jwk" });
  assert.is(number(p) * number(q), number(n));
  for (const prime of [number(p), number(q)]) assert.ok(checkPrimeSync(prime, { checks: 64 }));
  const message = Buffer.from("a message");
  assert.ok(verify("sha256", message, createPublicKey(pem), sign("sha256", message, key)));
});

test("refuses primes that make no sound key", () => {
  const [p, q] = primes();
  assert.is(rsaPrivateKey(p, p), undefined, "one prime twice");
  assert.is(rsaPrivateKey(p, p - (1n << 900n)), undefined, "two primes that are close to each other");
  assert.is(rsaPrivateKey(p, q >> 1n), undefined, "a product that is too short");
  // p - 1 is a multiple of the exponent, which then has no inverse.
  const multiple = p - (p % 65537n) + 1n;
  assert.is(rsaPrivateKey(multiple, q), undefined, "a prime that does not go with the exponent");
});

test.run();
