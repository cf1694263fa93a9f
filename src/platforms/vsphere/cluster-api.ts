/**
 * The objects of cluster-api/ on vsphere: a cluster and a login for each vCenter, and machines that are each written out
 * (openshift/installer pkg/asset/manifests/vsphere/cluster.go, pkg/asset/machines/vsphere/capimachines.go).
 */
import { base64 } from "../../core/base64.js";
import { isDnsSubdomain } from "../../kubernetes/names.js";
import type { View } from "../../text/render.js";
import { clusterDomain } from "../config.js";
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  invalidNames,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, PlatformInput, Rendering } from "../platform.js";
import { HOST_GROUP, TAG_CATEGORIES, topologyOf, type VsphereFailureDomain, vsphereOf } from "./config.js";
import { machineSpec } from "./infrastructure/objects.js";
import { networkArguments } from "./machines/addresses.js";
import { controlPlanePool, domainOf } from "./machines/pools.js";
import { machineGroup } from "./names.js";
import { has } from "./tables.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
const MACHINE = { apiVersion: API_VERSION, kind: "VSphereMachine" };
const API_PORT = 6443;
/** Where the initial RAM disk reads static addresses from. */
const NETWORK_ARGUMENTS = "guestinfo.afterburn.initrd.network-kargs";

export function clusterApi(input: PlatformInput): InstallerClusterApi {
  const { vcenters = [] } = vsphereOf(input.config);
  return {
    clusters: vcenters.map((_, index) => ({
      apiVersion: API_VERSION,
      kind: "VSphereCluster",
      name: clusterName(input, index),
    })),
    objects: [...vcenters.flatMap((_, index) => vcenterObjects(input, index)), ...zones(input)],
    machines: machines(input),
    lacking: invalidNames(hostGroups(input), isDnsSubdomain),
  };
}

const clusterName = ({ identity }: PlatformInput, vcenter: number): string =>
  `${identity.infraID}-${vcenter}`;

function vcenterObjects(input: PlatformInput, index: number): Rendering[] {
  const { config } = input;
  const { server = "", user = "", password = "" } = vsphereOf(config).vcenters?.[index] ?? {};
  const secretName = `vsphere-creds-${index}`;
  return [
    {
      template: "cluster-api/vsphere/01_vsphere-creds.yaml",
      path: `cluster-api/01_${secretName}.yaml`,
      secret: true,
      view: {
        name: secretName,
        namespace: INSTALLER_NAMESPACE,
        username: base64(user),
        password: base64(password),
      },
    },
    {
      template: "cluster-api/vsphere/01_vsphere-cluster.yaml",
      path: `cluster-api/01_vsphere-cluster-${index}.yaml`,
      view: {
        name: clusterName(input, index),
        namespace: INSTALLER_NAMESPACE,
        host: `api.${config.metadata.name}.${config.baseDomain}`,
        port: API_PORT,
        secretName,
        server: `https://${server}`,
      },
    },
  ];
}

/** Failure domains that are objects: those of host groups, of which the provider has to know. */
const hostGroups = ({ config, release }: PlatformInput): readonly VsphereFailureDomain[] =>
  has(release, "hostGroups")
    ? (vsphereOf(config).failureDomains ?? []).filter(({ zoneType }) => zoneType === HOST_GROUP)
    : [];

function zones(input: PlatformInput): Rendering[] {
  const { infraID } = input.identity;
  return hostGroups(input).flatMap((domain): Rendering[] => {
    const { name = "" } = domain;
    const topology = topologyOf(domain);
    return [
      {
        template: "cluster-api/vsphere/01_vsphere-failuredomain.yaml",
        path: `cluster-api/01_vsphere-failuredomain-${name}.yaml`,
        view: {
          name,
          region: {
            name: domain.region ?? "",
            tagCategory: TAG_CATEGORIES.region,
            type: domain.regionType ?? "",
          },
          zone: { name: domain.zone ?? "", tagCategory: TAG_CATEGORIES.zone, type: domain.zoneType ?? "" },
          topology: {
            computeCluster: topology.computeCluster ?? "",
            datacenter: topology.datacenter ?? "",
            datastore: topology.datastore ?? "",
            hosts: { hostGroupName: topology.hostGroup ?? "", vmGroupName: machineGroup(infraID, domain) },
            networks: topology.networks ?? [],
          },
        },
      },
      {
        template: "cluster-api/vsphere/01_vsphere-deploymentzone.yaml",
        path: `cluster-api/01_vsphere-deploymentzone-${name}.yaml`,
        view: {
          name,
          server: `https://${domain.server ?? ""}`,
          placement: {
            ...(topology.folder ? { folder: topology.folder } : {}),
            ...(topology.resourcePool ? { resourcePool: topology.resourcePool } : {}),
          },
        },
      },
    ];
  });
}

/** The control plane, and the bootstrap machine, which is like its first machine. */
function machines(input: PlatformInput): Rendering[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const all = vsphereOf(config).failureDomains ?? [];
  const pool = controlPlanePool(config);
  if (pool.zones.length === 0 || pool.replicas === 0) return [];
  const hosts = vsphereOf(config).hosts ?? [];
  const own = controlPlaneNames(infraID, pool).flatMap((name, index) => {
    const host = pool.hosts[index];
    return machine(input, {
      name,
      namespace: INSTALLER_NAMESPACE,
      domain: domainOf(pool, index, all),
      role: "master",
      keys: {
        ...(host === undefined ? {} : { [NETWORK_ARGUMENTS]: networkArguments(host) }),
        "guestinfo.domain": clusterDomain(config),
        "guestinfo.hostname": name,
        "stealclock.enable": "TRUE",
      },
    });
  });
  const host = pool.hosts.length === 0 ? undefined : hosts.find(({ role }) => role === "bootstrap");
  const bootstrap = machine(input, {
    name: bootstrapName(infraID),
    domain: domainOf(pool, 0, all),
    role: "bootstrap",
    keys: host === undefined ? undefined : { [NETWORK_ARGUMENTS]: networkArguments(host) },
  });
  return [...own, ...bootstrap];
}

interface Machine {
  readonly name: string;
  readonly namespace?: string;
  readonly domain: VsphereFailureDomain;
  readonly role: "master" | "bootstrap";
  readonly keys: View | undefined;
}

function machine(input: PlatformInput, { name, namespace, domain, role, keys }: Machine): Rendering[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const labels = controlPlaneLabels(input);
  const vcenter = (vsphereOf(config).vcenters ?? []).findIndex(({ server }) => server === domain.server);
  return [
    {
      template: "cluster-api/vsphere/10_inframachine.yaml",
      path: machinePath(name),
      view: {
        ...machineSpec(input, controlPlanePool(config), domain),
        name,
        namespace,
        labels,
        keys,
        failureDomain:
          domain.zoneType === HOST_GROUP && has(input.release, "hostGroups") ? domain.name : undefined,
      },
    },
    machineObject({
      name,
      namespace,
      labels,
      clusterName: vcenter < 0 ? infraID : clusterName(input, vcenter),
      dataSecretName: `${infraID}-${role}`,
      infrastructure: MACHINE,
    }),
  ];
}
