/** Machines, hosts and their Secrets; the objects of Metal3 in a management cluster. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import { decode } from "../../../src/core/files.js";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { assignedHosts } from "../../../src/platforms/baremetal/config.js";
import { platform } from "../../../src/platforms/baremetal/index.js";
import { webhookFindings } from "../../../src/platforms/baremetal/webhook-rules.js";
import type { InfrastructureInput } from "../../../src/platforms/platform.js";
import { formatSupplement } from "../../../src/platforms/supplement.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import {
  ARBITER,
  at,
  BAREMETAL,
  host,
  inputOf,
  MASTERS,
  nmstate,
  rendered,
  VARIANTS,
  WORKERS,
} from "../../helpers/baremetal.js";
import { clusterPki, runIgnition } from "../../helpers/ignition.js";
import { edit } from "../../helpers/install-configs.js";
import { compiled, runManifests } from "../../helpers/manifests.js";
import { PLANTED } from "../../helpers/planted.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("baremetal: objects");

const infrastructureOf = async (input: InfrastructureInput): Promise<Map<string, JsonObject>> => {
  const reporter = createReporter();
  const made = platform.infrastructure(input, { release: input.release, report: reporter.report });
  assert.equal(reporter.diagnostics, []);
  return rendered(made.objects);
};

/** Host and role, in the order of the objects. */
const roles = (config: JsonObject, release = "4.22"): string[] => {
  const input = inputOf(config, release);
  return assignedHosts(input.config, input.release).map(
    ({ host: { name }, role, machine }) => `${name} ${role}${machine ?? ""}`,
  );
};

test("which host becomes what", () => {
  assert.equal(roles(BAREMETAL), ["m-1 master0", "m-2 master1", "m-3 master2", "w-4 worker", "w-5 worker"]);
  assert.equal(roles(ARBITER), ["m-1 master0", "m-2 master1", "a-9 arbiter0"]);
  const bare = (number: number): JsonObject => host(`h-${number}`, number);
  const without = at({ hosts: [1, 2, 3, 4, 5].map(bare) });
  assert.equal(roles(edit(BAREMETAL, without)), [
    "h-1 master0",
    "h-2 master1",
    "h-3 master2",
    "h-4 worker",
    "h-5 worker",
  ]);
  assert.equal(roles(edit(ARBITER, at({ hosts: [1, 2, 3, 4].map(bare) }))), [
    "h-1 master0",
    "h-2 master1",
    "h-4 worker",
    "h-3 arbiter0",
  ]);
  // A fourth host of the control plane is one of compute.
  const more = at({ hosts: [...MASTERS, host("m-6", 6, { role: "master" }), ...WORKERS] });
  assert.equal(roles(edit(BAREMETAL, more)).slice(2, 4), ["m-3 master2", "m-6 worker"]);
});

const openshift = async (config: JsonObject, release = "4.22") =>
  rendered(platform.machines(inputOf(config, release)));

test("no object of machines or hosts without the capability MachineAPI", async () => {
  const config = VARIANTS["no machines"] ?? {};
  assert.equal([...(await openshift(config)).keys()], []);
  const run = await runManifests(compiled(JSON.stringify(config)));
  const text = run.text("manifests/cluster-config.yaml");
  assert.match(text, "hardwareProfile: default");
  assert.not.match(text, PLANTED.password);
  assert.match(
    run.text("openshift/99_openshift-cluster-api_worker-user-data-secret.yaml"),
    "name: worker-user-data\n",
  );
  assert.match(
    run.text("openshift/99_openshift-cluster-api_master-user-data-secret.yaml"),
    "master-user-data-managed",
  );
});

test("hosts by release", async () => {
  const file = "openshift/99_openshift-cluster-api_hosts-0.yaml";
  const labels = async (release: string): Promise<Json | undefined> => {
    const object = (await openshift(BAREMETAL, release)).get(file);
    return isObject(object?.["metadata"]) ? object["metadata"]["labels"] : undefined;
  };
  const role = { "installer.openshift.io/role": "control-plane" };
  assert.equal(await labels("4.21"), role);
  assert.equal(await labels("4.22"), role);
  assert.equal(await labels("5.0"), { ...role, "coreos.openshift.io/stream": "rhel-10" });
  const spec = async (release: string): Promise<JsonObject> => {
    const object = (await openshift(BAREMETAL, release)).get(file);
    return isObject(object?.["spec"]) ? object["spec"] : {};
  };
  assert.is((await spec("4.20"))["architecture"], undefined);
  assert.is((await spec("4.21"))["architecture"], "x86_64");
});

test("an image of the config's own goes into the Provisioning object", async () => {
  const url = `http://192.0.2.20/image?sha256=${"a".repeat(64)}`;
  const run = await runManifests(compiled(JSON.stringify(edit(BAREMETAL, at({ clusterOSImage: url })))));
  assert.match(
    run.text("openshift/99_baremetal-provisioning-config.yaml"),
    `provisioningOSDownloadURL: ${url}`,
  );
});

test("a host without a login has neither a Secret nor the address of its controller", async () => {
  const objects = await openshift(edit(BAREMETAL, at({ "hosts[1].bmc.password": "" })));
  const secrets = [...objects.keys()].filter((path) => path.includes("bmc-secrets"));
  assert.is(secrets.length, 4);
  const second = objects.get("openshift/99_openshift-cluster-api_hosts-1.yaml");
  const spec = isObject(second?.["spec"]) ? second["spec"] : {};
  assert.equal(spec["bmc"], { address: "", credentialsName: "" });
});

test("a password stands in the Secret of its host and nowhere else", async () => {
  for (const [name, config] of Object.entries(VARIANTS))
    for (const release of ["4.21", "4.22"]) {
      const asset = compiled(JSON.stringify(config), release);
      const { files } = await runManifests({ ...asset, release });
      for (const { path, data } of files) {
        const text = decode(data) ?? "";
        const opened = text.replace(/[A-Za-z0-9+/]{8,}={0,2}/g, (each) =>
          Buffer.from(each, "base64").toString(),
        );
        const holds = [text, opened].some((each) => each.includes(PLANTED.password));
        assert.is(holds, /host-bmc-secrets-\d+\.yaml$/.test(path), `${name} ${release} ${path}`);
      }
      const input = inputOf(config, release);
      const objects = await infrastructureOf(input);
      const base64 = Buffer.from(PLANTED.password).toString("base64");
      for (const [path, object] of objects)
        assert.is(JSON.stringify(object).includes(base64), /^10_credentials-/.test(path), path);
      assert.not.match(formatSupplement(platform.supplement(input)), PLANTED.password);
    }
});

test("secrets are files for the owner alone", () => {
  const input = inputOf(VARIANTS["networks of hosts"] ?? {});
  const { objects } = platform.infrastructure(input, { release: input.release, report: () => undefined });
  for (const { path, secret = false } of [...platform.machines(input), ...objects])
    assert.is(secret, /bmc-secret|network-config-secret/.test(path), path);
});

test("a network config is carried with every value as it is", async () => {
  const given = {
    ...nmstate("10.20.0.11"),
    routes: {
      config: [{ "table-id": 254, metric: 1.5, "next-hop-interface": "eno10", a: null, b: "yes", c: "010" }],
    },
    "dns-resolver": { config: { server: [], search: [""] } },
    eno10: {},
    eno2: {},
  };
  const objects = await openshift(edit(BAREMETAL, at({ "hosts[0].networkConfig": given })));
  const secret = objects.get("openshift/99_openshift-cluster-api_host-network-config-secrets-0.yaml");
  const data = isObject(secret?.["data"]) ? secret["data"] : {};
  const text = Buffer.from(String(data["nmstate"]), "base64").toString("utf8");
  assert.equal(parseYaml(text), given);
  assert.is(
    text,
    `dns-resolver:
  config:
    search:
    - ""
    server: []
eno2: {}
eno10: {}
interfaces:
- ipv4:
    address:
    - ip: 10.20.0.11
      prefix-length: 16
    dhcp: false
    enabled: true
  name: eno1
  state: up
  type: ethernet
routes:
  config:
  - a: null
    b: "yes"
    c: "010"
    metric: 1.5
    next-hop-interface: eno10
    table-id: 254
`,
  );
});

const IMAGE = {
  url: "http://192.0.2.20/image.raw",
  checksum: "ab",
  checksumType: "sha256",
  diskFormat: "raw",
} as const;

for (const [name, config] of Object.entries(VARIANTS))
  withShared(test, "data/crds", `${name}: the provider's definitions`, async (folder) => {
    const cel = await loadCel();
    for (const facts of [undefined, { image: IMAGE }]) {
      const objects = await infrastructureOf(inputOf(config, "4.22", facts));
      const checked = [...objects.values()].filter(({ kind }) => String(kind).startsWith("Metal3"));
      assert.is(checked.length, 3);
      for (const object of checked) {
        const definition = parseYaml(readFileSync(join(folder, `${String(object["kind"])}.yaml`), "utf8"));
        const crd = isObject(definition) ? readCrd(definition) : undefined;
        assert.ok(crd !== undefined);
        assert.equal(checkCustomResource(crd, object, cel), [], String(object["kind"]));
        assert.equal(webhookFindings(object), []);
      }
    }
  });

test("hosts in the management cluster: those that machines of the control plane and arbiters run on", async () => {
  const objects = await infrastructureOf(inputOf(ARBITER));
  assert.equal([...objects.keys()].sort(), [
    "10_credentials-a-9-bmc-secret.yaml",
    "10_credentials-m-1-bmc-secret.yaml",
    "10_credentials-m-2-bmc-secret.yaml",
    "40_infrastructure-cluster.yaml",
    "45_host-a-9.yaml",
    "45_host-m-1.yaml",
    "45_host-m-2.yaml",
    "48_data-template.yaml",
    "50_machine-template.yaml",
  ]);
  const labels = (path: string): Json | undefined => {
    const metadata = objects.get(path)?.["metadata"];
    return isObject(metadata) && isObject(metadata["labels"])
      ? metadata["labels"]["installer.openshift.io/role"]
      : undefined;
  };
  assert.is(labels("45_host-m-1.yaml"), "control-plane");
  assert.is(labels("45_host-a-9.yaml"), "arbiter");
});

test("hosts that nobody looked at are refused where Metal3 is to take them", () => {
  const input = inputOf(edit(VARIANTS["no machines"] ?? {}, at({ "hosts[0].name": "m_1" })));
  const reporter = createReporter();
  platform.infrastructure(input, { release: input.release, report: reporter.report });
  assert.equal(
    reporter.diagnostics.map(({ code, field }) => `${code} ${field}`),
    ["IC342 platform.baremetal.hosts[0].name"],
  );
});

test("what the webhooks of the provider refuse", () => {
  const object = (kind: string, spec: JsonObject): JsonObject => ({
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2",
    kind,
    spec,
  });
  const template = (spec: JsonObject): JsonObject => object("Metal3MachineTemplate", { template: { spec } });
  const bmh = (spec: JsonObject, name = "master-0"): JsonObject => ({
    apiVersion: "metal3.io/v1alpha1",
    kind: "BareMetalHost",
    metadata: { name },
    spec,
  });
  const table: readonly (readonly [JsonObject, ...string[]])[] = [
    [object("Metal3Cluster", {}), "Invalid spec.controlPlaneEndpoint"],
    [object("Metal3Cluster", { controlPlaneEndpoint: { host: "h" } })],
    [template({}), "Required spec.template.spec.image"],
    [template({ customDeploy: { method: "x" } })],
    [template({ image: { url: "http://x/y", checksum: "a" } })],
    [template({ image: { url: "http://x/y" } }), "Required spec.template.spec.image.checksum"],
    [template({ image: { url: "http://x/y", diskFormat: "live-iso" } })],
    [template({ image: { url: "", checksum: "a" } }), "Required spec.template.spec.image.url"],
    [template({ image: { url: "x y", checksum: "a" } }), "Invalid spec.template.spec.image.url"],
    [
      template({ image: { url: "http://x/y", checksum: "http://a b" } }),
      "Invalid spec.template.spec.image.checksum",
    ],
    [template({ image: { url: "oci://x/y", checksum: "a" } }), "Forbidden spec.template.spec.image.checksum"],
    [{ apiVersion: "v1", kind: "Metal3Cluster" }],
    [bmh({ bmc: { address: "", credentialsName: "" }, bootMACAddress: "x" })],
    [bmh({ bmc: { address: "idrac-redfish://192.0.2.1/x" }, bootMode: "UEFISecureBoot" })],
    [bmh({ bmc: { address: "192.0.2.1" }, bootMode: "UEFISecureBoot" }), "Invalid spec.bootMode"],
    [bmh({ bmc: { address: "carrier-pigeon://loft" } }), "Invalid spec.bmc.address"],
    [bmh({ bmc: { address: "192.0.2.1" }, bootMACAddress: "x" }), "Invalid spec.bootMACAddress"],
    [bmh({ rootDeviceHints: { deviceName: "sda" } }), "Invalid spec.rootDeviceHints.deviceName"],
    [bmh({ rootDeviceHints: { deviceName: "/dev/disk/by-path/pci" } })],
    [bmh({}, "0c3c7a3e-1b1b-4a5e-9d4c-2f6f4e6b7a10"), "Invalid metadata.name"],
  ];
  for (const [given, ...wanted] of table)
    assert.equal(
      webhookFindings(given).map(({ kind, field }) => `${kind} ${field}`),
      wanted,
      JSON.stringify(given),
    );
});

test("the supplement", () => {
  const areas = (config: JsonObject): string[] =>
    platform.supplement(inputOf(config)).map(({ area }) => area);
  assert.equal(areas(BAREMETAL), ["provider", "hosts", "bootstrap", "dns", "nodes", "compute"]);
  assert.equal(areas(ARBITER), ["provider", "hosts", "bootstrap", "dns", "arbiter", "nodes"]);
  assert.ok(areas(VARIANTS["networks of hosts"] ?? {}).includes("network"));
  assert.ok(areas(VARIANTS["user-managed load balancer"] ?? {}).includes("load-balancer"));
  assert.equal(areas(VARIANTS["no machines"] ?? {}), ["provider", "bootstrap", "dns", "nodes"]);
});

test("the services of the bootstrap node", async () => {
  const run = async (config: JsonObject, release = "4.22") => {
    const { config: normal } = compiled(JSON.stringify(config), release);
    const { nodeFiles } = await runIgnition({ config: normal, release, pki: clusterPki(normal) });
    return (path: string): string => nodeFiles.get(path)?.text ?? "";
  };
  const managed = await run(BAREMETAL);
  assert.match(managed("/etc/ironic.env"), 'DHCP_RANGE="172.22.0.10,172.22.0.254,24"');
  assert.match(
    managed("/etc/ironic.env"),
    'DHCP_ALLOW_MACS="52:54:00:00:00:01 52:54:00:00:00:02 52:54:00:00:00:03"',
  );
  assert.match(managed("/opt/metal3/auth/clouds.yaml"), "https://10.20.0.5:6385/v1");
  const media = await run(VARIANTS["virtual media"] ?? {});
  assert.match(media("/etc/ironic.env"), 'DHCP_RANGE=""');
  const both = await run(VARIANTS["both families"] ?? {});
  assert.match(both("/etc/metal3.env"), 'IRONIC_EXTERNAL_URL_V6="https://[fd00:20::5]:6183/"');
  assert.not.match(both("/etc/ironic-network.env"), "EXTERNAL");
  const fixed = at({
    bootstrapExternalStaticIP: "10.20.0.9",
    bootstrapExternalStaticGateway: "10.20.0.1",
    bootstrapExternalStaticDNS: "10.20.0.53",
    externalMACAddress: "52:54:00:ab:00:01",
  });
  assert.is(
    (await run(edit(BAREMETAL, fixed)))("/etc/NetworkManager/system-connections/nmconnection"),
    "\n[connection]\ntype=ethernet\n[ethernet]\nmac-address=52:54:00:ab:00:01\n\n[ipv4]\n\nmethod=manual\naddresses=10.20.0.9/16\ngateway=10.20.0.1\ndns=10.20.0.53\n\n",
  );
  const turnedOff = compiled(JSON.stringify(VARIANTS["both families"])).config;
  const { nodeFiles } = await runIgnition({
    config: turnedOff,
    files: {
      "openshift/99_baremetal-provisioning-config.yaml":
        "kind: Provisioning\nspec:\n  disableVirtualMediaTLS: true\n",
    },
  });
  assert.match(nodeFiles.get("/etc/metal3.env")?.text ?? "", "http://[fd00:20::5]:6180/");
});

test.run();
