/** Rules of the install-config: each one broken alone, what is only warned of, and what differs by release. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../../src/core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/nutanix/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { namesRemedy } from "../../helpers/applied-hints.js";
import { compile, compiled, configText, domain, inputOf, uuid, worker } from "../../helpers/nutanix.js";

const test = suite("nutanix: rules of the install-config");

const CENTRAL = {
  endpoint: { address: "prism.example.org", port: 9440 },
  username: "skipper",
  password: "planted-prism-password",
};
const central = (more: JsonObject): string => configText({ prismCentral: { ...CENTRAL, ...more } });
const element = (more: JsonObject): string =>
  configText({
    prismElements: [{ uuid: uuid(1), endpoint: { address: "10.20.1.1", port: 9440 }, ...more }],
  });
const domains = (...list: readonly JsonObject[]): string => configText({ failureDomains: [...list] });

/**
 * Name, what is written, what is said, and where: what is written around the place, once in the whole text, with a
 * bar before the place itself.
 */
type Case = readonly [name: string, text: string, expected: string, place: string];
const BROKEN: readonly Case[] = [
  [
    "no address",
    central({ endpoint: { port: 9440 } }),
    "Required platform.nutanix.prismCentral.endpoint.address",
    "prismCentral:\n      |endpoint:",
  ],
  ...["https://prism.example.org", "a_b", "prism:9440", "Prism.example.org"].map(
    (address): Case => [
      `address ${address}`,
      central({ endpoint: { address, port: 9440 } }),
      "Invalid platform.nutanix.prismCentral.endpoint.address",
      `address: |${address}\n`,
    ],
  ),
  ...[0, 65_536, -1].map(
    (port): Case => [
      `port ${port}`,
      central({ endpoint: { address: "prism", port } }),
      "Invalid platform.nutanix.prismCentral.endpoint.port",
      `port: |${port}\n`,
    ],
  ),
  ["no user", central({ username: "" }), "Required platform.nutanix.prismCentral.username", "username: |''"],
  [
    "no password",
    central({ password: "" }),
    "Required platform.nutanix.prismCentral.password",
    "password: |''",
  ],
  [
    "no element",
    configText({ prismElements: [] }),
    "Required platform.nutanix.prismElements",
    "|prismElements:",
  ],
  [
    "element without UUID",
    element({ uuid: "" }),
    "Required platform.nutanix.prismElements.uuid",
    "uuid: |''",
  ],
  [
    "element without address",
    element({ endpoint: { port: 9440 } }),
    "Required platform.nutanix.prismElements.endpoint.address",
    "- |endpoint:\n",
  ],
  [
    "element without port",
    element({ endpoint: { address: "pe" } }),
    "Invalid platform.nutanix.prismElements.endpoint.port",
    "- |endpoint:\n",
  ],
  ["no subnet", configText({ subnetUUIDs: [] }), "Required platform.nutanix.subnetUUIDs", "|subnetUUIDs: []"],
  [
    "subnet twice",
    configText({ subnetUUIDs: [uuid(2), uuid(2)] }),
    "Invalid platform.nutanix.subnetUUIDs",
    `- ${uuid(2)}\n    - |${uuid(2)}`,
  ],
  [
    "33 subnets",
    configText({ subnetUUIDs: Array.from({ length: 33 }, (_, i) => uuid(i)) }),
    "TooMany platform.nutanix.subnetUUIDs",
    "|subnetUUIDs:",
  ],
  [
    "timeout",
    configText({ prismAPICallTimeout: 0 }),
    "Invalid platform.nutanix.prismAPICallTimeout",
    "prismAPICallTimeout: |0",
  ],
  [
    "domain without name",
    domains(domain(1, { name: "" })),
    "Invalid platform.nutanix.failureDomain.name",
    "name: |''",
  ],
  [
    "domain in capitals",
    domains(domain(1, { name: "A" })),
    "Invalid platform.nutanix.failureDomain.name",
    "name: |A\n",
  ],
  [
    "domain without element",
    domains(domain(1, { prismElement: {} })),
    "Required platform.nutanix.failureDomain.prismElement.uuid",
    "|prismElement: {}",
  ],
  [
    "domain without subnet",
    domains(domain(1, { subnetUUIDs: [] })),
    "Required platform.nutanix.failureDomain.subnetUUIDs",
    "|subnetUUIDs: []",
  ],
  [
    "domain with a subnet twice",
    domains(domain(1, { subnetUUIDs: [uuid(2), uuid(2)] })),
    "Invalid platform.nutanix.failureDomain.subnetUUIDs",
    `- ${uuid(2)}\n      - |${uuid(2)}`,
  ],
  [
    "domain with 33 subnets",
    domains(domain(1, { subnetUUIDs: Array.from({ length: 33 }, (_, i) => uuid(i)) })),
    "TooMany platform.nutanix.failureDomain.subnetUUIDs",
    `|subnetUUIDs:\n      - ${uuid(0)}`,
  ],
  [
    "container without reference",
    domains(domain(1, { storageContainers: [{ uuid: uuid(5) }] })),
    "Required platform.nutanix.failureDomain.storageContainers.referenceName",
    `- |uuid: ${uuid(5)}`,
  ],
  [
    "container without UUID",
    domains(domain(1, { storageContainers: [{ referenceName: "a" }] })),
    "Required platform.nutanix.failureDomain.storageContainers.uuid",
    "- |referenceName: a",
  ],
  [
    "image without reference",
    domains(domain(1, { dataSourceImages: [{ name: "a" }] })),
    "Required platform.nutanix.failureDomain.dataSourceImages.referenceName",
    "- |name: a",
  ],
  [
    "image without name",
    domains(domain(1, { dataSourceImages: [{ referenceName: "a" }] })),
    "Required platform.nutanix.failureDomain.dataSourceImages",
    "- |referenceName: a",
  ],
  ["ingress alone", configText({ apiVIPs: [] }), "Required platform.nutanix.apiVIPs", "|apiVIPs: []"],
  ["API alone", configText({ ingressVIPs: [] }), "Required platform.nutanix.ingressVIPs", "|ingressVIPs: []"],
  ["no address", configText({ apiVIPs: ["x"] }), "Invalid platform.nutanix.apiVIPs", "|apiVIPs:"],
  [
    "load balancer",
    configText({ loadBalancer: { type: "Mine" } }),
    "Invalid platform.nutanix.loadBalancer.type",
    "type: |Mine",
  ],
  [
    "mode",
    configText({}, { credentialsMode: "Mint" }),
    "NotSupported credentialsMode",
    "credentialsMode: |Mint",
  ],
  ["publish", configText({}, { publish: "Internal" }), "Invalid publish", "publish: |Internal"],
  ["a name with a dot", configText({}, { metadata: { name: "a.b" } }), "Invalid metadata.name", "name: |a.b"],
];

for (const [name, text, expected, place] of BROKEN)
  test(`broken alone: ${name}`, () => {
    const errors = compile(text).said.filter(isError);
    assert.equal([...new Set(errors.map(({ kind, field }) => `${kind} ${field}`))], [expected]);
    const parts = text.split(place.replace("|", ""));
    assert.is(parts.length, 2, "the place is one");
    const before = `${parts[0]}${place.slice(0, place.indexOf("|"))}`.split("\n");
    for (const { message, hint = "", line, column } of errors) {
      assert.ok(namesRemedy({ message, hint }), message);
      assert.equal({ line, column }, { line: before.length, column: (before.at(-1) ?? "").length + 1 });
    }
  });

test("old virtual IPs become lists, unless they contradict them", () => {
  const { config } = compiled(
    configText({ apiVIPs: [], ingressVIPs: [], apiVIP: "10.20.0.5", ingressVIP: "10.20.0.7" }),
  );
  assert.equal(config.platform.nutanix?.apiVIPs, ["10.20.0.5"]);
  assert.equal(config.platform.nutanix?.ingressVIPs, ["10.20.0.7"]);
  const errors = compile(configText({ apiVIP: "10.20.0.9" })).said.filter(isError);
  assert.equal(
    errors.map(({ kind, field }) => `${kind} ${field}`),
    ["Invalid platform.nutanix.apiVIPs"],
  );
});

const DUAL = {
  networking: {
    machineNetwork: [{ cidr: "10.20.0.0/16" }, { cidr: "fd20::/64" }],
    clusterNetwork: [
      { cidr: "10.128.0.0/14", hostPrefix: 23 },
      { cidr: "fd01::/48", hostPrefix: 64 },
    ],
    serviceNetwork: ["172.30.0.0/16", "fd02::/112"],
  },
};

test("a pair of virtual IPs is put into the order IPv4, IPv6", () => {
  const text = configText({ apiVIPs: ["fd20::5", "10.20.0.5"], ingressVIPs: ["10.20.0.7", "fd20::7"] }, DUAL);
  const { config, normalForm } = compiled(text);
  assert.equal(config.platform.nutanix?.apiVIPs, ["10.20.0.5", "fd20::5"]);
  assert.match(normalForm, /apiVIPs:\n *- 10\.20\.0\.5\n *- fd20::5\n/);
});

test("warnings: a failure domain twice, sizes that are none", () => {
  const warned = (text: string) =>
    compile(text)
      .said.filter(({ severity }) => severity === "warning")
      .map(({ code, field }) => `${code} ${field}`);
  assert.equal(warned(domains(domain(1), domain(1))), ["IC349 platform.nutanix.failureDomains[1].name"]);
  for (const [member, section] of [
    ["cpus", { cpus: -1 }],
    ["memoryMiB", { memoryMiB: 2 ** 31 }],
    ["osDisk.diskSizeGiB", { osDisk: { diskSizeGiB: -5 } }],
  ] as const)
    assert.equal(warned(configText({}, { compute: worker(section) })), [
      `IC349 compute[0].platform.nutanix.${member}`,
    ]);
});

const sectionOf = (text: string, release: string): JsonObject => {
  const form = parseYaml(compiled(text, release).normalForm);
  const at = (value: Json | undefined, name: string) => (isObject(value) ? value[name] : undefined);
  const section = at(at(form, "platform"), "nutanix");
  return isObject(section) ? section : {};
};

test("the releases differ", () => {
  const text = configText({ defaultMachinePlatform: { cpus: 4 } });
  assert.is(sectionOf(text, "4.18")["prismAPICallTimeout"], 10);
  assert.is(sectionOf(text, "4.19")["prismAPICallTimeout"], undefined);
  assert.is(sectionOf(text, "4.20")["dnsRecordsType"], undefined);
  assert.is(sectionOf(text, "4.21")["dnsRecordsType"], "Internal");
  const pool = (release: string) => sectionOf(text, release)["defaultMachinePlatform"];
  assert.equal(pool("4.20"), { cpus: 4, osDisk: {}, gpus: null, dataDisks: null });
  assert.equal(pool("4.21"), { cpus: 4, osDisk: {} });
  const port = element({ endpoint: { address: "pe", port: 0 } });
  const said = (release: string) =>
    compile(port, release)
      .said.filter(isError)
      .map(({ kind }) => kind);
  assert.equal(said("4.21"), ["Required"]);
  assert.equal(said("4.22"), ["Invalid"]);
  const unknown = compile(configText({ dnsRecordsType: "Internal" }), "4.20").said;
  assert.ok(unknown.some(({ field }) => field === "platform.nutanix.dnsRecordsType"));
});

const DISK = {
  diskSize: " 1.5Gi",
  deviceProperties: { deviceType: "Disk", adapterType: "SCSI", deviceIndex: 1 },
  storageConfig: { diskMode: "Flash", storageContainer: { uuid: uuid(5) } },
  dataSourceImage: { uuid: uuid(6) },
};
const VARIANTS: Readonly<Record<string, string>> = {
  plain: configText(),
  "without virtual IPs": configText({ apiVIPs: [], ingressVIPs: [] }),
  "failure domains": configText(
    {
      failureDomains: [domain(1, { storageContainers: [{ referenceName: "a", uuid: uuid(7) }] }), domain(2)],
      defaultMachinePlatform: { failureDomains: ["fd-2", "fd-1"], project: { type: "uuid", uuid: uuid(8) } },
    },
    { compute: worker({ dataDisks: [DISK], gpus: [{ type: "DeviceID", deviceID: 7 }] }, 5) },
  ),
  "both families": configText(
    {
      apiVIPs: ["fd20::5", "10.20.0.5"],
      ingressVIPs: ["fd20::7", "10.20.0.7"],
      loadBalancer: { type: "UserManaged" },
    },
    DUAL,
  ),
  "empty sections": configText(
    { defaultMachinePlatform: {} },
    { compute: worker({ gpus: [], dataDisks: [] }) },
  ),
};

/** What every phase puts into objects. */
function objectsOf(text: string, release: string): Json {
  const input = inputOf(text, undefined, release);
  const context = { release: input.release, report: () => undefined };
  return JSON.parse(
    JSON.stringify([
      platform.machines(input),
      platform.infrastructure(input, context).objects,
      platform.manifests.infrastructure(input),
      platform.manifests.cloudProviderConfig(input),
      platform.supplement(input),
    ]),
  );
}

for (const [name, text] of Object.entries(VARIANTS))
  for (const release of ["4.18", "4.20", "4.22"])
    test(`the normal form is its own normal form, and makes the same: ${name}, ${release}`, () => {
      const once = compiled(text, release).normalForm;
      assert.is(compiled(once, release).normalForm, once);
      assert.equal(objectsOf(once, release), objectsOf(text, release));
    });

test.run();
