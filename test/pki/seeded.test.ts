import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KeyAlgorithm } from "../../src/core/inputs.js";
import { SEED_BYTES, seeded } from "../../src/pki/seeded.js";

const test = suite("keys and randomness of a seed");
const SEED = createHash("sha256").update("a seed of tests").digest();
const hash = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex");

test("a seed has the length of its digest", () => assert.is(SEED.length, SEED_BYTES));

/** Whoever keeps a seed relies on these: they change with a new version of the derivation only. */
test("what follows from a seed is a promise", async () => {
  const { random, keys } = seeded(SEED, "heron.example.com");
  assert.is(Buffer.from(random.bytes(16, "cluster-id")).toString("hex"), "8386f5abb96d0c09d6c57a20b2513c1e");
  assert.is(
    hash(await keys.generate("rsa-2048", "root-ca")),
    "f44ced14679cf545a1e6d88c28af49d69a981ac16a08574a48695feccd97d33b",
  );
  assert.is(
    hash(await keys.generate("ecdsa-p256", "root-ca")),
    "d38f34d812794a3f73e799e793492d2c52f87743949b47d3f86b43a595b0ebe5",
  );
});

test("nothing depends on the order of draws, and a longer draw begins with the shorter one", async () => {
  const [one, two] = [seeded(SEED, "c"), seeded(SEED, "c")];
  const first = [one.random.bytes(8, "a"), one.random.bytes(8, "b")];
  const second = [two.random.bytes(8, "b"), two.random.bytes(24, "a").subarray(0, 8)].reverse();
  assert.equal(first, second);
});

test("seed, cluster, purpose, algorithm: each alone gives something else", async () => {
  const other = createHash("sha256").update("another").digest();
  const draws = [
    seeded(SEED, "a").random.bytes(16, "x"),
    seeded(other, "a").random.bytes(16, "x"),
    seeded(SEED, "b").random.bytes(16, "x"),
    seeded(SEED, "a").random.bytes(16, "y"),
  ].map((bytes) => Buffer.from(bytes).toString("hex"));
  const keys = await Promise.all([
    seeded(SEED, "a").keys.generate("ecdsa-p256", "x"),
    seeded(SEED, "b").keys.generate("ecdsa-p256", "x"),
    seeded(SEED, "a").keys.generate("ecdsa-p256", "y"),
  ]);
  assert.is(new Set([...draws, ...keys]).size, 7);
});

for (const algorithm of ["rsa-2048", "ecdsa-p256"] satisfies KeyAlgorithm[])
  test(`${algorithm}: keys sign, and OpenSSL writes them as they are`, async () => {
    const pem = await seeded(SEED, "c").keys.generate(algorithm, "n");
    const key = createPrivateKey(pem);
    const type = algorithm === "rsa-2048" ? "pkcs1" : "sec1";
    assert.is(key.export({ type, format: "pem" }).toString(), pem);
    const message = Buffer.from("a message");
    assert.ok(verify("sha256", message, createPublicKey(pem), sign("sha256", message, key)));
  });

test.run();
