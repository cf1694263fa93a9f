import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import { Project } from "ts-morph";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { HEAD } from "../helpers/compat.js";
import { formatted, gofmt } from "../helpers/gofmt.js";
import { everything } from "../helpers/runs.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("generate storage-behaviors");

const TABLE = `${HEAD}kind: StorageBehaviors
resources:
- group: example.com
  resource: widgets
  versions:
  - version: v1
    behaviors: {"1.21": supported, "1.22": preferred, "1.23": preferred}
  - version: v1beta1
    behaviors: {"1.21": preferred, "1.22": supported, "1.23": actively-migrated}
- group: ""
  resource: gadgets
  versions:
  - version: v1
    behaviors: {"1.22": preferred, "1.23": preferred}
`;

function generate(...args: readonly string[]) {
  const folder = tempFolder();
  writeFileSync(join(folder, "t.yaml"), TABLE);
  const run = (...more: readonly string[]) =>
    slipway(["generate", "storage-behaviors", "--input", "t.yaml", ...args, ...more], { cwd: folder });
  return { folder, run, result: run() };
}

const moduleOf = (): { folder: string; text: string } => {
  const { folder, result } = generate("--out", "storage.ts");
  assert.is(result.code, 0, result.stderr);
  return { folder, text: readFileSync(join(folder, "storage.ts"), "utf8") };
};

/** Compiles the module and a use of it, strictly; what is wrong, `file:line: message`. */
function errorsOf(text: string, use: string): string[] {
  const project = new Project({
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      target: 99,
      module: 99,
    },
    skipAddingFilesFromTsConfig: true,
  });
  project.createSourceFile("storage.ts", text, { overwrite: true });
  project.createSourceFile("use.ts", `import * as s from "./storage";\n${use}\n`, { overwrite: true });
  return project.getPreEmitDiagnostics().map((each) => {
    const message = each.getMessageText();
    return `${each.getSourceFile()?.getBaseName()}:${each.getLineNumber()}: ${typeof message === "string" ? message : message.getMessageText()}`;
  });
}

// The compiler takes seconds; the fast tier asks it of feature gates.
(everything ? test : test.skip)(
  "a lookup that the table has compiles; an unknown resource, version or release does not",
  () => {
    const { text } = moduleOf();
    assert.equal(
      errorsOf(
        text,
        `export const a: s.StorageBehavior | undefined = s.storageBehavior("widgets.example.com", "v1beta1", "1.23");
export const b: "v1" | "v1beta1" | undefined = s.storageVersion("widgets.example.com", "1.21");
export const c: "preferred" = s.storageBehaviors.gadgets.v1["1.22"];`,
      ),
      [],
    );
    const wrong = [
      's.storageBehavior("things.example.com", "v1", "1.23");',
      's.storageBehavior("gadgets", "v1beta1", "1.23");',
      's.storageBehavior("gadgets", "v1", "1.24");',
      's.storageVersion("gadgets", "1.20");',
      's.storageBehaviors.gadgets.v1["1.21"];',
    ];
    assert.equal(
      errorsOf(text, wrong.join("\n")).map((each) => each.split(":", 2).join(":")),
      // Behind the line of the import.
      wrong.map((_, index) => `use.ts:${index + 2}`),
    );
  },
);

test("the module answers as the table says, and imports nothing", async () => {
  const { folder, text } = moduleOf();
  assert.not.match(text, /\bimport\b|\brequire\b/);
  const { code } = transformSync(text, { loader: "ts" });
  writeFileSync(join(folder, "storage.mjs"), code);
  const made = await import(pathToFileURL(join(folder, "storage.mjs")).href);
  assert.is(made.storageBehavior("widgets.example.com", "v1beta1", "1.23"), "actively-migrated");
  assert.is(made.storageBehavior("gadgets", "v1", "1.21"), undefined);
  assert.is(made.storageVersion("widgets.example.com", "1.21"), "v1beta1");
  assert.is(made.storageVersion("gadgets", "1.21"), undefined);
  assert.equal(made.storageReleases, ["1.21", "1.22", "1.23"]);
});

test("--check tells a difference, and writes nothing", () => {
  const { folder, run } = generate("--out", "storage.ts");
  assert.is(run("--check").code, 0);
  const file = join(folder, "storage.ts");
  const other = readFileSync(file, "utf8").replace("actively-migrated", "ignored");
  writeFileSync(file, other);
  const { code, stdout } = run("--check");
  assert.is(code, 3);
  assert.match(stdout, /^-.*ignored/m);
  assert.is(readFileSync(file, "utf8"), other);
});

test("--into changes one declaration of a file and nothing else", () => {
  const { folder } = generate("--out", "x.ts");
  const file = join(folder, "own.ts");
  const before =
    "// mine\nexport type Name = string;\nexport const table = {} as const; // keep\nexport const other = 1;\n";
  writeFileSync(file, before);
  const args = [
    "generate",
    "storage-behaviors",
    "--input",
    "t.yaml",
    "--into",
    "own.ts",
    "--declaration",
    "table",
    "Name",
  ];
  assert.is(slipway(args, { cwd: folder }).code, 0);
  const after = readFileSync(file, "utf8");
  assert.match(after, /^\/\/ mine\nexport type Name =\n {2}\| "gadgets"\n {2}\| "widgets\.example\.com";\n/);
  assert.match(after, "} as const; // keep\nexport const other = 1;\n");
  assert.match(after, '      "1.23": "actively-migrated",\n');
  assert.is(slipway([...args, "--check"], { cwd: folder }).code, 0);
});

test("Go: the same rows", () => {
  const { folder, result } = generate("--out", "storage.go", "--lang", "go", "--package", "stored");
  assert.is(result.code, 0, result.stderr);
  const text = readFileSync(join(folder, "storage.go"), "utf8");
  assert.match(text, "\npackage stored\n");
  assert.match(
    text,
    '\t{Group: "example.com", Resource: "widgets", Version: "v1beta1", Behaviors: map[string]StorageBehavior{"1.21": StoragePreferred, "1.22": StorageSupported, "1.23": StorageActivelyMigrated}},\n',
  );
});

if (gofmt === undefined) skipTest(test, "gofmt changes nothing", "needs gofmt");
else {
  const path = gofmt;
  test("gofmt changes nothing", () => {
    const { folder } = generate("--out", "storage.go", "--lang", "go");
    const text = readFileSync(join(folder, "storage.go"), "utf8");
    assert.is(formatted(path, text), text);
  });
}

test("a table that breaks an invariant is refused, and nothing is written", () => {
  const { folder } = generate("--out", "x.ts");
  writeFileSync(
    join(folder, "t.yaml"),
    TABLE.replace('"1.23": preferred}\n  - version: v1beta1', '"1.23": supported}\n  - version: v1beta1'),
  );
  const { code, stderr } = slipway(["generate", "storage-behaviors", "--input", "t.yaml", "--out", "y.ts"], {
    cwd: folder,
  });
  assert.is(code, 1);
  assert.match(stderr, /t\.yaml:\d+:\d+: error STO001: .*B1 one-preferred/);
  assert.throws(() => readFileSync(join(folder, "y.ts")));
});

test.run();
