/**
 * Cluster API objects of vsphere. Every version of the provider serves v1beta1. One failure domain is written into the
 * machine template; several, or a host group, become deployment zones that the machines are spread over
 * (cluster-api-provider-vsphere docs/proposal/20201103-failure-domain.md; openshift/installer
 * pkg/asset/manifests/vsphere/cluster.go).
 */
import { CLUSTER_NAME_LABEL } from "../../../kubernetes/labels.js";
import type { View } from "../../../text/render.js";
import { clusterDomain } from "../../config.js";
import { spread } from "../../machine-api.js";
import { osStreamLabel } from "../../os-stream.js";
import type {
  ComputeSet,
  InfrastructureInput,
  PlatformCompute,
  PlatformInfrastructure,
  PlatformInput,
  Rendering,
  RuleContext,
} from "../../platform.js";
import { HOST_GROUP, TAG_CATEGORIES, topologyOf, type VsphereFailureDomain, vsphereOf } from "../config.js";
import { computePools, type Pool } from "../machines/pools.js";
import { folderOf, machineGroup, networkPath, templateOf } from "../names.js";
import { loginOf, placement } from "./placement.js";
import { checkInfrastructure } from "./rules.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
const API_PORT = 6443;

export function infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure {
  const { infraID } = input.identity;
  checkInfrastructure(input, context);
  const template = machineTemplate(input);
  return {
    cluster: { apiVersion: API_VERSION, kind: "VSphereCluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "VSphereMachineTemplate",
      name: template.name,
      placeholder: false,
    },
    objects: [...credentials(input), ...zones(input), cluster(input), template.rendering],
  };
}

const secretName = (infraID: string): string => `${infraID}-vsphere-credentials`;

/** The login of the cluster's vCenter, which the provider reads from its controller's namespace. */
function credentials(input: InfrastructureInput): Rendering[] {
  const { identity, namespace, controllerNamespace } = input;
  const { user, password } = loginOf(input);
  const { infraID } = identity;
  const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return [
    {
      template: "infrastructure-manifests/vsphere/10_credentials-identity.yaml",
      path: "10_credentials-identity.yaml",
      view: { clusterName: infraID, name: infraID, namespace, secretName: secretName(infraID) },
    },
    {
      template: "infrastructure-manifests/vsphere/10_credentials-secret.yaml",
      path: "10_credentials-secret.yaml",
      secret: true,
      view: {
        clusterName: infraID,
        name: secretName(infraID),
        namespace: controllerNamespace,
        username: base64(user),
        password: base64(password),
      },
    },
  ];
}

/** Both are outside of namespaces, so that their names begin with the cluster's. */
function zones(input: InfrastructureInput): Rendering[] {
  const { infraID } = input.identity;
  const { domains, zoned } = placement(input);
  if (!zoned) return [];
  return domains.flatMap((domain): Rendering[] => {
    const name = `${infraID}-${domain.name ?? ""}`;
    const { datacenter, computeCluster, datastore, networks = [], hostGroup } = topologyOf(domain);
    const grouped = domain.zoneType === HOST_GROUP;
    return [
      {
        template: "infrastructure-manifests/vsphere/35_failure-domain.yaml",
        path: `35_failure-domain-${domain.name ?? ""}.yaml`,
        view: {
          clusterName: infraID,
          name,
          region: {
            name: domain.region ?? "",
            tagCategory: TAG_CATEGORIES.region,
            type: domain.regionType || "Datacenter",
          },
          zone: {
            name: domain.zone ?? "",
            tagCategory: TAG_CATEGORIES.zone,
            type: domain.zoneType || "ComputeCluster",
          },
          topology: {
            datacenter: datacenter ?? "",
            computeCluster: computeCluster ?? "",
            datastore: datastore ?? "",
            networks: networks.map((network) => networkPath(domain, network)),
            ...(grouped
              ? { hosts: { hostGroupName: hostGroup ?? "", vmGroupName: machineGroup(infraID, domain) } }
              : {}),
          },
        },
      },
      {
        template: "infrastructure-manifests/vsphere/36_deployment-zone.yaml",
        path: `36_deployment-zone-${domain.name ?? ""}.yaml`,
        view: {
          clusterName: infraID,
          name,
          server: `https://${domain.server ?? ""}`,
          placement: placementConstraint(infraID, domain),
        },
      },
    ];
  });
}

const placementConstraint = (infraID: string, domain: VsphereFailureDomain) => ({
  folder: folderOf(infraID, domain),
  resourcePool: topologyOf(domain).resourcePool ?? "",
});

function cluster(input: InfrastructureInput): Rendering {
  const { config, identity, namespace } = input;
  const { server, zoned } = placement(input);
  return {
    template: "infrastructure-manifests/vsphere/40_infrastructure-cluster.yaml",
    path: "40_infrastructure-cluster.yaml",
    view: {
      name: identity.infraID,
      namespace,
      host: `api.${clusterDomain(config)}`,
      port: API_PORT,
      failureDomains: zoned ? { matchLabels: { [CLUSTER_NAME_LABEL]: identity.infraID } } : undefined,
      server: `https://${server}`,
    },
  };
}

/** For the bootstrap machine and the control plane; hostnames and static addresses are each machine's own. */
function machineTemplate(input: InfrastructureInput): {
  readonly name: string;
  readonly rendering: Rendering;
} {
  const { pool, domains } = placement(input);
  const [first = {}] = domains;
  const name = `${input.identity.infraID}-master`;
  return {
    name,
    rendering: {
      template: "infrastructure-manifests/vsphere/50_machine-template.yaml",
      path: "50_machine-template.yaml",
      view: { name, ...machineView(input, pool, first) },
    },
  };
}

function machineView(input: InfrastructureInput, pool: Pool, domain: VsphereFailureDomain): View {
  const { config, identity, namespace } = input;
  return {
    ...machineSpec(input, pool, domain),
    infraID: identity.infraID,
    namespace,
    osStream: osStreamLabel(input),
    keys: { "guestinfo.domain": clusterDomain(config), "stealclock.enable": "TRUE" },
    failureDomain: undefined,
  };
}

/** What a machine of a pool is like in a failure domain. */
export function machineSpec(
  { identity, release }: PlatformInput,
  pool: Pool,
  domain: VsphereFailureDomain,
): View {
  const { infraID } = identity;
  const { datacenter = "", datastore = "", networks = [] } = topologyOf(domain);
  return {
    dataDisks: pool.dataDisks.length === 0 ? undefined : pool.dataDisks.map((disk) => ({ ...disk })),
    datacenter,
    datastore,
    ...placementConstraint(infraID, domain),
    devices: networks.map((network) => ({ dhcp4: true, networkName: networkPath(domain, network) })),
    diskGiB: pool.diskGiB,
    memoryMiB: pool.memoryMiB,
    cpus: pool.cpus,
    coresPerSocket: pool.coresPerSocket,
    server: domain.server ?? "",
    template: templateOf(infraID, domain, release),
  };
}

/** Compute machines: a template for each failure domain, which says where its machines are. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const { config, identity } = input;
  const { infraID } = identity;
  const sets = spread(computePools(config)).map(({ pool, zone, replicas }, index): ComputeSet => {
    const name = `${infraID}-${pool.name}-${index}`;
    return {
      pool: pool.name,
      name,
      replicas,
      byHand: [
        ...(vsphereOf(config).hosts === undefined
          ? []
          : ["set the static addresses of platform.vsphere.hosts"]),
        ...(zone.zoneType === HOST_GROUP ? [`add them to the VM group ${machineGroup(infraID, zone)}`] : []),
      ],
      template: {
        template: "infrastructure-manifests/vsphere/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: { name, compute: true, ...machineView(input, pool, zone) },
      },
    };
  });
  return { apiVersion: API_VERSION, kind: "VSphereMachineTemplate", sets, objects: [] };
}
