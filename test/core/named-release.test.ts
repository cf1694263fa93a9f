import { test } from "uvu";
import * as assert from "uvu/assert";
import { formatMinor, type Minor } from "../../src/core/minor.js";
import { releaseOfImage, releaseOfVersion } from "../../src/core/named-release.js";
import { readRelease } from "../../src/pipeline/options.js";

const named = (release: Minor | undefined): string => (release === undefined ? "" : formatMinor(release));

for (const [text, release] of [
  ["4.22", "4.22"],
  ["v1.36", "1.36"],
  ["4.22.3", "4.22"],
  ["4.22.0-rc.3", "4.22"],
  ["4.22.0-0.nightly-multi-2026-03-01-120102", "4.22"],
  ["v1.36.2+3f5a1b2", "1.36"],
  [" 4.20.1\n", ""],
  ["4.22.03", ""],
  ["4.22.", ""],
  ["4", ""],
  ["4.22.x", ""],
  ["latest", ""],
] as const)
  test(`${JSON.stringify(text)} is ${release === "" ? "not a version" : `of ${release}`}`, () => {
    assert.is(named(releaseOfVersion(text)), release);
  });

const DIGEST = `sha256:${"0".repeat(64)}`;
for (const [image, release] of [
  ["quay.io/example/release:4.22.3-x86_64", "4.22"],
  ["quay.io/example/release:4.22.0-ec.1-multi", "4.22"],
  ["registry.example.com:5000/ocp/release:4.21.0-0.nightly-arm64-2026-01-02-030405", "4.21"],
  ["registry.example.com:5000/ocp/release:4.22", "4.22"],
  [`registry.example.com:5000/ocp/release:v4.20.9-aarch64@${DIGEST}`, "4.20"],
  [`registry.example.com:5000/ocp/release@${DIGEST}`, ""],
  ["registry.example.com:5000/ocp/release", ""],
  ["quay.io/example/release:latest", ""],
  ["quay.io/example/release:4.22-final", ""],
] as const)
  test(`the tag of ${image} tells ${release === "" ? "nothing" : release}`, () => {
    assert.is(named(releaseOfImage(image)), release);
  });

test("a release may be named by a version of it; one without tables is none", async () => {
  assert.is((await readRelease("4.21.7"))?.name, "4.21");
  assert.is((await readRelease("4.22.0-rc.1"))?.name, "4.22");
  assert.is(await readRelease("4.99.0"), undefined);
  assert.is(await readRelease("3.11"), undefined);
});

test.run();
