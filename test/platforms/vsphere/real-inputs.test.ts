/** Traits of install-configs for vsphere in public repositories, each as a small synthetic config. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { vsphereOf } from "../../../src/platforms/vsphere/config.js";
import { configText } from "../../helpers/install-config.js";
import { type Judged, judge } from "../../helpers/install-configs.js";

const test = suite("vsphere: real inputs");

const NETWORKS = "networking:\n  machineNetwork:\n  - cidr: 10.20.0.0/16";

/** What is said, and the section; a config that is refused is a failure. */
function accepted(judged: Judged, remarks: readonly string[]) {
  assert.equal(judged.errors, []);
  assert.equal(judged.remarks, remarks);
  if (judged.asset === undefined) throw new Error("refused");
  const { config } = judged.asset;
  return { config, section: vsphereOf(config) };
}

const domain = (name: string): string => `
    - name: ${name}
      region: shore
      zone: ${name}
      server: vcenter.example.org
      topology:
        datacenter: Bay
        computeCluster: "/Bay/host/Quay/${name}"
        datastore: '/Bay/datastore/sand ${name}'
        resourcePool: "/Bay/host/Quay/${name}/Resources/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z"
        networks:
        - "VM Network"`;

test("three failure domains, paths, a quoted network with a space", () => {
  const { section } = accepted(
    judge(
      configText({
        networking: NETWORKS,
        platform: `platform:
  vsphere:
    apiVIPs: [10.20.0.5]
    ingressVIPs: [10.20.0.7]
    vcenters:
    - server: vcenter.example.org
      user: "mariner@sea.example"
      password: "p a s s"
      datacenters: [Bay]
    failureDomains:${["east", "west", "north"].map(domain).join("")}`,
      }),
    ),
    [],
  );
  assert.equal(
    section.failureDomains?.map(({ topology }) => topology?.networks),
    Array.from({ length: 3 }, () => ["VM Network"]),
  );
});

const FLAT = `
    cluster: Quay
    datacenter: Bay
    defaultDatastore: sand
    network: VM Network
    password: secret
    username: mariner@sea.example`;

const FLAT_REMARKS = [
  "IC102 platform.vsphere.cluster",
  "IC102 platform.vsphere.datacenter",
  "IC102 platform.vsphere.defaultDatastore",
  "IC102 platform.vsphere.failureDomains[0].topology.computeCluster",
  "IC102 platform.vsphere.failureDomains[0].topology.datastore",
  "IC102 platform.vsphere.network",
  "IC102 platform.vsphere.password",
  "IC102 platform.vsphere.username",
  "IC102 platform.vsphere.vCenter",
];

test("flat members in the installer's order, single virtual IPs", () => {
  const { section } = accepted(
    judge(
      configText({
        networking: NETWORKS,
        platform: `platform:\n  vsphere:\n    apiVIP: 10.20.0.5${FLAT}\n    ingressVIP: 10.20.0.7\n    vCenter: vcenter.example.org`,
      }),
    ),
    [
      "IC102 platform.vsphere.apiVIP",
      ...FLAT_REMARKS.slice(0, 5),
      "IC102 platform.vsphere.ingressVIP",
      ...FLAT_REMARKS.slice(5),
    ],
  );
  assert.equal(section.apiVIPs, ["10.20.0.5"]);
  assert.is(section.failureDomains?.[0]?.name, "generated-failure-domain");
  assert.is(section.failureDomains?.[0]?.topology?.computeCluster, "/Bay/host/Quay");
});

test("vcenter and vSphere in odd letters, machineCIDR, a network type of somebody else's", () => {
  const judged = judge(
    configText({
      networking: "networking:\n  machineCIDR: 10.20.0.0/16\n  networkType: Calico",
      platform: `platform:\n  vSphere:${FLAT}\n    vcenter: vcenter.example.org`,
    }),
  );
  const { section } = accepted(
    judged,
    [
      "IC012 platform.vsphere",
      "IC012 platform.vsphere.vCenter",
      "IC102 networking.machineCIDR",
      ...FLAT_REMARKS,
    ].sort(),
  );
  assert.is(section.vcenters?.[0]?.server, "vcenter.example.org");
});

test("failuredomains", () => {
  const text = configText({
    platform: `platform:
    vsphere:
        vcenters:
        - server: vcenter.example.org
          user: mariner
          password: secret
          datacenters: [Bay]
        failuredomains:${domain("east").replaceAll("\n", "\n    ")}`,
  });
  const { section } = accepted(judge(text), ["IC012 platform.vsphere.failureDomains"]);
  assert.is(section.failureDomains?.length, 1);
});

test("no networking, an address for a vCenter, one control plane machine without workers", () => {
  const { config } = accepted(
    judge(
      configText({
        platform: `platform:\n  vsphere:${FLAT}\n    vCenter: 192.0.2.10`,
        x: "controlPlane:\n  replicas: 1\ncompute:\n- name: worker\n  replicas: 0",
      }),
    ),
    [...FLAT_REMARKS, "IC189 compute[0].replicas"].sort(),
  );
  assert.equal(config.networking.machineNetwork, [{ cidr: "10.0.0.0/16" }]);
});

test("the generated failure domain, two blanks after a colon, and ... for a secret", () => {
  const text = configText({
    platform: `platform:
  vsphere:
    vcenters:
    - server:  vcenter.example.org
      user:  mariner
      password: ...
      datacenters:
      - Bay
    failureDomains:${domain("generated-failure-domain")}`,
  });
  const { section } = accepted(judge(text), ["IC002 platform.vsphere.vcenters[0].password"]);
  assert.is(section.vcenters?.[0]?.server, "vcenter.example.org");
});

test.run();
