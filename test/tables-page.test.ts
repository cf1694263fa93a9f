/** tables/README.md lists every table, the script that makes it, and the folders of the code that read it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("page of tables");

const TABLES = readdirSync("tables", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json") && !name.endsWith(".schema.json"))
  .map((name) => name.replaceAll("\\", "/"))
  .sort();

const ROW = /^\| `([\w/-]+\.json)` \| (.+) \| (.+) \| (?:`([\w.-]+)` )?\| (.+) \|$/gm;
const rows = [...readFileSync("tables/README.md", "utf8").matchAll(ROW)].map(
  ([, table = "", , , script, readers = ""]) => ({ table, script, readers }),
);

/** Imports of a table, itself or as the module that the build makes of it. */
const IMPORTS = /\/tables\/([\w/-]+)\.js(?:on)?"/g;

/** The folders of src that import each table. */
function readers(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const name of readdirSync("src", { recursive: true, encoding: "utf8" }).sort()) {
    const [folder = ""] = name.split(/[\\/]/);
    if (!name.endsWith(".ts") || folder === "generated") continue;
    for (const [, table = ""] of readFileSync(join("src", name), "utf8").matchAll(IMPORTS)) {
      const file = `${table}.json`;
      found.set(file, (found.get(file) ?? new Set()).add(folder));
    }
  }
  return found;
}

test("lists every table once", () => {
  assert.equal(rows.map(({ table }) => table).sort(), TABLES);
});

test("names the folders that read each table", () => {
  const actual = readers();
  assert.equal(
    rows.map(({ table, readers }) => [table, readers]),
    rows.map(({ table }) => [table, [...(actual.get(table) ?? [])].map((each) => `\`${each}\``).join(", ")]),
  );
});

test("names scripts that exist and that each table has a source", () => {
  assert.equal(
    rows.flatMap(({ script }) => script ?? []).filter((name) => !existsSync(join("scripts", name))),
    [],
  );
  const sourceless = TABLES.filter(
    (name) => !/^ {2}"source": /m.test(readFileSync(join("tables", name), "utf8")),
  );
  assert.equal(sourceless, []);
});

test.run();
