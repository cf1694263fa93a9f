/**
 * Compute pools that Cluster API manages: a machine template and a machine set for each zone
 * (docs/reference/install-config-and-manifests.md §3.7; openshift/installer pkg/asset/machines/aws/clusterapi_machinesets.go, from 5.0 on).
 */
import { machineView, spread } from "../../machine-api.js";
import type { PlatformInput, Rendering } from "../../platform.js";
import { EDGE } from "../config.js";
import { securityGroup, subnetName } from "../names.js";
import { machineSettings } from "./machine-settings.js";
import { edgeLabels, type Pool } from "./pools.js";

export function clusterApiMachines(input: PlatformInput, pools: readonly Pool[]): Rendering[] {
  const { infraID } = input.identity;
  return spread(pools).flatMap(({ pool, zone, replicas, number }): Rendering[] => {
    const name = `${infraID}-${pool.name}-${zone.name}`;
    return [
      {
        template: "openshift/aws/99_openshift-cluster-api_worker-machinetemplate.yaml",
        path: `openshift/99_openshift-cluster-api_worker-machinetemplate-${number}.yaml`,
        view: {
          infraID,
          name,
          securityGroupNames: [securityGroup(infraID, "node"), securityGroup(infraID, "lb")],
          securityGroupIDs: pool.securityGroupIDs,
          hostID: zone.hostID,
          publicIP: zone.subnet?.public ?? false,
          subnetID: zone.subnet?.id,
          subnetName: subnetName(infraID, zone.name, false),
          machine: machineSettings(input, pool, "worker", zone.instanceType),
        },
      },
      {
        template: "openshift/aws/99_openshift-cluster-api_worker-capi-machineset.yaml",
        path: `openshift/99_openshift-cluster-api_worker-capi-machineset-${number}.yaml`,
        view: {
          ...machineView(input),
          name,
          replicas,
          zone: zone.name,
          edge: pool.name === EDGE ? edgeLabels(zone) : undefined,
        },
      },
    ];
  });
}
