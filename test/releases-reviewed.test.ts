/** A release that is added before the tables were compared with it: the tables that wait, and their rows to look at. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isSince } from "../src/core/by-release.js";
import { isJson, isList, isObject, type Json } from "../src/core/json.js";
import { compareMinors, type Minor, parseMinor, release } from "../src/core/minor.js";
import { RELEASES } from "../src/core/release.js";

/** Tables about Kubernetes' releases; the rows of all others are about OpenShift's. */
const OF_KUBERNETES = /kubernetes|crd-refusals|storage-/;

interface Row {
  readonly path: string;
  readonly since: Json | undefined;
  readonly before: Json | undefined;
}

/** Every object of a table that holds at some releases only, with its path. */
function rowsOf(value: Json, path = ""): Row[] {
  if (isList(value)) return value.flatMap((each, index) => rowsOf(each, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const { since, before } = value;
  return [
    ...(since === undefined && before === undefined ? [] : [{ path, since, before }]),
    ...Object.entries(value).flatMap(([name, each]) => rowsOf(each, path === "" ? name : `${path}.${name}`)),
  ];
}

const spanOf = ({ path, since, before }: Row): string =>
  `  ${path}${since === undefined ? "" : ` since ${since}`}${before === undefined ? "" : ` before ${before}`}`;

const minorOf = (value: Json | undefined): Minor | undefined =>
  typeof value === "string" ? parseMinor(value) : undefined;

/** What is wrong with a table, `newest` being the newest release that slipway offers. */
function faultsOf(name: string, table: Json, newest: string): string[] {
  if (!isObject(table) || table["source"] === undefined) return [`${name} names no source`];
  const rows = rowsOf(table);
  const wrong = rows.filter(({ since, before }) => {
    const [from, to] = [since, before].map((each) => (each === undefined ? release("0.0") : minorOf(each)));
    return from === undefined || to === undefined || (before !== undefined && compareMinors(from, to) >= 0);
  });
  if (wrong.length > 0) return [`${name} has rows that hold at no release:`, ...wrong.map(spanOf)];
  const reviewed = table["reviewed"];
  if (rows.length === 0 && reviewed === undefined) return [];
  const last = minorOf(reviewed);
  if (last === undefined) return [`${name} does not say what it was last compared with: reviewed`];
  if (isSince(last, newest)) return [];
  return [`${name} was last compared with ${reviewed}; for ${newest}, look at`, ...rows.map(spanOf)];
}

const TABLES = readdirSync("schemas/data", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json") && !name.endsWith(".schema.json"))
  .map((name) => join("schemas/data", name))
  .sort()
  .map((name): { readonly name: string; readonly table: Json } => {
    const table: unknown = JSON.parse(readFileSync(name, "utf8"));
    assert.ok(isJson(table));
    return { name, table };
  });
const OPENSHIFT = TABLES.filter(({ name }) => !OF_KUBERNETES.test(name));

const test = suite("tables by release");

test("each table about OpenShift was compared with the newest release", () => {
  const newest = RELEASES[RELEASES.length - 1] ?? "";
  assert.equal(
    OPENSHIFT.flatMap(({ name, table }) => faultsOf(name, table, newest)),
    [],
  );
});

test("a new release lists every table that has rows by release, and each of its rows", () => {
  const faults = OPENSHIFT.flatMap(({ name, table }) => faultsOf(name, table, "4.99"));
  for (const { name, table } of OPENSHIFT.filter((each) => rowsOf(each.table).length > 0)) {
    const at = faults.indexOf(`${name} was last compared with 4.22; for 4.99, look at`);
    assert.ok(at >= 0, name);
    assert.equal(faults.slice(at + 1, at + 1 + rowsOf(table).length), rowsOf(table).map(spanOf));
  }
  assert.ok(faults.some((line) => line === "  features.subnetRoles since 4.19"));
});

test("a table without source, without review or with a span that is none is named", () => {
  const row = { since: "1.30" };
  const fault = (table: Json): string => faultsOf("t", table, "1.30").join("\n");
  assert.is(fault({ source: "s", reviewed: "1.30", row }), "");
  assert.match(fault({ reviewed: "1.30", row }), /no source/);
  assert.match(fault({ source: "s", row }), /does not say/);
  assert.match(
    fault({ source: "s", reviewed: "1.29", rows: [row] }),
    /compared with 1.29.*\n {2}rows\[0\] since 1.30/,
  );
  for (const bad of [{ since: 4.1 }, { since: "1" }, { since: "1.31", before: "1.31" }])
    assert.match(
      fault({ source: "s", reviewed: "1.30", bad }),
      /at no release:\n {2}bad/,
      JSON.stringify(bad),
    );
});

test.run();
