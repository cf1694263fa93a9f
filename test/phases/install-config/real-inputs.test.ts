// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells are what these texts are about
/**
 * Traits of install-configs in public repositories, each as a small synthetic config: what is committed, and what is
 * said of it. Traits of platforms that are not handled yet are here as far as reading goes.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, diagnostic, isError, sortDiagnostics } from "../../../src/core/diagnostics.js";
import { compileInstallConfig } from "../../../src/phases/install-config/index.js";
import type { NormalConfig } from "../../../src/platforms/config.js";
import { configText, PULL_SECRET, readConfig, releaseOf } from "../../helpers/install-config.js";
import { platformOf } from "../../helpers/platforms.js";

const test = suite("real inputs");

interface Outcome {
  readonly config: NormalConfig | undefined;
  /** `severity code field`, in the order of the file; infos left out. */
  readonly said: readonly string[];
  readonly text: string;
}

/** Reads and compiles a config. */
function compile(text: string, release = "4.22"): Outcome {
  const { read, diagnostics } = readConfig(text, { release });
  const reporter = createReporter();
  const asset =
    read === undefined
      ? undefined
      : compileInstallConfig(
          read,
          { release: releaseOf(release), platform: platformOf(read.config) },
          reporter.report,
        );
  const all = sortDiagnostics([...diagnostics, ...reporter.diagnostics.map((each) => diagnostic(each))]);
  return {
    config: all.some(isError) ? undefined : asset?.config,
    said: all
      .filter(({ severity }) => severity !== "info")
      .map(({ severity, code, field }) => `${severity} ${code} ${field}`.trimEnd()),
    text: all.map(({ line, message, hint }) => `${line}: ${message}; ${hint}`).join("\n"),
  };
}

/** The config compiles; nothing but these warnings is said. */
function accepts(text: string, warnings: readonly string[] = [], release?: string): NormalConfig {
  const { config, said, text: all } = compile(text, release);
  assert.equal(said, warnings, `${all}\n${text}`);
  if (config === undefined) throw new Error(all);
  return config;
}

/** The config is refused with these errors (and warnings), and one message reads so. */
function refuses(text: string, said: readonly string[], message: RegExp, release?: string): void {
  const outcome = compile(text, release);
  assert.equal(outcome.said, said, `${outcome.text}\n${text}`);
  assert.is(outcome.config, undefined);
  assert.match(outcome.text, message);
}

const SSH = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEx2KnK03eS+pUvYfP2CX/8+zLS8lK//4iv/GOKDdii admin@example";
const AWS = "platform:\n  aws:\n    region: eu-west-1";

test("aws with the old flat subnets and a CIDR with a comment", () => {
  const config = accepts(
    configText({
      platform: `${AWS}\n    subnets:\n    - subnet-aaaa\n    - subnet-bbbb`,
      x: "networking:\n  machineNetwork:\n  - cidr: 10.1.0.0/16 # the VPC",
    }),
    [
      "warning IC102 platform.aws.subnets",
      "warning IC322 platform.aws.vpc.subnets[0].id",
      "warning IC322 platform.aws.vpc.subnets[1].id",
    ],
  );
  assert.equal(config.platform.aws?.vpc?.subnets, [{ id: "subnet-aaaa" }, { id: "subnet-bbbb" }]);
  assert.equal(config.networking.clusterNetwork, [{ cidr: "10.128.0.0/14", hostPrefix: 23 }]);
  assert.equal(config.networking.serviceNetwork, ["172.30.0.0/16"]);
  assert.equal(config.networking.machineNetwork, [{ cidr: "10.1.0.0/16" }]);
});

test("proxies with users, a long noProxy, trust policy Always", () => {
  const { config, text } = compile(
    configText({
      platform: AWS,
      x: "proxy:\n  httpProxy: http://worker:s3cret-of-a-proxy@proxy.example.org:3128\n  httpsProxy: http://worker:s3cret-of-a-proxy@proxy.example.org:3128\n  noProxy: .example.org,10.0.0.0/16,registry.example.org,.svc\nadditionalTrustBundlePolicy: Always",
    }),
  );
  assert.is(config?.proxy?.noProxy, ".example.org,10.0.0.0/16,registry.example.org,.svc");
  assert.not.match(text, /s3cret/);
});

test("an arbiter and fencing are a matter of the release, not unknown fields", () => {
  const text = configText({
    platform: "platform:\n  baremetal: {}",
    x: "arbiter:\n  replicas: 1\ncontrolPlane:\n  replicas: 2\n  fencing:\n    credentials:\n    - hostname: a\n",
  });
  const of = (release: string): readonly string[] =>
    readConfig(text, { release }).summary.filter((each) => !/ info /.test(each));
  assert.equal(of("4.18"), ["8:1 warning IC011 arbiter", "12:3 warning IC011 controlPlane.fencing"]);
  assert.equal(of("4.22"), []);
});

test("the order of keys does not matter", () => {
  const text = configText({ x: `sshKey: ${SSH}` });
  const turned = `${text
    .trimEnd()
    .split(/\n(?! )/)
    .reverse()
    .join("\n")}\n`;
  assert.equal(accepts(turned), accepts(text));
});

test("bootstrapInPlace with a placeholder for the disk, no final newline", () => {
  const text = configText({
    x: "controlPlane:\n  replicas: 1\nbootstrapInPlace:\n  installationDisk: /dev/disk/by-id/<disk_id> ",
  });
  refuses(
    text.trimEnd(),
    ["error IC002 bootstrapInPlace.installationDisk"],
    /contains a placeholder \(<disk_id>\)/,
  );
});

test("MAC-like and hex-like scalars stay text", () => {
  const { read, summary } = readConfig(
    configText({
      platform:
        "platform:\n  baremetal:\n    provisioningDHCPRange: 172.22.0.10,172.22.0.254\n    hosts:\n    - bootMACAddress: 52:54:00:11:22:33\n      rootDeviceHints: {wwn: '0x5000c500a0b1c2d3'}",
    }),
  );
  assert.equal(summary, []);
  assert.equal(read?.config.platform?.baremetal, {
    provisioningDHCPRange: "172.22.0.10,172.22.0.254",
    hosts: [{ bootMACAddress: "52:54:00:11:22:33", rootDeviceHints: { wwn: "0x5000c500a0b1c2d3" } }],
  });
});

test("unexpanded variables stop before validation noise, creationTimestamp null is fine", () => {
  refuses(
    "apiVersion: v1\nbaseDomain: ${DOMAIN}\nmetadata:\n  creationTimestamp: null\n  name: ${NAME}\nplatform:\n  powervs:\n    region: ${REGION}\n",
    ["error IC002 baseDomain", "error IC002 metadata.name", "error IC002 platform.powervs.region"],
    /unexpanded variable/,
  );
});

test("no sshKey is fine, a placeholder inside the domain is not", () => {
  refuses(
    configText({ platform: AWS, baseDomain: "baseDomain: <domain>.example.org" }),
    ["error IC002 baseDomain"],
    /placeholder/,
  );
  accepts(configText({ platform: AWS }));
});

test("old keys and platforms in other letters", () => {
  const { read, summary } = readConfig(
    configText({ platform: "platform:\n  vSphere:\n    vcenter: vc.example.org" }),
  );
  assert.equal(summary, ["6:3 info IC012 platform.vsphere", "7:5 info IC012 platform.vsphere.vCenter"]);
  assert.equal(read?.config.platform?.vsphere, { vCenter: "vc.example.org" });
  accepts(configText({ x: "networking:\n  networkType: Calico\n  machineCIDR: 10.0.0.0/16" }), [
    "warning IC102 networking.machineCIDR",
  ]);
});

test("s390x without machineNetwork and without final newline", () => {
  const config = accepts(
    configText({
      x: "controlPlane:\n  architecture: s390x\ncompute:\n- name: worker\n  replicas: 2\n  architecture: s390x",
    }).trimEnd(),
  );
  assert.equal(config.networking.machineNetwork, [{ cidr: "10.0.0.0/16" }]);
});

test("no pull secret, or an empty one, in an otherwise good file", () => {
  const text = `---\n${configText({ platform: `${AWS}\n    vpc: {subnets: [{id: subnet-a}]}`, baseDomain: "baseDomain: lab", pullSecret: undefined, x: "controlPlane:\n  replicas: 1\npublish: Internal\nadditionalTrustBundlePolicy: Always" })}`;
  const { said } = compile(text);
  assert.ok(said.includes("error IC140 pullSecret"), said.join("\n"));
  assert.equal(
    said.filter((each) => each.startsWith("error")),
    ["error IC140 pullSecret"],
  );
  refuses(
    configText({ platform: AWS, pullSecret: 'pullSecret: "" # injected later' }),
    ["error IC140 pullSecret"],
    /required value is missing/,
  );
});

test("one of the smallest files, all defaults visible", () => {
  const config = accepts(
    configText({ x: "compute:\n- name: worker\n  replicas: 0\ncontrolPlane:\n  replicas: 3" }),
  );
  assert.equal(config.compute, [
    { name: "worker", replicas: 0, hyperthreading: "Enabled", architecture: "amd64", platform: {} },
  ]);
  assert.is(config.publish, "External");
});

test("tokens as whole lines and in the place of truth values", () => {
  refuses(
    configText({ platform: "platform:\n  azure:\n    region: x\nAV_ZONES" }),
    ["error IC002"],
    /the placeholder AV_ZONES was not replaced/,
  );
  refuses(
    configText({ x: "fips: FIPS_ENABLED\npublish: PUBLISH_MODE" }),
    ["error IC002 fips", "error IC002 publish"],
    /FIPS_ENABLED/,
  );
});

test("an empty pull secret is an error, an empty ssh key is not", () => {
  const { said } = compile(configText({ pullSecret: 'pullSecret: ""', x: 'sshKey: ""' }));
  assert.ok(said.includes("error IC140 pullSecret"));
  assert.not.ok(said.includes("error IC140 sshKey"));
});

test("values that read REPLACE_ME", () => {
  refuses(
    configText({
      metadata: "metadata:\n  name: REPLACE_ME",
      x: "controlPlane:\n  replicas: 1\nbootstrapInPlace:\n  installationDisk: REPLACE_ME",
    }),
    ["error IC002 metadata.name", "error IC002 bootstrapInPlace.installationDisk"],
    /placeholder \(REPLACE_ME\)/,
  );
});

test("the old plural clusterNetworks becomes clusterNetwork, with no default beside it", () => {
  const config = accepts(
    configText({
      x: "networking:   \n  clusterNetworks:  \n  - cidr: 10.132.0.0/14   \n    hostPrefix: 23  \n  serviceNetwork:\n  - 172.31.0.0/16\ncompute:\n- name: worker\n  replicas: 8",
    }),
    ["warning IC102 networking.clusterNetworks"],
  );
  assert.equal(config.networking.clusterNetwork, [{ cidr: "10.132.0.0/14", hostPrefix: 23 }]);
});

test("variables without braces; several machine networks are legal", () => {
  refuses(
    configText({
      platform: AWS,
      metadata: "metadata:\n  name: $CLUSTER",
      x: "networking:\n  networkType: $NETWORK_TYPE",
    }),
    ["error IC002 metadata.name", "error IC002 networking.networkType"],
    /\(\$CLUSTER\)/,
  );
  const networks =
    "networking:\n  machineNetwork:\n  - cidr: 10.0.0.0/27\n  - cidr: 10.0.0.32/27\n  - cidr: 10.0.0.64/27";
  assert.is(
    accepts(configText({ platform: AWS, x: `${networks}\npublish: Internal\ncredentialsMode: Passthrough` }))
      .networking.machineNetwork.length,
    3,
  );
});

test("a cluster network smaller than what each node gets", () => {
  const { said, text } = compile(
    configText({
      x: "networking:\n  clusterNetwork:\n  - cidr: 10.128.0.0/24\n    hostPrefix: 23\n  serviceNetwork: [172.30.0.0/24]",
    }),
  );
  assert.ok(
    said.some((each) => /^error IC\d+ networking\.clusterNetwork\[0\]/.test(each)),
    text,
  );
});

test("an unclosed quote points at its line and field", () => {
  refuses(
    configText({ baseDomain: 'baseDomain: "example.org', x: 'sshKey: "a b"' }),
    ["error YAML001 baseDomain"],
    /closing quote on line 2 if it is missing/,
  );
});

test("the lines of a here-document are named, nothing else", () => {
  refuses(
    `cat <<EOF > install-config.yaml\n${configText()}EOF\n`,
    ["error IC003", "error IC003"],
    /here-document/,
  );
});

test("long comments never leak into values", () => {
  const config = accepts(
    configText({
      x: `networking:\n  serviceNetwork:\n  - 172.31.0.0/16 # was 172.30.0.0/16, but ${"that one is in use ".repeat(8)}\nsshKey: '${SSH}' # ${"x".repeat(130)}`,
    }),
  );
  assert.equal(config.networking.serviceNetwork, ["172.31.0.0/16"]);
  assert.is(config.sshKey, SSH);
});

test("secrets as literal blocks; OpenShiftSDN is refused by its release", () => {
  accepts(
    configText({ pullSecret: `pullSecret: |\n  ${PULL_SECRET.slice(1, -1)}`, x: `sshKey: |\n  ${SSH}` }),
  );
  const { said } = compile(configText({ x: "networking:\n  networkType: OpenShiftSDN" }));
  assert.ok(
    said.some((each) => /^error IC\d+ networking\.networkType/.test(each)),
    said.join("\n"),
  );
});

test("the closing quote of the ssh key alone on the next line", () => {
  const { said, text } = compile(configText({ x: `sshKey: '${SSH}\n'` }));
  assert.ok(said.includes("warning IC005 sshKey"), text);
});

test("bootstrapInPlace with old mirrors", () => {
  const config = accepts(
    configText({
      x: "controlPlane:\n  replicas: 1\ncompute:\n- name: worker\n  replicas: 0\nbootstrapInPlace:\n  installationDisk: /dev/sda\nimageContentSources:\n- source: quay.io/openshift-release-dev/ocp-release\n  mirrors: [registry.example.org/ocp/release]",
    }),
    ["warning IC102 imageContentSources"],
  );
  assert.is(config.imageContentSources?.length, 1);
});

test("an unquoted variable as the pull secret", () => {
  refuses(
    configText({ platform: AWS, pullSecret: "pullSecret: $PULL_SECRET" }),
    ["error IC002 pullSecret"],
    /unexpanded variable/,
  );
});

test("mirrors by address and port", () => {
  const { said } = compile(
    configText({
      x: "imageDigestSources:\n- source: quay.io/openshift-release-dev/ocp-release\n  mirrors:\n  - 192.0.2.10:5000/ocp/release",
    }),
  );
  assert.equal(
    said.filter((each) => each.startsWith("error")),
    [],
  );
});

test("lists indented in one block and flush in another", () => {
  const config = accepts(
    configText({
      x: "networking:\n  clusterNetwork:\n    - cidr: 10.128.0.0/14\n      hostPrefix: 22\n  serviceNetwork:\n  - 172.30.0.0/16",
    }),
  );
  assert.equal(config.networking.clusterNetwork, [{ cidr: "10.128.0.0/14", hostPrefix: 22 }]);
});

test("an empty file is an empty file, not a missing platform", () => {
  refuses("", ["error YAML006 apiVersion"], /the file is empty/);
  refuses("# kustomize base\n", ["error YAML006 apiVersion"], /contains only comments/);
  refuses(
    configText({ platform: AWS, pullSecret: "pullSecret: <your pull secret>" }),
    ["error IC002 pullSecret"],
    /placeholder/,
  );
});

test("fixtures that rely on keys in any letters", () => {
  const { read, summary } = readConfig(
    configText({
      metadata: "metadata:\n  name: demo\n  namespace: x",
      platform: "platform:\n    vsphere:\n        failuredomains: []",
      x: "controlPlane:\n  fencing:\n    credentials:\n    - hostname: a\n",
    }),
  );
  assert.equal(summary, [
    "8:9 info IC012 platform.vsphere.failureDomains",
    "13:7 info IC012 controlPlane.fencing.credentials[0].hostName",
  ]);
  assert.equal(read?.config.controlPlane?.fencing?.credentials, [{ hostName: "a" }]);
});

test("one control plane machine with one worker is accepted by the ordinary flow", () => {
  accepts(configText({ x: "controlPlane:\n  replicas: 1\ncompute:\n- name: worker\n  replicas: 1" }));
});

test("lists that are null are absent", () => {
  const { read } = readConfig(configText({ x: "compute: null\nimageDigestSources: ~\nfeatureGates:" }));
  assert.is(read?.config.compute, undefined);
  assert.is(read?.config.imageDigestSources, undefined);
});

test("no networking at all", () => {
  const config = accepts(
    configText({ x: "controlPlane:\n  replicas: 1\ncompute:\n- name: worker\n  replicas: 0" }),
  );
  assert.equal(config.networking, {
    networkType: "OVNKubernetes",
    machineNetwork: [{ cidr: "10.0.0.0/16" }],
    clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }],
    serviceNetwork: ["172.30.0.0/16"],
  });
});

test("dots in place of secrets, two blanks after a colon", () => {
  refuses(
    configText({ baseDomain: "baseDomain:  example.org", pullSecret: "pullSecret: ..." }),
    ["error IC002 pullSecret"],
    /is an ellipsis/,
  );
});

test("values of enums are matched with regard to case, keys without", () => {
  const { said } = compile(configText({ platform: AWS, x: "Publish: external" }));
  assert.ok(
    said.some((each) => /^error IC\d+ publish/.test(each)),
    said.join("\n"),
  );
});

test("a missing platform section in three spellings, without a crash", () => {
  for (const platform of [undefined, "platform:", "platform: null", "platform: {}"]) {
    const { said } = compile(configText({ platform }));
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0] ?? "", /^error IC\d+ platform$/);
  }
  accepts(configText({ x: "controlPlane:\n  platform:\ncompute:\n- name: worker\n  platform: {}\n" }));
});

test("a file of the first form", () => {
  const { said } = compile(
    "apiVersion: v1beta1\nmachines:\n- name: master\n  replicas: 3\nnetworking:\n  type: OVNKubernetes\n",
  );
  assert.ok(said.includes("error IC010 machines"), said.join("\n"));
  assert.ok(said.includes("error IC101 apiVersion"), said.join("\n"));
});

test.run();
