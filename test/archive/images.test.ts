/** Archives and images: read by other programs as by the reader of the tests, the same bytes for the same files. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ArchivedFile, cpioArchive } from "../../src/archive/cpio.js";
import { storedGzip } from "../../src/archive/gzip.js";
import { isoImage } from "../../src/archive/iso9660.js";
import { encode } from "../../src/core/files.js";
import { openArchive, openImage } from "../helpers/image.js";
import { runs } from "../helpers/runs.js";
import { skipTest } from "../helpers/shared.js";

const test = suite("images");

const hasProgram = (name: string): boolean => {
  try {
    execFileSync(name, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const TIME = new Date("2026-11-30T12:34:56Z");

const file = (path: string, text: string, mode = 0o644): ArchivedFile => ({ path, data: encode(text), mode });

const asMap = (files: readonly ArchivedFile[]): [string, string, number][] =>
  files
    .map(({ path, data, mode }): [string, string, number] => [path, Buffer.from(data).toString("hex"), mode])
    .sort(([a], [b]) => (a < b ? -1 : 1));

const opened = (files: ReadonlyMap<string, { data: Buffer; mode: number }>): [string, string, number][] =>
  [...files]
    .map(([path, { data, mode }]): [string, string, number] => [path, data.toString("hex"), mode])
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Names that collide once they are cut, long ones, many in one folder, and an empty file. */
const FILES = [
  file("config.gz", "x".repeat(5000), 0o600),
  file("cluster-configuration/manifest.json", "{}"),
  file("cluster-configuration/manifests/image-digest-mirror-set.json", "a"),
  file("cluster-configuration/manifests/image-digest-mirror-set.yaml", "b"),
  file("empty", ""),
  file(`long/${"n".repeat(250)}.yaml`, "long"),
  file(`long/${"n".repeat(249)}m.yaml`, "longer"),
  ...Array.from({ length: 150 }, (_, index) => file(`many/file-with-a-name-${index}.yaml`, String(index))),
];

test("an image contains its files under their names", () => {
  const { label, files } = openImage(isoImage({ volume: "agent_configimage", files: FILES, time: TIME }));
  assert.is(label, "agent_configimage");
  assert.equal(opened(files), asMap(FILES));
});

test("the order of the files makes no difference", () => {
  const image = (files: readonly ArchivedFile[]): Buffer =>
    Buffer.from(isoImage({ volume: "v", files, time: TIME }));
  assert.ok(image(FILES).equals(image([...FILES].reverse())));
});

test("a label of more than 32 characters is refused", () => {
  assert.throws(() => isoImage({ volume: "v".repeat(33), files: [], time: TIME }), /too long/);
});

test("any files are read back", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,12}$/).filter((each) => !/^\.+$/.test(each));
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
  const one = fc.record({
    path,
    data: fc.uint8Array({ maxLength: 4200 }),
    mode: fc.constantFrom(0o600, 0o644, 0o755),
  });
  fc.assert(
    fc.property(fc.uniqueArray(one, { selector: (each) => each.path, maxLength: 12 }), (given) => {
      const files = given.filter(
        ({ path: each }) => !given.some((other) => other.path.startsWith(`${each}/`)),
      );
      const image = openImage(isoImage({ volume: "v", files, time: TIME }));
      assert.equal(opened(image.files), asMap(files));
      assert.equal(opened(openArchive(storedGzip(cpioArchive(files)))), asMap(files));
    }),
    { numRuns: runs(300) },
  );
});

test("gzip of more than one block is read back", () => {
  const files = [file("/etc/a", "z".repeat(200_001), 0o600)];
  assert.equal(opened(openArchive(storedGzip(cpioArchive(files)))), asMap(files));
});

for (const [program, extract] of [
  ["bsdtar", (image: string, to: string) => ["xf", image, "-C", to]],
  ["xorriso", (image: string, to: string) => ["-osirrox", "on", "-indev", image, "-extract", "/", to]],
] as const) {
  if (!hasProgram(program)) skipTest(test, `${program} reads an image`, `needs ${program}`);
  else
    test(`${program} reads an image`, () => {
      const folder = mkdtempSync(join(tmpdir(), "slipway-image-"));
      try {
        const image = join(folder, "a.iso");
        writeFileSync(image, isoImage({ volume: "agent_configimage", files: FILES, time: TIME }));
        const to = join(folder, "to");
        execFileSync("mkdir", [to]);
        execFileSync(program, extract(image, to), { stdio: "pipe" });
        const found = readdirSync(to, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry): [string, string, number] => {
            const full = join(entry.parentPath, entry.name);
            return [
              full.slice(to.length + 1),
              readFileSync(full).toString("hex"),
              statSync(full).mode & 0o777,
            ];
          })
          .sort(([a], [b]) => (a < b ? -1 : 1));
        assert.equal(found, asMap(FILES));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
}

test.run();
