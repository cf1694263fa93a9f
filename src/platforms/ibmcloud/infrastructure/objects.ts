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
import { existingSubnets, ibmcloudOf, isPrivate, type Role } from "../config.js";
import { factsOf, NEEDS } from "../facts.js";
import { subnetOf } from "../machines.js";
import {
  imageBucket,
  imageName,
  networkResourceGroupName,
  resourceGroupName,
  storageInstance,
  vpcName,
} from "../names.js";
import { type Pool, poolsOf } from "../pools.js";
import { loadBalancers } from "./load-balancers.js";
import { API_VERSION, machineTemplateName, machineTemplates } from "./machine-templates.js";
import { checkInfrastructure } from "./rules.js";
import { securityGroupSpecs } from "./security-groups.js";

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
  const existing = existingSubnets(ibmcloudOf(input.config), role).map((name) => ({
    name,
    zone: known.find((subnet) => subnet.name === name)?.zone ?? "",
  }));
  const made = pools.flatMap((pool) =>
    pool.zones.map((zone) => ({ name: subnetOf(input.identity.infraID, pool, zone), zone: zone.name })),
  );
  return eachOnce(existing.length > 0 ? existing : made);
}

const eachOnce = (subnets: readonly SubnetSpec[]): readonly SubnetSpec[] =>
  subnets.filter((subnet, i) => subnets.findIndex(({ name }) => name === subnet.name) === i);

const cluster = (input: InfrastructureInput): Rendering => ({
  template: "infrastructure-manifests/ibmcloud/40_infrastructure-cluster.yaml",
  path: "40_infrastructure-cluster.yaml",
  view: { ...clusterSpec(input), name: input.identity.infraID, namespace: input.namespace },
});

/** The spec of the IBMVPCCluster. */
export function clusterSpec(input: PlatformInput): View {
  const { config, identity } = input;
  const { infraID } = identity;
  const { controlPlane, compute } = poolsOf(input);
  const controlPlaneSubnets = subnetsOf(input, "master", [controlPlane]);
  const workerSubnets = subnetsOf(input, "worker", compute);
  const names = eachOnce([...controlPlaneSubnets, ...workerSubnets]).map(({ name }) => name);
  return {
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
    securityGroups: securityGroupSpecs(input.release, infraID, names, isPrivate(config)),
  };
}
