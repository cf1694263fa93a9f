import { checkPrimeSync, createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findPrime, hasSmallFactor, oddNumber } from "../../src/pki/prime.js";

const test = suite("the search for primes");

/** Bytes that follow from a name. */
const bytes = (name: string): Uint8Array => createHash("sha512").update(name).digest();
const wide = (name: string): Uint8Array => Buffer.concat([bytes(`${name} 1`), bytes(`${name} 2`)]);

test("a prime is the first at or after the start, as OpenSSL finds without a sieve", async () => {
  for (const name of ["a", "b"]) {
    let expected = oddNumber(wide(name));
    while (!checkPrimeSync(expected, { checks: 64 })) expected += 2n;
    const asked: number[] = [];
    const found = await findPrime((length) => {
      asked.push(length);
      return wide(name);
    });
    assert.is(found, expected);
    assert.equal(asked, [128], "one draw of 1,024 bits");
  }
});

test("a number with a small factor is told, and only that", () => {
  let large = oddNumber(wide("large"));
  while (!checkPrimeSync(large)) large += 2n;
  assert.not.ok(hasSmallFactor(large));
  for (const factor of [3n, 5n, 43n, 47n, 719n, 32749n])
    assert.ok(hasSmallFactor(large * factor), `${factor}`);
  // The first prime above the limit.
  assert.not.ok(hasSmallFactor(large * 32771n));
});

test("a number to start with is odd, of 1,024 bits, with the upper two bits set", () => {
  for (const fill of [0x00, 0x40, 0xfe, 0xff]) {
    const number = oddNumber(Buffer.alloc(128, fill));
    assert.is(number >> 1022n, 3n);
    assert.is(number & 1n, 1n);
  }
  assert.is(oddNumber(Buffer.alloc(128, 0xff)), (1n << 1024n) - 1n);
});

test.run();
