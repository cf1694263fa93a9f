/**
 * Cluster API objects of powervs (openshift/installer pkg/asset/manifests/powervs, pkg/asset/machines/powervs/powervsmachines.go).
 * All machines of the control plane, and the bootstrap machine, are of one template.
 */
import { rowsAt, type Span } from "../../../core/by-release.js";
import type { JsonObject } from "../../../core/json.js";
import type { Release } from "../../../core/release.js";
import type { View } from "../../../text/render.js";
import { missingFact } from "../../needs.js";
import type {
  ComputeSet,
  InfrastructureInput,
  PlatformCompute,
  PlatformInfrastructure,
  PlatformInput,
  Rendering,
  RuleContext,
} from "../../platform.js";
import { isDisconnected, isPrivate, powervsOf, storageRegion, vpcRegionOf } from "../config.js";
import securityGroups from "../data/security-groups.json" with { type: "json" };
import { factsOf, NEEDS } from "../facts.js";
import {
  ignitionBucket,
  imageName,
  namesGatewayByIdentifier,
  networkName,
  privateLoadBalancer,
  publicLoadBalancer,
  storageInstance,
  workspaceName,
} from "../names.js";
import { type Pool, poolsOf } from "../pools.js";
import { has } from "../tables.js";
import { checkInfrastructure } from "./rules.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

export function infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure {
  const { config, facts, identity } = input;
  const { infraID } = identity;
  const { clusterOSImage = "", vpcName = "" } = powervsOf(config);
  const known = factsOf(facts);
  checkInfrastructure(input, context);
  if (clusterOSImage === "" && known.image === undefined)
    context.report(
      missingFact(NEEDS.image, { path: "platform.powervs", name: config.controlPlane.architecture }),
    );
  if (isPrivate(config) && known.dnsServer === undefined)
    context.report(missingFact(NEEDS.resolver, { path: "platform.powervs.vpcName", name: vpcName }));
  const name = machineTemplateName(infraID);
  return {
    cluster: { apiVersion: API_VERSION, kind: "IBMPowerVSCluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "IBMPowerVSMachineTemplate",
      name,
      placeholder: false,
    },
    objects: [cluster(input), image(input), machineTemplate(input, name)],
  };
}

/** The workspace: one that is there by its GUID, else a new one by its name. */
function workspaceOf({ config, identity }: PlatformInput): JsonObject {
  const { serviceInstanceGUID = "" } = powervsOf(config);
  return serviceInstanceGUID === "" ? { name: workspaceName(identity.infraID) } : { id: serviceInstanceGUID };
}

const cluster = (input: InfrastructureInput): Rendering => ({
  template: "infrastructure-manifests/powervs/40_infrastructure-cluster.yaml",
  path: "40_infrastructure-cluster.yaml",
  view: { ...clusterSpec(input), name: input.identity.infraID, namespace: input.namespace },
});

/** The spec of the IBMPowerVSCluster. */
export function clusterSpec(input: PlatformInput): View {
  const { config, facts, identity, release } = input;
  const { infraID } = identity;
  const section = powervsOf(config);
  const snat = has(release, "disconnected") ? { snat: !isDisconnected(config) } : {};
  const { dnsServer = "", vpc } = factsOf(facts);
  return {
    bucket: ignitionBucket(infraID),
    dhcpServer: {
      cidr: config.networking.machineNetwork[0]?.cidr ?? "",
      ...(isPrivate(config) ? { dnsServer, ...snat } : {}),
    },
    network: networkName(infraID),
    publicLoadBalancer: publicLoadBalancer(infraID),
    privateLoadBalancer: privateLoadBalancer(infraID),
    resourceGroup: section.powervsResourceGroup ?? "",
    securityGroups: securityGroupSpecs(release, infraID),
    storageInstance: storageInstance(infraID),
    storageRegion: storageRegion(section),
    subnets: section.vpcName ? (vpc?.subnets ?? []).map(({ id, name }) => ({ id, name })) : undefined,
    transitGateway: transitGatewayOf(input),
    vpc: vpcOf(input),
    workspace: workspaceOf(input),
    zone: section.zone ?? "",
  };
}

/** By the identifier where the config names the VPC by that. */
function vpcOf({ config, facts, identity }: PlatformInput): JsonObject {
  const section = powervsOf(config);
  const { vpcName = "" } = section;
  const region = vpcRegionOf(section);
  if (vpcName !== "" && factsOf(facts).vpc?.id === vpcName) return { id: vpcName, region };
  return { name: vpcName || `vpc-${identity.infraID}`, region };
}

function transitGatewayOf(input: PlatformInput): JsonObject {
  const section = powervsOf(input.config);
  const { tgName = "" } = section;
  if (tgName === "") return { name: `${input.identity.infraID}-tg` };
  return namesGatewayByIdentifier(section, input) ? { id: tgName } : { name: tgName };
}

interface SecurityRule extends Span {
  readonly direction: string;
  readonly protocol: string;
  readonly port?: number;
}

const GROUPS: Readonly<Record<string, readonly SecurityRule[]>> = securityGroups.groups;

const securityGroupSpecs = (release: Release, infraID: string): JsonObject[] =>
  Object.entries(GROUPS).map(([name, rules]) => ({
    name: `${infraID}-${name}`,
    rules: rowsAt(rules, release).map(({ direction, protocol, port }): JsonObject => {
      const traffic: JsonObject = {
        protocol,
        ...(port === undefined ? {} : { portRange: { minimumPort: port, maximumPort: port } }),
        remotes: [{ remoteType: "any" }],
      };
      return {
        action: "allow",
        direction,
        ...(direction === "inbound" ? { source: traffic } : { destination: traffic }),
      };
    }),
  }));

/** The bucket of the region of object storage, which the release's own list may know by that of the VPC alone. */
const image = (input: InfrastructureInput): Rendering => ({
  template: "infrastructure-manifests/powervs/45_image.yaml",
  path: "45_image.yaml",
  view: { ...imageSpec(input), name: imageName(input.identity.infraID), namespace: input.namespace },
});

/** The spec of the IBMPowerVSImage. */
export function imageSpec(input: PlatformInput): View {
  const { config, facts, identity } = input;
  const section = powervsOf(config);
  const region = storageRegion(section);
  const { bucket, object } = imageFile(section.clusterOSImage ?? "", factsOf(facts).image);
  return {
    clusterName: identity.infraID,
    bucket: vpcRegionOf(section) === region ? bucket : `rhcos-powervs-images-${region}`,
    object,
    region,
    workspace: workspaceOf(input),
  };
}

/** An image of the user's, BUCKET/OBJECT, else that of the release. */
function imageFile(
  given: string,
  known: { readonly bucket: string; readonly object: string } | undefined,
): { readonly bucket: string; readonly object: string } {
  if (given === "") return known ?? { bucket: "", object: "" };
  const slash = given.indexOf("/");
  return { bucket: given.slice(0, slash), object: given.slice(slash + 1) };
}

const machineTemplate = (input: InfrastructureInput, name: string): Rendering => ({
  template: "infrastructure-manifests/powervs/50_machine-template.yaml",
  path: "50_machine-template.yaml",
  view: { name, ...machineView(input, poolsOf(input).controlPlane) },
});

const machineView = (input: InfrastructureInput, pool: Pool): View => ({
  ...machineSpec(input, pool),
  infraID: input.identity.infraID,
  namespace: input.namespace,
});

/** What a machine of a pool is like. */
export function machineSpec(input: PlatformInput, pool: Pool): View {
  const { identity } = input;
  return {
    image: imageName(identity.infraID),
    memoryGiB: pool.memoryGiB,
    processorType: pool.processorType,
    processors: pool.processors,
    systemType: pool.systemType,
    workspace: workspaceOf(input),
    workspaceID: powervsOf(input.config).serviceInstanceGUID ?? "",
  };
}

/** Compute machines: a pool is in one zone, that of the platform. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const sets = poolsOf(input).compute.map((pool): ComputeSet => {
    const name = `${input.identity.infraID}-${pool.name}`;
    return {
      pool: pool.name,
      name,
      replicas: pool.replicas,
      template: {
        template: "infrastructure-manifests/powervs/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: { name, ...machineView(input, pool) },
      },
    };
  });
  return { apiVersion: API_VERSION, kind: "IBMPowerVSMachineTemplate", sets, objects: [] };
}
