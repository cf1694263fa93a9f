import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { type FleetCluster, isEditedByHand, readFleet } from "../../src/fleet/read.js";

const test = suite("the file of a fleet");

interface Read {
  readonly clusters: readonly FleetCluster[];
  readonly problems: readonly Problem[];
}

function read(text: string, base = "."): Read {
  const problems: Problem[] = [];
  const clusters = readFleet(text, "fleet", base, (problem) => void problems.push(problem));
  assert.is(clusters === undefined, problems.length > 0, "refused where something is wrong, and only there");
  return { clusters: clusters ?? [], problems };
}

const table = (...lines: readonly string[]): string =>
  ["apiVersion: slipway.dev/v1alpha1", "kind: Fleet", ...lines, ""].join("\n");

test("a list: one directory a line, comments and empty lines left out, line ends of any kind", () => {
  const { clusters } = read("# ours\r\nclusters/egret/\r\n\n  ./clusters/heron  \n/srv/stork\n-dash\na: b\n");
  assert.equal(
    clusters.map(({ name, directory, position }) => [name, directory, position.line]),
    [
      ["clusters/egret", "clusters/egret/", 2],
      ["clusters/heron", "./clusters/heron", 4],
      ["/srv/stork", "/srv/stork", 5],
      ["-dash", "-dash", 6],
      ["a: b", "a: b", 7],
    ],
  );
});

test("a table: patches over defaults, null takes back, the name of the cluster, paths by the table", () => {
  const { clusters } = read(
    table(
      "defaults:",
      "  flags: {facts: facts/aws.yaml, secrets: separate, lenient: true}",
      "  installConfig: {baseDomain: example.org, metadata: {labels: {a: b}}, compute: [{name: worker}]}",
      "clusters:",
      "- {dir: a, name: egret}",
      "- dir: ../b",
      "  name: heron",
      "  flags: {secrets: null, age-recipient: [x, z]}",
      "  installConfig: {metadata: {name: other, labels: null}, compute: []}",
      "- {dir: /srv/c, installConfig: {baseDomain: example.net, metadata: {name: stork}}}",
    ),
    "fleets/eu",
  );
  assert.equal(
    clusters.map(({ name, directory, domain }) => [name, directory, domain]),
    [
      ["egret", "fleets/eu/a", "egret.example.org"],
      ["heron", "fleets/b", "other.example.org"],
      ["/srv/c", "/srv/c", "stork.example.net"],
    ],
  );
  assert.equal(clusters[1]?.flags, { facts: "facts/aws.yaml", lenient: true, "age-recipient": ["x", "z"] });
  assert.is(
    clusters[1]?.installConfig?.replace(/^(?:#.*\n)+/, ""),
    "baseDomain: example.org\ncompute: []\nmetadata:\n  name: other\n",
  );
  const written = clusters[1]?.installConfig ?? "";
  assert.not(isEditedByHand(written));
  assert.ok(isEditedByHand(written.replace("compute: []", "compute: [{}]")));
  assert.not(isEditedByHand(written.replace(/^#.*\n/, "")), "a file of somebody else");
});

test("names and domains are different things: one may be like another cluster's other", () => {
  const config = "installConfig: {baseDomain: example.org, metadata: {name: heron}}";
  const { clusters } = read(
    table(
      "clusters:",
      `- {dir: a, name: egret.example.org, ${config}}`,
      "- {dir: b, name: egret, installConfig: {baseDomain: example.org}}",
    ),
  );
  assert.equal(
    clusters.map(({ name, domain }) => [name, domain]),
    [
      ["egret.example.org", "heron.example.org"],
      ["egret", "egret.example.org"],
    ],
  );
});

test("a metadata that is none is left for whoever judges the install-config", () => {
  const { clusters } = read(table("clusters: [{dir: a, name: egret, installConfig: {metadata: 5}}]"));
  assert.match(clusters[0]?.installConfig ?? "", /^metadata: 5$/m);
});

test("a text that YAML takes for a number: the remedy is to put the value in quotes", () => {
  const unquoted = read(table("clusters: [{dir: a, flags: {release: 4.22, channel: [4.22]}}]"));
  assert.equal(
    unquoted.problems.map(({ field, hint }) => [field, hint]),
    [
      ["clusters[0].flags.release", "put the value in quotes"],
      ["clusters[0].flags.channel[0]", "put the value in quotes"],
    ],
  );
  assert.equal(read(table('clusters: [{dir: a, flags: {release: "4.22", channel: ["4.22"]}}]')).problems, []);
});

test("without an install-config in the table the directories have their own", () => {
  const { clusters } = read(table("clusters:", "- {dir: a}", "- {dir: b, name: heron}"));
  assert.equal(
    clusters.map(({ name, installConfig }) => [name, installConfig]),
    [
      ["a", undefined],
      ["heron", undefined],
    ],
  );
});

const REFUSED: readonly (readonly [what: string, text: string, field: RegExp, message: RegExp])[] = [
  ["nothing", "", /^$/, /no clusters/],
  ["comments alone", "# a\n\n", /^$/, /no clusters/],
  ["a directory twice", "a\nb\n./a/\n", /^$/, /duplicate directory, also on line 1/],
  ["an unseen character", "a\nb\u202ec\n", /^$/, /invisible characters/],
  ["an escape", "a\u001b[2Jb\n", /^$/, /invisible characters/],
  ["no clusters", table(), /^clusters$/, /missing/],
  ["an empty list", table("clusters: []"), /^clusters$/, /./],
  [
    "another kind",
    "apiVersion: slipway.dev/v1alpha1\nkind: Flotte\nclusters: [{dir: a}]\n",
    /^kind$/,
    /Fleet/,
  ],
  ["an unknown field", table("clusters: [{dir: a, facts: x}]"), /^clusters\[0\]\.facts$/, /unknown field/],
  [
    "a number for a text",
    table("clusters: [{dir: a, flags: {release: 4.20}}]"),
    /release$/,
    /must be string, boolean, array or null/,
  ],
  [
    "a name twice",
    table("clusters:", "- {dir: a, name: x}", "- {dir: b, name: x}"),
    /^$/,
    /duplicate x, also on line/,
  ],
  [
    "a domain twice",
    table(
      "clusters:",
      "- {dir: a, name: x, installConfig: {baseDomain: example.org}}",
      "- {dir: b, name: z, installConfig: {baseDomain: example.org, metadata: {name: x}}}",
    ),
    /^$/,
    /duplicate x\.example\.org, also on line/,
  ],
  [
    "a name with a path",
    table("clusters: [{dir: a, name: ../x}]"),
    /^clusters\[0\]\.name$/,
    /is not a valid cluster name/,
  ],
  [
    "a name with a line end",
    table('clusters: [{dir: a, name: "x\\n"}]'),
    /name$/,
    /is not a valid cluster name/,
  ],
  ["a directory with NUL", table('clusters: [{dir: "a\\0b"}]'), /^$/, /./],
  ["broken YAML", table("clusters: [{dir: a"), /clusters/, /./],
  [
    "two documents",
    `${table("clusters: [{dir: a}]")}---\n${table("clusters: [{dir: b}]")}`,
    /^$/,
    /a single document/,
  ],
];

for (const [what, text, field, message] of REFUSED)
  test(`refused: ${what}`, () => {
    const { problems } = read(text);
    assert.ok(problems.length > 0);
    assert.match(problems[0]?.field ?? "", field);
    assert.match(problems[0]?.message ?? "", message);
  });

test.run();
