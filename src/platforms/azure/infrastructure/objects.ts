/** Cluster API objects of azure (openshift/installer pkg/asset/manifests/azure/cluster.go). */

import type { Problem } from "../../../core/diagnostics.js";
import type { JsonObject } from "../../../core/json.js";
import { info, problem, warning } from "../../../core/problem.js";
import { clusterDomain } from "../../config.js";
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
import { azureOf, isStack, OWN_ROUTES, resourceGroupOf, userProvidesDns } from "../config.js";
import { credentialObjects, identityName } from "../credential-objects.js";
import { subscriptionOf } from "../credentials.js";
import { azureFactsOf } from "../facts/view.js";
import { machineSetsOf } from "../machines/machines.js";
import { poolsOf } from "../machines/pools.js";
import { has } from "../tables.js";
import { controlPlaneSpec, machineSpec, machineTemplateName } from "./machine-template.js";
import { type ClusterNetwork, clusterNetwork } from "./network.js";
import { webhookFindings } from "./webhook-rules.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";

export function infrastructure(input: InfrastructureInput, { report }: RuleContext): PlatformInfrastructure {
  const { identity, namespace } = input;
  const { infraID } = identity;
  const network = clusterNetwork(input);
  const cluster = clusterSpec(input, network, namespace);
  const machine = controlPlaneSpec(input);
  const template = machineTemplateName(infraID);
  for (const problem of problems(input, network, cluster, machine)) report(problem);
  const objects: readonly Rendering[] = [
    ...credentialObjects(input),
    {
      template: "infrastructure-manifests/azure/40_infrastructure-cluster.yaml",
      path: "40_infrastructure-cluster.yaml",
      view: { name: infraID, namespace, spec: cluster },
    },
    {
      template: "infrastructure-manifests/azure/50_machine-template.yaml",
      path: "50_machine-template.yaml",
      view: { infraID, name: template, namespace, osStream: osStreamLabel(input), machine },
    },
  ];
  return {
    cluster: { apiVersion: API_VERSION, kind: "AzureCluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "AzureMachineTemplate",
      name: template,
      placeholder: false,
    },
    objects,
  };
}

/** Compute machines; their zone is the machine's failure domain. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const { identity, namespace } = input;
  const { infraID } = identity;
  const sets = machineSetsOf(input, poolsOf(input).compute).map(
    ({ name, replicas, pool, zone, subnet }): ComputeSet => ({
      pool: pool.name,
      name,
      replicas,
      failureDomain: zone === "" ? undefined : zone,
      template: {
        template: "infrastructure-manifests/azure/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: {
          infraID,
          name,
          namespace,
          compute: true,
          osStream: osStreamLabel(input),
          machine: machineSpec(input, pool, subnet),
        },
      },
    }),
  );
  return { apiVersion: API_VERSION, kind: "AzureMachineTemplate", sets, objects: [] };
}

/** `spec` of the AzureCluster. */
export function clusterSpec(input: PlatformInput, network: ClusterNetwork, namespace?: string): JsonObject {
  const { config, identity, release, facts } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  const internal = `${infraID}-internal`;
  const tags = azure.userTags ?? {};
  const own = azure.virtualNetwork ? azureFactsOf(facts).virtualNetwork : undefined;
  const group = azure.virtualNetwork
    ? azure.networkResourceGroupName
    : has(release, "subnetList")
      ? azure.resourceGroupName
      : undefined;
  return {
    ...(Object.keys(tags).length === 0 ? {} : { additionalTags: tags }),
    azureEnvironment: azure.cloudName,
    identityRef: {
      apiVersion: API_VERSION,
      kind: "AzureClusterIdentity",
      name: identityName(input),
      ...(namespace === undefined ? {} : { namespace }),
    },
    location: azure.region,
    networkSpec: {
      apiServerLB: {
        backendPool: { name: internal },
        frontendIPs: [{ name: `${internal}-frontEnd`, privateIP: network.address }],
        name: internal,
        type: "Internal",
      },
      ...(azure.outboundType === OWN_ROUTES
        ? {}
        : {
            controlPlaneOutboundLB: {
              ...(has(release, "outboundPool")
                ? { backendPool: { name: `${infraID}-outbound-lb-outboundBackendPool` } }
                : {}),
              frontendIPsCount: 1,
              name: infraID,
            },
          }),
      ...(isStack(azure) || !has(release, "privateZoneMode")
        ? {}
        : { privateDNSZone: userProvidesDns(azure) ? "None" : "System" }),
      privateDNSZoneName: clusterDomain(config),
      subnets: network.subnets,
      vnet: {
        cidrBlocks: network.blocks,
        ...(own === undefined ? {} : { id: own.id }),
        name: azure.virtualNetwork ?? "",
        ...(group ? { resourceGroup: group } : {}),
      },
    },
    resourceGroup: resourceGroupOf(azure, infraID),
    subscriptionID: subscriptionOf(input),
  };
}

/** Where in the install-config a fault of an object comes from, by the start of its field. */
const ORIGINS: readonly (readonly [string, string])[] = [
  ["metadata.name", "metadata.name"],
  ["spec.networkSpec.privateDNSZone", "metadata.name"],
  ["spec.networkSpec", "networking.machineNetwork"],
  ["spec.template.spec.dataDisks", "controlPlane.platform.azure.dataDisks"],
  ["spec.template.spec.osDisk", "controlPlane.platform.azure.osDisk"],
  ["spec.template.spec.securityProfile", "controlPlane.platform.azure.settings"],
  ["spec.template.spec.userAssignedIdentities", "controlPlane.platform.azure.identity"],
  ["spec", "platform.azure"],
];

function problems(
  input: InfrastructureInput,
  network: ClusterNetwork,
  cluster: JsonObject,
  machine: JsonObject,
): Problem[] {
  const azure = azureOf(input.config);
  const broken = (field: string, message: string, hint: string): Problem =>
    problem("CAPI101", "Invalid", field, message, hint);
  if (!network.fits)
    return [
      broken(
        "networking.machineNetwork",
        "the machine networks are too small for the subnets of the control plane and of the nodes",
        "use a larger IPv4 network, or one for each subnet, with at least as many IPv4 networks as IPv6 networks",
      ),
    ];
  if (network.address === "")
    return [
      broken(
        "platform.azure.virtualNetwork",
        "the facts list no available address in the machine networks for the internal load balancer",
        "add cloud-facts azure.loadBalancerAddress (--facts FILE) with availableIPAddresses in the control plane's subnet",
      ),
    ];
  const name = input.identity.infraID;
  const objects: readonly JsonObject[] = [
    { apiVersion: API_VERSION, kind: "AzureCluster", metadata: { name }, spec: cluster },
    {
      apiVersion: API_VERSION,
      kind: "AzureMachineTemplate",
      metadata: { name },
      spec: { template: { spec: machine } },
    },
  ];
  return [
    ...objects.flatMap(webhookFindings).map(({ field, message, hint = "" }) => {
      const origin = ORIGINS.find(([start]) => field?.startsWith(start) === true)?.[1] ?? "platform.azure";
      return broken(origin, `${field}: ${message}`, hint);
    }),
    ...(network.addressAssumed
      ? [
          info(
            "FACT004",
            "Required",
            "platform.azure.virtualNetwork",
            `using the address ${network.address} for the internal load balancer; the facts do not show whether it is available`,
            "add cloud-facts azure.loadBalancerAddress (--facts FILE)",
          ),
        ]
      : []),
    ...(isStack(azure)
      ? [
          warning(
            "CAPI102",
            "Invalid",
            "platform.azure.cloudName",
            "the released provider does not support Azure Stack Hub: its AzureCluster has no armEndpoint",
            "use the provider's fork for Azure Stack Hub, as the installer does",
          ),
        ]
      : []),
  ];
}
