/** The normal form of vsphere: read again it stays, and it means the same. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RELEASES } from "../../../src/core/release.js";
import type { NormalConfig } from "../../../src/platforms/config.js";
import { cloudConfig } from "../../../src/platforms/vsphere/cloud-config.js";
import { machines } from "../../../src/platforms/vsphere/machines/machines.js";
import { manifests } from "../../../src/platforms/vsphere/manifests.js";
import { type Edits, edit, judge, releaseOf } from "../../helpers/install-configs.js";
import { FLAT, HOST_GROUPS, HOSTS, TWO_VCENTERS, VSPHERE, vsphereInput } from "../../helpers/vsphere.js";

const test = suite("vsphere: normal form");

const PREVIEW: Edits = { featureSet: "TechPreviewNoUpgrade", osImageStream: undefined };
const CASES: Readonly<Record<string, Edits>> = {
  "two failure domains": {},
  flat: {
    ...FLAT,
    "platform.vsphere.folder": "gannets",
    "platform.vsphere.resourcePool": "/bay/host/east/Resources/a",
  },
  "flat, virtual IPs of old": {
    ...FLAT,
    "platform.vsphere.apiVIPs": undefined,
    "platform.vsphere.ingressVIPs": undefined,
    "platform.vsphere.apiVIP": "10.20.0.5",
    "platform.vsphere.ingressVIP": "10.20.0.7",
  },
  "two vCenters": TWO_VCENTERS,
  "host groups": { ...HOST_GROUPS, ...PREVIEW },
  "static addresses": { "platform.vsphere.hosts": HOSTS, ...PREVIEW },
  "unclean paths": {
    "platform.vsphere.failureDomains[0].topology.computeCluster": "/bay/host/east/",
    "platform.vsphere.failureDomains[0].topology.datastore": "/bay/datastore/east/",
  },
  "names for paths": {
    "platform.vsphere.failureDomains[0].topology.computeCluster": "east",
    "platform.vsphere.failureDomains[0].topology.datastore": "east",
    "platform.vsphere.failureDomains[0].topology.folder": "gannets",
  },
  "pools without zones": {
    "controlPlane.platform.vsphere": { cpus: 8 },
    "compute[0].platform.vsphere": { memoryMB: 8192, osDisk: { diskSizeGB: 100 } },
    "platform.vsphere.defaultMachinePlatform": { dataDisks: [{ name: "a", sizeGiB: 5 }] },
    ...PREVIEW,
  },
  "networks of nodes": {
    "platform.vsphere.nodeNetworking": { external: { network: "net-east" } },
    ...PREVIEW,
  },
};

/** What objects are made of. */
const meaning = (config: NormalConfig, release: string) => {
  const input = vsphereInput(config, { release: releaseOf(release) });
  return [manifests.infrastructure(input), cloudConfig(input), machines(input)];
};

for (const [title, edits] of Object.entries(CASES))
  for (const release of RELEASES)
    test(`${release}: ${title}`, () => {
      const first = judge(edit(VSPHERE, edits), release);
      // Some of it is newer than the release.
      if (first.asset === undefined && RELEASES.indexOf(release) < RELEASES.indexOf("4.22")) return;
      assert.ok(first.asset !== undefined, first.errors.join(", "));
      const second = judge(first.asset.normalForm, release);
      assert.equal(second.errors, []);
      assert.is(second.asset?.normalForm, first.asset.normalForm);
      assert.ok(second.asset !== undefined);
      assert.equal(meaning(second.asset.config, release), meaning(first.asset.config, release));
    });

test("a pool without data disks says so in 4.19 and 4.20 alone", () => {
  const small = edit(VSPHERE, {
    "controlPlane.platform.vsphere": { cpus: 8 },
    "compute[0].platform.vsphere": undefined,
    "platform.vsphere.defaultMachinePlatform": undefined,
    osImageStream: undefined,
  });
  const saying = RELEASES.filter((release) =>
    judge(small, release).asset?.normalForm.includes("dataDisks: null"),
  );
  assert.equal(saying, ["4.19", "4.20"]);
});

test.run();
