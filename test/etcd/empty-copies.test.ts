/** A copy without objects proves nothing, and says so. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { snapshot } from "./copies.js";
import { keyOf } from "./values.js";

const test = suite("etcd empty copies");

const key = (name: string): object => ({ name, secret: keyOf(name).toString("base64") });
const CONFIG = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [
    { resources: ["secrets"], providers: [{ aescbc: { keys: [key("new"), key("old")] } }, { identity: {} }] },
  ],
};

const folder = tempFolder();
writeFileSync(join(folder, "config.json"), JSON.stringify(CONFIG));
writeFileSync(join(folder, "empty.json"), JSON.stringify({ header: { revision: 7 }, count: 0 }));
writeFileSync(join(folder, "deleted.db"), snapshot([{ key: "/registry/pods/a/b", value: undefined }]));
writeFileSync(join(folder, "other.db"), snapshot([{ key: "/calico/node", value: Buffer.from("x") }]));

for (const copy of [
  ["--dump", "empty.json"],
  ["--snapshot", "deleted.db"],
  ["--snapshot", "other.db"],
]) {
  const of = copy[1] ?? "";
  const run = (...args: string[]): { code: number | null; answer: Record<string, never>; text: string } => {
    const { code, stdout, stderr } = slipway(
      ["etcd", ...args, ...copy, "--release", "1.37", "--encryption-config", "config.json"],
      { cwd: folder },
    );
    return { code, answer: args.includes("json") ? JSON.parse(stdout) : {}, text: stdout + stderr };
  };

  test(`${of}: the audit fails and is not complete`, () => {
    const text = run("audit");
    assert.is(text.code, 1);
    assert.match(text.text, /ETC010/);
    assert.not.match(text.text, /All objects are readable/);
    const { answer } = run("audit", "--output", "json");
    assert.equal(answer["ok"], false);
    assert.equal(answer["scope"]?.["complete"], false);
  });

  test(`${of}: no key is safe to drop`, () => {
    const { code, answer } = run("inventory", "--output", "json");
    assert.is(code, 1);
    const rows: { keyName?: string; safeToDrop: boolean }[] = answer["encryptionKeys"] ?? [];
    assert.ok(rows.some(({ keyName }) => keyName === "old"));
    assert.not.ok(rows.some(({ keyName, safeToDrop }) => keyName !== undefined && safeToDrop));
  });

  test(`${of}: no plan is written`, () => {
    const { code, text } = run("plan", "--out", "plan");
    assert.is(code, 1);
    assert.match(text, /ETC010/);
  });
}

test.run();
