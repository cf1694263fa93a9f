import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encode } from "../../src/core/files.js";
import { unifiedDiff } from "../../src/text/diff.js";
import { record } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";

const test = suite("text/diff");
const path = "manifests/a.yaml";
const disk = (text: string) => ({ data: encode(text), label: "on disk" });
const compiled = (text: string) => ({ data: encode(text), label: "compiled" });

async function diff(before: string, after: string, secret = false): Promise<string> {
  const text = await unifiedDiff(disk(before), compiled(after), { path, secret });
  record(text);
  return text;
}

test("a change is shown with its surroundings", async () => {
  assert.is(
    await diff("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 4\nc: 3\n"),
    `--- ${path} (on disk)\n+++ ${path} (compiled)\n@@ -1,3 +1,3 @@\n a: 1\n-b: 2\n+b: 4\n c: 3\n`,
  );
});

test("a file that is not there is /dev/null", async () => {
  const text = await unifiedDiff(undefined, compiled("a: 1\n"), { path, secret: false });
  assert.is(text, `--- /dev/null\n+++ ${path} (compiled)\n@@ -0,0 +1,1 @@\n+a: 1\n`);
});

test("equal bytes have no diff", async () => {
  assert.is(await diff("a: 1\n", "a: 1\n"), "");
});

test("a changed value of a Secret is not shown, a changed label is", async () => {
  const secret = (value: string, label: string): string =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  labels:\n    a: ${label}\n  name: x\ndata:\n  token: ${Buffer.from(value).toString("base64")}\n`;
  const same = await diff(secret(PLANTED.token, "one"), secret(PLANTED.password, "one"), true);
  assert.match(same, /only secrets, formatting or comments differ/);
  const text = await diff(secret(PLANTED.token, "one"), secret(PLANTED.password, "two"), true);
  assert.match(text, /-\s+a: one\n\+\s+a: two/);
  assert.not.match(text, Buffer.from(PLANTED.token).toString("base64"));
});

test("a secret file that is not a Secret, and text that cannot be read, are not shown", async () => {
  assert.match(await diff("kind: Config\nusers: []\n", "kind: Config\nusers: [1]\n", true), /not shown/);
  assert.match(await diff("kind: Secret\ndata: [\n", "kind: ConfigMap\n"), /not shown/);
});

test("code may speak of secrets, what looks like one is hidden", async () => {
  const text = await unifiedDiff(
    disk(`const PodSecrets = 1;\nconst password = "${PLANTED.password}";\n`),
    compiled(`const PodSecrets = 2;\nconst password = "${PLANTED.password}";\n`),
    { path: "gates.ts", secret: false, code: true },
  );
  record(text);
  assert.match(text, "-const PodSecrets = 1;\n+const PodSecrets = 2;\n");
  assert.not.match(text, PLANTED.password);
  const hidden = await unifiedDiff(disk("a"), compiled("b"), { path: "x.ts", secret: true, code: true });
  assert.match(hidden, "not shown");
});

test("text that is not YAML is shown without its secrets", async () => {
  const text = await diff("a: [\n", `a: [\npassword: ${PLANTED.password}\n`);
  assert.match(text, /\+password: <redacted>/);
});

test("texts without anything in common are given up in time", async () => {
  const lines = (prefix: string): string =>
    Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}: x`).join("\n");
  assert.match(await diff(lines("a"), lines("b")), /too many differences|@@/);
});

test.run();
