/** Cluster API objects of aws (docs/reference/cluster-api.md §5.1, §7). */
import type { View } from "../../../text/render.js";
import type {
  InfrastructureInput,
  PlatformInfrastructure,
  PlatformInput,
  Rendering,
  RuleContext,
} from "../../platform.js";
import { awsOf, hasRoles, isDualStack, publishesExternally, subnetsWithRole } from "../config.js";
import { credentialObjects, identityRef } from "../credential-objects.js";
import { awsFactsOf } from "../facts/view.js";
import { tagMap } from "../machines/machine-settings.js";
import { externalLoadBalancer, ignitionBucket, internalLoadBalancer } from "../names.js";
import { has } from "../tables.js";
import {
  clusterRules,
  controlPlaneRules,
  externalLoadBalancerRules,
  internalLoadBalancerRules,
  ruleNetworks,
} from "./ingress-rules.js";
import { machineTemplate } from "./machine-template.js";
import { type Network, network } from "./network.js";
import { checkInfrastructure } from "./rules.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";

export function infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure {
  const { infraID } = input.identity;
  const net = network(input.config, infraID, awsFactsOf(input.facts), input.release);
  const template = machineTemplate(input);
  checkInfrastructure(input, net, context);
  return {
    cluster: { apiVersion: API_VERSION, kind: "AWSCluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "AWSMachineTemplate",
      name: template.name,
      placeholder: false,
    },
    objects: [...credentialObjects(input), cluster(input, net), template.rendering],
  };
}

function cluster(input: InfrastructureInput, net: Network): Rendering {
  const { identity, namespace } = input;
  return {
    template: "infrastructure-manifests/aws/40_infrastructure-cluster.yaml",
    path: "40_infrastructure-cluster.yaml",
    view: {
      ...clusterSpec(input, net),
      name: identity.infraID,
      namespace,
      identity: identityRef(input),
    },
  };
}

/** The spec of the AWSCluster, without the identity that it is created with. */
export function clusterSpec(input: PlatformInput, net: Network): View {
  const { config, identity, release } = input;
  const aws = awsOf(config);
  const external = publishesExternally(config);
  return {
    tags: tagMap(input),
    internal: loadBalancer(input, "internal"),
    external: external ? loadBalancer(input, "internet-facing") : undefined,
    controlPlaneRules: controlPlaneRules(config, release),
    clusterRules: clusterRules(config, release),
    nodePortBlocks: ruleNetworks(config, release),
    subnets: net.subnets,
    vpc: net.vpc,
    region: aws.region,
    bestEffortDelete: aws.bestEffortDeleteIgnition ?? false,
    bucket: ignitionBucket(identity.infraID),
  };
}

/** One of the two load balancers; with roles it stands in the subnets that have its role. */
function loadBalancer(input: PlatformInput, scheme: "internal" | "internet-facing"): View {
  const { config, identity, release } = input;
  const aws = awsOf(config);
  const internal = scheme === "internal";
  const role = internal ? "ControlPlaneInternalLB" : "ControlPlaneExternalLB";
  const subnets = hasRoles(aws) ? subnetsWithRole(aws, role) : [];
  const primary = isDualStack(aws) && aws.ipFamily === "DualStackIPv6Primary" ? "ipv6" : "ipv4";
  return {
    name: internal ? internalLoadBalancer(identity.infraID) : externalLoadBalancer(identity.infraID),
    scheme,
    ingressRules: internal ? internalLoadBalancerRules(config) : externalLoadBalancerRules(config),
    subnets: subnets.length > 0 ? subnets : undefined,
    targetGroupIPType: has(release, "targetGroupIPType") ? primary : undefined,
  };
}
