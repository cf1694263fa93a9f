/**
 * Machine API machines, control plane machine set and compute machine sets, and the addresses of machines that have
 * static ones (openshift/installer pkg/asset/machines/vsphere, master.go and worker.go beside it).
 */
import type { View } from "../../../text/render.js";
import { controlPlaneMachineSet, machineSets, machineView, padded } from "../../machine-api.js";
import type { PlatformInput, Rendering } from "../../platform.js";
import {
  cleanPath,
  HOST_GROUP,
  topologyOf,
  type VsphereFailureDomain,
  type VsphereHost,
  vsphereOf,
} from "../config.js";
import { folderOf, machineGroup, templateOf } from "../names.js";
import { addressObjects, addressPool } from "./addresses.js";
import { computePools, controlPlanePool, domainOf, type Pool } from "./pools.js";

type Role = "master" | "worker";

/** Every machine object in `openshift/`. */
export function machines(input: PlatformInput): readonly Rendering[] {
  const { config } = input;
  const pool = controlPlanePool(config);
  const compute = computePools(config);
  return [
    ...machinesOf(input, pool, "master"),
    ...controlPlaneMachineSet(
      input,
      "openshift/vsphere/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      pool,
      () => ({ failureDomains: domainNames(input, pool), provider: sharedProvider(input, pool) }),
    ),
    ...machineSets(
      input,
      "openshift/vsphere/99_openshift-cluster-api_worker-machineset.yaml",
      compute,
      (set, zone, index) => ({
        name: `${input.identity.infraID}-${set.name}-${index}`,
        role: "worker",
        provider: provider(input, set, "worker", zone, setDevices(input, set, zone)),
        // Machines with static addresses are there one by one.
        ...(hasHosts(input) ? { replicas: 0 } : {}),
      }),
    ),
    ...(hasHosts(input) ? compute.flatMap((set) => machinesOf(input, set, "worker")) : []),
  ];
}

const hasHosts = ({ config }: PlatformInput): boolean => vsphereOf(config).hosts !== undefined;

const domainsOf = ({ config }: PlatformInput): readonly VsphereFailureDomain[] =>
  vsphereOf(config).failureDomains ?? [];

function machinesOf(input: PlatformInput, pool: Pool, role: Role): Rendering[] {
  if (pool.zones.length === 0) return [];
  return Array.from({ length: pool.replicas }, (_, index) => {
    const name = `${input.identity.infraID}-${pool.name}-${index}`;
    const host = pool.hosts[index];
    const domain = domainOf(pool, index, domainsOf(input));
    const machine: Rendering = {
      template: "openshift/vsphere/99_openshift-cluster-api_machines.yaml",
      path: `openshift/99_openshift-cluster-api_${role}-machines-${padded(index, pool.replicas)}.yaml`,
      view: {
        ...machineView(input),
        name,
        role,
        provider: provider(input, pool, role, domain, devices(domain, host)),
      },
    };
    return [machine, ...(host === undefined ? [] : addressObjects(input, name, host))];
  }).flat();
}

/** The failure domains of a pool's machines, each once. */
const domainNames = (input: PlatformInput, pool: Pool): readonly string[] => [
  ...new Set(
    Array.from({ length: pool.replicas }, (_, index) => domainOf(pool, index, domainsOf(input)).name ?? ""),
  ),
];

/** The devices of a machine; the first one has the static addresses. */
const devices = (domain: VsphereFailureDomain, host: VsphereHost | undefined): View[] =>
  (topologyOf(domain).networks ?? []).map((network, index) => ({
    ...networkOf(network),
    ...(index === 0 && host !== undefined ? addressesOf(host) : {}),
  }));

const networkOf = (networkName: string): View => (networkName === "" ? {} : { networkName });

const addressesOf = ({ networkDevice: { ipAddrs = [], nameservers = [] } = {} }: VsphereHost): View => ({
  addressesFromPools: ipAddrs.map((_, index) => addressPool(index)),
  ...(nameservers.length === 0 ? {} : { nameservers }),
});

/** Where any machine has static addresses, those that a set adds later take one from a pool for each device. */
const setDevices = (input: PlatformInput, { hosts }: Pool, domain: VsphereFailureDomain): View[] => {
  const nameservers = hosts[0]?.networkDevice?.nameservers ?? [];
  const isStatic = (vsphereOf(input.config).hosts ?? []).length > 0;
  return (topologyOf(domain).networks ?? []).map((network, index) => ({
    ...networkOf(network),
    ...(isStatic ? { addressesFromPools: [addressPool(index)] } : {}),
    ...(nameservers.length === 0 ? {} : { nameservers }),
  }));
};

/** What the machines of the control plane have in common: the failure domains say the rest. */
function sharedProvider(input: PlatformInput, pool: Pool): View {
  const last = pool.replicas - 1;
  const host = pool.hosts[last];
  const common = provider(input, pool, "master", domainOf(pool, last, domainsOf(input)), []);
  return {
    ...common,
    devices: host === undefined ? null : [addressesOf(host)],
    template: "",
    workspace: {},
  };
}

function provider(
  { identity, release }: PlatformInput,
  pool: Pool,
  role: Role,
  domain: VsphereFailureDomain,
  devices: readonly View[],
): View {
  const { infraID } = identity;
  const {
    datacenter = "",
    datastore = "",
    computeCluster = "",
    resourcePool = "",
    tagIDs = [],
  } = topologyOf(domain);
  return {
    cpus: pool.cpus,
    coresPerSocket: pool.coresPerSocket,
    memoryMiB: pool.memoryMiB,
    diskGiB: pool.diskGiB,
    dataDisks: pool.dataDisks.length === 0 ? undefined : pool.dataDisks.map((disk) => ({ ...disk })),
    devices,
    tagIDs: tagIDs.length === 0 ? undefined : tagIDs,
    template: templateOf(infraID, domain, release),
    userDataSecret: `${role}-user-data`,
    workspace: {
      server: domain.server ?? "",
      datacenter,
      datastore,
      folder: folderOf(infraID, domain),
      resourcePool: cleanPath(resourcePool || `${computeCluster}/Resources`),
      ...(domain.zoneType === HOST_GROUP ? { vmGroup: machineGroup(infraID, domain) } : {}),
    },
  };
}
