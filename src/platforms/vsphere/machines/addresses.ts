/**
 * Static addresses: the pool that a device's addresses are of, the claims and addresses that stand for it, and kernel
 * arguments for machines that need them before there is a cluster (openshift/installer
 * pkg/asset/machines/vsphere/machines.go, `applyNetworkConfig`; pkg/utils/vmware.go).
 */
import { formatAddress, parseAddress, parseCidr } from "../../../kubernetes/network.js";
import type { View } from "../../../text/render.js";
import { gateEnabled } from "../../enabled-gates.js";
import type { PlatformInput, Rendering } from "../../platform.js";
import type { VsphereHost } from "../config.js";
import { has } from "../tables.js";

const GROUP = "installer.openshift.io";
const POOL = "IPPool";
const poolName = (index: number): string => `default-${index}`;

/** `addressesFromPools` of a device with so many addresses, or the reference of one of them. */
export const addressPool = (index: number): View => ({ group: GROUP, name: poolName(index), resource: POOL });

/** An address and a claim for each address of the host of a machine. */
export function addressObjects(input: PlatformInput, machine: string, host: VsphereHost): Rendering[] {
  const { config, release } = input;
  const late = has(release, "ipamByGate") && gateEnabled(release, config, "ClusterAPIMachineManagement");
  const version = late ? "v1beta2" : "v1beta1";
  const { ipAddrs = [], gateway = "" } = host.networkDevice ?? {};
  return ipAddrs.flatMap((text, index): Rendering[] => {
    const name = `${machine}-claim-0-${index}`;
    const [address = "", prefix = ""] = text.split("/");
    const view = {
      name,
      pool: { apiGroup: GROUP, kind: POOL, name: poolName(index) },
      address,
      prefix: Number(prefix),
      gateway: gateway === "" ? undefined : gateway,
    };
    return [
      {
        template: `openshift/vsphere/99_openshift-machine-api_address-${version}.yaml`,
        path: `openshift/99_openshift-machine-api_address-${name}.yaml`,
        view,
      },
      {
        template: `openshift/vsphere/99_openshift-machine-api_claim-${version}.yaml`,
        path: `openshift/99_openshift-machine-api_claim-${name}.yaml`,
        view,
      },
    ];
  });
}

/** The arguments that the initial RAM disk configures the first device from. */
export function networkArguments({ networkDevice = {} }: VsphereHost): string {
  const { ipAddrs = [], gateway = "", nameservers = [] } = networkDevice;
  const way = parseAddress(gateway);
  const bracketed = (text: string): string => (text.includes(":") ? `[${text}]` : text);
  const addresses = ipAddrs.flatMap((text) => {
    const block = parseCidr(text);
    if (block === undefined) return [];
    const { address, prefix } = block;
    const own = way !== undefined && way.length === address.length ? bracketed(gateway) : "";
    const mask = address.length === 4 ? maskOf(prefix) : String(prefix);
    return [`ip=${bracketed(formatAddress(address))}::${own}:${mask}:::none`];
  });
  return [...addresses, ...nameservers.map((text) => `nameserver=${bracketed(text)}`)].join(" ");
}

/** The mask of an IPv4 prefix, dotted. */
const maskOf = (prefix: number): string =>
  [0, 8, 16, 24].map((start) => (0xff00 >> Math.min(8, Math.max(0, prefix - start))) & 0xff).join(".");
