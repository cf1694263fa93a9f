import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  addMinors,
  compareVersions,
  formatMinor,
  formatVersion,
  minorOf,
  parseVersion,
  patchOf,
} from "../../src/compatibility/version.js";
import { compareKubeVersions } from "../../src/kubernetes/versions.js";
import { minor, version } from "../helpers/compat.js";

const test = suite("versions");

test("a version is read as a component reads it (docs/reference/compatibility-versions.md §3.1)", () => {
  const readable: readonly (readonly [string, string])[] = [
    ["1.31", "1.31"],
    ["v1.31", "1.31"],
    [" 1.31 ", "1.31"],
    ["1.31.0", "1.31.0"],
    ["1.31.2", "1.31.2"],
    ["1.31.0-alpha.1", "1.31.0-alpha.1"],
    ["1.31.0-alpha.1+build", "1.31.0-alpha.1"],
    ["1.31-alpha", "1.31"],
    ["1.031", "1.31"],
    ["1.31.0-alpha.01", "1.31.0"],
    ["1.2.3.4", "1.2.3.4"],
    ["v1.37.0-beta.0 ", "1.37.0-beta.0"],
    ["0.0", "0.0"],
  ];
  for (const [text, expected] of readable) assert.is(formatVersion(version(text)), expected, text);
  for (const text of ["1", "1.foo", "", "foo", "01.2", "-1.2", "1.99999999999999999999", "v", "1.3\n"])
    assert.ok("fault" in parseVersion(text), text);
  assert.is(patchOf(version("1.31.2")), 2);
  assert.is(patchOf(version("1.31.0-alpha.1")), 0);
});

test("versions compare number by number (docs/reference/compatibility-versions.md §3.2)", () => {
  const order = (a: string, b: string): number => Math.sign(compareVersions(version(a), version(b)));
  assert.is(order("1.31", "1.31.0"), 0);
  assert.is(order("1.31.2", "1.31"), 1);
  assert.is(order("1.35.0-alpha.1", "1.35"), 0);
  assert.is(order("1.35.0-alpha.1", "1.35.0"), -1);
  assert.is(order("1.35.0-alpha.2", "1.35.0-alpha.10"), -1);
  assert.is(order("1.35.0-beta.0", "1.35.0-alpha.10"), 1);
  assert.is(order("1.35.0-alpha", "1.35.0-alpha.1"), -1);
  assert.is(order("1.9", "1.10"), -1);
  assert.is(order("2.0", "1.99"), 1);
});

test("minors move without borrowing from the major number", () => {
  assert.is(formatMinor(addMinors(minor("1.2"), -3)), "1.0");
  assert.is(formatMinor(addMinors(minor("1.37"), 1)), "1.38");
  assert.is(formatMinor(minorOf(version("v1.35.2"))), "1.35");
});

test("API versions order as Kubernetes orders them (docs/reference/compatibility-versions.md §8)", () => {
  const given = ["foo10", "v1beta2", "v1", "foo1", "v3alpha1", "v2beta1", "v10", "v1beta10", "v1alpha10"];
  const ordered = [...given].sort((a, b) => compareKubeVersions(b, a));
  assert.equal(ordered, [
    "v10",
    "v1",
    "v2beta1",
    "v1beta10",
    "v1beta2",
    "v3alpha1",
    "v1alpha10",
    "foo1",
    "foo10",
  ]);
  for (const [greater, less] of [
    ["bar", "foo"],
    ["version1", "version10"],
    ["v1", "v1.1"],
    ["v1alpha1", "V1"],
  ] as const)
    assert.ok(compareKubeVersions(greater, less) > 0, `${greater} > ${less}`);
  assert.is(compareKubeVersions("v01", "v1"), 0);
});

test.run();
