/** Machine API machines, control plane machine set and machine sets (openshift/installer pkg/asset/machines/openstack). */
import type { JsonObject } from "../../core/json.js";
import type { View } from "../../text/render.js";
import { controlPlaneMachineSet, controlPlaneMachines, machineSets } from "../machine-api.js";
import type { PlatformInput, Rendering } from "../platform.js";
import { clusterTag, existingSubnets, given, imageName, isIPv6Alone, openstackOf } from "./config.js";
import { networkOfPort } from "./facts.js";
import { type FailureDomain, type Pool, poolOf, serverGroup } from "./pools.js";

/** Every machine object in `openshift/`. */
export function machines(input: PlatformInput): readonly Rendering[] {
  const { config, identity } = input;
  const pool = poolOf(config, config.controlPlane);
  const compute = config.compute.map((each) => poolOf(config, each));
  const [first] = pool.zones;
  const isSpread =
    pool.zones.length > 1 ||
    (first !== undefined && [first.zone, first.volume?.zone, first.volume?.type].some((each) => each));
  return [
    ...controlPlaneMachines(
      input,
      "openshift/openstack/99_openshift-cluster-api_master-machines.yaml",
      pool,
      (domain) => ({ provider: providerSpec(input, pool, "master", domain) }),
    ),
    ...controlPlaneMachineSet(
      input,
      "openshift/openstack/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      pool,
      () => ({
        failureDomains: isSpread ? pool.zones.map(domainView) : undefined,
        provider: providerSpec(input, pool, "master", NOWHERE),
      }),
    ),
    ...machineSets(
      input,
      "openshift/openstack/99_openshift-cluster-api_worker-machineset.yaml",
      compute,
      (set, domain) => ({
        name: `${identity.infraID}-${set.name}-${set.zones.indexOf(domain)}`,
        provider: providerSpec(input, set, "worker", domain),
      }),
    ),
  ];
}

/** The set's machines get zones from its failure domains. */
const NOWHERE: FailureDomain = { zone: "", volume: { zone: "", type: "" } };

const domainView = ({ zone, volume }: FailureDomain): JsonObject => ({
  ...given({ availabilityZone: zone }),
  ...(volume === undefined
    ? {}
    : { rootVolume: { ...given({ availabilityZone: volume.zone }), volumeType: volume.type } }),
});

/** View of templates/openshift/openstack/_provider-spec. */
function providerSpec(
  input: PlatformInput,
  pool: Pool,
  role: "master" | "worker",
  domain: FailureDomain,
): View {
  const { config, identity } = input;
  const { infraID } = identity;
  const openstack = openstackOf(config);
  const image = imageName(openstack, infraID);
  const subnets = existingSubnets(openstack);
  const tag = clusterTag(infraID);
  const { zone = "", type = "" } = domain.volume ?? {};
  return {
    zone: domain.zone === "" ? undefined : domain.zone,
    configDrive: isIPv6Alone(config),
    flavor: pool.flavor,
    image: pool.volumeSize === undefined ? image : "",
    network:
      subnets.length === 0
        ? { filter: {}, subnets: [{ tags: tag }] }
        : {
            filter: given({
              id: networkOfPort(input) ?? "",
              name: openstack.controlPlanePort?.network?.name ?? "",
            }),
            subnets: subnets.map(given),
          },
    furtherNetworks: pool.networks,
    primarySubnet: subnets[0]?.id || undefined,
    rootVolume:
      pool.volumeSize === undefined
        ? undefined
        : {
            ...given({ availabilityZone: zone }),
            ...(pool.volumeSize === 0 ? {} : { diskSize: pool.volumeSize }),
            sourceUUID: image,
            ...given({ volumeType: type }),
          },
    securityGroup: `${infraID}-${role}`,
    furtherGroups: pool.securityGroups,
    serverGroup: serverGroup(infraID, role, domain),
    tag,
    clusterID: infraID,
    userDataSecret: `${role}-user-data`,
  };
}
