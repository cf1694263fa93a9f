/**
 * Every object that is written by default is of a kind and version, and has only fields and values, that the release's own
 * definitions serve with the feature set of the install-config: the bootstrap waits for a kind that is not served until it
 * gives up, and the API server drops a field that is not.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject, textAt } from "../../src/core/json.js";
import { RELEASE_ROWS, type Release } from "../../src/core/release.js";
import { checkCustomResource } from "../../src/crd/schema.js";
import { identityOf } from "../../src/kubernetes/identity.js";
import { definitionOf, servedVersions } from "../../src/validate/manifests/definitions.js";
import { unknownKind } from "../../src/validate/manifests/known-kinds.js";
import { isDroppedWithoutHarm, versionNotServed } from "../../src/validate/manifests/not-served.js";
import { featureSetNamed, type ServedBy } from "../../src/validate/manifests/served.js";
import table from "../../tables/definitions/dropped.json" with { type: "json" };
import { runPlatform } from "../helpers/platform-run.js";
import { everything } from "../helpers/runs.js";

const test = suite("what the releases serve of the written objects");

/** Groups that openshift/api does not define: the cluster's operators bring their definitions. */
const OF_OPERATORS = [
  "metal3.io",
  "ipam.cluster.x-k8s.io",
  "cluster.x-k8s.io",
  "infrastructure.cluster.x-k8s.io",
];

function objectIn(file: string): JsonObject | undefined {
  if (!existsSync(file)) return undefined;
  const value: unknown = load(readFileSync(file, "utf8"));
  return isJson(value) && isObject(value) ? value : undefined;
}

/** Folders with an install-config that compiles, and the facts beside it. */
const CASES = [
  ...readdirSync("examples").map((name) => join("examples", name)),
  ...readdirSync("golden").map((name) => join("golden", name, "input")),
].filter((folder) => existsSync(join(folder, "install-config.yaml")));

/** Fields that the installer itself writes where they are not served. */
const dropped = new Set<string>();

async function notServed(object: JsonObject, by: ServedBy): Promise<string[]> {
  const identity = identityOf(object);
  const name = `${identity.kind} ${identity.group}/${identity.version}`;
  if (OF_OPERATORS.includes(identity.group)) return [];
  const unknown = (await unknownKind(identity, by.release)) ?? (await versionNotServed(identity, by));
  if (unknown !== undefined) return [`${name}: ${unknown.message}`];
  const known = await servedVersions(identity, by);
  if (known === undefined && /\.openshift\.io$/.test(identity.group))
    return [`${name} is not in the definitions`];
  const crd = await definitionOf(identity, by);
  const found: string[] = [];
  for (const finding of crd === undefined ? [] : checkCustomResource(crd, object)) {
    if (await isDroppedWithoutHarm(finding, { object, identity }))
      dropped.add(`${identity.kind} ${finding.field}`);
    else found.push(`${name}: ${finding.field}: ${finding.message}`);
  }
  return found;
}

/** Up to 4.19 the installer leaves the project of a key empty where the install-config names none; the cluster refuses that. */
const isUpstreams = (fault: string, { name }: Release): boolean =>
  ["4.18", "4.19"].includes(name) &&
  fault.includes("spec.driverConfig.gcp.kmsKey.projectID: must have at least 6");

/** What was looked at: objects that a definition describes, and the cases that the release accepts. */
let described = 0;
const accepted = new Map<string, number>();

async function faultsOf(folder: string, release: Release): Promise<string[]> {
  const config = readFileSync(join(folder, "install-config.yaml"), "utf8");
  // A case that starts without facts has them under another name.
  const named = readdirSync(folder).find((name) => name === "hosts-facts.yaml") ?? "facts.yaml";
  const facts = objectIn(join(folder, named));
  const { apiVersion: _, kind: __, ...members } = facts ?? {};
  const run = await runPlatform({
    config,
    infrastructure: false,
    release: release.name,
    ...(facts === undefined ? {} : { facts: members }),
  });
  if (run.asset === undefined || run.errors.some((each) => !each.startsWith("Required"))) return [];
  accepted.set(release.name, (accepted.get(release.name) ?? 0) + 1);
  const by = { release, featureSet: featureSetNamed(run.asset.config.featureSet ?? "") };
  const found: string[] = [];
  for (const [path, object] of run.objects) {
    if (path.startsWith("infrastructure-manifests/") || textAt(object, "kind") === "") continue;
    if ((await definitionOf(identityOf(object), by)) !== undefined) described++;
    for (const fault of await notServed(object, by))
      if (!isUpstreams(fault, release)) found.push(`${release.name} ${folder} ${path}: ${fault}`);
  }
  return found;
}

for (const [index, folder] of CASES.entries())
  test(`${folder} is served`, async () => {
    const found: string[] = [];
    // In the fast tier each case with two of the releases in turn.
    const releases = RELEASE_ROWS.filter((_, at) => everything || (at + index) % 3 === 0);
    for (const release of releases) found.push(...(await faultsOf(folder, release)));
    assert.equal(found, []);
  });

test("the cases reach every release and many objects", () => {
  for (const { name } of RELEASE_ROWS)
    assert.ok((accepted.get(name) ?? 0) >= 15, `${name}: ${accepted.get(name)}`);
  assert.ok(described > 1000, String(described));
  assert.equal([...dropped].sort(), table.fields.map(({ kind, path }) => `${kind} ${path}`).sort());
});

test("a kind, version, field or value that is not served is found", async () => {
  const by = (name: string): ServedBy => {
    const release = RELEASE_ROWS.find((each) => each.name === name);
    if (release === undefined) throw new Error(name);
    return { release, featureSet: "Default" };
  };
  const stream = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "OSImageStream",
    metadata: { name: "cluster" },
    spec: { defaultStream: "rhel-10" },
  };
  assert.is((await notServed(stream, by("4.22"))).length, 1);
  assert.equal(await notServed(stream, by("5.0")), []);
  const server = (spec: JsonObject): JsonObject => ({
    apiVersion: "config.openshift.io/v1",
    kind: "APIServer",
    metadata: { name: "cluster" },
    spec,
  });
  assert.is((await notServed(server({ tlsAdherence: "StrictAllComponents" }), by("5.0"))).length, 1);
  assert.is((await notServed(server({ encryption: { type: "KMS" } }), by("5.0"))).length, 1);
  assert.equal(await notServed(server({ encryption: { type: "aesgcm" } }), by("5.0")), []);
});

test.run();
