/** Defaults of platform.baremetal (openshift/installer pkg/types/baremetal/defaults/platform.go). */
import { createHash } from "node:crypto";
import type { Release } from "../../../core/release.js";
import {
  type Address,
  type Cidr,
  contains,
  effectivePrefix,
  formatAddress,
  formatMac,
  parseAddress,
  parseCidr,
} from "../../../kubernetes/network.js";
import { clusterDomain, type NormalConfig } from "../../config.js";
import { type BaremetalHost, type BaremetalPlatform, FIELD } from "../config.js";
import { has } from "../tables.js";

const PROVISIONING_NETWORK = "172.22.0.0/24";

export function applyDefaults(config: NormalConfig, release: Release): NormalConfig {
  const given = config.platform.baremetal;
  if (given === undefined) return config;
  const domain = clusterDomain(config);
  const baremetal: BaremetalPlatform = {
    ...given,
    libvirtURI: given.libvirtURI || "qemu:///system",
    externalMACAddress: given.externalMACAddress || libvirtMac(domain, "external"),
    provisioningMACAddress: given.provisioningMACAddress || libvirtMac(domain, "provisioning"),
    provisioningNetwork: given.provisioningNetwork || "Managed",
    externalBridge: given.externalBridge || "baremetal",
  };
  if (baremetal.provisioningNetwork === "Disabled") {
    const network = networkWith(config, baremetal.clusterProvisioningIP ?? "");
    if (network !== undefined) baremetal.provisioningNetworkCIDR = network;
  } else fillProvisioningNetwork(baremetal);
  if (given.hosts !== undefined) baremetal.hosts = hostsInOrder(given.hosts, release);
  if (has(release, "dnsRecordsType")) baremetal.dnsRecordsType = given.dnsRecordsType || "Internal";
  return { ...config, platform: { ...config.platform, baremetal } };
}

const WRITTEN = new WeakMap<BaremetalHost, number>();

/** Where a host of a config with its defaults was written: these put the hosts into another order. */
export const hostField = (host: BaremetalHost, index: number): string =>
  `${FIELD}.hosts[${WRITTEN.get(host) ?? index}]`;

/** By role, and as written among those of one role. A role that does not exist stands where 0 stands. */
function hostsInOrder(hosts: readonly BaremetalHost[], release: Release): BaremetalHost[] {
  const ranks: ReadonlyMap<string, number> = new Map(
    has(release, "arbiterHosts")
      ? [
          ["master", -1],
          ["worker", 1],
          ["", 2],
        ]
      : [
          ["master", -1],
          ["", 1],
        ],
  );
  const rank = ({ role = "" }: BaremetalHost): number => ranks.get(role) ?? 0;
  return hosts
    .map((host, index) => {
      const full = {
        ...host,
        hardwareProfile: host.hardwareProfile || "default",
        bootMode: host.bootMode || "UEFI",
      };
      WRITTEN.set(full, index);
      return full;
    })
    .sort((a, b) => rank(a) - rank(b));
}

/** The last machine network that holds an address, as it is written. */
function networkWith({ networking }: NormalConfig, text: string): string | undefined {
  const address = parseAddress(text);
  return networking.machineNetwork.findLast(({ cidr }) => {
    const block = parseCidr(cidr);
    return block !== undefined && address !== undefined && contains(block, address);
  })?.cidr;
}

function fillProvisioningNetwork(baremetal: BaremetalPlatform): void {
  baremetal.provisioningNetworkCIDR ??= PROVISIONING_NETWORK;
  const block = parseCidr(baremetal.provisioningNetworkCIDR);
  if (block === undefined) return;
  const nth = (host: number): string | undefined => {
    const address = hostAddress(block, host);
    return address === undefined ? undefined : formatAddress(address);
  };
  const [bootstrap, cluster] = [nth(2), nth(3)];
  if (!baremetal.bootstrapProvisioningIP && bootstrap !== undefined)
    baremetal.bootstrapProvisioningIP = bootstrap;
  if (!baremetal.clusterProvisioningIP && cluster !== undefined) baremetal.clusterProvisioningIP = cluster;
  baremetal.provisioningBridge = baremetal.provisioningBridge || "provisioning";
  if (baremetal.provisioningNetwork === "Managed" && !baremetal.provisioningDHCPRange)
    // The installer writes an address that there is not as Go prints none.
    baremetal.provisioningDHCPRange = `${nth(10) ?? "<nil>"},${formatAddress(before(lastAddress(block)))}`;
}

/** The address with a number in a block, laid over the host bits that are written there; undefined beyond its end. */
function hostAddress(block: Cidr, host: number): Address | undefined {
  const hostBits = 8 * block.address.length - effectivePrefix(block);
  if (host >= 2 ** hostBits) return undefined;
  return block.address.map((byte, index) => (index === block.address.length - 1 ? byte | host : byte));
}

const lastAddress = (block: Cidr): Address => {
  const prefix = effectivePrefix(block);
  return block.address.map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, prefix - 8 * index))));
};

function before(address: Address): Address {
  const bytes = [...address];
  for (let index = bytes.length - 1; index >= 0; index--) {
    const byte = bytes[index] ?? 0;
    bytes[index] = (byte + 255) % 256;
    if (byte > 0) break;
  }
  return bytes;
}

/**
 * A MAC address in libvirt's range. The installer takes a random one; ours follows from the cluster's domain, so that
 * every compile of a config gives the same.
 */
function libvirtMac(domain: string, network: "external" | "provisioning"): string {
  const [first = 0, second = 0, third = 0] = createHash("sha256").update(`${network} ${domain}`).digest();
  // A local unicast byte; libvirt keeps 0xfe for itself.
  const local = (first | 2) & 0xfe;
  return formatMac([0x52, 0x54, 0, local === 0xfe ? 0xee : local, second, third]);
}
