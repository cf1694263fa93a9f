/**
 * A value that is odd, and the same wherever it stands: in the install-config and in the facts about it, so that no
 * comparison of the two refuses it first. Whatever comes behind the schema has to take it or to say what is wrong.
 * `SLIPWAY_VALUES=7` tries one of seven pairs of a place and a value instead of one of 61, and `SLIPWAY_VALUES_OF` the
 * cases whose names have a word.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json } from "../../src/core/json.js";
import { readTree, tempFolder } from "../helpers/temp.js";
import { answer, faultOf } from "./answer.js";
import { lay, wordsOf } from "./command-lines.js";

const test = suite("values");
process.env["SOURCE_DATE_EPOCH"] = "1800000000";
const WANTED = process.env["SLIPWAY_VALUES_OF"] ?? "";
/** Of all pairs of a place and a value, one of so many is tried. */
const ONE_OF = Number(process.env["SLIPWAY_VALUES"] ?? 61);

const CONFIG = "install-config.yaml";
const VALUES: readonly Json[] = [
  "North Europe",
  "UPPER",
  "a b",
  "A_B",
  "a.b",
  "-a",
  "a-",
  "",
  " ",
  "ü",
  "😀",
  "a/b",
  "/a",
  "../a",
  "a:b",
  "{{a}}",
  "\u0024{a}",
  "$(a)",
  "a\nb: c",
  'a"b',
  "a'b",
  "null",
  "1",
  "1e3",
  "true",
  "a".repeat(300),
  "a".repeat(64),
  "constructor",
  "__proto__",
  "\u202ea",
  "\u0000",
  0,
  -1,
  2 ** 31,
  2 ** 53,
  1.5,
];

/** Every text and number of a document, once. */
function leavesOf(value: Json, found = new Set<string | number>()): Set<string | number> {
  if (typeof value === "string" || typeof value === "number") found.add(value);
  else if (isList(value)) for (const each of value) leavesOf(each, found);
  else if (isObject(value)) for (const each of Object.values(value)) leavesOf(each, found);
  return found;
}

/** A document with another value for one, also where that is a name, and where it is a part of a path of a cloud. */
function exchanged(value: Json, old: string | number, now: Json): Json {
  if (value === old) return now;
  if (typeof value === "string" && typeof old === "string" && value.includes("/") && old.length > 3)
    return value
      .split("/")
      .map((part) => (part === old ? String(now) : part))
      .join("/");
  if (isList(value)) return value.map((each) => exchanged(each, old, now));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name === old ? String(now) : name,
      exchanged(each, old, now),
    ]),
  );
}

const read = (data: Buffer): Json => {
  const value: unknown = load(data.toString("utf8"));
  if (!isJson(value)) throw new Error("not plain data");
  return value;
};

interface Case {
  readonly name: string;
  readonly words: readonly string[];
  readonly tree: ReadonlyMap<string, Buffer>;
}

const PHASES = ["create manifests", "create infrastructure-manifests"];

/** Golden cases with an install-config at their top, and how their first phase is called. */
function cases(): Case[] {
  return readdirSync("golden")
    .sort()
    .flatMap((name): Case[] => {
      const input = join("golden", name, "input");
      if (!existsSync(join(input, CONFIG))) return [];
      const spec: unknown = load(readFileSync(join("golden", name, "case.yaml"), "utf8"));
      const steps = isJson(spec) && isObject(spec) && isList(spec["steps"]) ? spec["steps"] : [];
      const lines = steps.flatMap((step) =>
        isObject(step) && typeof step["run"] === "string" ? [step["run"]] : [],
      );
      const line = lines.find((each) => PHASES.some((phase) => each.startsWith(phase)));
      if (line === undefined) return [];
      const words = wordsOf(line).filter(
        (word, i, all) => !["--seed", "--key-algorithm"].some((flag) => word === flag || all[i - 1] === flag),
      );
      words[1] = "infrastructure-manifests";
      return [{ name, words, tree: readTree(input) }];
    });
}

const SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 256));
const KEYS = ["--seed", "the-seed", "--key-algorithm", "ecdsa-p256"];

/** The files with the value exchanged in every one that is YAML or JSON. */
function treeWith({ tree }: Case, old: string | number, now: Json): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const [path, data] of tree)
    files.set(
      path,
      /\.(?:yaml|json)$/.test(path) ? Buffer.from(dump(exchanged(read(data), old, now))) : data,
    );
  return files.set("the-seed", SEED);
}

test("a value that is odd in every place at once is taken or refused, with a reason", async () => {
  const folder = join(tempFolder(), "cluster");
  const faults: string[] = [];
  let pairs = 0;
  let tried = 0;
  let taken = 0;
  for (const each of cases()) {
    if (!each.name.includes(WANTED)) continue;
    const config = each.tree.get(CONFIG);
    if (config === undefined) continue;
    for (const leaf of leavesOf(read(config)))
      for (const value of VALUES) {
        if (pairs++ % ONE_OF !== 0) continue;
        lay(treeWith(each, leaf, value), folder);
        const found = await answer([...each.words, ...KEYS], folder);
        tried++;
        if (found.code === 0) taken++;
        const fault = faultOf(found);
        if (fault === undefined) continue;
        faults.push(`${each.name}: ${JSON.stringify(leaf)} -> ${JSON.stringify(value)}: ${fault}`);
        process.stdout.write(`${faults.at(-1)}\n`);
      }
  }
  process.stdout.write(`${tried} tried, ${taken} taken\n`);
  assert.equal(faults, []);
  assert.ok(WANTED !== "" || taken > tried / 50, `${taken} of ${tried} are taken`);
});

test.run();
