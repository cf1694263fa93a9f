/** The recorded sample: what the command says of it equals what is known of every live key. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { withShared } from "../helpers/shared.js";

const test = suite("etcd sample");

const FIELDS = [
  "createRevision",
  "modRevision",
  "version",
  "lease",
  "provider",
  "keyName",
  "stale",
  "media",
  "apiVersion",
  "kind",
  "result",
] as const;

const parse = (text: string): JsonObject => {
  const value: Json = JSON.parse(text);
  if (!isObject(value)) throw new Error("not an object");
  return value;
};

function objectsOf(stdout: string): JsonObject[] {
  const { objects } = parse(stdout);
  return isList(objects) ? objects.filter(isObject) : [];
}

for (const [form, file] of [
  ["--snapshot", "snapshot-etcd-3.4.db"],
  ["--snapshot", "snapshot-etcd-3.4-compacted-150.db"],
  ["--db", "snapshot-etcd-3.4.db"],
  ["--dump", "get-all.json"],
] as const)
  withShared(test, "data/etcd/sample", `${form} ${file} equals expected-live.jsonl`, (folder) => {
    const { code, stdout } = slipway(
      [
        ...["etcd", "audit", form, join(folder, file)],
        ...["--encryption-config", join(folder, "encryption-config.yaml")],
        ...["--kms-answers", join(folder, "kms-answers.json")],
        ...["--target", "1.36", "--output", "json"],
      ],
      { cwd: folder },
    );
    assert.is(code, 3);
    const expected = readFileSync(join(folder, "expected-live.jsonl"), "utf8").trim().split("\n").map(parse);
    const found = objectsOf(stdout);
    assert.equal(
      found.map(({ key }) => key),
      expected.map(({ key }) => key),
    );
    found.forEach((object, i) => {
      const wanted = expected[i] ?? {};
      for (const field of FIELDS)
        assert.is(object[field], wanted[field], `${field} of ${String(wanted["key"])}`);
      if (wanted["error"] !== undefined)
        assert.is(object["error"], wanted["error"], `error of ${String(wanted["key"])}`);
    });
  });

test.run();
