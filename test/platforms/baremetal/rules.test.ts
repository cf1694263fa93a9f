/** Rules of platform.baremetal and its hosts, each broken alone: kind, field and place. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../../src/core/json.js";
import { controllerAt } from "../../../src/platforms/baremetal/controllers.js";
import { platform } from "../../../src/platforms/baremetal/index.js";
import {
  ARBITER,
  at,
  BAREMETAL,
  host,
  inputOf,
  MASTERS,
  nmstate,
  VARIANTS,
  VIRTUAL_MEDIA,
  WORKERS,
} from "../../helpers/baremetal.js";
import {
  DUAL_STACK,
  type Edits,
  edit,
  expectErrors,
  judge,
  type Row,
} from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";

const test = suite("baremetal: rules of the install-config");

const full = (errors: readonly string[]): string[] =>
  errors.map((each) => each.replace(" ", " platform.baremetal."));
const row = (title: string, edits: Edits, ...errors: string[]): Row => [title, at(edits), ...full(errors)];

test("every variant is sound", () => {
  for (const [name, config] of Object.entries(VARIANTS)) assert.equal(judge(config).errors, [], name);
});

test("virtual IPs that DNS has: the remedy names the fact that says them", () => {
  const { diagnostics } = judge(edit(BAREMETAL, at({ apiVIPs: [] })));
  const [fault] = diagnostics.filter(({ code }) => code === "IC333");
  assert.match(fault?.hint ?? "", /or add cloud-facts baremetal\.apiVIP \(--facts FILE\)$/);
});

test("the provisioning network", () => {
  expectErrors(BAREMETAL, [
    row("unknown", { provisioningNetwork: "managed" }, "NotSupported provisioningNetwork"),
    row("no address", { bootstrapProvisioningIP: "x" }, "Invalid bootstrapProvisioningIP"),
    row("half an address", { clusterProvisioningIP: "172.22.0" }, "Invalid clusterProvisioningIP"),
    row("no gateway", { provisioningNetworkGateway: "fe80" }, "Invalid provisioningNetworkGateway"),
  ]);
});

test("hosts", () => {
  const device = "hosts[0].rootDeviceHints.deviceName";
  expectErrors(BAREMETAL, [
    row("none at all", { hosts: undefined }, "Invalid hosts", "Required hosts"),
    row("an empty list", { hosts: [] }, "Required hosts"),
    row("too few of compute", { hosts: [...MASTERS, ...WORKERS.slice(1)] }, "Required hosts"),
    row("without a role", { "hosts[0].role": undefined, "hosts[4].role": undefined }),
    row("a role that is none", { "hosts[0].role": "Master", "hosts[1].role": "x" }),
    row("no name", { "hosts[1].name": "" }, "Required hosts[1].name", "Invalid hosts[1].name"),
    row("a name twice", { "hosts[1].name": "m-1" }, "Duplicate hosts[1].name"),
    row("a name with an underscore", { "hosts[2].name": "m_3" }, "Invalid hosts[2].name"),
    row(
      "a name that leaves no room for its Secrets",
      { "hosts[2].name": "m".repeat(232) },
      "TooLong hosts[2].name",
    ),
    row("the longest name", { "hosts[2].name": "m".repeat(231) }),
    row("a MAC that is none, which the cluster refuses", { "hosts[1].bootMACAddress": "x" }),
    row("no MAC", { "hosts[1].bootMACAddress": undefined }, "Required hosts[1].bootMACAddress"),
    row(
      "a MAC twice",
      { "hosts[4].bootMACAddress": "52:54:00:00:00:01" },
      "Duplicate hosts[4].bootMACAddress",
    ),
    row("no login, which creating the cluster asks for", { "hosts[0].bmc": undefined }),
    row("a boot mode in small letters", { "hosts[0].bootMode": "uefi" }, "NotSupported hosts[0].bootMode"),
    row(
      "secure boot over IPMI",
      { "hosts[3].bootMode": "UEFISecureBoot", "hosts[3].bmc.address": "ipmi://192.0.2.4" },
      "Invalid hosts[3].bootMode",
    ),
    row("secure boot by a controller that nobody knows", {
      "hosts[3].bootMode": "UEFISecureBoot",
      "hosts[3].bmc.address": "moon://192.0.2.4",
    }),
    row("a device without a folder", { [device]: "sda" }, `Invalid ${device}`),
    row("a device by its identifier", { [device]: "/dev/disk/by-id/x" }, `Invalid ${device}`),
    row("a device by its path", { [device]: "/dev/disk/by-path/x" }),
  ]);
  expectErrors(ARBITER, [
    row("no host for the arbiter", { "hosts[0].role": "worker" }, "Required hosts"),
    row("any host for the arbiter", { "hosts[0].role": undefined }),
  ]);
});

test("hosts are the user's business without the capability MachineAPI", () => {
  const without = edit(BAREMETAL, {
    capabilities: {
      baselineCapabilitySet: "None",
      additionalEnabledCapabilities: ["Ingress", "baremetal", "CloudCredential", "MachineAPI"],
    },
  });
  expectErrors(without, [
    row("with it", { hosts: [] }, "Required hosts"),
    [
      "without it",
      {
        ...at({ hosts: [] }),
        "capabilities.additionalEnabledCapabilities": ["Ingress", "baremetal", "CloudCredential"],
      },
    ],
  ]);
});

test("networks of hosts", () => {
  const mtu = "hosts[0].networkConfig.interfaces[0].mtu";
  expectErrors(BAREMETAL, [
    row("a text with them", { "hosts[0].networkConfig": "interfaces: []" }, "Invalid hosts[0].networkConfig"),
    row("a list", { "hosts[0].networkConfig": [] }, "Invalid hosts[0].networkConfig"),
    row("nothing in it", { "hosts[0].networkConfig": {} }),
    row(
      "an MTU in quotes",
      { "hosts[0].networkConfig": nmstate("10.20.0.9", { mtu: "9000" }) },
      `Invalid ${mtu}`,
    ),
    row(
      "an MTU of null",
      { "hosts[0].networkConfig": nmstate("10.20.0.9", { mtu: null }) },
      `Invalid ${mtu}`,
    ),
    row("an MTU", { "hosts[0].networkConfig": nmstate("10.20.0.9", { mtu: 9000 }) }),
  ]);
});

test("virtual IPs, load balancer and DNS", () => {
  expectErrors(BAREMETAL, [
    row("none", { apiVIPs: undefined, ingressVIPs: undefined }, "Required apiVIPs", "Required ingressVIPs"),
    row("outside", { apiVIPs: ["192.0.2.5"] }, "Invalid apiVIPs"),
    row("the same", { ingressVIPs: ["10.20.0.5"] }, "Invalid apiVIPs"),
    row("the same behind one's own load balancer", {
      ingressVIPs: ["10.20.0.5"],
      loadBalancer: { type: "UserManaged" },
    }),
    row("old and new that differ", { apiVIP: "10.20.0.6" }, "Invalid apiVIPs"),
    row("a load balancer that is none", { loadBalancer: { type: "x" } }, "Invalid loadBalancer.type"),
    row(
      "DNS of one's own",
      { dnsRecordsType: "External" },
      "Forbidden dnsRecordsType",
      "Invalid dnsRecordsType",
    ),
  ]);
});

test("old spellings", () => {
  const old = edit(
    BAREMETAL,
    at({ provisioningDHCPExternal: true, provisioningHostIP: "172.22.0.9", clusterOSImage: "http://x" }),
  );
  const { asset, errors, remarks } = judge(old);
  assert.equal(errors, []);
  assert.is(asset?.config.platform.baremetal?.provisioningNetwork, "Unmanaged");
  assert.is(asset?.config.platform.baremetal?.clusterProvisioningIP, "172.22.0.9");
  assert.equal(
    remarks.filter((each) => each.startsWith("IC102")),
    ["clusterOSImage", "provisioningDHCPExternal", "provisioningHostIP"].map(
      (name) => `IC102 platform.baremetal.${name}`,
    ),
  );
  const both = at({ provisioningHostIP: "172.22.0.9", clusterProvisioningIP: "172.22.0.8" });
  assert.equal(judge(edit(BAREMETAL, both)).errors, ["Invalid platform.baremetal.provisioningHostIP"]);
});

test("a fault is told by the order of roles, at the line where the host was written", () => {
  const turned = edit(
    BAREMETAL,
    at({ hosts: [host("w_4", 4, { role: "worker" }), ...MASTERS, ...WORKERS.slice(1)] }),
  );
  const text = JSON.stringify(turned, undefined, 1);
  const [found] = judge(turned).diagnostics.filter(({ severity }) => severity === "error");
  assert.is(found?.field, "platform.baremetal.hosts[3].name");
  assert.match(text.split("\n")[(found?.line ?? 1) - 1] ?? "", "w_4");
});

test("what the network of a host says beside other hosts", () => {
  const remarksOf = (edits: Edits): string[] =>
    judge(edit(BAREMETAL, at(edits)))
      .remarks.filter((each) => each.startsWith("IC349"))
      .map((each) => each.replace("IC349 platform.baremetal.hosts", ""));
  const first = "[0].networkConfig.interfaces[0]";
  const second = "[1].networkConfig.interfaces[0]";
  const networks = (one: JsonObject, two?: JsonObject): Edits => ({
    "hosts[0].networkConfig": one,
    ...(two === undefined ? {} : { "hosts[1].networkConfig": two }),
  });
  const table: readonly (readonly [Edits, string[]])[] = [
    [networks(nmstate("10.20.0.11"), nmstate("10.20.0.12")), []],
    [networks(nmstate("10.20.0.11"), nmstate("10.20.0.11")), [`${second}.ipv4.address[0].ip`]],
    [networks(nmstate("10.20.0.7")), [`${first}.ipv4.address[0].ip`]],
    [networks(nmstate("10.20.0")), [`${first}.ipv4.address[0].ip`]],
    [networks({ a: [1, 2 ** 53] }), ["[0].networkConfig.a[1]"]],
    [networks(nmstate("10.20.0.11", { "mac-address": "52:54:00:00:00:01" })), []],
    [networks(nmstate("10.20.0.11", { "mac-address": "52-54-00-00-00-02" })), [`${first}.mac-address`]],
    [networks(nmstate("10.20.0.11", { "mac-address": "52:54:00" })), [`${first}.mac-address`]],
    [
      networks({ hostname: { config: "m-1" } }, { hostname: { config: "m-1.sea" } }),
      ["[1].networkConfig.hostname.config"],
    ],
  ];
  for (const [edits, fields] of table) assert.equal(remarksOf(edits), fields, JSON.stringify(edits));
});

test("a login in the address of a controller is warned of, without it", () => {
  const warnings = (address: string) =>
    judge(edit(BAREMETAL, at({ "hosts[0].bmc.address": address }))).diagnostics.filter(
      ({ code }) => code === "IC349",
    );
  for (const before of ["redfish://", "redfish+https://", "ipmi://", ""]) {
    const [warning, ...others] = warnings(`${before}root:${PLANTED.password}@192.0.2.9/redfish/v1/Systems/1`);
    assert.is(warning?.field, "platform.baremetal.hosts[0].bmc.address", before);
    assert.equal(others, []);
    assert.not.match(JSON.stringify(warning), PLANTED.password);
    assert.equal(warnings(`${before}192.0.2.9/redfish/v1/Systems/1@2`), [], before);
  }
});

test("fencing of a machine that no host is named like is warned of", () => {
  const hosts = MASTERS.map(({ name }) => String(name));
  const [first = "", second = ""] = hosts;
  const warnings = (...names: readonly string[]): string[] =>
    judge(
      edit(BAREMETAL, {
        "controlPlane.fencing": {
          credentials: names.map((hostName, i) => ({
            hostName,
            address: `redfish+https://192.0.2.${i}:443/redfish/v1/Systems/1`,
            username: "a",
            password: "b",
          })),
        },
      }),
    )
      .diagnostics.filter(({ code }) => code === "IC349")
      .map(({ field }) => field);
  assert.equal(warnings(first, `${second}.sea.example.com`), []);
  assert.equal(warnings(first, "elsewhere"), ["controlPlane.fencing.credentials[1].hostName"]);
});

/** Kind and field of the warnings about what creating the cluster refuses. */
const warned = (config: JsonObject): string[] => {
  const found = platform.cloudRules?.(inputOf(config).config) ?? [];
  for (const { severity, message } of found) {
    assert.is(severity, "warning");
    assert.not.match(message, PLANTED.password);
  }
  return [...new Set(found.map(({ kind, field }) => `${kind} ${field}`))].sort();
};

test("what the installer refuses when it makes the cluster", () => {
  const table: readonly (readonly [title: string, edits: Edits, ...errors: string[]])[] = [
    ["nothing", {}],
    ["an address outside", { bootstrapProvisioningIP: "172.23.0.2" }, "Invalid bootstrapProvisioningIP"],
    ["a service outside", { clusterProvisioningIP: "172.23.0.3" }, "Invalid clusterProvisioningIP"],
    [
      "host bits",
      { provisioningNetworkCIDR: "172.22.0.1/24", clusterProvisioningIP: "172.22.0.3" },
      "Invalid provisioningNetworkCIDR",
    ],
    [
      "over a machine network",
      { provisioningNetworkCIDR: "10.20.4.0/24" },
      "Invalid bootstrapProvisioningIP",
      "Invalid provisioningNetworkCIDR",
    ],
    ["a large IPv6 network", { provisioningNetworkCIDR: "fd00:1::/48" }, "Invalid provisioningNetworkCIDR"],
    ["a gateway outside", { provisioningNetworkGateway: "172.23.0.1" }, "Invalid provisioningNetworkGateway"],
    [
      "the network as gateway",
      { provisioningNetworkGateway: "172.22.0.0" },
      "Invalid provisioningNetworkGateway",
    ],
    [
      "the broadcast address as gateway",
      { provisioningNetworkGateway: "172.22.0.255" },
      "Invalid provisioningNetworkGateway",
    ],
    [
      "a service as gateway",
      { provisioningNetworkGateway: "172.22.0.3" },
      "Invalid provisioningNetworkGateway",
    ],
    [
      "a gateway that is leased",
      { provisioningNetworkGateway: "172.22.0.20" },
      "Invalid provisioningNetworkGateway",
    ],
    ["a time server with a blank", { additionalNTPServers: ["ntp.example.org.", "a b"] }, "Invalid "],
    ["one end of a range", { provisioningDHCPRange: "172.22.0.10" }, "Invalid provisioningDHCPRange"],
    ["an end that is none", { provisioningDHCPRange: "172.22.0.10,x" }, "Invalid provisioningDHCPRange"],
    ["an end outside", { provisioningDHCPRange: "172.22.0.10,172.23.0.10" }, "Invalid provisioningDHCPRange"],
    [
      "services that are leased",
      { provisioningDHCPRange: "172.22.0.2,172.22.0.10" },
      "Invalid bootstrapProvisioningIP",
      "Invalid clusterProvisioningIP",
    ],
    ["no MAC", { externalMACAddress: "x" }, "Invalid externalMACAddress"],
    ["a MAC of many", { provisioningMACAddress: "01:00:5e:00:00:01" }, "Invalid provisioningMACAddress"],
    [
      "one MAC twice",
      { externalMACAddress: "52:54:00:AA:00:01", provisioningMACAddress: "52:54:00:aa:00:01" },
      "Duplicate provisioningMACAddress",
    ],
    ["no URI", { libvirtURI: "libvirt" }, "Invalid libvirtURI"],
    ["an image over FTP", { bootstrapOSImage: "ftp://x/y" }, "Invalid bootstrapOSImage"],
    ["an image without checksum", { clusterOSImage: "http://x/y" }, "Invalid clusterOSImage"],
    ["an image", { clusterOSImage: `http://x/y?sha256=${"a".repeat(64)}` }],
    [
      "an address without its gateway",
      { bootstrapExternalStaticIP: "10.20.0.9", bootstrapExternalStaticDNS: "10.20.0.1" },
      "Required ",
    ],
    ["no user", { "hosts[1].bmc.username": "" }, "Required hosts[1].bmc.username"],
    ["no password", { "hosts[1].bmc.password": "" }, "Required hosts[1].bmc.password"],
    ["no address of a controller", { "hosts[1].bmc.address": "" }, "Required hosts[1].bmc.address"],
    [
      "one controller twice",
      { "hosts[1].bmc.address": "redfish-virtualmedia+https://192.0.2.1/redfish/v1/Systems/1" },
      "Duplicate hosts[1].bmc.address",
    ],
  ];
  for (const [title, edits, ...errors] of table)
    assert.equal(
      warned(edit(BAREMETAL, at(edits))),
      full(errors).map((each) => each.replace(/\.$/, "")),
      title,
    );
  const media: readonly (readonly [title: string, edits: Edits, ...errors: string[]])[] = [
    ["nothing", {}],
    [
      "services elsewhere",
      { clusterProvisioningIP: "172.22.0.3", bootstrapProvisioningIP: "1.1.1.1" },
      "Invalid bootstrapProvisioningIP",
      "Invalid clusterProvisioningIP",
    ],
    [
      "services in the machine network",
      { clusterProvisioningIP: "10.20.0.3", bootstrapProvisioningIP: "10.20.0.2" },
    ],
    ["IPMI", { "hosts[0].bmc.address": "ipmi://192.0.2.1" }, "Invalid hosts[0].bmc"],
    ["a controller that is none", { "hosts[0].bmc.address": "moon://192.0.2.1" }, "Invalid hosts[0].bmc"],
  ];
  for (const [title, edits, ...errors] of media)
    assert.equal(warned(edit(BAREMETAL, { ...VIRTUAL_MEDIA, ...at(edits) })), full(errors), title);
});

test("a login in the address of a controller is not shown", () => {
  const login = PLANTED.password;
  const address = (given: string): Edits =>
    at({ "hosts[0].bmc.address": given, "hosts[1].bmc.address": given });
  for (const given of [
    `redfish://admin:${login}@h`,
    `moon://admin:${login}@h`,
    `admin:${login}`,
    `//a:${login}@h`,
  ])
    for (const config of [address(given), { ...VIRTUAL_MEDIA, ...address(given) }])
      warned(edit(BAREMETAL, config));
});

test("addresses of controllers, as Metal3 reads them", () => {
  const table: readonly (readonly [address: string, driver: string | undefined])[] = [
    ["redfish-virtualmedia+https://[2001:db8::1]:8000/redfish/v1/Systems/1", "redfish"],
    ["REDFISH://host.example/x", "redfish"],
    ["idrac-redfish+https://h", "idrac"],
    ["ilo4-virtualmedia://h", "ilo"],
    ["ilo4+http://h", undefined],
    ["192.0.2.1", "ipmi"],
    ["192.0.2.1:6230", "ipmi"],
    ["[2001:db8::1]:6230", "ipmi"],
    ["ipmi:192.0.2.1", "ipmi"],
    ["host.example:623", undefined],
    ["http://192.0.2.1", undefined],
    ["redfish://under_score/x", undefined],
    ["redfish://h:port/x", undefined],
    ["//host/x", undefined],
    ["a b", undefined],
    ["::1", undefined],
    ["", undefined],
  ];
  for (const [address, driver] of table) {
    const found = controllerAt(address);
    assert.is("driver" in found ? found.driver : undefined, driver, address);
  }
});

test("older releases", () => {
  expectErrors(
    BAREMETAL,
    [
      row("fields as the installer's code has them", { "hosts[1].name": "m-1" }, "Duplicate hosts[1].Name"),
      row("the list, too", { "hosts[1].name": "M_2" }, "Invalid Hosts[1].name"),
      row("and where hosts lack", { hosts: [MASTERS[0] ?? null] }, "Required Hosts"),
      row("no look at MTUs", { "hosts[0].networkConfig": nmstate("10.20.0.9", { mtu: "9000" }) }),
      row("an arbiter host counts as one without a role", { "hosts[4].role": "arbiter" }),
    ],
    "4.18",
  );
  expectErrors(
    BAREMETAL,
    [
      row(
        "MTUs are looked at from 4.20 on",
        { "hosts[0].networkConfig": nmstate("10.20.0.9", { mtu: "9000" }) },
        "Invalid hosts[0].networkConfig.interfaces[0].mtu",
      ),
    ],
    "4.20",
  );
  const hosts = [...WORKERS, host("a-1", 1, { role: "arbiter" }), ...MASTERS.slice(1), host("m-6", 6)];
  const order = (release: string): (string | undefined)[] | undefined =>
    judge(edit(BAREMETAL, at({ hosts })), release).asset?.config.platform.baremetal?.hosts?.map(
      ({ name }) => name,
    );
  assert.equal(order("4.18"), ["m-2", "m-3", "w-4", "w-5", "a-1", "m-6"]);
  assert.equal(order("4.22"), ["m-2", "m-3", "a-1", "w-4", "w-5", "m-6"]);
  const gateway = edit(BAREMETAL, at({ provisioningNetworkGateway: "172.22.0.1" }));
  assert.equal(
    judge(gateway, "4.21").remarks.filter((each) => each.startsWith("IC011")),
    ["IC011 platform.baremetal.provisioningNetworkGateway"],
  );
});

test("two families", () => {
  const both = edit(BAREMETAL, { networking: { networkType: "OVNKubernetes", ...DUAL_STACK } });
  expectErrors(both, [
    row("one address of the first family", {}),
    row("the other family first", { apiVIPs: ["fd00:20::5", "10.20.0.5"] }, "Invalid apiVIPs"),
  ]);
});

test.run();
