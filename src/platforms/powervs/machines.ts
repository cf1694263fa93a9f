/** Machine API machines, control plane machine set and machine sets of powervs (openshift/installer pkg/asset/machines/powervs). */
import type { JsonObject } from "../../core/json.js";
import type { View } from "../../text/render.js";
import { controlPlaneMachineSet, controlPlaneMachines, machineSets } from "../machine-api.js";
import type { PlatformInput, Rendering } from "../platform.js";
import { isPrivate, powervsOf } from "./config.js";
import {
  imageName,
  networkPattern,
  privateLoadBalancer,
  publicLoadBalancer,
  sshKeyName,
  workspaceName,
} from "./names.js";
import { type Pool, poolsOf } from "./pools.js";

/** A pool is in one zone, that of the platform. */
const inZone = (pool: Pool): Pool & { readonly zones: readonly undefined[] } => ({
  ...pool,
  zones: [undefined],
});

export function machines(input: PlatformInput): readonly Rendering[] {
  const pools = poolsOf(input);
  const { infraID } = input.identity;
  const controlPlane = inZone(pools.controlPlane);
  const view = (): View => ({ provider: controlPlaneSpec(input, controlPlane) });
  return [
    ...controlPlaneMachines(
      input,
      "openshift/powervs/99_openshift-cluster-api_master-machines.yaml",
      controlPlane,
      view,
    ),
    ...controlPlaneMachineSet(
      input,
      "openshift/powervs/99_openshift-machine-api_master-control-plane-machine-set.yaml",
      controlPlane,
      view,
    ),
    ...machineSets(
      input,
      "openshift/powervs/99_openshift-cluster-api_worker-machineset.yaml",
      pools.compute.map(inZone),
      (pool) => ({
        name: `${infraID}-${pool.name}`,
        provider: providerSpec(input, pool, "worker", imageName(infraID)),
      }),
    ),
  ];
}

/** Machines of the control plane are behind the load balancers, and boot from an image of the user's where there is one. */
function controlPlaneSpec(input: PlatformInput, pool: Pool): View {
  const { config, identity } = input;
  const { infraID } = identity;
  const balancers = [
    privateLoadBalancer(infraID),
    ...(isPrivate(config) ? [] : [publicLoadBalancer(infraID)]),
  ];
  return {
    ...providerSpec(input, pool, "master", powervsOf(config).clusterOSImage || imageName(infraID)),
    loadBalancers: balancers.map((name) => ({ name, type: "Application" })),
  };
}

function providerSpec(
  { config, identity }: PlatformInput,
  pool: Pool,
  role: "master" | "worker",
  image: string,
): View {
  const { infraID } = identity;
  const { serviceInstanceGUID = "" } = powervsOf(config);
  const workspace: JsonObject =
    serviceInstanceGUID === ""
      ? { name: workspaceName(infraID), type: "Name" }
      : { id: serviceInstanceGUID, type: "ID" };
  return {
    image,
    keyPair: sshKeyName(infraID),
    memoryGiB: pool.memoryGiB,
    network: networkPattern(infraID),
    processorType: pool.processorType,
    processors: pool.processors,
    systemType: pool.systemType === "" ? undefined : pool.systemType,
    userDataSecret: `${role}-user-data`,
    workspace,
  };
}
