/**
 * The machine templates of the control plane: a zone, its subnet and its dedicated host stand in a template, so that
 * there is one for each zone (openshift/installer pkg/asset/machines/ibmcloud/capimachines.go).
 */
import type { View } from "../../../text/render.js";
import { spread } from "../../machine-api.js";
import type {
  ComputeSet,
  InfrastructureInput,
  PlatformCompute,
  PlatformInput,
  Rendering,
} from "../../platform.js";
import { isPrivate } from "../config.js";
import { factsOf } from "../facts.js";
import { hostOf, setName, subnetOf } from "../machines.js";
import { imageName, securityGroups } from "../names.js";
import { type Pool, type PoolZone, poolsOf } from "../pools.js";
import { poolsByLoadBalancer } from "./load-balancers.js";

export const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

/** What distinguishes the machines of the control plane among each other: a zone, and the dedicated host in it. */
export interface TemplateZone {
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

export function machineTemplates(input: InfrastructureInput): Rendering[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const { controlPlane: pool } = poolsOf(input);
  return templateZones(pool).map(({ suffix, zone }) => ({
    template: "infrastructure-manifests/ibmcloud/50_machine-template.yaml",
    path: `50_machine-template${suffix}.yaml`,
    view: {
      ...machineView(input, pool, zone),
      name: `${machineTemplateName(infraID)}${suffix}`,
      members: membersOf(infraID, isPrivate(config)),
    },
  }));
}

/** The pools of load balancers that a machine of the control plane is a member of. */
export const membersOf = (infraID: string, internal: boolean): readonly View[] =>
  poolsByLoadBalancer(infraID, internal).flatMap((balancer) =>
    balancer.pools.map(({ name, port }) => ({ loadBalancer: balancer.name, pool: name, port })),
  );

const machineView = (input: InfrastructureInput, pool: Pool, zone: PoolZone): View => ({
  ...machineSpec(input, pool, zone),
  infraID: input.identity.infraID,
  namespace: input.namespace,
});

/** What a machine of a pool is like in a zone. */
export function machineSpec({ config, identity, facts }: PlatformInput, pool: Pool, zone: PoolZone): View {
  const { infraID } = identity;
  const key = config.sshKey?.trim() ?? "";
  return {
    encryptionKey: pool.encryptionKey === "" ? undefined : pool.encryptionKey,
    image: imageName(infraID),
    securityGroups: securityGroups(infraID, pool.role),
    profile: pool.profile,
    sshKey: factsOf(facts).sshKeys?.find(({ publicKey }) => publicKey.trim() === key)?.id,
    dedicatedHost: hostOf(infraID, pool, zone),
    subnet: subnetOf(infraID, pool, zone),
    zone: zone.name,
  };
}

/** Compute machines: a template for each zone, behind no load balancer of the API. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const sets = spread(poolsOf(input).compute).map(({ pool, zone, replicas }): ComputeSet => {
    const name = setName(input, pool, zone);
    return {
      pool: pool.name,
      name,
      replicas,
      template: {
        template: "infrastructure-manifests/ibmcloud/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: { ...machineView(input, pool, zone), name },
      },
    };
  });
  return { apiVersion: API_VERSION, kind: "IBMVPCMachineTemplate", sets, objects: [] };
}
