/** What the product is made with: licences, install scripts, and that nothing is fetched that was not pinned. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Ajv } from "ajv";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type Json, type JsonObject } from "../src/core/json.js";
import { PAGES } from "./helpers/pages.js";

const test = suite("dependencies");

function objectIn(file: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(isJson(value) && isObject(value), file);
  return value;
}

const members = (value: Json | undefined): readonly [string, JsonObject][] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, member]) => (isObject(member) ? [[name, member] as const] : []))
    : [];

/** Everything that npm ci installs, by path. */
const INSTALLED = members(objectIn("package-lock.json")["packages"]).filter(([path]) => path !== "");

/** Licences that ask for no more than that their text goes along, which dist/THIRD-PARTY-LICENSES.txt does. */
const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT OR Apache-2.0",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
]);

/** The build's bundler checks its own binary; nothing that is installed along with slipway runs anything. */
const INSTALL_SCRIPTS = ["node_modules/esbuild"];

/** Run by tests as it is, and never part of what is shipped: its licence asks for more than its text. */
const OF_TESTS: Readonly<Record<string, string>> = { "axe-core": "MPL-2.0" };

test("every licence is one that allows the bundle", () => {
  assert.ok(INSTALLED.length > 50);
  for (const [path, { license, dev }] of INSTALLED) {
    const ours = OF_TESTS[path.replace("node_modules/", "")];
    if (ours !== undefined) {
      assert.equal([license, dev], [ours, true], path);
      continue;
    }
    assert.ok(typeof license === "string" && LICENCES.has(license), `${path}: ${String(license)}`);
  }
});

test("what only tests run is in no source of the product", () => {
  const files = ["src", "scripts"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.m?[jt]s$/.test(path))
      .map((path) => join(folder, path)),
  );
  assert.ok(files.length > 1000);
  for (const file of files)
    for (const name of Object.keys(OF_TESTS)) assert.not.ok(readFileSync(file, "utf8").includes(name), file);
});

test("every package is pinned by its digest", () => {
  for (const [path, { integrity, link }] of INSTALLED)
    assert.ok(link !== true && /^sha512-/.test(String(integrity)), path);
});

test("no package runs a script when it is installed, but the bundler", () => {
  const scripts = INSTALLED.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(
    ([path]) => path,
  );
  assert.equal(scripts, INSTALL_SCRIPTS);
  const own = objectIn("package.json")["scripts"];
  assert.ok(isObject(own));
  for (const name of ["preinstall", "install", "postinstall", "prepare"])
    assert.is(own[name], undefined, name);
});

test("what is installed along with slipway is ts-morph and what it needs", () => {
  assert.equal(Object.keys(objectIn("package.json")["dependencies"] ?? {}), ["ts-morph"]);
  const along = INSTALLED.filter(
    ([, { dev, optional, peer }]) => dev !== true && optional !== true && peer !== true,
  );
  assert.ok(along.length < 15, along.map(([path]) => path).join(", "));
});

const WRITE = `import { installedAlong, sbomOf } from "./scripts/sbom.mjs";
const folders = [...installedAlong(), "node_modules/ajv", "node_modules/ajv", "node_modules/@noble/ciphers"];
process.stdout.write(sbomOf(folders, "20.1.2"));`;

interface Part {
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

/** The schemas of CycloneDX, as its library brings them. */
function isBillOfMaterials(document: unknown): readonly unknown[] {
  const folder = "node_modules/@cyclonedx/cyclonedx-library/res/schema";
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of readdirSync(folder).filter((each) =>
    /^(?:spdx|jsf|cryptography-defs).*\.json$/.test(each),
  ))
    ajv.addSchema(objectIn(join(folder, name)), `http://cyclonedx.org/schema/${name}`);
  const validate = ajv.compile(objectIn(join(folder, "bom-1.6.SNAPSHOT.schema.json")));
  return validate(document) ? [] : (validate.errors ?? []);
}

test("the bill of materials names each library that is shipped, with its digest", () => {
  const write = (): string =>
    execFileSync(process.execPath, ["--input-type=module", "--eval", WRITE], { encoding: "utf8" });
  const text = write();
  const bill: { readonly components: readonly Part[] } = JSON.parse(text);
  assert.equal(isBillOfMaterials(bill), []);
  const purls = bill.components.map(({ purl }) => purl);
  assert.is(new Set(purls).size, purls.length);
  for (const start of [
    "pkg:npm/ts-morph@",
    "pkg:npm/ajv@",
    "pkg:npm/%40noble/ciphers@",
    "pkg:generic/nodejs@20.1.2",
  ])
    assert.ok(
      purls.some((each) => each.startsWith(start)),
      start,
    );
  for (const { purl, hashes } of bill.components.filter(({ purl }) => purl.startsWith("pkg:npm/")))
    assert.match(hashes?.[0]?.content ?? "", /^[0-9a-f]{128}$/, purl);
  assert.is(write(), text);
});

test("the package contains what its pages link to", () => {
  const { files } = objectIn("package.json");
  assert.ok(Array.isArray(files));
  // What npm takes along by itself.
  const shipped = [...files.map(String), "package.json", "README.md", "LICENSE"];
  const isShipped = (path: string): boolean =>
    shipped.some((each) => path === each || path.startsWith(`${each}/`));
  const missing = [...PAGES, "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"]
    .filter(isShipped)
    .flatMap((page) =>
      [
        ...readFileSync(page, "utf8")
          .replace(/^```[\s\S]*?^```$/gm, "")
          .replace(/`[^`\n]*`/g, "x")
          .matchAll(/\]\(([^)\s#]+)/g),
      ]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => normalize(join(dirname(page), target)))
        .filter((target) => !isShipped(target))
        .map((target) => `${page}: ${target}`),
    );
  assert.equal(missing, []);
});

test.run();
