/** A release that is added before the tables were compared with it: the tables that wait, and their rows to look at. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject } from "../src/core/json.js";
import { addMinors, formatMinor, maxMinor, parseMinor } from "../src/core/minor.js";
import { LATER, orderOf, RELEASES } from "../src/core/release.js";
import form from "../src/generated/schemas/inputs/install-config.js";
import { PLATFORM_NAMES, PLATFORMS } from "../src/platforms/registry.js";

/** Tables about Kubernetes' releases; the rows of all others are about OpenShift's. */
const OF_KUBERNETES = /kubernetes|crd-refusals|storage-/;

interface Row {
  readonly path: string;
  readonly since: unknown;
  readonly before: unknown;
}

const membersOf = (value: object): ReadonlyMap<string, unknown> => new Map(Object.entries(value));

/** Every object of a table that holds at some releases only, with its path. */
function rowsOf(value: unknown, path = ""): Row[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => rowsOf(each, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  const members = membersOf(value);
  const [since, before] = [members.get("since"), members.get("before")];
  return [
    ...(since === undefined && before === undefined ? [] : [{ path, since, before }]),
    ...Object.entries(value).flatMap(([name, each]) => rowsOf(each, path === "" ? name : `${path}.${name}`)),
  ];
}

const spanOf = ({ path, since, before }: Row): string =>
  `  ${path}${since === undefined ? "" : ` since ${since}`}${before === undefined ? "" : ` before ${before}`}`;

/** Place of a release in the order that a table counts by; undefined for what is no release there. */
type Order = (name: unknown) => number | undefined;

/** Kubernetes' releases, by their numbers. */
const byNumber: Order = (name) => {
  const minor = typeof name === "string" ? parseMinor(name) : undefined;
  return minor && minor.major * 1e6 + minor.minor;
};

/** OpenShift's releases, by the order of their table. */
const byTable: Order = (name) => {
  try {
    return typeof name === "string" ? orderOf(name) : undefined;
  } catch {
    return undefined;
  }
};

/** What is wrong with a table, `newest` being the newest release that slipway offers. */
function faultsOf(name: string, table: object, newest: string, order: Order): string[] {
  const members = membersOf(table);
  if (!members.has("source")) return [`${name} names no source`];
  const rows = rowsOf(table);
  const wrong = rows.filter(({ since, before }) => {
    const [from, to] = [since, before].map((each) => (each === undefined ? -1 : order(each)));
    return from === undefined || to === undefined || (before !== undefined && from >= to);
  });
  if (wrong.length > 0) return [`${name} has rows that hold at no release:`, ...wrong.map(spanOf)];
  const reviewed = members.get("reviewed");
  if (rows.length === 0 && reviewed === undefined) return [];
  const last = order(reviewed);
  if (last === undefined) return [`${name} does not say what it was last compared with: reviewed`];
  if (last >= (order(newest) ?? 0)) return [];
  return [`${name} was last compared with ${reviewed}; for ${newest}, look at`, ...rows.map(spanOf)];
}

const TABLES = ["tables", "src/platforms"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith(".json") && !name.endsWith(".schema.json"))
  .sort()
  .map((name) => ({ name, table: objectIn(name) }));

function objectIn(file: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(isJson(value) && isObject(value), file);
  return value;
}

/** The traits of platforms, and the fields of an install-config with those of its platforms: their sources stand in the code and in the schemas. */
const FORM = "schemas/inputs/install-config.schema.json";
const notes = form["x-slipway"];
const OPENSHIFT: readonly { readonly name: string; readonly table: object }[] = [
  ...TABLES.filter(({ name }) => !OF_KUBERNETES.test(name)),
  { name: FORM, table: { ...form, source: "$id", reviewed: isObject(notes) ? notes["reviewed"] : "" } },
  ...PLATFORM_NAMES.map((name) => ({
    name: `src/platforms/${name}/descriptor.ts`,
    table: { source: "traits.ts", ...PLATFORMS[name].traits },
  })),
];

const NEWEST_RELEASE = RELEASES.at(-1) ?? "";

const test = suite("tables by release");

test("each table about OpenShift was compared with the newest release", () => {
  assert.equal(
    OPENSHIFT.flatMap(({ name, table }) => faultsOf(name, table, NEWEST_RELEASE, byTable)),
    [],
  );
});

/** Tables about Kubernetes' releases that a new release may change. */
const KUBERNETES = TABLES.filter(
  ({ name, table }) => OF_KUBERNETES.test(name) && (rowsOf(table).length > 0 || "reviewed" in table),
);
/** The newest release that any of them knows. */
const NEWEST = KUBERNETES.map(({ table }) => {
  const reviewed = membersOf(table).get("reviewed");
  return typeof reviewed === "string" ? parseMinor(reviewed) : undefined;
})
  .filter((each) => each !== undefined)
  .reduce(maxMinor);

test("the tables of Kubernetes' releases were compared with the newest, and list their rows for the next", () => {
  assert.equal(
    KUBERNETES.map(({ name }) => name.replace(/^tables\/|\.json$/g, "")),
    [
      "crd-refusals",
      "kubernetes-apis",
      "kubernetes-behavior",
      "kubernetes-cel-costs",
      "kubernetes-cel-functions",
      "kubernetes-cel",
      "kubernetes-demands",
      "kubernetes-fields",
      "kubernetes-flags",
      "kubernetes-gates",
      "kubernetes-messages",
      "kubernetes-skew",
      "kubernetes-storage",
      "kubernetes-watches",
      "storage-migration-apis",
    ],
  );
  const faults = (newest: string): string[] =>
    KUBERNETES.flatMap(({ name, table }) => faultsOf(name, table, newest, byNumber));
  assert.equal(faults(formatMinor(NEWEST)), []);
  const next = faults(formatMinor(addMinors(NEWEST, 1)));
  for (const { name } of KUBERNETES)
    assert.ok(
      next.some((line) => line.startsWith(`${name} was last compared`)),
      name,
    );
});

test("a new release lists every table that has rows by release, and each of its rows", () => {
  const faults = OPENSHIFT.flatMap(({ name, table }) => faultsOf(name, table, LATER, byTable));
  for (const { name, table } of OPENSHIFT.filter((each) => rowsOf(each.table).length > 0)) {
    const at = faults.indexOf(`${name} was last compared with ${NEWEST_RELEASE}; for ${LATER}, look at`);
    assert.ok(at >= 0, name);
    assert.equal(faults.slice(at + 1, at + 1 + rowsOf(table).length), rowsOf(table).map(spanOf));
  }
  for (const row of [
    "features.subnetRoles since 4.19",
    "arbiter since 4.22",
    "properties.arbiter.x-slipway since 4.19",
  ])
    assert.ok(faults.includes(`  ${row}`), row);
});

test("a table without source, without review or with a span that is none is named", () => {
  const row = { since: "1.30" };
  const fault = (table: object): string => faultsOf("t", table, "1.30", byNumber).join("\n");
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
