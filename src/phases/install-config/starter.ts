/** The commented install-config that `create install-config` writes to start from. */
import { type Blank, type PlatformStarter, unfilled } from "../../platforms/starter.js";
import type { PublishMode } from "../../platforms/traits.js";
import { writeYaml } from "../../text/yaml-write.js";

/** The block of the machines, unless the platform or the user has another one. */
export const DEFAULT_MACHINE_NETWORK = "10.0.0.0/16";

export interface StarterInput {
  readonly platform: string;
  /** The ways to publish a cluster that the platform knows. */
  readonly publish: readonly PublishMode[];
  readonly starter: PlatformStarter;
  readonly name: string;
  readonly baseDomain: string;
  /** Block of the machines; undefined for that of the platform. */
  readonly machineNetwork?: string | undefined;
  /** Answers to the platform's questions, by flag. */
  readonly answers: Readonly<Record<string, string>>;
  /** JSON text; undefined leaves the field to be filled in. */
  readonly pullSecret: string | undefined;
  /** Public keys, one per line. */
  readonly sshKey: string | undefined;
}

/** What the user has to fill in, in the order of the text. */
export function blanksOf(input: StarterInput): readonly string[] {
  const blanks: string[] = [];
  starterText(input, (what, example) => {
    blanks.push(unfilled(what, example));
    return example;
  });
  return blanks;
}

/** The text with a value that the rules accept in the place of each blank; its lines are the same. */
export const filledStarter = (input: StarterInput): string => starterText(input, (_what, example) => example);

/**
 * Everything that the installer would fill in is written out or shown, with what it means.
 * @param blank how what the user has to fill in is written
 */
export function starterText(input: StarterInput, blank: Blank = unfilled): string {
  const { platform, starter, pullSecret, sshKey } = input;
  const architecture = `  architecture: ${starter.architecture ?? "amd64"}`;
  const lines = [
    `# install-config for the platform ${platform}: ${starter.about}.`,
    "# To see every field, run: slipway explain install-config",
    "apiVersion: v1",
    "",
    "# The cluster domain is <name>.<base domain>.",
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
    "  # With 0, the control plane nodes also run workloads.",
    `  replicas: ${typeof starter.computeReplicas === "number" ? starter.computeReplicas : starter.computeReplicas(input.answers)}`,
    architecture,
    "",
    "# The networks must not overlap each other or any network that the cluster must reach.",
    "networking:",
    "  networkType: OVNKubernetes",
    "  machineNetwork:",
    `  - cidr: ${scalar(input.machineNetwork ?? starter.machineNetwork ?? DEFAULT_MACHINE_NETWORK)}`,
    "  clusterNetwork:",
    "  - cidr: 10.128.0.0/14",
    "    # Each node gets a /23: 510 pod addresses.",
    "    hostPrefix: 23",
    "  serviceNetwork:",
    "  - 172.30.0.0/16",
    "",
    "platform:",
    ...starter.lines(input.answers, scalar, blank),
    "",
    publishComment(input.publish),
    "publish: External",
    "",
    "# These cannot be changed after the installation.",
    "fips: false",
    "cpuPartitioningMode: None",
    "",
    "# For networks without direct internet access:",
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
          "# Registry credentials: JSON text in single quotes, on one line.",
          "# If empty, use: slipway create manifests --pull-secret FILE",
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
    ? `# Access to the API and the default ingress: ${modes.join(", ")}.`
    : "# Your network decides who can access the API and the default ingress; only External is supported.";

function sshKeyLines(sshKey: string | undefined): string[] {
  if (sshKey === undefined)
    return [
      "# SSH public key for the user core on every node. Without it you cannot log in to troubleshoot a node.",
      "# sshKey: ssh-ed25519 AAAA",
    ];
  const keys = sshKey.split("\n");
  return keys.length === 1 ? [`sshKey: ${scalar(sshKey)}`] : ["sshKey: |", ...keys.map((key) => `  ${key}`)];
}

/** One line of YAML for a text of one line. */
const scalar = (text: string): string =>
  /[\n\r]/.test(text) ? JSON.stringify(text) : writeYaml(text).trimEnd();

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
