/**
 * The objects of cluster-api/ on gcp (openshift/installer pkg/asset/manifests/gcp/cluster.go,
 * pkg/asset/machines/gcp/gcpmachines.go). The bootstrap machine alone may have a public address, and is in no named zone.
 */
import type { JsonObject } from "../../core/json.js";
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, PlatformInput, Rendering } from "../platform.js";
import { clusterSpec, machineSpec } from "./infrastructure.js";
import { poolsOf } from "./pools.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
const MACHINE = { apiVersion: API_VERSION, kind: "GCPMachine" };

export function clusterApi(input: PlatformInput): InstallerClusterApi {
  const { infraID } = input.identity;
  const pool = poolsOf(input).controlPlane;
  return {
    clusters: [{ apiVersion: API_VERSION, kind: "GCPCluster", name: infraID }],
    objects: [
      {
        template: "cluster-api/gcp/02_gcp-cluster.yaml",
        path: "cluster-api/02_gcp-cluster.yaml",
        view: { ...clusterSpec(input), name: infraID, namespace: INSTALLER_NAMESPACE },
      },
    ],
    machines: [
      ...controlPlaneNames(infraID, pool).flatMap((name, index) =>
        machine(input, { name, role: "master", failureDomain: pool.zones[index % pool.zones.length] }),
      ),
      ...machine(input, {
        name: bootstrapName(infraID),
        role: "bootstrap",
        labels: { "install.openshift.io/bootstrap": "" },
        publicIP: input.config.publish === "External",
      }),
    ],
  };
}

interface Machine {
  readonly name: string;
  readonly role: "master" | "bootstrap";
  readonly labels?: JsonObject;
  readonly failureDomain?: string | undefined;
  readonly publicIP?: boolean;
}

function machine(
  input: PlatformInput,
  { name, role, labels = {}, failureDomain, publicIP }: Machine,
): Rendering[] {
  const { infraID } = input.identity;
  return [
    {
      template: "cluster-api/gcp/10_inframachine.yaml",
      path: machinePath(name),
      view: {
        ...machineSpec(input, poolsOf(input).controlPlane, "master"),
        name,
        machineLabels: { ...controlPlaneLabels(input), ...labels },
        publicIP,
      },
    },
    machineObject({
      name,
      labels: controlPlaneLabels(input),
      clusterName: infraID,
      dataSecretName: `${infraID}-${role}`,
      failureDomain,
      infrastructure: MACHINE,
    }),
  ];
}
