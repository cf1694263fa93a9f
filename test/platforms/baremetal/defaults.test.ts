/** Defaults of platform.baremetal, and that the normal form of a config is a config that says the same. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import { decode } from "../../../src/core/files.js";
import type { JsonObject } from "../../../src/core/json.js";
import { compileInstallConfig } from "../../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../../src/phases/install-config/read.js";
import { platform } from "../../../src/platforms/baremetal/index.js";
import { readCloudFacts } from "../../../src/platforms/cloud-facts.js";
import { at, BAREMETAL, VARIANTS } from "../../helpers/baremetal.js";
import { type Edits, edit, judge, releaseOf } from "../../helpers/install-configs.js";
import { compiled, runManifests } from "../../helpers/manifests.js";

const test = suite("baremetal: defaults");

const sectionOf = (config: JsonObject, release = "4.22") =>
  judge(config, release).asset?.config.platform.baremetal;

test("the provisioning network and the addresses in it", () => {
  const table: readonly (readonly [edits: Edits, ...wanted: (string | undefined)[]])[] = [
    [{}, "172.22.0.2", "172.22.0.3", "172.22.0.10,172.22.0.254"],
    [{ provisioningNetworkCIDR: "172.23.4.0/22" }, "172.23.4.2", "172.23.4.3", "172.23.4.10,172.23.7.254"],
    [{ provisioningNetworkCIDR: "172.23.0.4/24" }, "172.23.0.6", "172.23.0.7", "172.23.0.14,172.23.0.254"],
    [{ provisioningNetworkCIDR: "172.23.0.0/29" }, "172.23.0.2", "172.23.0.3", "<nil>,172.23.0.6"],
    [{ provisioningNetworkCIDR: "172.23.0.0/31" }, undefined, undefined, "<nil>,172.23.0.0"],
    [{ provisioningNetworkCIDR: "172.23.0.0/32" }, undefined, undefined, "<nil>,172.22.255.255"],
    [
      { provisioningNetworkCIDR: "fd00:1101::/64" },
      "fd00:1101::2",
      "fd00:1101::3",
      "fd00:1101::a,fd00:1101::ffff:ffff:ffff:fffe",
    ],
    [{ provisioningNetwork: "Unmanaged" }, "172.22.0.2", "172.22.0.3", undefined],
    [{ provisioningNetwork: "Disabled" }, undefined, undefined, undefined],
    [{ clusterProvisioningIP: "172.22.0.9" }, "172.22.0.2", "172.22.0.9", "172.22.0.10,172.22.0.254"],
  ];
  for (const [edits, bootstrap, cluster, range] of table) {
    const section = sectionOf(edit(BAREMETAL, at(edits)));
    assert.equal(
      [section?.bootstrapProvisioningIP, section?.clusterProvisioningIP, section?.provisioningDHCPRange],
      [bootstrap, cluster, range],
      JSON.stringify(edits),
    );
  }
});

test("without a provisioning network the services' network is the machine network that holds their address", () => {
  const disabled = { provisioningNetwork: "Disabled" };
  const section = (edits: Edits) => sectionOf(edit(BAREMETAL, at({ ...disabled, ...edits })));
  assert.is(section({ clusterProvisioningIP: "10.20.0.3" })?.provisioningNetworkCIDR, "10.20.0.0/16");
  assert.is(section({ clusterProvisioningIP: "10.21.0.3" })?.provisioningNetworkCIDR, undefined);
  assert.is(section({})?.provisioningBridge, undefined);
});

test("MAC addresses of the bootstrap machine follow from the cluster's domain", () => {
  const { externalMACAddress, provisioningMACAddress } = sectionOf(BAREMETAL) ?? {};
  for (const mac of [externalMACAddress, provisioningMACAddress])
    assert.match(mac ?? "", /^52:54:00:[0-9a-f][26ae]:[0-9a-f]{2}:[0-9a-f]{2}$/);
  assert.is.not(externalMACAddress, provisioningMACAddress);
  assert.is(sectionOf(BAREMETAL)?.externalMACAddress, externalMACAddress);
  const other = sectionOf(edit(BAREMETAL, { "metadata.name": "tern" }));
  assert.is.not(other?.externalMACAddress, externalMACAddress);
  assert.is(sectionOf(edit(BAREMETAL, at({ externalMACAddress: "x" })))?.externalMACAddress, "x");
});

test("virtual IPs that the config does not name come from the facts", () => {
  const without = edit(BAREMETAL, at({ apiVIPs: undefined, ingressVIPs: [] }));
  const facts = (text: string) => readCloudFacts(text, "facts.yaml", () => undefined)?.facts;
  const head = "apiVersion: slipway.dev/v1alpha1\nkind: CloudFacts\n";
  const compile = (config: JsonObject, text: string) => {
    const { report } = createReporter();
    const release = releaseOf("4.22");
    const read = readInstallConfig(
      JSON.stringify(config),
      "install-config.yaml",
      { release, lenient: false },
      report,
    );
    assert.ok(read !== undefined);
    return compileInstallConfig(read, { release, platform, facts: facts(text) }, report)?.config.platform
      .baremetal;
  };
  const both = `${head}baremetal: {apiVIP: 10.20.0.15, ingressVIP: 10.20.0.17}\n`;
  assert.equal(compile(without, both)?.apiVIPs, ["10.20.0.15"]);
  assert.equal(compile(without, both)?.ingressVIPs, ["10.20.0.17"]);
  assert.equal(compile(BAREMETAL, both)?.apiVIPs, ["10.20.0.5"]);
  assert.is(compile(without, `${head}baremetal: {apiVIP: 10.20.0.15}\n`), undefined);
});

for (const release of ["4.18", "4.21", "4.22"])
  test(`${release}: the normal form is its own, and compiles to the same files`, async () => {
    for (const [name, config] of Object.entries(VARIANTS)) {
      const first = judge(config, release).asset;
      if (first === undefined) {
        assert.is.not(release, "4.22", name);
        continue;
      }
      const again = compiled(first.normalForm, release);
      assert.is(again.normalForm, first.normalForm, name);
      const filesOf = async (asset: typeof first) =>
        (await runManifests({ ...asset, release })).files.map(({ path, data }) => `${path}\n${decode(data)}`);
      assert.equal(await filesOf(again), await filesOf(first), name);
    }
  });

test.run();
