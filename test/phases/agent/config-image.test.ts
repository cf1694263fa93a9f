/** The configuration image: what is in it, what it is made from, and what it requires. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../../src/core/files.js";
import { keyfilesOf } from "../../../src/phases/agent/keyfiles.js";
import { mirroredLocations } from "../../../src/phases/agent/objects.js";
import { type ClusterInput, type ClusterOutput, compileCluster } from "../../../src/pipeline/cluster.js";
import { AGENT_IMAGE, compileAgent } from "../../helpers/agent.js";
import { openArchive, openImage } from "../../helpers/image.js";
import { quickKeys, seededRandom } from "../../helpers/inputs.js";

const test = suite("agent-config-image");
const IMAGE = "agentconfig.noarch.iso";

const INSTALL_CONFIG = `apiVersion: v1
baseDomain: example.com
metadata: {name: demo}
controlPlane: {name: master, replicas: 1}
compute: [{name: worker, replicas: 0}]
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform: {none: {}}
pullSecret: '{"auths":{"quay.io":{"auth":"Zm9vOmJhcg=="}}}'
`;
const host = (network: string): string => `apiVersion: v1beta1
kind: AgentConfig
rendezvousIP: 192.0.2.20
hosts:
- hostname: sno-0
  role: master
  rootDeviceHints: {deviceName: /dev/sda}
  interfaces: [{name: eno1, macAddress: "52:54:00:AA:bb:01"}]
${network}`;
const NETWORK = `  networkConfig:
    interfaces:
    - {name: eno1, type: ethernet, state: up, ipv4: {enabled: true, dhcp: false, address: [{ip: 192.0.2.20, prefix-length: 24}]}}
`;
const ANSWER = `NetworkManager:
- - eno1.nmconnection
  - |
    [connection]
    autoconnect=false
    id=eno1

    [ipv4]
    address0=192.0.2.20/24

`;

const codes = ({ diagnostics }: ClusterOutput): string =>
  diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, field }) => `${code} ${field}`)
    .join();

function archiveOf({ files }: ClusterOutput): Map<string, string> {
  const image = files.find(({ path }) => path === IMAGE);
  assert.ok(image?.secret, "the image is secret");
  const { files: inside } = openImage(image?.data ?? new Uint8Array());
  const found = openArchive(inside.get("config.gz")?.data ?? new Uint8Array());
  return new Map([...found].map(([path, { data }]) => [path, data.toString("utf8")]));
}

const compile = (
  agentConfig: string,
  options: Parameters<typeof compileAgent>[1] = {},
  installConfig = INSTALL_CONFIG,
): Promise<ClusterOutput> =>
  compileAgent({ installConfig, agentConfig }, { target: "agent-config-image", ...options });

/** Another run in the directory that a run left. */
function again(
  first: ClusterOutput,
  change: Readonly<Record<string, string | undefined>> = {},
  more: Partial<ClusterInput> = {},
): Promise<ClusterOutput> {
  const files = new Map([...first.files].map(({ path, data }) => [path, data]));
  files.set("install-config.yaml", encode(INSTALL_CONFIG));
  if (first.state !== undefined) files.set(first.state.path, first.state.data);
  if (first.record !== undefined) files.set(".slipway/record.json", first.record);
  for (const [path, text] of Object.entries(change))
    if (text === undefined) files.delete(path);
    else files.set(path, encode(text));
  return compileCluster({
    files,
    target: "agent-config-image",
    inputs: {
      clock: { now: () => new Date("2027-03-01T00:00:00Z") },
      random: seededRandom("another"),
      keys: quickKeys(),
    },
    tool: "slipway test",
    ...more,
  });
}

test("settings of a host are below its name", async () => {
  const files = archiveOf(await compile(host("")));
  assert.is(files.get("/etc/assisted/hostnames/52:54:00:aa:bb:01"), "sno-0");
  assert.is(files.get("/etc/assisted/hostconfig/sno-0/mac_addresses"), "52:54:00:aa:bb:01\n");
  assert.is(files.get("/etc/assisted/hostconfig/sno-0/root-device-hints.yaml"), "deviceName: /dev/sda\n");
  assert.is(files.get("/etc/assisted/hostconfig/sno-0/role"), "master");
  assert.match(files.get("/etc/assisted/rendezvous-host.env") ?? "", /^#\nNODE_ZERO_IP=192\.0\.2\.20\n/);
});

test("a section beside that of the platform none is overridden", async () => {
  const output = await compile(
    host(""),
    {},
    INSTALL_CONFIG.replace("{none: {}}", "{none: {}, external: {platformName: other}}"),
  );
  assert.match(
    archiveOf(output).get("/etc/assisted/manifests/agent-cluster-install.yaml") ?? "",
    /install-config-overrides: '\{"platform":\{"external":\{"platformName":"other"\}\}\}'/,
  );
});

test("a static network requires nmstatectl", async () => {
  const output = await compile(host(NETWORK));
  assert.is(codes(output), "AGT025 --nmstatectl");
  assert.match(output.diagnostics.map(({ message }) => message).join(), /52:54:00:AA:bb:01/);
});

test("keyfiles connect by themselves, and stay for later runs", async () => {
  const asked: string[] = [];
  const nmstate = async (text: string) => {
    asked.push(text);
    return { ok: true, text: ANSWER };
  };
  const first = await compile(host(NETWORK), { nmstate });
  const path = "/etc/assisted/network/host0/eno1.nmconnection";
  const keyfile =
    "[connection]\nautoconnect=true\nid=eno1\nautoconnect-priority=1\n\n[ipv4]\naddress0=192.0.2.20/24\n";
  assert.is(archiveOf(first).get(path), keyfile);
  assert.is(archiveOf(first).get("/etc/assisted/network/host0/mac_interface.ini"), "52:54:00:AA:bb:01=eno1");
  assert.match(asked.join(), /^interfaces:\n- ipv4:\n/);
  const second = await again(first, { "agent-config.yaml": host(NETWORK) });
  assert.is(codes(second), "");
  assert.ok(
    second.results.every(({ status }) => status === "unchanged"),
    JSON.stringify(second.results),
  );
  const other = await again(first, { "agent-config.yaml": host(NETWORK.replaceAll(".20", ".21")) });
  assert.is(codes(other), "AGT025 --nmstatectl");
});

test("what nmstatectl refuses is the fault of the network", async () => {
  const refused = await compile(host(NETWORK), {
    nmstate: async () => ({ ok: false, text: "unknown field `typ`" }),
  });
  assert.is(codes(refused), "AGT007 spec.config");
  assert.match(refused.diagnostics.map(({ message }) => message).join(), /unknown field `typ`/);
  const empty = await compile(host(NETWORK), { nmstate: async () => ({ ok: true, text: "{}" }) });
  assert.is(codes(empty), "AGT007 spec.config");
});

test("a network that is no address of a host leaves none for the rendezvous host", async () => {
  const output = await compile(host("").replace("rendezvousIP: 192.0.2.20\n", ""));
  assert.is(codes(output), "AGT024 rendezvousIP");
});

test("the first static address of the control plane is that of the rendezvous host", async () => {
  const text = host(NETWORK.replaceAll("192.0.2.20", "2001:db8::0:20")).replace(
    "rendezvousIP: 192.0.2.20\n",
    "",
  );
  const output = await compile(text, { nmstate: async () => ({ ok: true, text: ANSWER }) });
  assert.match(
    archiveOf(output).get("/etc/assisted/rendezvous-host.env") ?? "",
    /NODE_ZERO_IP=2001:db8::20\nSERVICE_BASE_URL=http:\/\/\[2001:db8::20\]:8090\/\n/,
  );
});

test("edits of manifests are in the image, with the documents of openshift/", async () => {
  const first = await compile(host(""));
  const edited = (
    decode(first.files.find(({ path }) => path.endsWith("infraenv.yaml"))?.data ?? encode("")) ?? ""
  ).replace("cpuArchitecture: x86_64", "cpuArchitecture: aarch64");
  const second = await again(first, {
    "agent-config.yaml": host(""),
    "cluster-manifests/infraenv.yaml": edited,
    "openshift/extra.yaml": "kind: A\n---\n# nothing\n---\nkind: B\nmetadata: {name: b}\n",
    "openshift/notes.txt": "no manifest",
  });
  const files = archiveOf(second);
  assert.match(files.get("/etc/assisted/manifests/infraenv.yaml") ?? "", /cpuArchitecture: aarch64\n/);
  assert.match(
    files.get("/usr/local/share/assisted-service/assisted-service.env") ?? "",
    /"cpu_architecture":"aarch64"/,
  );
  assert.equal(
    [...files].filter(([path]) => path.includes("extra-manifests")),
    [
      ["/etc/assisted/extra-manifests/extra-0.yaml", "kind: A\n"],
      ["/etc/assisted/extra-manifests/extra-1.yaml", "kind: B\nmetadata:\n  name: b\n"],
    ],
  );
});

test("edits of manifests are judged", async () => {
  const first = await compile(host(""));
  const path = "cluster-manifests/agent-cluster-install.yaml";
  const text = decode(first.files.find((each) => each.path === path)?.data ?? encode("")) ?? "";
  const second = await again(first, {
    "agent-config.yaml": host(""),
    [path]: text.replace("platformType: None", "platformType: Own"),
  });
  assert.is(codes(second), "AGT027 spec.platformType");
});

test("the same image after the configs were consumed", async () => {
  const first = await compile(host(""));
  const second = await again(first, { "install-config.yaml": undefined });
  assert.is(codes(second), "");
  const changed = second.results.filter(({ status }) => status !== "unchanged").map(({ path }) => path);
  // It no longer names the inputs.
  assert.equal(changed, [".slipway/record.json"]);
});

test("releases differ in what they tell the hosts", async () => {
  const envs = await Promise.all(
    ["4.18", "4.20", "4.22"].map(async (release) => {
      const files = archiveOf(await compile(host(""), { release }));
      return [
        files.get("/usr/local/share/start-cluster/start-cluster.env") ?? "",
        files.get("/usr/local/share/assisted-service/assisted-service.env") ?? "",
        files.get("/etc/assisted/rendezvous-host.env") ?? "",
      ];
    }),
  );
  const has = (word: RegExp): string => envs.map((texts) => (word.test(texts.join("")) ? "+" : "-")).join("");
  assert.is(has(/REQUIRED_ARBITER_NODES=0/), "-++");
  assert.is(has(/TNA_CLUSTERS_SUPPORT/), "-++");
  assert.is(has(/TNF_CLUSTERS_SUPPORT/), "--+");
  assert.is(has(/HW_VALIDATOR_REQUIREMENTS=TO_BE/), "--+");
  assert.is(has(/"arbiter":\{/), "-+-");
  assert.is(has(/AIUI_URL=/), "--+");
});

test("the tag of an image says version and architectures", async () => {
  const service = async (releaseImage: string): Promise<string> =>
    archiveOf(await compile(host(""), { releaseImage })).get(
      "/usr/local/share/assisted-service/assisted-service.env",
    ) ?? "";
  assert.match(
    await service("quay.io/a/b:4.22.3-x86_64"),
    /"openshift_version":"4\.22",.*"version":"4\.22\.3"\}/,
  );
  assert.match(
    await service("quay.io/a/b:4.22.3-multi"),
    /"cpu_architecture":"multi","cpu_architectures":\["aarch64","x86_64","ppc64le","s390x"\].*"version":"4\.22\.3"\}/,
  );
  assert.match(await service(AGENT_IMAGE), /"openshift_version":"4\.22",.*"version":"4\.22"\}/);
});

test("mirrors name the registries and the release image", async () => {
  const output = await compile(
    host(""),
    {},
    `${INSTALL_CONFIG}imageDigestSources:
- {source: quay.io/openshift-release-dev/ocp-release, mirrors: ["registry.example.com:5000/ocp"]}
- {source: quay.io/other, mirrors: [registry.example.com/other]}
`,
  );
  const env = archiveOf(output).get("/usr/local/share/assisted-service/assisted-service.env") ?? "";
  assert.match(env, /PUBLIC_CONTAINER_REGISTRIES=quay\.io\n/);
  assert.match(env, /RELEASE_IMAGE_MIRROR=registry\.example\.com:5000\/ocp@sha256:a+\n/);
});

test("locations are read from any registries.conf", () => {
  assert.equal(
    mirroredLocations(`unqualified-search-registries = ["docker.io"]
location = "ignored"
[[registry]]
location = 'a/b'   # comment
blocked = true
[[ registry.mirror ]]
  location = "m/\\u0061"
[[registry]]
[aliases]
location = "ignored"
`),
    [
      { location: "a/b", mirrors: ["m/a"] },
      { location: "", mirrors: [] },
    ],
  );
});

test("answers without keyfiles are none", () => {
  for (const answer of [
    "",
    "[]",
    "NetworkManager: []",
    "NetworkManager: [[1, 2]]",
    "NetworkManager:\n- - a/../b\n  - x\n",
    "a: b: c",
  ])
    assert.is(keyfilesOf(answer), undefined, answer);
});

test("the state has what openshift-install goes on from", async () => {
  const { state } = await compile(host(""));
  const members: unknown = JSON.parse(decode(state?.data ?? encode("{}")) ?? "{}");
  const names = typeof members === "object" && members !== null ? Object.keys(members) : [];
  for (const name of [
    "*agent.OptionalInstallConfig",
    "*agentconfig.AgentConfig",
    "*agentconfig.AgentHosts",
    "*common.InfraEnvID",
    "*gencrypto.AuthConfig",
    "*tls.AdminKubeConfigClientCertKey",
    "*tls.KubeAPIServerLBSignerCertKey",
  ])
    assert.ok(names.includes(name), name);
});

test("pods of a network that is not OpenShift's need the room of its own", async () => {
  const config = (type: string): string =>
    INSTALL_CONFIG.replace("replicas: 1", "replicas: 3").replace(
      "networking: {",
      `networking: {networkType: ${type}, clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 30}], `,
    );
  for (const type of ["OVNKubernetes", "Calico"])
    assert.is(
      codes(await compileAgent({ installConfig: config(type) })),
      "AGT013 spec.networking.clusterNetwork[0].hostPrefix",
      type,
    );
});

test("a single node has no number of compute nodes but 0", async () => {
  const installConfig = INSTALL_CONFIG.replace("replicas: 0", "replicas: -1");
  assert.match(codes(await compileAgent({ installConfig })), "AGT010 compute.replicas");
});

test.run();
