/** What is said about a document, without its secrets. */
import { setFlagsFromString } from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { redactorFor } from "../../src/text/redactor.js";

const test = suite("text/redactor");
// As in a process that has compiled a megabyte of expressions, where loops with a least number keep a step for each turn.
test.before(() => setFlagsFromString("--no-regexp-optimization"));
test.after(() => setFlagsFromString("--regexp-optimization"));

test("of a document in one long line its secrets are hidden, and nothing else", () => {
  const document = JSON.stringify({
    baseDomain: "example.org",
    compute: Array.from({ length: 1000 }, (_, i) => ({ name: `worker-${i}` })),
    platform: { vsphere: { vcenters: [{ server: "vcenter.example.org", password: "hunter2-hunter2" }] } },
    pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}',
  });
  assert.ok(document.length > 20_000);
  const { text } = redactorFor(document);
  assert.is(text("worker-7 at vcenter.example.org"), "worker-7 at vcenter.example.org");
  assert.is(text("hunter2-hunter2 or dXNlcjpwYXNz"), "<redacted> or <redacted>");
});

test("a secret value of millions of characters is read, and one whose quote is not closed is hidden to its end", () => {
  const long = "x".repeat(12_000_000);
  for (const document of [
    `{a: 1, password: "${long} hunter2"}`,
    `{a: 1, password: '${long}'' hunter2`,
    `password: ${"A_".repeat(long.length / 2)} hunter2`,
    `password: sk-${long} hunter2`,
    `password:${" ".repeat(long.length)}hunter2`,
  ])
    assert.is(redactorFor(document).text("it is hunter2"), "it is <redacted>");
});

test.run();
