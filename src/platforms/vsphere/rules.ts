import type { Release } from "../../core/release.js";
import type { NormalConfig } from "../config.js";
import { given, type Shape, text } from "../normal-shape.js";
import type { GatedField, PlatformRules } from "../platform.js";
import { gatedDnsRecords } from "../virtual-ips.js";
import { HOST_GROUP, topologyOf } from "./config.js";
import { applyDefaults, settle } from "./install-config/defaults.js";
import { validate } from "./install-config/rules.js";
import { finish, upconvert } from "./install-config/upconvert.js";
import { has } from "./tables.js";

const FIELD = "platform.vsphere";

function gatedFields(
  { platform, controlPlane, compute }: NormalConfig,
  release: Release,
): readonly GatedField[] {
  const vsphere = platform.vsphere ?? {};
  const { failureDomains = [], hosts = [], vcenters = [] } = vsphere;
  const domains = `${FIELD}.failureDomains`;
  const several = failureDomains.findIndex((domain) => (topologyOf(domain).networks ?? []).length > 1);
  const grouped = failureDomains.findIndex(
    (domain) => domain.zoneType === HOST_GROUP || (topologyOf(domain).hostGroup ?? "") !== "",
  );
  const disks = compute.findIndex(({ platform: own }) => (own.vsphere?.dataDisks ?? []).length > 0);
  const used: (GatedField & { readonly when: boolean })[] = [
    {
      when: hosts.length > 0 && has(release, "installGates"),
      gate: "VSphereStaticIPs",
      field: `${FIELD}.hosts`,
    },
    {
      when: vcenters.length > 1 && has(release, "installGates"),
      gate: "VSphereMultiVCenters",
      field: `${FIELD}.vcenters`,
    },
    {
      when: several >= 0,
      gate: "VSphereMultiNetworks",
      field: `${domains}.topology.networks`,
      at: `${domains}[${several}].topology.networks`,
    },
    {
      when: vsphere.nodeNetworking !== undefined,
      gate: "VSphereMultiNetworks",
      field: `${FIELD}.nodeNetworking`,
    },
    {
      when: grouped >= 0 && has(release, "hostGroupGate"),
      gate: "VSphereHostVMGroupZonal",
      field: domains,
      at: `${domains}[${grouped}]`,
    },
    {
      when: (controlPlane.platform.vsphere?.dataDisks ?? []).length > 0,
      gate: "VSphereMultiDisk",
      field: "controlPlane.platform.vsphere.dataDisks",
    },
    {
      when: disks >= 0,
      gate: "VSphereMultiDisk",
      field: "compute.platform.vsphere.dataDisks",
      at: `compute[${disks}].platform.vsphere.dataDisks`,
    },
  ];
  return [...used.flatMap(({ when, ...field }) => (when ? [field] : [])), ...gatedDnsRecords(vsphere, FIELD)];
}

const number = { zero: 0 };

const pool = (release: Release): Shape => ({
  cpus: number,
  coresPerSocket: number,
  memoryMB: number,
  osDisk: { zero: {}, of: { diskSizeGB: number } },
  dataDisks: {
    each: { name: text, sizeGiB: number },
    ...(has(release, "nullDataDisks") ? { zero: null } : {}),
  },
});

const section = (release: Release): Shape => ({
  defaultMachinePlatform: { keep: "given", of: pool(release) },
  vcenters: { each: { server: text, user: text, password: text, datacenters: { zero: null } } },
  failureDomains: {
    each: {
      name: text,
      region: text,
      zone: text,
      server: text,
      topology: { zero: {}, of: { datacenter: text, computeCluster: text, datastore: text } },
    },
  },
  nodeNetworking: { keep: "given", of: { external: { zero: {} }, internal: { zero: {} } } },
  loadBalancer: given,
  hosts: {
    each: { failureDomain: text, role: text, networkDevice: { zero: null, of: { ipAddrs: { zero: null } } } },
  },
});

export const rules: PlatformRules = {
  name: "vsphere",
  upconvert,
  finish,
  applyDefaults,
  validate,
  settle,
  gatedFields: { rank: 2, used: gatedFields },
  normalForm: { section, pool },
};
