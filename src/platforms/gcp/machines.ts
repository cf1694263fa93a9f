/** Machine objects of gcp in openshift/ (openshift/installer pkg/asset/machines/gcp). */
import type { View } from "../../text/render.js";
import { controlPlaneMachineSet, controlPlaneMachines, machineSets } from "../machine-api.js";
import type { PlatformInput, Rendering } from "../platform.js";
import {
  gcpOf,
  networkName,
  networkTag,
  serviceAccount,
  subnetName,
  userLabels,
  userTags,
} from "./config.js";
import { type Pool, poolsOf } from "./pools.js";

export function machines(input: PlatformInput): readonly Rendering[] {
  const { controlPlane, compute } = poolsOf(input);
  return [
    ...controlPlaneMachines(
      input,
      "openshift/gcp/99_openshift-cluster-api_master-machines.yaml",
      controlPlane,
      (zone) => ({ provider: providerSpec(input, controlPlane, "master", zone) }),
    ),
    ...controlPlaneMachineSet(
      input,
      "openshift/gcp/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      controlPlane,
      () => ({
        zones: controlPlane.zones,
        provider: providerSpec(input, controlPlane, "master", ""),
      }),
    ),
    ...machineSets(
      input,
      "openshift/gcp/99_openshift-cluster-api_worker-machineset.yaml",
      compute,
      (pool, zone) => ({
        name: setName(input, pool, zone),
        provider: providerSpec(input, pool, "worker", zone),
      }),
    ),
  ];
}

/** The name of the machine set of a pool in a zone. */
export const setName = ({ config, identity }: PlatformInput, pool: Pool, zone: string): string =>
  `${identity.infraID}-${pool.name}-${withoutPrefix(zone, `${gcpOf(config).region}-`)}`;

const withoutPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

/** View of templates/openshift/gcp/_provider-spec; the zone is empty where failure domains name it. */
function providerSpec(
  { config, identity, release }: PlatformInput,
  pool: Pool,
  role: "master" | "worker",
  zone: string,
): View {
  const gcp = gcpOf(config);
  const { infraID } = identity;
  const { section } = pool;
  const labels = userLabels(gcp);
  const tags = userTags(gcp);
  const { kmsKey, kmsKeyServiceAccount } = section.osDisk?.encryptionKey ?? {};
  return {
    confidentialCompute: section.confidentialCompute,
    image: pool.image ?? "",
    labels,
    ownLabels: Object.keys(labels).length === 0 ? undefined : labels,
    diskSize: pool.diskSize,
    diskType: pool.diskType,
    key:
      kmsKey === undefined
        ? undefined
        : {
            name: kmsKey.name ?? "",
            keyRing: kmsKey.keyRing ?? "",
            projectID: kmsKey.projectID || undefined,
            location: kmsKey.location ?? "",
          },
    keyServiceAccount: kmsKeyServiceAccount,
    machineType: pool.machineType,
    network: networkName(gcp, infraID),
    networkProjectID: gcp.networkProjectID || undefined,
    subnetwork: subnetName(gcp, infraID, role),
    onHostMaintenance: section.onHostMaintenance,
    projectID: gcp.projectID === "" ? undefined : gcp.projectID,
    region: gcp.region,
    resourceManagerTags: tags.length === 0 ? undefined : tags.map((tag) => ({ ...tag })),
    serviceAccount: section.serviceAccount ?? serviceAccount(gcp, infraID, role, release),
    secureBoot: section.secureBoot === "Enabled" ? "Enabled" : undefined,
    tags: [...(section.tags ?? []), networkTag(infraID, role), ...(role === "master" ? [infraID] : [])],
    userDataSecret: `${role}-user-data`,
    zone,
  };
}
