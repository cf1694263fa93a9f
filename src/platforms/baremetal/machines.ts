/**
 * Machines of the control plane and arbiters, compute machine sets, and the hosts that they run on (openshift/installer
 * pkg/asset/machines/baremetal). There is no control plane machine set.
 */

import { machineView, padded } from "../machine-api.js";
import { OS_IMAGE_STREAMS, osImageStreamOf } from "../os-stream.js";
import type { PlatformInput, Rendering } from "../platform.js";
import { keepsMachines } from "./config.js";
import { hostObjects } from "./hosts.js";
import { has } from "./tables.js";

export function machines(input: PlatformInput): readonly Rendering[] {
  const { config, identity, release } = input;
  if (!keepsMachines(config)) return [];
  const { arbiter, compute, controlPlane } = config;
  const provider = (role: string) => ({
    otherStreams: has(release, "hostStreams")
      ? OS_IMAGE_STREAMS.filter((each) => each !== osImageStreamOf(input))
      : undefined,
    userDataSecret: `${role}-user-data-managed`,
  });
  const machinesOf = (role: "master" | "arbiter", count: number): Rendering[] =>
    Array.from({ length: count }, (_, index) => ({
      template: "openshift/baremetal/99_openshift-cluster-api_machines.yaml",
      path: `openshift/99_openshift-cluster-api_${role}-machines-${padded(index, count)}.yaml`,
      view: {
        ...machineView(input),
        name: `${identity.infraID}-${role}-${index}`,
        role,
        provider: provider(role),
      },
    }));
  return [
    ...hostObjects(input),
    ...machinesOf("master", controlPlane.replicas),
    ...machinesOf("arbiter", has(release, "arbiterHosts") ? (arbiter?.replicas ?? 0) : 0),
    ...compute.map((pool, index) => ({
      template: "openshift/baremetal/99_openshift-cluster-api_worker-machineset.yaml" as const,
      path: `openshift/99_openshift-cluster-api_worker-machineset-${padded(index, compute.length)}.yaml`,
      view: {
        ...machineView(input),
        name: `${identity.infraID}-${pool.name}-0`,
        replicas: pool.replicas,
        provider: provider("worker"),
      },
    })),
  ];
}
