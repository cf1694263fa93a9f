import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bases, fuzz, readAll } from "./fuzz.js";

const test = suite("etcd fuzz");

test("the sound copies read without a fault", async () => {
  for (const { form, data } of bases()) {
    const { problems, keys } = await readAll(form, data);
    assert.is(keys, 244);
    assert.equal(
      problems.filter(({ severity }) => severity === undefined || severity === "error"),
      [],
    );
  }
});

test("a thousand damaged copies: a diagnosis each time, within bounds", async () => {
  const before = process.memoryUsage().rss / 2 ** 20;
  const { cases, diagnosed, plausible, slowestMs, peakMiB } = await fuzz(1000, 20260728);
  assert.is(diagnosed + plausible, cases);
  assert.ok(diagnosed > 900, `${diagnosed} diagnosed`);
  assert.ok(slowestMs < 20_000, `${slowestMs} ms`);
  assert.ok(peakMiB - before < 256, `${peakMiB} MiB`);
});

test.run();
