/**
 * Cluster API objects of ibmcloud: the spec of the IBMVPCCluster is the installer's, and a machine template stands for
 * its machines of each zone (openshift/installer pkg/asset/manifests/ibmcloud, pkg/asset/machines/ibmcloud/capimachines.go).
 */
import type { JsonObject } from "../../../core/json.js";
import type { View } from "../../../text/render.js";
import { clusterDomain } from "../../config.js";
import { missingFact } from "../../needs.js";
import type {
  InfrastructureInput,
  PlatformInfrastructure,
  PlatformInput,
  Rendering,
  RuleContext,
} from "../../platform.js";
import { broughtSubnets, ibmcloudOf, isPrivate, type Role } from "../config.js";
import { factsOf, NEEDS } from "../facts.js";
import { hostOf, subnetOf } from "../machines.js";
import {
  imageBucket,
  imageName,
  machineConfigPool,
  networkResourceGroupName,
  privateLoadBalancer,
  publicLoadBalancer,
  resourceGroupName,
  securityGroups,
  storageInstance,
  vpcName,
} from "../names.js";
import { type Pool, type PoolZone, poolsOf } from "../pools.js";
import { checkInfrastructure } from "./rules.js";
import { securityGroupSpecs } from "./security-groups.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";
const API_PORT = 6443;
const MACHINE_CONFIG_PORT = 22623;

export function infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure {
  const { infraID } = input.identity;
  const templates = machineTemplates(input);
  checkInfrastructure(input, context);
  if (factsOf(input.facts).image === undefined)
    context.report(
      missingFact(NEEDS.image, {
        path: "platform.ibmcloud",
        name: input.config.controlPlane.architecture,
      }),
    );
  return {
    cluster: { apiVersion: API_VERSION, kind: "IBMVPCCluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "IBMVPCMachineTemplate",
      name: machineTemplateName(infraID),
      placeholder: false,
    },
    objects: [cluster(input), ...templates],
  };
}

interface SubnetSpec extends JsonObject {
  readonly name: string;
  readonly zone: string;
}

/** The subnets of a role: those that are brought along, else one in each zone of its pools. */
function subnetsOf(input: PlatformInput, role: Role, pools: readonly Pool[]): readonly SubnetSpec[] {
  const known = factsOf(input.facts).subnets ?? [];
  const brought = broughtSubnets(ibmcloudOf(input.config), role).map((name) => ({
    name,
    zone: known.find((subnet) => subnet.name === name)?.zone ?? "",
  }));
  const made = pools.flatMap((pool) =>
    pool.zones.map((zone) => ({ name: subnetOf(input.identity.infraID, pool, zone), zone: zone.name })),
  );
  return eachOnce(brought.length > 0 ? brought : made);
}

const eachOnce = (subnets: readonly SubnetSpec[]): readonly SubnetSpec[] =>
  subnets.filter((subnet, i) => subnets.findIndex(({ name }) => name === subnet.name) === i);

function cluster(input: InfrastructureInput): Rendering {
  const { config, identity, namespace } = input;
  const { infraID } = identity;
  const { controlPlane, compute } = poolsOf(input);
  const controlPlaneSubnets = subnetsOf(input, "master", [controlPlane]);
  const workerSubnets = subnetsOf(input, "worker", compute);
  const names = eachOnce([...controlPlaneSubnets, ...workerSubnets]).map(({ name }) => name);
  return {
    template: "infrastructure-manifests/ibmcloud/40_infrastructure-cluster.yaml",
    path: "40_infrastructure-cluster.yaml",
    view: {
      name: infraID,
      namespace,
      apiHost: `api.${clusterDomain(config)}`,
      image: {
        bucket: imageBucket(infraID),
        instance: storageInstance(infraID),
        name: imageName(infraID),
        object: factsOf(input.facts).image ?? "",
      },
      region: ibmcloudOf(config).region,
      resourceGroup: resourceGroupName(config, infraID),
      networkResourceGroup: networkResourceGroupName(config, infraID),
      vpc: vpcName(config, infraID),
      controlPlaneSubnets,
      workerSubnets,
      loadBalancers: loadBalancers(
        input,
        controlPlaneSubnets.map(({ name }) => name),
      ),
      securityGroups: securityGroupSpecs(infraID, names, isPrivate(config)),
    },
  };
}

/** The API behind a private load balancer, beside the configs of machines; a published cluster has a public one too. */
function loadBalancers({ config, identity }: PlatformInput, subnets: readonly string[]): JsonObject[] {
  const { infraID } = identity;
  const of = (name: string, open: boolean, pools: readonly BackendPool[]): JsonObject => ({
    name,
    public: open,
    additionalListeners: pools.map((pool) => ({
      defaultPoolName: pool.name,
      port: pool.port,
      protocol: "tcp",
      selector: {},
    })),
    backendPools: pools.map((pool) => ({
      name: pool.name,
      algorithm: "round_robin",
      protocol: "tcp",
      healthMonitor: { delay: 60, retries: 5, timeout: 30, type: pool.check, urlPath: "/readyz" },
    })),
    securityGroups: [{ name: `${infraID}-sg-kube-api-lb` }],
    subnets: subnets.map((subnet) => ({ name: subnet })),
  });
  return poolsByLoadBalancer(infraID, isPrivate(config)).map(({ name, open, pools }) =>
    of(name, open, pools),
  );
}

interface BackendPool {
  readonly name: string;
  readonly port: number;
  readonly check: "https" | "tcp";
}

interface LoadBalancer {
  readonly name: string;
  readonly open: boolean;
  readonly pools: readonly BackendPool[];
}

function poolsByLoadBalancer(infraID: string, closed: boolean): readonly LoadBalancer[] {
  const inner = privateLoadBalancer(infraID);
  const outer = publicLoadBalancer(infraID);
  return [
    {
      name: inner,
      open: false,
      pools: [
        { name: inner, port: API_PORT, check: "https" },
        { name: machineConfigPool(infraID), port: MACHINE_CONFIG_PORT, check: "tcp" },
      ],
    },
    ...(closed
      ? []
      : [{ name: outer, open: true, pools: [{ name: outer, port: API_PORT, check: "https" } as const] }]),
  ];
}

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

/** What distinguishes the machines of the control plane among each other: a zone, and the dedicated host in it. */
interface TemplateZone {
  /** What the template's name and its file end in; empty for the first, which the control plane refers to. */
  readonly suffix: string;
  readonly zone: PoolZone;
}

/** True for zones whose machines come from one template. */
export const sharesTemplate = (a: PoolZone, b: PoolZone): boolean =>
  a.name === b.name && a.host?.name === b.host?.name && a.host?.profile === b.host?.profile;

/** The zones of the control plane's machines; the second of one name, on another host, is told apart by its number. */
export const templateZones = ({ zones }: Pool): readonly TemplateZone[] =>
  zones
    .filter((zone, i) => zones.findIndex((other) => sharesTemplate(other, zone)) === i)
    .map((zone, i, all) => {
      const taken = all.findIndex(({ name }) => name === zone.name) < i;
      return { zone, suffix: i === 0 ? "" : taken ? `-${zone.name}-${i}` : `-${zone.name}` };
    });

/** A zone, its subnet and its host have to be in a template, so that there is one for each zone. */
function machineTemplates(input: InfrastructureInput): Rendering[] {
  const { config, identity, facts, namespace } = input;
  const { infraID } = identity;
  const { controlPlane: pool } = poolsOf(input);
  const key = config.sshKey?.trim() ?? "";
  const common: View = {
    infraID,
    namespace,
    encryptionKey: pool.encryptionKey === "" ? undefined : pool.encryptionKey,
    image: imageName(infraID),
    members: poolsByLoadBalancer(infraID, isPrivate(config)).flatMap((balancer) =>
      balancer.pools.map(({ name, port }) => ({ loadBalancer: balancer.name, pool: name, port })),
    ),
    securityGroups: securityGroups(infraID, "master"),
    profile: pool.profile,
    sshKey: factsOf(facts).sshKeys?.find(({ publicKey }) => publicKey.trim() === key)?.id,
  };
  return templateZones(pool).map(({ suffix, zone }) => ({
    template: "infrastructure-manifests/ibmcloud/50_machine-template.yaml",
    path: `50_machine-template${suffix}.yaml`,
    view: {
      ...common,
      name: `${machineTemplateName(infraID)}${suffix}`,
      dedicatedHost: hostOf(infraID, pool, zone),
      subnet: subnetOf(infraID, pool, zone),
      zone: zone.name,
    },
  }));
}
