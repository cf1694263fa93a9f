/** The starters of the two configs of the image-based installer. */
import { unfilled } from "../../platforms/starter.js";

const NETWORK = (indent: string): readonly string[] =>
  [
    "networkConfig:",
    "  interfaces:",
    "  - name: eno1",
    "    type: ethernet",
    "    state: up",
    "    ipv4:",
    "      enabled: true",
    "      dhcp: false",
    "      address:",
    "      - ip: 192.0.2.20",
    "        prefix-length: 24",
  ].map((line) => `${indent}${line}`);

const text = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

export const imageBasedStarter = (): string =>
  text([
    "# The node of an image-based installation.",
    "# To see every field, run: slipway explain image-based-config",
    "apiVersion: v1beta1",
    "kind: ImageBasedConfig",
    "",
    "# Host name of the node.",
    `hostname: ${JSON.stringify(unfilled("host name of the node", "node-0"))}`,
    "",
    "# Registry from which the node pulls the release.",
    "# releaseRegistry: registry.example.com:5000",
    "",
    "# Time servers, in addition to a public pool.",
    "# additionalNTPSources:",
    "# - ntp.example.com",
    "",
    "# Labels of the node.",
    "# nodeLabels:",
    "#   topology.kubernetes.io/zone: site-1",
    "",
    "# A static network, as nmstate writes it; left out, the node uses DHCP.",
    ...NETWORK("# "),
  ]);

export const installationStarter = (): string =>
  text([
    "# The image that an image-based installation starts from; openshift-install creates it.",
    "# To see every field, run: slipway explain image-based-installation-config",
    "apiVersion: v1beta1",
    "kind: ImageBasedInstallationConfig",
    "",
    "# Image of the seed cluster, and its OpenShift version.",
    `seedImage: ${JSON.stringify(unfilled("image of the seed cluster", "quay.io/example/seed:4.22.0"))}`,
    `seedVersion: ${JSON.stringify(unfilled("version of the seed cluster", "4.22.0"))}`,
    "",
    "# Disk to install to.",
    `installationDisk: ${JSON.stringify(unfilled("disk", "/dev/disk/by-id/wwn-0x5000c500a0b1c2d3"))}`,
    "",
    "# Credentials for image registries, on one line.",
    `pullSecret: ${JSON.stringify(unfilled("pull secret", '{"auths": …}'))}`,
    "",
    "# Public key for the user core.",
    "# sshKey: ssh-ed25519 AAAA…",
    "",
    "# Turn the host off after the installation.",
    "# shutdown: true",
    "",
    "# A static network during the installation, as nmstate writes it; left out, the host uses DHCP.",
    ...NETWORK("# "),
  ]);
