/** The table of OpenShift's feature gates: one row a release, the payload's column beside the installer's. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openshiftGate, openshiftGates } from "../../src/compatibility/installer.js";
import { rowsAt, type Span } from "../../src/core/by-release.js";
import { RELEASE_ROWS, RELEASES, releaseNamed } from "../../src/core/release.js";
import { type GateName, leastFeatureSet } from "../../src/platforms/enabled-gates.js";
import table from "../../tables/openshift-feature-gates.json" with { type: "json" };

const test = suite("feature gates by release");

interface Row extends Span {
  readonly set: string;
  readonly installer?: string;
}
const GATES: readonly [string, readonly Row[]][] = Object.entries(table.gates);
const ANSWERS = ["Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "off", "unknown"];

test("at most one row of a gate holds at a release", () => {
  assert.ok(GATES.length > 150);
  for (const [name, rows] of GATES) {
    for (const release of RELEASE_ROWS)
      assert.ok(rowsAt(rows, release).length <= 1, `${name} at ${release.name}`);
    for (const { set, installer } of rows) {
      assert.ok(ANSWERS.includes(set) && ANSWERS.includes(installer ?? set), name);
      assert.not.equal(installer, set, name);
      assert.not.ok(set === "unknown" && installer === undefined, name);
    }
  }
});

test("every release names both of its sources", () => {
  assert.equal(
    table.compared.map(({ release }) => release),
    RELEASES,
  );
  for (const { release, installer } of table.compared)
    assert.is(installer.commit, releaseNamed(release).installer.commit, release);
});

/** [gate, release, in the payload, in the release's installer] */
const FACTS: readonly (readonly [GateName, string, string | undefined, string | undefined])[] = [
  ["OSStreams", "4.20", undefined, undefined],
  ["OSStreams", "4.22", "TechPreviewNoUpgrade", "TechPreviewNoUpgrade"],
  ["OSStreams", "5.0", "Default", "Default"],
  ["MutatingAdmissionPolicy", "4.22", "TechPreviewNoUpgrade", "TechPreviewNoUpgrade"],
  ["MutatingAdmissionPolicy", "5.0", "Default", "Default"],
  ["EVPN", "4.22", "Default", "TechPreviewNoUpgrade"],
  ["GatewayAPIWithoutOLM", "4.21", "Default", undefined],
  ["NoRegistryClusterInstall", "4.22", "Default", "TechPreviewNoUpgrade"],
  ["ShortCertRotation", "4.19", "off", "DevPreviewNoUpgrade"],
  ["RouteExternalCertificate", "5.0", undefined, "Default"],
  ["HighlyAvailableArbiter", "4.21", "Default", "Default"],
  ["HighlyAvailableArbiter", "4.22", undefined, undefined],
];

for (const [name, release, payload, installer] of FACTS)
  test(`${name} at ${release}`, () => {
    assert.is(openshiftGate(name, releaseNamed(release)), payload);
    assert.is(leastFeatureSet(releaseNamed(release), name), installer);
  });

test("a gate that only the installer knows is none of the release", () => {
  assert.not.ok(openshiftGates(releaseNamed("5.0")).includes("RouteExternalCertificate"));
});

test.run();
