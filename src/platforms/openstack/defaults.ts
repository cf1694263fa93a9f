/** Defaults of platform.openstack (openshift/installer pkg/types/openstack/defaults), and of its machine pools. */
import type { Release } from "../../core/release.js";
import { formatAddress, hostOf, parseCidr } from "../../kubernetes/network.js";
import type { NormalConfig } from "../config.js";
import { userManagedLoadBalancer } from "../virtual-ips.js";
import type { OpenstackMachinePool, OpenstackPlatform } from "./config.js";
import { has } from "./tables.js";

const CLOUD = "openstack";
const LOAD_BALANCER = "OpenShiftManagedDefault";
/** The hosts of the first machine network that are virtual IPs unless others are given. */
const API_HOST = 5;
const INGRESS_HOST = 7;

/** Fills in the platform; its pools are merged where machines are made, and stay as they are. */
export function applyDefaults(config: NormalConfig, release: Release): NormalConfig {
  const given = config.platform.openstack;
  if (given === undefined) return config;
  const next: OpenstackPlatform = { ...given, cloud: given.cloud || CLOUD };
  next.loadBalancer ??= { type: LOAD_BALANCER };
  if (!userManagedLoadBalancer(next)) {
    const vip = (list: readonly string[] | undefined, old: string | undefined, host: number): string[] =>
      (list ?? []).length > 0 || (old ?? "") !== "" ? [...(list ?? [])] : [virtualIp(config, host)];
    next.apiVIPs = vip(given.apiVIPs, given.apiVIP, API_HOST);
    next.ingressVIPs = vip(given.ingressVIPs, given.ingressVIP, INGRESS_HOST);
  }
  if (has(release, "dnsRecordsType")) next.dnsRecordsType ||= "Internal";
  return { ...config, platform: { ...config.platform, openstack: next } };
}

/** An address of the first machine network; where that has no such host, a text that no rule takes for an address. */
function virtualIp({ networking: { machineNetwork } }: NormalConfig, number: number): string {
  const cidr = machineNetwork[0]?.cidr ?? "";
  const address = hostOf(parseCidr(cidr), number);
  return address === undefined
    ? `host ${number} of the machine network ${cidr || "without a CIDR"}`
    : formatAddress(address);
}

/**
 * The settings of a pool over those of defaultMachinePlatform. What is empty counts as not given, but for the size of a
 * root volume, which goes with the last one that is given, and for lists of further networks and groups.
 */
export function mergeSections(
  fallback: OpenstackMachinePool | undefined,
  own: OpenstackMachinePool | undefined,
): OpenstackMachinePool {
  const layers = [fallback, own].flatMap((layer) => layer ?? []);
  const merged: OpenstackMachinePool = {};
  for (const layer of layers) {
    if (layer.type) merged.type = layer.type;
    if (layer.serverGroupPolicy) merged.serverGroupPolicy = layer.serverGroupPolicy;
    if (layer.additionalNetworkIDs) merged.additionalNetworkIDs = layer.additionalNetworkIDs;
    if (layer.additionalSecurityGroupIDs)
      merged.additionalSecurityGroupIDs = layer.additionalSecurityGroupIDs;
    if ((layer.zones ?? []).length > 0) merged.zones = layer.zones ?? [];
    const { rootVolume } = layer;
    if (rootVolume === undefined) continue;
    const { types = [], zones = [] } = rootVolume;
    merged.rootVolume = {
      ...merged.rootVolume,
      size: rootVolume.size ?? 0,
      ...(types.length > 0 ? { types } : {}),
      ...(zones.length > 0 ? { zones } : {}),
    };
  }
  return merged;
}
