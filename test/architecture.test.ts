/**
 * The house as it is built against docs/architecture.md: every import of every file under src, those of types and
 * those that are loaded later too, goes along a declared direction, every declared direction is taken, and no
 * files import each other in a circle.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ts } from "ts-morph";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("architecture");
const root = process.cwd();
/** What everyone may use. */
const COMMON = ["core", "generated"];

/** The files of this tree that each file imports, by path from the root. */
function importsOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
      const relative = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith("."));
      return [file, relative.map((name) => normalize(join(dirname(file), name)).replace(/\.js$/, ".ts"))];
    }),
  );
}

/** The first circle of a graph, as the names on it. */
function circle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of graph.get(name) ?? []) {
      const found = visit(next, [...path, name]);
      if (found !== undefined) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const found = visit(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The folder of src that a file lies in; undefined for what lies elsewhere. */
const folderOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1];

/** The table of the section "Imports". */
function declared(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, section = ""] = text.split(/^## Imports$/m);
  const [table = ""] = section.split(/^## /m);
  return new Map(
    [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, from = "", to = ""]) => [
      from,
      [...to.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    ]),
  );
}

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => join("src", file));
const imports = importsOf(files);

const between = new Map<string, Set<string>>();
for (const [file, targets] of imports) {
  const from = folderOf(file);
  if (from === undefined) continue;
  const folders = between.get(from) ?? new Set();
  for (const target of targets) {
    const to = folderOf(target);
    if (to !== undefined && to !== from) folders.add(to);
  }
  between.set(from, folders);
}

test("imports are read: those of types, those that are loaded later, those that are handed on", () => {
  const all = [...imports].flatMap(([file, targets]) => targets.map((target) => `${file} ${target}`));
  assert.ok(all.includes("src/cli/command.ts src/cli/exit.ts"), "import type");
  assert.ok(all.includes("src/cli/frame.ts src/cli/node-context.ts"), "import()");
  assert.ok(all.includes("src/text/yaml-read.ts src/text/yaml-nodes.ts"), "export from");
  const unknown = [...imports.values()].flat().filter((target) => !imports.has(target));
  assert.equal(
    unknown.filter((target) => /^src\/(?!generated\/)/.test(target) && !target.endsWith(".json")),
    [],
  );
});

test("a circle is found where there is one", () => {
  assert.equal(
    circle(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["b"]],
      ]),
    ),
    ["b", "c", "b"],
  );
  assert.is(
    circle(
      new Map([
        ["a", ["b", "c"]],
        ["b", ["c"]],
        ["c", []],
      ]),
    ),
    undefined,
  );
});

test("no files import each other in a circle, nor do folders", () => {
  assert.is(circle(imports)?.join(" → "), undefined);
  // What is generated stands apart: its code needs the types of those who use it.
  const folders = new Map(
    [...between].map(([from, to]) => [from, [...to].filter((to) => to !== "generated")]),
  );
  assert.is(circle(folders)?.join(" → "), undefined);
});

/** Names that a file declares for others and that no text has again. What the library hands on has its users elsewhere. */
function unused(texts: ReadonlyMap<string, string>): string[] {
  const handedOn = /^export (?:type )?\{[^}]*\} from [^;]*;/gm;
  const words = new Map<string, number>();
  for (const [file, text] of texts)
    for (const [word] of (file.startsWith("src/library/") ? text : text.replace(handedOn, "")).matchAll(
      /\w+/g,
    ))
      words.set(word, (words.get(word) ?? 0) + 1);
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(declaration)]
      .map(([, name = ""]) => name)
      .filter((name) => words.get(name) === 1)
      .map((name) => `${file}: ${name}`),
  );
}

test("what nobody uses is found, also where a file hands it on", () => {
  const texts = new Map([
    ["a.ts", "export const used = 1;\nexport type Dead = string;\nexport async function gone() {}\n"],
    ["index.ts", 'export { used, type Dead } from "./a.js";\n'],
    ["b.ts", 'import { used } from "./index.js";\nexport const own = used;\nown;\n'],
  ]);
  assert.equal(unused(texts), ["a.ts: Dead", "a.ts: gone"]);
});

test("nothing is exported that nobody uses", () => {
  const texts = ["src", "test", "scripts", "bench"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:ts|mjs)$/.test(file))
      .map((file): [string, string] => [join(folder, file), readFileSync(join(root, folder, file), "utf8")]),
  );
  assert.equal(
    unused(new Map(texts)).filter((name) => name.startsWith("src/")),
    [],
  );
});

test("every direction is declared, and every declared one is taken", () => {
  const lines = (graph: ReadonlyMap<string, Iterable<string>>): string[] =>
    [...graph]
      .flatMap(([from, to]) =>
        [...to]
          .filter((each) => COMMON.includes(from) || !COMMON.includes(each))
          .map((each) => `${from} → ${each}`),
      )
      .sort();
  assert.equal(lines(between), lines(declared()));
});

/** What opens, reads or changes files by their paths. */
const OPENS =
  /^(?:open|read|write|append|createReadStream|createWriteStream|copyFile|cp|rename|link|symlink|unlink|rm|rmdir|mkdir|mkdtemp|truncate|chmod|chown|utimes|lutimes)(?:File|v|AsBlob|dir)?(?:Sync)?$/;
/** Reading a list of names, and writing to what is open. */
const HARMLESS = new Set(["readdirSync", "readSync", "writeSync"]);
/** Files elsewhere than in src/directory that open files by themselves, and why. */
const OPENERS: Readonly<Record<string, string>> = {
  "src/cli/code-cache.ts": "the code cache of the package itself",
};

test("opens files of users in src/directory only", () => {
  const found = files.flatMap((file) => {
    if (file.startsWith("src/directory/")) return [];
    const text = readFileSync(join(root, file), "utf8");
    return [
      ...text.matchAll(/import(?: type)? (\{[^}]*\}|\* as \w+|\w+) from "(?:node:)?fs(\/promises)?"/g),
    ].flatMap(([, names = "", promises]) =>
      names.startsWith("{") && promises === undefined
        ? names
            .replace(/[{}]/g, "")
            .split(",")
            .map((name) => name.trim())
            .filter((name) => OPENS.test(name) && !HARMLESS.has(name))
            .map((name) => `${file}: ${name}`)
        : [`${file}: ${names}`],
    );
  });
  assert.equal(
    found.filter((each) => !Object.keys(OPENERS).some((file) => each.startsWith(`${file}: `))),
    [],
    "use readInput, readRegular, openRegular or writeFiles of src/directory, which are bounded and follow no link out of it",
  );
  for (const file of Object.keys(OPENERS))
    assert.ok(
      found.some((each) => each.startsWith(`${file}: `)),
      file,
    );
});

test("reads whole files through one module", () => {
  const readers = files.filter(
    (file) =>
      file.startsWith("src/directory/") && /\breadFileSync\(/.test(readFileSync(join(root, file), "utf8")),
  );
  assert.equal(readers, ["src/directory/process-identity.ts", "src/directory/read-input.ts"]);
});

test.run();
