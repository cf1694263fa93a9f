/** Traits of install-configs in public repositories, each as a small synthetic config. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { judge, PULL_SECRET, SSH_KEYS } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";

const test = suite("baremetal: real inputs");

interface Given {
  readonly top?: string;
  readonly section?: string;
  /** Below each host. */
  readonly host?: string;
  readonly vips?: string;
  readonly replicas?: number;
  readonly pullSecret?: string;
}

const text = ({ top = "", section = "", host = "", vips, replicas = 3, pullSecret }: Given): string =>
  `apiVersion: v1
baseDomain: sea.example.org
metadata:
  name: gannet
controlPlane:
  name: master
  replicas: ${replicas}
compute:
- name: worker
  replicas: 0
networking:
  machineNetwork:
  - cidr: 10.20.0.0/16
${top}platform:
  baremetal:
${vips ?? "    apiVIPs: [10.20.0.5]\n    ingressVIPs: [10.20.0.7]\n"}${section}    hosts:
${[1, 2, 3]
  .map(
    (number) => `      - name: m-${number}
        role: master
        bootMACAddress: 52:54:00:11:22:3${number}
        bmc:
          address: redfish-virtualmedia://192.0.2.${number}/redfish/v1/Systems/1
          username: admin
          password: ${PLANTED.password}
${host}`,
  )
  .join("")}pullSecret: ${pullSecret ?? `'${PULL_SECRET}'`}
sshKey: ${SSH_KEYS.ed25519}
`;

const errors = (given: Given, release = "4.22"): readonly string[] => judge(text(given), release).errors;

test("large free-form networks, certificates that are not verified, secure boot", () => {
  const host = `          disableCertificateVerification: True
        bootMode: UEFISecureBoot
        networkConfig:
          interfaces:
            - {type: vlan, name: bond0.7, state: up, vlan: {base-iface: bond0, id: 7}}
          z-last: {on: off, x: 010}
`;
  const { asset, errors: found } = judge(text({ host }));
  assert.equal(found, []);
  assert.equal(asset?.config.platform.baremetal?.hosts?.[0]?.networkConfig, {
    interfaces: [{ type: "vlan", name: "bond0.7", state: "up", vlan: { "base-iface": "bond0", id: 7 } }],
    "z-last": { true: false, x: 8 },
  });
});

test("old single addresses, a warning for each", () => {
  const { errors: found, remarks } = judge(
    text({
      vips: "    apiVIP: 10.20.0.5 \n    ingressVIP: 10.20.0.7\n",
      section: "    additionalNTPServers: [ntp.example.org]\n",
    }),
  );
  assert.equal(found, []);
  assert.equal(
    remarks.filter((each) => each.startsWith("IC102")),
    ["IC102 platform.baremetal.apiVIP", "IC102 platform.baremetal.ingressVIP"],
  );
});

test("one node, whose API and ingress share an address", () => {
  const given = {
    replicas: 1,
    vips: "    apiVIPs: [10.20.0.5]\n    ingressVIPs: [10.20.0.5]\n",
    top: "bootstrapInPlace:\n  installationDisk: /dev/sda\n",
  };
  assert.equal(errors(given, "4.22"), ["Invalid platform.baremetal.apiVIPs"]);
  assert.equal(errors(given, "5.0"), ["Invalid bootstrapInPlace", "Invalid platform.baremetal.apiVIPs"]);
});

test("ranges, MAC-like and hex-like scalars stay text", () => {
  const { asset, errors: found } = judge(
    text({
      section: "    provisioningNetworkInterface: eno1\n    provisioningDHCPRange: 172.22.0.20,172.22.0.80\n",
      host: "        rootDeviceHints: {wwn: '0x5000c500a0b1c2d3'}\n",
    }),
  );
  assert.equal(found, []);
  const [first] = asset?.config.platform.baremetal?.hosts ?? [];
  assert.is(first?.bootMACAddress, "52:54:00:11:22:31");
  assert.is(first?.rootDeviceHints?.wwn, "0x5000c500a0b1c2d3");
});

test("an empty pull secret is an error; passwords with punctuation are not", () => {
  assert.equal(errors({ pullSecret: '""' }), ["Invalid pullSecret"]);
  const config = text({}).replaceAll(PLANTED.password, "'p@ss: {w}ord#1'");
  assert.equal(judge(config).errors, []);
});

test("hosts without a controller are accepted", () => {
  const config = text({}).replace(/ {8}bmc:\n(?: {10}.*\n)+/g, "");
  assert.not.match(config, "bmc");
  assert.equal(judge(config).errors, []);
});

test("keys in other letters", () => {
  const config = text({ vips: "    apiVips: [10.20.0.5]\n    ingressVips: [10.20.0.7]\n" })
    .replaceAll("bootMACAddress", "bootMacAddress")
    .replaceAll("    role:", "    Role:");
  assert.equal(judge(config).errors, []);
});

test("replicas out of a shell's arithmetic", () => {
  assert.ok(errors({ replicas: -1 }).includes("Invalid controlPlane.replicas"));
});

test.run();
