/** What releases and feature sets serve of OpenShift's kinds: every row is about something that is there. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RELEASE_ROWS, RELEASES, releaseNamed } from "../../src/core/release.js";
import type { SchemaNode } from "../../src/crd/read.js";
import { definitionOf, kubeletSchema, servedVersions } from "../../src/validate/manifests/definitions.js";
import { FEATURE_SETS, type FeatureSet } from "../../src/validate/manifests/served.js";
import kinds from "../../tables/definitions/kinds.json" with { type: "json" };

const test = suite("definitions by release and feature set");

const GROUPS: readonly [string, object][] = Object.entries(kinds.groups);
const DESCRIBED = ["config", "machine", "machineconfiguration", "operator"].map(
  (name) => `${name}.openshift.io`,
);

const by = (release: string, featureSet: FeatureSet = "Default") => ({
  release: releaseNamed(release),
  featureSet,
});
const split = (name: string): { kind: string; group: string } => {
  const [kind = "", ...group] = name.split(".");
  return { kind, group: group.join(".") };
};

test("the definitions name the commit of every release", () => {
  assert.equal(
    kinds.compared.map(({ release }) => release),
    RELEASES,
  );
});

test("every served version of a described kind has a schema", async () => {
  let described = 0;
  for (const [group, own] of GROUPS.filter(([name]) => DESCRIBED.includes(name)))
    for (const kind of Object.keys(own))
      for (const release of RELEASE_ROWS)
        for (const featureSet of FEATURE_SETS) {
          const crd = await definitionOf({ group, kind }, { release, featureSet });
          if (crd === undefined) continue;
          const served = await servedVersions({ group, kind }, { release, featureSet });
          assert.equal(crd.versions.map(({ name }) => name).sort(), [...(served ?? [])].sort(), kind);
          for (const { name, schema } of crd.versions)
            assert.ok((schema?.properties.size ?? 0) > 0, `${kind} ${name} ${release.name} ${featureSet}`);
          described += crd.versions.length;
        }
  assert.ok(described > 1000);
});

test("a larger feature set serves what a smaller one does", async () => {
  for (const [group, own] of GROUPS)
    for (const kind of Object.keys(own))
      for (const release of RELEASE_ROWS) {
        let before: readonly string[] = [];
        for (const featureSet of FEATURE_SETS) {
          const served = (await servedVersions({ group, kind }, { release, featureSet })) ?? [];
          assert.ok(
            before.every((version) => served.includes(version)),
            `${kind} ${release.name} ${featureSet}`,
          );
          before = served;
        }
      }
});

/** [kind, release, feature set, versions] */
const VERSIONS: readonly (readonly [string, string, FeatureSet, readonly string[]])[] = [
  ["OSImageStream.machineconfiguration.openshift.io", "4.20", "CustomNoUpgrade", []],
  ["OSImageStream.machineconfiguration.openshift.io", "4.22", "Default", []],
  ["OSImageStream.machineconfiguration.openshift.io", "4.22", "TechPreviewNoUpgrade", ["v1alpha1"]],
  ["OSImageStream.machineconfiguration.openshift.io", "5.0", "Default", ["v1"]],
  ["PinnedImageSet.machineconfiguration.openshift.io", "4.18", "TechPreviewNoUpgrade", ["v1alpha1"]],
  ["PinnedImageSet.machineconfiguration.openshift.io", "4.22", "Default", ["v1"]],
  ["PKI.config.openshift.io", "5.0", "Default", []],
  ["PKI.config.openshift.io", "5.0", "TechPreviewNoUpgrade", ["v1alpha1"]],
  ["ImageContentSourcePolicy.operator.openshift.io", "4.18", "Default", ["v1alpha1"]],
];

for (const [name, release, featureSet, versions] of VERSIONS)
  test(`${name} in ${release} with ${featureSet}`, async () => {
    assert.equal(await servedVersions(split(name), by(release, featureSet)), versions);
  });

const fieldAt = (schema: SchemaNode | undefined, path: string): SchemaNode | undefined =>
  path.split(".").reduce<SchemaNode | undefined>((node, step) => {
    const below = node?.properties.get(step.replace("[]", ""));
    return step.endsWith("[]") ? below?.items : below;
  }, schema);

/** [kind, field, release, feature set, is it served] */
const FIELDS: readonly (readonly [string, string, string, FeatureSet, boolean])[] = [
  ["APIServer.config.openshift.io", "spec.tlsAdherence", "4.21", "CustomNoUpgrade", false],
  ["APIServer.config.openshift.io", "spec.tlsAdherence", "4.22", "Default", false],
  ["APIServer.config.openshift.io", "spec.tlsAdherence", "4.22", "TechPreviewNoUpgrade", true],
  ["APIServer.config.openshift.io", "spec.encryption.kms.aws", "4.22", "DevPreviewNoUpgrade", true],
  ["APIServer.config.openshift.io", "spec.encryption.kms.aws", "5.0", "DevPreviewNoUpgrade", false],
  ["MachineConfigPool.machineconfiguration.openshift.io", "spec.osImageStream", "4.22", "Default", false],
  ["MachineConfigPool.machineconfiguration.openshift.io", "spec.osImageStream", "5.0", "Default", true],
  [
    "Infrastructure.config.openshift.io",
    "status.platformStatus.aws.cloudLoadBalancerConfig",
    "4.22",
    "Default",
    false,
  ],
  [
    "Infrastructure.config.openshift.io",
    "status.platformStatus.aws.cloudLoadBalancerConfig",
    "5.0",
    "Default",
    true,
  ],
];

for (const [name, path, release, featureSet, expected] of FIELDS)
  test(`${name} ${path} in ${release} with ${featureSet}`, async () => {
    const crd = await definitionOf(split(name), by(release, featureSet));
    assert.is(fieldAt(crd?.versions[0]?.schema, path) !== undefined, expected);
    assert.ok(crd?.versions[0]?.schema?.properties.has("spec"));
  });

test("values of a field differ by release and feature set", async () => {
  const sets = async (release: string) =>
    fieldAt(
      (await definitionOf(split("FeatureGate.config.openshift.io"), by(release)))?.versions[0]?.schema,
      "spec.featureSet",
    )?.enum;
  assert.not.ok((await sets("4.21"))?.includes("OKD"));
  assert.ok((await sets("4.22"))?.includes("OKD"));
  const encryption = async (featureSet: FeatureSet) =>
    fieldAt(
      (await definitionOf(split("APIServer.config.openshift.io"), by("4.21", featureSet)))?.versions[0]
        ?.schema,
      "spec.encryption.type",
    )?.enum;
  assert.not.ok((await encryption("Default"))?.includes("KMS"));
  assert.ok((await encryption("DevPreviewNoUpgrade"))?.includes("KMS"));
});

test("settings of the kubelet come with a release", async () => {
  const has = async (release: string) =>
    (await kubeletSchema(releaseNamed(release))).properties.has("crashLoopBackOff");
  assert.is(await has("4.18"), false);
  assert.is(await has("4.19"), true);
});

test.run();
