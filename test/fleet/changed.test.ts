/** Which clusters of a fleet a change may affect. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { affectedBy, changedPaths } from "../../src/fleet/changed.js";

const test = suite("fleet/changed");

const CLUSTERS = [
  { directory: "/r/clusters/egret", inputs: ["/r/facts/site.yaml"] },
  { directory: "/r/clusters/egret-2", inputs: ["/r/infrastructure"] },
  { directory: "/r/clusters/heron", inputs: [] },
];
const affected = (...changed: readonly string[]): readonly string[] =>
  CLUSTERS.filter(affectedBy(changed, "/r/fleet.txt")).map(({ directory }) => directory.slice(12));

for (const [changed, expected] of [
  ["/r/clusters/egret/install-config.yaml", ["egret"]],
  ["/r/clusters/egret-2/openshift/a.yaml", ["egret-2"]],
  ["/r/facts/site.yaml", ["egret"]],
  ["/r/facts/other.yaml", []],
  ["/r/infrastructure/template.yaml", ["egret-2"]],
  // A submodule.
  ["/r/clusters", ["egret", "egret-2", "heron"]],
  ["/r/fleet.txt", ["egret", "egret-2", "heron"]],
  ["/r/fleet.txt.orig", []],
  ["/r/README.md", []],
] as const)
  test(`selects clusters by ${changed}`, () => assert.equal(affected(changed), expected));

test("selects the clusters of several changes once, and none without changes", () => {
  assert.equal(affected("/r/clusters/heron/a", "/r/clusters/heron/b", "/r/facts/site.yaml"), [
    "egret",
    "heron",
  ]);
  assert.equal(affected(), []);
});

test("reads both forms of Git's list", () => {
  assert.equal(changedPaths('a b\0"c"\0d\ne\0', "f"), ["a b", '"c"', "d\ne"]);
  assert.equal(changedPaths("a b\r\nc\n", "f"), ["a b", "c"]);
  assert.equal(changedPaths("", "f"), []);
});

test("refuses a quoted path", () => {
  const refused = changedPaths('a\n"h\\303\\251ron/a"\n', "list");
  assert.ok("code" in refused);
  assert.equal([refused.code, refused.file, refused.line], ["FLEET005", "list", 2]);
});

test.run();
