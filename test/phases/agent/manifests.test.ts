/** Manifests as the input of the configuration image: accepted, refused and filled in as by the installer. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encode } from "../../../src/core/files.js";
import {
  type ClusterInput,
  type ClusterOutput,
  compareCluster,
  compileCluster,
} from "../../../src/pipeline/cluster.js";
import { parsedDocuments } from "../../helpers/agent.js";
import { openArchive, openImage } from "../../helpers/image.js";
import { quickKeys, seededRandom } from "../../helpers/inputs.js";

const test = suite("agent manifests as input");
const FOLDER = "golden/agent-ztp/input/site/cluster-manifests";

const NAMES = readdirSync(FOLDER);
type Change = readonly (readonly [name: string, from: string | RegExp, to: string])[];

/** The files of the golden case with changes, each of which finds its place. */
function site(change: Change = []): Map<string, Uint8Array> {
  const texts = new Map(NAMES.map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]));
  for (const [name, from, to] of change) {
    const text = texts.get(name) ?? "";
    const changed = text.replace(from, to);
    assert.is.not(changed, text, `${name}: ${from}`);
    texts.set(name, changed);
  }
  return new Map([...texts].map(([name, text]) => [`cluster-manifests/${name}`, encode(text)]));
}

const ANSWER = 'NetworkManager:\n- - eno1.nmconnection\n  - "[connection]\\nid=eno1\\n"\n';
const compile = (
  files: ReadonlyMap<string, Uint8Array>,
  more: Partial<ClusterInput> = {},
): Promise<ClusterOutput> =>
  compileCluster({
    files,
    target: "agent-config-image",
    flags: { release: "4.22" },
    inputs: {
      clock: { now: () => new Date("2026-11-30T00:00:00Z") },
      random: seededRandom("ztp"),
      keys: quickKeys(),
    },
    nmstate: async () => ({ ok: true, text: ANSWER }),
    tool: "slipway test",
    ...more,
  });

const errorsOf = ({ diagnostics }: ClusterOutput): readonly string[] =>
  diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, field, kind }) => `${code} ${field} ${kind}`);

function archiveOf({ files }: ClusterOutput): Map<string, string> {
  const image = files.find(({ path }) => path === "agentconfig.noarch.iso");
  const { files: inside } = openImage(image?.data ?? new Uint8Array());
  const found = openArchive(inside.get("config.gz")?.data ?? new Uint8Array());
  return new Map([...found].map(([path, { data }]) => [path, data.toString("utf8")]));
}

test("the image has the manifests with what the installer fills in", async () => {
  const output = await compile(site());
  assert.equal(errorsOf(output), []);
  const files = archiveOf(output);
  const [install] = parsedDocuments(files.get("/etc/assisted/manifests/agent-cluster-install.yaml") ?? "");
  assert.match(JSON.stringify(install), /"networkType":"OVNKubernetes".*"userManagedNetworking":false/);
  assert.match(JSON.stringify(install), /"debugInfo":\{"eventsURL":"","logsURL":""\}/);
  assert.match(files.get("/etc/assisted/manifests/infraenv.yaml") ?? "", /cpuArchitecture: x86_64\n/);
  assert.match(files.get("/root/.docker/config.json") ?? "", /^\{\n {2}"auths": \{\n/);
  // Files that are taken as they are.
  assert.is(
    files.get("/etc/assisted/manifests/cluster-deployment.yaml"),
    readFileSync(join(FOLDER, "cluster-deployment.yaml"), "utf8"),
  );
  assert.match(files.get("/etc/assisted/rendezvous-host.env") ?? "", /NODE_ZERO_IP=192\.0\.2\.21\n/);
  assert.match(files.get("/usr/local/share/start-cluster/start-cluster.env") ?? "", /MASTER_NODES=3\n/);
  const kubeconfig = output.files.find(({ path }) => path === "auth/kubeconfig");
  assert.match(
    Buffer.from(kubeconfig?.data ?? []).toString(),
    /server: https:\/\/api\.heron\.example\.com:6443\n/,
  );
});

test("a second run and a check find nothing to do", async () => {
  const first = await compile(site());
  const files = new Map([...site(), ...first.files.map(({ path, data }) => [path, data] as const)]);
  files.set(".slipway/record.json", first.record ?? new Uint8Array());
  if (first.state !== undefined) files.set(first.state.path, first.state.data);
  const second = await compile(files, {
    inputs: {
      clock: { now: () => new Date("2027-03-01T00:00:00Z") },
      random: seededRandom("other"),
      keys: quickKeys(),
    },
  });
  assert.ok(
    second.results.every(({ status }) => status === "unchanged"),
    JSON.stringify(second.results),
  );
  const compared = await compareCluster(
    {
      files,
      flags: {},
      inputs: {
        clock: { now: () => new Date("2027-03-01T00:00:00Z") },
        random: seededRandom("other"),
        keys: quickKeys(),
      },
      tool: "slipway test",
    },
    { strict: true },
  );
  assert.ok(compared.clean, JSON.stringify(compared));
});

test("a clone without the image, which is never committed, is in order", async () => {
  const first = await compile(site());
  const files = new Map([...site(), ...first.files.map(({ path, data }) => [path, data] as const)]);
  files.delete("agentconfig.noarch.iso");
  files.set(".slipway/record.json", first.record ?? new Uint8Array());
  if (first.state !== undefined) files.set(first.state.path, first.state.data);
  const inputs = {
    clock: { now: () => new Date("2026-11-30T00:00:00Z") },
    random: seededRandom("other"),
    keys: quickKeys(),
  };
  const compared = await compareCluster({ files, flags: {}, inputs, tool: "slipway test" }, { strict: true });
  assert.ok(compared.clean, JSON.stringify(compared));
  assert.equal(
    compared.files
      .filter(({ status }) => status !== "untouched")
      .map(({ path, status }) => `${path} ${status}`),
    ["agentconfig.noarch.iso unverifiable"],
  );
});

const INSTALL = "agent-cluster-install.yaml";
const SDN: Change[number] = [INSTALL, "  networking:", "  networking:\n    networkType: OpenShiftSDN"];
/** A fault, and the code, field and kind that it is reported with. */
const FAULTS: readonly (readonly [change: Change, error: string, release?: string])[] = [
  [[[INSTALL, "BareMetal", "AWS"]], "AGT027 spec.platformType NotSupported"],
  [
    [
      [INSTALL, "BareMetal", "None"],
      [INSTALL, "  networking:", "  networking:\n    userManagedNetworking: false"],
    ],
    "AGT027 spec.networking.userManagedNetworking Forbidden",
  ],
  [
    [[INSTALL, "hostPrefix: 23", "hostPrefix: 30"]],
    "AGT013 spec.networking.clusterNetwork[0].hostPrefix Invalid",
  ],
  [[[INSTALL, "hostPrefix: 23", "hostPrefix: 15"]], "AGT013 spec.networking.clusterNetwork[0] Invalid"],
  [[[INSTALL, "10.128.0.0/14", "10.128.0.0"]], "AGT013 spec.networking.clusterNetwork[0].cidr Required"],
  [[SDN, [INSTALL, "10.128.0.0/14", "fd01::/48"]], "AGT027 spec.networking.networkType Required"],
  [[SDN, [INSTALL, "172.30.0.0/16", "none"]], "AGT027 spec.networking.serviceNetwork Required"],
  [
    [[INSTALL, "  platformType", "  diskEncryption: {enableOn: some, mode: tang}\n  platformType"]],
    "AGT027 spec.diskEncryption.enableOn NotSupported",
  ],
  [
    [[INSTALL, "  platformType", "  diskEncryption: {enableOn: all}\n  platformType"]],
    "AGT027 spec.diskEncryption.mode NotSupported",
  ],
  [[[INSTALL, "  platformType", "  platform: x\n  platformType"]], "IC010 spec.platform NotSupported"],
  [
    [[INSTALL, "  platformType", "  loadBalancer: {type: UserManaged}\n  platformType"]],
    "IC011 spec.loadBalancer NotSupported",
    "4.19",
  ],
  [
    [[INSTALL, "controlPlaneAgents: 3", "controlPlaneAgents: x"]],
    "IC013 spec.provisionRequirements.controlPlaneAgents Invalid",
  ],
  [[["cluster-deployment.yaml", "baseDomain", "basedomains"]], "IC010 spec.basedomains NotSupported"],
  [
    [["cluster-image-set.yaml", "quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64", "''"]],
    "CAPI006 spec.releaseImage Invalid",
  ],
  [[["infraenv.yaml", "amd64", "mips"]], "AGT027 spec.cpuArchitecture NotSupported"],
  [[["pull-secret.yaml", "stringData:", "data:"]], "AGT027 stringData Required"],
  [[["pull-secret.yaml", '{"auths"', '{"auth"']], "AGT027 stringData Invalid"],
  [[["pull-secret.yaml", /'\{.*\}'/, "'{'"]], "AGT027 stringData Invalid"],
  [
    [["nmstateconfig.yaml", "cluster: heron", "cluster: other"]],
    "AGT027 spec.nmStateConfigLabelSelector.matchLabels Required",
  ],
  [
    [["nmstateconfig.yaml", "52:54:00:aa:bb:01", "525400aabb01"]],
    "AGT027 spec.interfaces[0].macAddress Invalid",
  ],
];

for (const [change, error, release = "4.22"] of FAULTS)
  test(`${error}: ${change.map(([, , to]) => to.replaceAll(/\s+/g, " ")).join("; ")}`, async () => {
    const output = await compile(site(change), { flags: { release } });
    assert.equal(errorsOf(output), [error]);
    const [found] = output.diagnostics.filter(({ severity }) => severity === "error");
    assert.ok((found?.line ?? 0) > 0, JSON.stringify(found));
  });

test("files that are missing are named one by one", async () => {
  const files = site();
  files.delete("cluster-manifests/infraenv.yaml");
  files.delete("cluster-manifests/pull-secret.yaml");
  const output = await compile(files);
  assert.equal(
    output.diagnostics.filter(({ code }) => code === "AGT026").map(({ file }) => file),
    ["cluster-manifests/infraenv.yaml", "cluster-manifests/pull-secret.yaml"],
  );
});

test("another release image than that of the run is refused", async () => {
  const output = await compile(site(), {
    flags: { release: "4.22", releaseImage: "quay.io/a/b:4.22.1-x86_64" },
  });
  assert.equal(errorsOf(output), ["AGT027 spec.releaseImage Invalid"]);
});

test("agent-config.yaml without an install-config is refused", async () => {
  const files = site();
  files.set(
    "agent-config.yaml",
    encode("apiVersion: v1beta1\nkind: AgentConfig\nrendezvousIP: 192.0.2.21\n"),
  );
  assert.equal(errorsOf(await compile(files)), ["AGT028  Forbidden"]);
});

test("a kind that only the installer takes is a warning", async () => {
  const output = await compile(site([["infraenv.yaml", "kind: InfraEnv", "kind: InfraEnvironment"]]));
  assert.equal(errorsOf(output), []);
  assert.ok(output.diagnostics.some(({ code, field }) => code === "AGT027" && field === "kind"));
});

test("no value of a pull secret is shown", async () => {
  const output = await compile(
    site([
      ["pull-secret.yaml", '"Zm9vOmJhcg=="', '{"deep":"topsecretvalue"}'],
      ["pull-secret.yaml", '"auth"', '"login"'],
    ]),
  );
  assert.not.match(JSON.stringify(output.diagnostics), /topsecretvalue/);
});

test.run();
