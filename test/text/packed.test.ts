/** Packed files are told as such, by every reader, and no text is taken for one. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packed } from "../../src/text/packed.js";
import { snapshot } from "../etcd/copies.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("packed");

test("an archive has its mark behind the name of its first file; a text with the same letters is none", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "a"), "a: 1\n");
  assert.is(spawnSync("tar", ["--format=ustar", "-cf", "a.tar", "a"], { cwd: folder }).status, 0);
  assert.match(packed(readFileSync(join(folder, "a.tar")))?.message ?? "", /tar/);
  assert.is(packed(Buffer.from(`${"x".repeat(257)}ustar`)), undefined);
  assert.is(packed(Buffer.from("BZh91AY&SY")), undefined);
  assert.is(packed(brotliCompressSync("a")), undefined);
});

test("copies of etcd, dumps, tables and install-configs that are packed are told, with the way to unpack them", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "snap.db"), gzipSync(snapshot([])));
  writeFileSync(join(folder, "text.yaml"), gzipSync("apiVersion: v1\n"));
  mkdirSync(join(folder, "data"));
  const said = (words: string): string => {
    const { code, stderr } = slipway(words.split(" "), { cwd: folder });
    assert.is(code, 1, stderr);
    return stderr;
  };
  const PACKED = /the file is compressed \(gzip\); decompress it first: gunzip -k/;
  for (const form of ["snapshot", "db", "dump"])
    assert.match(said(`etcd audit --${form} snap.db --release 1.36`), PACKED);
  assert.match(said("compat skew --inventory text.yaml"), PACKED);
  assert.match(said("validate text.yaml"), PACKED);
  assert.match(said("etcd audit --snapshot data --release 1.36"), /member\/snap\/db/);
});

test.run();
