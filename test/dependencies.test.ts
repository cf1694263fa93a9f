/** What the product is made with: licences, install scripts, and that nothing is fetched that was not pinned. */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type Json, type JsonObject } from "../src/core/json.js";

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

test("every licence is one that allows the bundle", () => {
  assert.ok(INSTALLED.length > 50);
  for (const [path, { license }] of INSTALLED)
    assert.ok(typeof license === "string" && LICENCES.has(license), `${path}: ${String(license)}`);
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

test.run();
