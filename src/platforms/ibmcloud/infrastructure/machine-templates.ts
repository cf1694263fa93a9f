/**
 * The machine templates of the control plane: a zone, its subnet and its dedicated host stand in a template, so that
 * there is one for each zone (openshift/installer pkg/asset/machines/ibmcloud/capimachines.go).
 */
import type { View } from "../../../text/render.js";
import type { InfrastructureInput, Rendering } from "../../platform.js";
import { isPrivate } from "../config.js";
import { factsOf } from "../facts.js";
import { hostOf, subnetOf } from "../machines.js";
import { imageName, securityGroups } from "../names.js";
import { type Pool, type PoolZone, poolsOf } from "../pools.js";
import { poolsByLoadBalancer } from "./load-balancers.js";

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
