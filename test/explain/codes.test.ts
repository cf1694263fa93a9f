/** Every diagnostic code has one meaning and a remedy, which `slipway explain` and the documentation show alike. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CODES } from "../../src/core/codes.js";
import {
  ALL_CODES,
  describeCode,
  diagnosticsPage,
  explainCode,
  findCode,
} from "../../src/explain/codes/diagnostic.js";
import { AREAS } from "../../src/explain/codes/index.js";
import { slipway } from "../helpers/cli.js";

const test = suite("explain/codes");

const filesOf = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const prefixOf = (code: string): string => code.replace(/[0-9]+$/, "");

test("describes every code in one line each", () => {
  for (const code of ALL_CODES) {
    const { meaning, remedy, why, example } = explainCode(code);
    assert.match(meaning, /^[^\n]{4,120}[^.\n]$/, code);
    assert.match(remedy, /^[A-Z][^\n]{5,180}\.$/, code);
    assert.is(why === undefined, example === undefined, code);
    if (why !== undefined) assert.match(why, /^\S[^\n]+\.$/, code);
    for (const line of (example ?? "").split("\n")) assert.ok(line.length <= 150, `${code}: ${line}`);
  }
});

test("gives no two codes the same meaning", () => {
  const codes = new Map<string, string>();
  for (const [code, meaning] of Object.entries(CODES)) {
    // A meaning that two areas share is of two subjects: an unknown field of two kinds of objects.
    const key = `${prefixOf(code)} ${meaning.toLowerCase()}`;
    assert.is(codes.get(key), undefined, `${code} and ${codes.get(key)}`);
    codes.set(key, code);
  }
});

/** Where problems of an area are found, besides the command line, which passes on what others found. */
const FOLDERS: { readonly [prefix: string]: readonly string[] } = {
  AGT: ["phases", "pipeline", "platforms"],
  IBI: ["phases", "pipeline"],
  API: ["compatibility"],
  BOOT: ["pipeline", "validate"],
  CAPI: ["kubernetes", "phases", "pipeline", "platforms", "validate"],
  CLI: [],
  CRED: ["platforms"],
  DIR: ["core", "directory", "pipeline"],
  ETC: ["etcd"],
  FACT: ["phases", "pipeline", "platforms"],
  FLAG: ["core"],
  FLEET: ["directory", "fleet"],
  FUN: ["pipeline"],
  GATE: ["compatibility"],
  GEN: ["generators"],
  IC: ["phases", "pipeline", "platforms", "validate"],
  ID: ["phases", "pipeline"],
  IGN: ["phases", "pipeline", "validate"],
  INIT: [],
  KEY: ["directory"],
  KUB: ["crd", "kubernetes", "pipeline", "validate"],
  MAN: ["phases"],
  CMP: ["compatibility"],
  PLAN: ["compatibility"],
  REC: ["directory", "pipeline", "reconstruct"],
  REP: [],
  SKEW: ["compatibility"],
  SOPS: ["directory", "pipeline", "sops"],
  STO: ["storage"],
  TAB: ["compatibility", "storage"],
  TEXT: ["text"],
  TPL: ["text"],
  TRF: ["transfer"],
  USE: ["usage"],
  VER: ["compatibility", "kubernetes", "pipeline", "storage"],
  YAML: ["compatibility", "fleet", "phases", "platforms", "reconstruct", "text"],
};

test("reports every code from the folders of its area only", () => {
  const unused = new Set<string>(ALL_CODES);
  for (const file of filesOf("src", ".ts")) {
    if (/^src\/(?:generated|explain\/codes)\/|^src\/core\/codes\.ts$/.test(file)) continue;
    const [, folder = ""] = file.split("/");
    for (const [, code = ""] of readFileSync(file, "utf8").matchAll(/"([A-Z]{2,5}[0-9]{3})"/g)) {
      if (findCode(code) === undefined) continue;
      unused.delete(code);
      assert.ok(folder === "cli" || FOLDERS[prefixOf(code)]?.includes(folder), `${file}: ${code}`);
    }
  }
  assert.equal([...unused], []);
});

test("puts every code into one area of the reference", () => {
  const prefixes = AREAS.flatMap((area) => area.prefixes);
  assert.is(new Set(prefixes).size, prefixes.length);
  assert.equal([...new Set(ALL_CODES.map(prefixOf))].sort(), [...prefixes].sort());
});

test("explains codes of ordinary runs with a reason and an example", () => {
  const printed = filesOf("golden", ".txt").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\b[A-Z]{2,5}[0-9]{3}\b/g)].flatMap(
      ([word]) => findCode(word) ?? [],
    ),
  );
  const common = ALL_CODES.filter((code) => explainCode(code).why !== undefined);
  assert.ok(common.length >= 80, String(common.length));
  assert.equal([...new Set(printed)].filter((code) => !common.includes(code)).sort(), []);
});

test("matches docs/reference/diagnostics.md (node scripts/generate-docs.mjs updates it)", () => {
  assert.is(readFileSync("docs/reference/diagnostics.md", "utf8"), diagnosticsPage());
});

test("prints a code in upper or lower case, and as JSON", () => {
  const shown = slipway(["explain", "ic110"]);
  assert.equal(shown, { code: 0, stdout: describeCode(explainCode("IC110")), stderr: "" });
  assert.match(shown.stdout, /^CODE {5}IC110\nMEANING {2}Invalid cluster name\.\nREMEDY {3}Use /);
  const { apiVersion, kind, ok, ...rest } = JSON.parse(slipway(["explain", "IC110", "-o", "json"]).stdout);
  assert.equal([apiVersion, kind, ok], ["slipway.dev/v1alpha1", "CodeExplanation", true]);
  assert.equal(rest, { ...explainCode("IC110"), diagnostics: [] });
});

test("suggests the code that was probably meant", () => {
  assert.equal(slipway(["explain", "IC109"]), {
    code: 2,
    stdout: "",
    stderr: "slipway: IC109: unknown diagnostic code; did you mean IC101?\n",
  });
  assert.match(
    slipway(["explain", "XYZ987"]).stderr,
    /unknown diagnostic code; docs\/reference\/diagnostics\.md/,
  );
});

test("links every diagnostic of a JSON answer to the documentation", () => {
  const { stdout } = slipway(["validate", "no-such-file.yaml", "--output", "json"]);
  const [first] = JSON.parse(stdout).diagnostics;
  assert.is(first.help, `docs/reference/diagnostics.md#${first.code}`);
  assert.ok(readFileSync("docs/reference/diagnostics.md", "utf8").includes(`<a id="${first.code}"></a>`));
});

test.run();
