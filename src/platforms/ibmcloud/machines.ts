/** Machine API machines and machine sets of ibmcloud (openshift/installer pkg/asset/machines/ibmcloud). */
import type { View } from "../../text/render.js";
import { controlPlaneMachines, machineSets } from "../machine-api.js";
import type { PlatformInput, Rendering } from "../platform.js";
import { ibmcloudOf } from "./config.js";
import {
  dedicatedHostName,
  imageName,
  resourceGroupName,
  securityGroups,
  subnetName,
  vpcName,
} from "./names.js";
import { type Pool, type PoolZone, poolsOf } from "./pools.js";

/** Every machine object in `openshift/`; the platform has no control plane machine set. */
export function machines(input: PlatformInput): readonly Rendering[] {
  const { controlPlane, compute } = poolsOf(input);
  return [
    ...controlPlaneMachines(
      input,
      "openshift/ibmcloud/99_openshift-cluster-api_master-machines.yaml",
      controlPlane,
      (zone) => ({ provider: providerSpec(input, controlPlane, zone) }),
    ),
    ...machineSets(
      input,
      "openshift/ibmcloud/99_openshift-cluster-api_worker-machineset.yaml",
      compute,
      (pool, zone) => ({
        name: setName(input, pool, zone),
        provider: providerSpec(input, pool, zone),
      }),
    ),
  ];
}

/** The name of the machine set of a pool in a zone. */
export const setName = ({ config, identity }: PlatformInput, pool: Pool, zone: PoolZone): string =>
  `${identity.infraID}-${pool.name}-${withoutPrefix(zone.name, `${ibmcloudOf(config).region}-`)}`;

const withoutPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

export const subnetOf = (infraID: string, { role }: Pool, zone: PoolZone): string =>
  zone.subnet ?? subnetName(infraID, role, zone.name);

/** The dedicated host of a zone by its name, that of one to be made included; undefined without one. */
export const hostOf = (infraID: string, { role }: Pool, { host, name }: PoolZone): string | undefined =>
  host === undefined ? undefined : host.name || dedicatedHostName(infraID, role, name);

function providerSpec({ config, identity }: PlatformInput, pool: Pool, zone: PoolZone): View {
  const { infraID } = identity;
  const section = ibmcloudOf(config);
  return {
    dedicatedHost: hostOf(infraID, pool, zone),
    encryptionKey: pool.encryptionKey,
    image: imageName(infraID),
    networkResourceGroup: section.networkResourceGroupName || undefined,
    profile: pool.profile,
    region: section.region,
    resourceGroup: resourceGroupName(config, infraID),
    securityGroups: securityGroups(infraID, pool.role),
    subnet: subnetOf(infraID, pool, zone),
    userDataSecret: `${pool.role}-user-data`,
    vpc: vpcName(config, infraID),
    zone: zone.name,
  };
}
