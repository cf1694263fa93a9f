/** The configuration image of an image-based installation: what is in it, what it is made from, and what it requires. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject } from "../../../src/core/json.js";
import type { ClusterOutput } from "../../../src/pipeline/cluster.js";
import { readCertificate } from "../../../src/pki/certificate.js";
import { BUNDLE } from "../../equal/samples.js";
import { compileAgent, errorsOf } from "../../helpers/agent.js";
import { openImage } from "../../helpers/image.js";

const test = suite("image-based-config-image");

const INSTALL_CONFIG = `apiVersion: v1
baseDomain: example.com
metadata: {name: edge}
controlPlane: {name: master, replicas: 1}
compute: [{name: worker, replicas: 0}]
platform: {none: {}}
pullSecret: '{"auths":{"quay.io":{"auth":"Zm9vOmJhcg=="}}}'
`;
const NODE = `apiVersion: v1beta1
kind: ImageBasedConfig
hostname: node-0
`;
const NETWORK = `networkConfig:
  interfaces: [{name: eno1, type: ethernet, state: up}]
`;

interface Given {
  readonly installConfig?: string;
  readonly node?: string | undefined;
  readonly release?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly nmstate?: (network: string) => Promise<{ ok: boolean; text: string }>;
}

const compile = ({ installConfig = INSTALL_CONFIG, node = NODE, files = {}, ...more }: Given = {}) =>
  compileAgent(
    { installConfig },
    {
      target: "image-based-config-image",
      ...more,
      files: { ...files, ...(node === "" ? {} : { "image-based-config.yaml": node }) },
    },
  );

function filesOf({ files }: ClusterOutput): Map<string, string> {
  const image = files.find(({ path }) => path === "imagebasedconfig.iso");
  assert.ok(image?.secret, "the image is secret");
  const { label, files: inside } = openImage(image?.data ?? new Uint8Array());
  assert.is(label, "cluster-config");
  return new Map([...inside].map(([path, { data }]) => [path, data.toString("utf8")]));
}

function manifestOf(output: ClusterOutput): JsonObject {
  assert.equal(errorsOf(output), []);
  const parsed: unknown = JSON.parse(filesOf(output).get("cluster-configuration/manifest.json") ?? "");
  return isJson(parsed) && isObject(parsed) ? parsed : {};
}

test("only what the install-config says is in the manifest", async () => {
  const plain = manifestOf(await compile());
  assert.is(plain["machine_networks"], undefined);
  assert.is(plain["hostname"], "node-0");
  assert.is(plain["base_domain"], "example.com");
  const networks = manifestOf(
    await compile({
      installConfig: `${INSTALL_CONFIG}networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}\n`,
    }),
  );
  assert.equal(networks["machine_networks"], ["192.0.2.0/24"]);
});

test("a release before 4.20 has one machine network", async () => {
  const one = `${INSTALL_CONFIG}networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}\n`;
  const old = manifestOf(await compile({ installConfig: one, release: "4.19" }));
  assert.is(old["machine_network"], "192.0.2.0/24");
  assert.is(old["machine_networks"], undefined);
});

test("the config's identifiers, labels, servers and network are passed on", async () => {
  const made = manifestOf(
    await compile({
      node: `${NODE}cluster_id: 6e0cbe8b-2f8a-4f14-9d3c-6f2a1f3c8d55\ninfra_id: edge-x7k2p\nnodeLabels: {zone: a}\nadditionalNTPSources: [ntp.example.com]\n${NETWORK}`,
    }),
  );
  assert.is(made["cluster_id"], "6e0cbe8b-2f8a-4f14-9d3c-6f2a1f3c8d55");
  assert.is(made["infra_id"], "edge-x7k2p");
  assert.equal(made["node_labels"], { zone: "a" });
  assert.match(String(made["chrony_config"]), /\nserver ntp\.example\.com iburst$/);
  assert.is(made["raw_nm_state_config"], "interfaces:\n- name: eno1\n  state: up\n  type: ethernet\n");
});

test("the trust bundle reaches the proxy only by its policy", async () => {
  const bundle = BUNDLE.trimEnd().replaceAll("\n", "\n  ");
  const made = async (more: string): Promise<unknown> =>
    manifestOf(
      await compile({ installConfig: `${INSTALL_CONFIG}additionalTrustBundle: |\n  ${bundle}\n${more}` }),
    )["additionalTrustBundle"];
  const nameOf = (made: unknown): unknown =>
    isJson(made) && isObject(made) ? made["proxyConfigmapName"] : undefined;
  const proxy = 'proxy: {httpProxy: "http://proxy.example.com:3128"}\n';
  assert.is(nameOf(await made(proxy)), "");
  assert.is(nameOf(await made(`${proxy}additionalTrustBundlePolicy: Proxyonly\n`)), "user-ca-bundle");
  assert.is(nameOf(await made("additionalTrustBundlePolicy: Proxyonly\n")), "");
  assert.is(nameOf(await made("additionalTrustBundlePolicy: Always\n")), "user-ca-bundle");
});

test("mirrors and the user's manifests are files of their own", async () => {
  const mirrors = `${INSTALL_CONFIG}imageDigestSources: [{source: quay.io/a, mirrors: [m.example.com/a], sourcePolicy: NeverContactSource}]\n`;
  const extra = {
    "extra-manifests/a.yaml": "a: 1\n",
    "extra-manifests/b.json": "{}",
    "extra-manifests/c.txt": "c",
  };
  const files = filesOf(await compile({ installConfig: mirrors, files: extra }));
  const set: unknown = JSON.parse(
    files.get("cluster-configuration/manifests/image-digest-mirror-set.json") ?? "",
  );
  assert.equal(isJson(set) && isObject(set) ? set["spec"] : undefined, {
    imageDigestMirrors: [
      { source: "quay.io/a", mirrors: ["m.example.com/a"], mirrorSourcePolicy: "NeverContactSource" },
    ],
  });
  assert.equal([...files.keys()].filter((path) => path.startsWith("extra-manifests/")).sort(), [
    "extra-manifests/a.yaml",
    "extra-manifests/b.json",
  ]);
  const old = filesOf(await compile({ release: "4.18", files: extra }));
  assert.not(old.has("extra-manifests/b.json"));
});

test("the kubeconfig trusts the router's signer, which later runs keep", async () => {
  const first = await compile();
  const kubeconfig = first.files.find(({ path }) => path === "auth/kubeconfig");
  const [, encoded = ""] =
    /certificate-authority-data: (\S+)/.exec(Buffer.from(kubeconfig?.data ?? []).toString()) ?? [];
  const certificates = Buffer.from(encoded, "base64")
    .toString()
    .match(/-----BEGIN.*?-----END CERTIFICATE-----\n/gs);
  assert.is(certificates?.length, 4);
  const signer = readCertificate(certificates?.[3] ?? "").subjectCommonName;
  assert.match(signer, /^ingress-operator@\d+$/);
  const crypto = manifestOf(first)["KubeconfigCryptoRetention"];
  const router = isObject(crypto) ? crypto["IngresssCrypto"] : undefined;
  assert.is(isObject(router) ? router["ingress_certificate_cn"] : undefined, signer);
});

test("a shape that no seed cluster has is refused", async () => {
  const shape = INSTALL_CONFIG.replace("replicas: 1", "replicas: 3")
    .replace("replicas: 0", "replicas: 2")
    .concat("featureSet: TechPreviewNoUpgrade\nnetworking: {networkType: Calico}\n");
  assert.equal(errorsOf(await compile({ installConfig: shape })), [
    "Compute.Replicas: Required value",
    "ControlPlane.Replicas: Required value",
    "FeatureSet: Unsupported value",
    "Networking.NetworkType: Invalid value",
  ]);
  const external = INSTALL_CONFIG.replace("none: {}", "external: {platformName: other}");
  assert.equal(errorsOf(await compile({ installConfig: external })), ["Platform: Unsupported value"]);
  const three = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"].map((cidr) => `{cidr: ${cidr}}`).join();
  const many = await compile({
    installConfig: `${INSTALL_CONFIG}networking: {machineNetwork: [${three}]}\n`,
  });
  assert.ok(errorsOf(many).includes("Networking.MachineNetwork: Too many"), errorsOf(many).join());
});

test("ignored fields are warnings", async () => {
  const { ok, diagnostics } = await compile({
    installConfig: `${INSTALL_CONFIG}additionalTrustBundlePolicy: Always\n`,
  });
  assert.ok(ok);
  assert.ok(
    diagnostics.some(({ code, field }) => code === "IBI008" && field === "additionalTrustBundlePolicy"),
  );
});

test("nmstatectl judges the network where it is given", async () => {
  const unseen = await compile({ node: NODE + NETWORK });
  assert.ok(unseen.ok);
  assert.ok(unseen.diagnostics.some(({ code }) => code === "IBI007"));
  const refused = await compile({
    node: NODE + NETWORK,
    nmstate: async () => ({ ok: false, text: "InvalidArgument" }),
  });
  assert.equal(errorsOf(refused), ["networkConfig: Invalid value"]);
  const empty = await compile({ node: NODE + NETWORK, nmstate: async () => ({ ok: true, text: "{}" }) });
  assert.equal(errorsOf(empty), ["networkConfig: Invalid value"]);
});

test("what is wrong with the node's config is reported with its place", async () => {
  const servers = await compile({ node: `${NODE}additionalNTPSources: [ntp.example.com, a_b]\n` });
  assert.equal(errorsOf(servers), ["AdditionalNTPSources: Invalid value"]);
  const place = servers.diagnostics.find(({ code }) => code === "IBI002");
  assert.is(place?.line, 4);
  assert.equal(
    (await compile({ node: "- a\n" })).diagnostics.filter(({ code }) => code === "IBI001").length,
    1,
  );
  const unknown = await compile({ node: `${NODE}clusterID: a\n` });
  assert.not(unknown.ok);
  const absent = await compile({ node: "" });
  assert.ok(
    absent.diagnostics.some(({ code, file }) => code === "IBI004" && file === "image-based-config.yaml"),
  );
});

test.run();
