/**
 * Generated code from tables with hostile texts in every field is given to the compilers: TypeScript at its strictest,
 * and `go vet` where Go is installed. Go's packages of Kubernetes are stood in for by their types alone.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "../../src/core/json.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";
import { answer } from "../hostile/answer.js";
import { lay, wordsOf } from "../hostile/command-lines.js";
import { plantedTexts } from "../hostile/planting.js";

const test = suite("generated code compiles");
const go = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/go/bin"]
  .map((folder) => join(folder, "go"))
  .find((path) => existsSync(path));

/** Texts that would end a comment, a text or a statement, or that a compiler reads in a way of its own. */
const HOSTILE: readonly string[] = [
  "*/ syntax error /*",
  '"; syntax error("',
  "'; syntax error('",
  "`; syntax error(`",
  "\n}\nsyntax error {\n",
  "\r\n*/ syntax error\r\n",
  "\u2028syntax error\u2029",
  "\\",
  "\\u0022; syntax error \\x22",
  ["$", "{syntax error}"].join(""),
  "//go:embed /etc/passwd",
  "\n//go:build ignore\n// +build ignore\n",
  "#cgo LDFLAGS: -x",
  "\u0000\u0001\u001b",
  "\ud800 half",
  "a\ufeffb",
  "\u202e*/ turned",
  '/// <reference path="/etc/passwd" />',
  "@ts-expect-error",
  "</script><!--",
  "%!s(MISSING) %d",
  "*",
  "/",
];

/** Words that a language, or the generated code itself, has another meaning for. */
const WORDS: readonly string[] = [
  ...[
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "then",
    "default",
    "featureGates",
    "undefined",
    "arguments",
  ],
  ...["string", "bool", "int", "any", "error", "nil", "true", "false", "iota", "append", "init", "main", "_"],
  ...[
    "type",
    "func",
    "var",
    "map",
    "package",
    "version",
    "featuregate",
    "featureCapability",
    "featureCapabilities",
  ],
  ...[
    "defaultVersionedFeatureGates",
    "defaultFeatureGateDependencies",
    "Ünïcode",
    "a-b",
    "1a",
    "a.b",
    "",
    " ",
  ],
];

const HEAD = { apiVersion: "slipway.dev/v1alpha1" };

const gate = (name: string, rest: { readonly [name: string]: Json } = {}): Json => ({
  name,
  versionedSpecs: [
    { version: "1.34", default: false, preRelease: "Alpha" },
    { version: "1.36", default: false, preRelease: "Beta" },
    { version: "1.36", default: true, preRelease: "Beta", minCompatibilityVersion: "1.36" },
  ],
  ...rest,
});

const capability = (name: string): Json => ({
  name,
  change: "api",
  since: "1.34",
  until: "1.36",
  description: "Old words.",
});

const gates = (own: string, rest: { readonly [name: string]: Json } = {}): Json => ({
  ...HEAD,
  kind: "FeatureGateTable",
  metadata: { name: "A table" },
  component: "a-component",
  versions: { binary: "1.36" },
  source: { form: "a form", files: ["a file"] },
  loses: ["some words"],
  gates: [
    gate("Plain"),
    gate(own, {
      description: "Does this.\nAnd that.",
      declaredIn: ["a module"],
      components: ["a binary"],
      owners: ["an owner"],
      dependencies: ["Plain"],
      capabilities: [capability("a-change")],
      ...rest,
    }),
  ],
});

const apis: Json = {
  ...HEAD,
  kind: "APILifecycle",
  metadata: { name: "A table" },
  kinds: [
    {
      group: "a-group",
      version: "v9alpha9",
      kind: "OldKind",
      resource: "oldkinds",
      subresources: ["a-part"],
      stability: "beta",
      introduced: "1.30",
      deprecated: "1.33",
      removed: "1.36",
      replacement: { group: "b-group", version: "v9", kind: "NewKind" },
      verbs: ["a-verb"],
      namespaced: true,
    },
    { group: "b-group", version: "v9", kind: "NewKind", resource: "newkinds", introduced: "1.30" },
  ],
};

const behaviors: Json = {
  ...HEAD,
  kind: "StorageBehaviors",
  resources: [
    {
      group: "a-group",
      resource: "widgets",
      versions: [{ version: "v9", behaviors: { "1.35": "preferred", "1.36": "preferred" } }],
    },
  ],
};

const TABLES: Readonly<Record<string, Json>> = {
  "feature-gates": gates("Hostile"),
  "api-availability": apis,
  "storage-behaviors": behaviors,
};
const LANGUAGES = ["ts", "go"] as const;
type Language = (typeof LANGUAGES)[number];

const folder = tempFolder();
const made: Record<Language, Map<string, string>> = { ts: new Map(), go: new Map() };
let number = 0;

/** What a generator makes of a table, kept to be compiled at the end; undefined where it refuses the table. */
async function codeOf(
  generator: string,
  language: Language,
  tree: ReadonlyMap<string, Buffer>,
  more = "",
): Promise<string | undefined> {
  const place = join(folder, "work");
  lay(tree, place);
  const words = wordsOf(
    `generate ${generator} --input table.json --lang ${language} --out code.${language} ${more}`,
  );
  const { code, stderr, stdout } = await answer(words, place);
  if (code === 1) assert.match(stdout + stderr, /error [A-Z]+\d+: /);
  else assert.is(code, 0, stderr);
  return code === 0 ? readFileSync(join(place, `code.${language}`), "utf8") : undefined;
}

function keep(language: Language, text: string): void {
  const name = `c${number++}`;
  made[language].set(language === "ts" ? `${name}.ts` : `${name}/${name}.go`, text);
}

const treeOf = (table: Json): Map<string, Buffer> =>
  new Map([["table.json", Buffer.from(JSON.stringify(table))]]);

const ROUNDS = 6;
for (const [generator, table] of Object.entries(TABLES))
  for (const language of LANGUAGES)
    test(`${generator} --lang ${language}: hostile texts in every place that takes one`, async () => {
      const seen = new Set<string>();
      const places = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        // Every round begins with another text, so that each place gets several.
        const from = round * 4;
        const hostile = [...HOSTILE.slice(from), ...HOSTILE.slice(0, from)];
        const { tree, names } = await plantedTexts(
          treeOf(table),
          ["table.json"],
          hostile,
          async (given) => (await codeOf(generator, language, given)) !== undefined,
        );
        for (const [place, text] of names) {
          places.add(place);
          seen.add(text.replace(/\d+$/, ""));
        }
        keep(language, (await codeOf(generator, language, tree)) ?? "");
      }
      process.stdout.write(`${generator} ${language}: ${places.size} places, ${seen.size} texts\n`);
      assert.ok(places.size >= (generator === "storage-behaviors" ? 2 : 8), [...places].join(", "));
      assert.ok(seen.size > HOSTILE.length / 2, `${seen.size} texts`);
    });

test("words with a meaning of their own as names of gates, constants, capabilities, kinds and packages", async () => {
  for (const language of LANGUAGES)
    for (const word of WORDS) {
      const tables: readonly (readonly [string, Json, string?])[] = [
        ["feature-gates", gates(word)],
        ["feature-gates", gates("Hostile", { constant: word })],
        ["feature-gates", gates("Hostile", { capabilities: [capability(word)] })],
        [
          "api-availability",
          {
            ...HEAD,
            kind: "APILifecycle",
            kinds: [{ group: word, version: word, kind: word, resource: word }],
          },
        ],
      ];
      for (const [generator, table] of tables) {
        const text = await codeOf(generator, language, treeOf(table));
        if (text !== undefined) keep(language, text);
      }
    }
  for (const word of WORDS.filter((each) => each !== "main")) {
    const place = join(folder, "package");
    lay(treeOf(gates("Hostile")), place);
    const { code, stderr } = await answer(
      [
        "generate",
        "feature-gates",
        "--input",
        "table.json",
        "--lang",
        "go",
        "--out",
        "code.go",
        `--package=${word}`,
      ],
      place,
    );
    if (code !== 0) assert.match(stderr, /--package/);
    else keep("go", readFileSync(join(place, "code.go"), "utf8"));
  }
});

/** Files in a folder of their own. */
function laid(files: ReadonlyMap<string, string>): string {
  const place = tempFolder();
  for (const [path, text] of files) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  return place;
}

const STRICT =
  "--noEmit --pretty false --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noUnusedLocals --noImplicitReturns --target es2022 --lib es2022 --module nodenext --types".split(
    " ",
  );

function typeScriptFaults(files: ReadonlyMap<string, string>): string {
  const place = laid(files);
  const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...STRICT, "", ...files.keys()], {
    cwd: place,
    encoding: "utf8",
  });
  return stdout + stderr;
}

test("TypeScript's compiler takes all of it", () => {
  assert.match(
    typeScriptFaults(new Map([["bad.ts", "export const a = */ 1;\n"]])),
    /bad\.ts\(1,\d+\): error/,
  );
  assert.ok(made.ts.size > 60, `${made.ts.size} modules`);
  assert.is(typeScriptFaults(made.ts).slice(0, 3000), "");
});

/** What generated code uses of Kubernetes' packages. */
const STUBS: Readonly<Record<string, string>> = {
  "stub/apimachinery/go.mod": "module k8s.io/apimachinery\n\ngo 1.21\n",
  "stub/apimachinery/pkg/util/version/version.go":
    "package version\n\ntype Version struct{}\n\nfunc MustParse(text string) *Version { return &Version{} }\n\nfunc (v *Version) AtLeast(min *Version) bool { return true }\n\nfunc (v *Version) LessThan(other *Version) bool { return false }\n",
  "stub/component-base/go.mod":
    "module k8s.io/component-base\n\ngo 1.21\n\nrequire k8s.io/apimachinery v0.0.0\n",
  "stub/component-base/featuregate/gate.go":
    'package featuregate\n\nimport "k8s.io/apimachinery/pkg/util/version"\n\ntype Feature string\n\ntype prerelease string\n\nconst (\n\tAlpha      = prerelease("ALPHA")\n\tBeta       = prerelease("BETA")\n\tGA         = prerelease("")\n\tDeprecated = prerelease("DEPRECATED")\n)\n\ntype FeatureSpec struct {\n\tDefault                 bool\n\tLockToDefault           bool\n\tPreRelease              prerelease\n\tVersion                 *version.Version\n\tMinCompatibilityVersion *version.Version\n}\n\ntype VersionedSpecs []FeatureSpec\n\ntype FeatureGate interface {\n\tEnabled(key Feature) bool\n}\n\ntype MutableVersionedFeatureGate interface {\n\tFeatureGate\n\tEmulationVersion() *version.Version\n}\n',
  "go.mod":
    "module example.com/generated\n\ngo 1.21\n\nrequire (\n\tk8s.io/apimachinery v0.0.0\n\tk8s.io/component-base v0.0.0\n)\n\nreplace (\n\tk8s.io/apimachinery => ./stub/apimachinery\n\tk8s.io/component-base => ./stub/component-base\n)\n",
};

function goFaults(path: string, files: ReadonlyMap<string, string>): string {
  const place = laid(new Map([...Object.entries(STUBS), ...files]));
  const { status, stdout, stderr } = spawnSync(path, ["vet", "./..."], {
    cwd: place,
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "-mod=mod -p=1", GOPROXY: "off", GOTOOLCHAIN: "local", GOWORK: "off" },
  });
  return status === 0 ? "" : stdout + stderr;
}

if (go === undefined) skipTest(test, "go vet takes all of it", "needs go");
else
  test("go vet takes all of it", () => {
    assert.match(goFaults(go, new Map([["bad/bad.go", "package bad\n\nvar a = */ 1\n"]])), /bad\.go:3/);
    assert.ok(made.go.size > 60, `${made.go.size} packages`);
    assert.is(goFaults(go, made.go).slice(0, 3000), "");
  });

test.run();
