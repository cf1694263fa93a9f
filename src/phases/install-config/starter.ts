/** The commented install-config that `create install-config` writes to start from. */
import type { PlatformStarter } from "../../platforms/starter.js";
import type { PublishMode } from "../../platforms/traits.js";
import { writeYaml } from "../../text/yaml-write.js";

export interface StarterInput {
  readonly platform: string;
  /** The ways to publish a cluster that the platform knows. */
  readonly publish: readonly PublishMode[];
  readonly starter: PlatformStarter;
  readonly name: string;
  readonly baseDomain: string;
  /** Answers to the platform's questions, by flag. */
  readonly answers: Readonly<Record<string, string>>;
  /** JSON text; undefined leaves the field to be filled in. */
  readonly pullSecret: string | undefined;
  /** Public keys, one per line. */
  readonly sshKey: string | undefined;
}

/** Everything that the installer would fill in is written out or shown, with what it means. */
export function starterText(input: StarterInput): string {
  const { platform, starter, pullSecret, sshKey } = input;
  const architecture = `  architecture: ${starter.architecture ?? "amd64"}`;
  const lines = [
    `# An install-config for platform ${platform}: ${starter.about}.`,
    "# slipway explain install-config documents every field.",
    "apiVersion: v1",
    "",
    "# The cluster's domain is its name and the base domain: <name>.<base domain>.",
    `baseDomain: ${scalar(input.baseDomain)}`,
    "metadata:",
    `  name: ${scalar(input.name)}`,
    "",
    "controlPlane:",
    "  name: master",
    "  replicas: 3",
    ...(starter.architecture === undefined ? ["  # amd64, arm64, ppc64le or s390x"] : []),
    architecture,
    "compute:",
    "- name: worker",
    "  # With 0 the control plane takes workloads too.",
    `  replicas: ${starter.computeReplicas}`,
    architecture,
    "",
    "# None of the networks may overlap another one, or a network that the cluster has to reach.",
    "networking:",
    "  networkType: OVNKubernetes",
    "  machineNetwork:",
    `  - cidr: ${starter.machineNetwork ?? "10.0.0.0/16"}`,
    "  clusterNetwork:",
    "  - cidr: 10.128.0.0/14",
    "    # Each node gets a /23 out of it: 510 addresses for its pods.",
    "    hostPrefix: 23",
    "  serviceNetwork:",
    "  - 172.30.0.0/16",
    "",
    "platform:",
    ...starter.lines(input.answers, scalar),
    "",
    publishComment(input.publish),
    "publish: External",
    "",
    "# Neither can be changed later.",
    "fips: false",
    "cpuPartitioningMode: None",
    "",
    "# For networks without direct access to the internet:",
    "# proxy:",
    "#   httpProxy: http://proxy.example.com:3128",
    "#   httpsProxy: http://proxy.example.com:3128",
    "#   noProxy: .example.com",
    "# imageDigestSources:",
    "# - source: quay.io/openshift-release-dev/ocp-release",
    "#   mirrors:",
    "#   - mirror.example.com:5000/ocp/release",
    "# additionalTrustBundle: |",
    "#   -----BEGIN CERTIFICATE-----",
    "",
    ...(pullSecret === undefined
      ? [
          "# The credentials for the registries: JSON text in single quotes, on one line.",
          "# Left empty, slipway create manifests takes it from --pull-secret FILE.",
          'pullSecret: ""',
        ]
      : [`pullSecret: ${quoted(pullSecret)}`]),
    "",
    ...sshKeyLines(sshKey),
  ];
  return `${lines.join("\n")}\n`;
}

const publishComment = (modes: readonly PublishMode[]): string =>
  modes.length > 1
    ? `# Who reaches the API and the default ingress: ${modes.join(", ")}.`
    : "# Who reaches the API and the default ingress is up to your network: no other value is possible here.";

function sshKeyLines(sshKey: string | undefined): string[] {
  if (sshKey === undefined)
    return [
      "# Public key for the user core on every machine; without it nobody can look into a machine that fails.",
      "# sshKey: ssh-ed25519 AAAA",
    ];
  const keys = sshKey.split("\n");
  return keys.length === 1 ? [`sshKey: ${scalar(sshKey)}`] : ["sshKey: |", ...keys.map((key) => `  ${key}`)];
}

/** One line of YAML for a text of one line. */
const scalar = (text: string): string =>
  /[\n\r]/.test(text) ? JSON.stringify(text) : writeYaml(text).trimEnd();

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
