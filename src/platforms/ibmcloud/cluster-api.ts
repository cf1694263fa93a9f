/**
 * The objects of cluster-api/ on ibmcloud (openshift/installer pkg/asset/manifests/ibmcloud/cluster.go,
 * pkg/asset/machines/ibmcloud/capimachines.go). The bootstrap machine is like the first one of the control plane, with a
 * security group more.
 */
import { gateEnabled } from "../enabled-gates.js";
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, PlatformInput, Rendering } from "../platform.js";
import { isPrivate } from "./config.js";
import { factsOf } from "./facts.js";
import { machineSpec, membersOf } from "./infrastructure/machine-templates.js";
import { clusterSpec } from "./infrastructure/objects.js";
import { securityGroups } from "./names.js";
import { poolsOf } from "./pools.js";
import { has } from "./tables.js";

const CLUSTER_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";
/** The installer names the older version in references to machines. */
const MACHINE = { apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1", kind: "IBMVPCMachine" };

export function clusterApi(input: PlatformInput): InstallerClusterApi | undefined {
  const { config, identity, facts, release } = input;
  const byGate =
    gateEnabled(release, config, "ClusterAPIInstall") ||
    gateEnabled(release, config, "ClusterAPIInstallIBMCloud");
  if (!has(release, "clusterApi") && !byGate) return undefined;
  const { infraID } = identity;
  return {
    clusters: [{ apiVersion: CLUSTER_VERSION, kind: "IBMVPCCluster", name: infraID }],
    objects: [
      {
        template: "cluster-api/ibmcloud/01_ibmcloud-cluster.yaml",
        path: "cluster-api/01_ibmcloud-cluster.yaml",
        view: { ...clusterSpec(input), name: infraID, namespace: INSTALLER_NAMESPACE },
      },
    ],
    machines: machines(input),
    lacking:
      factsOf(facts).image === undefined
        ? [
            {
              what: "the boot image",
              hint: "specify --coreos-stream FILE, or add cloud-facts ibmcloud.image (--facts FILE)",
            },
          ]
        : [],
  };
}

function machines(input: PlatformInput): Rendering[] {
  const { infraID } = input.identity;
  const pool = poolsOf(input).controlPlane;
  const names = controlPlaneNames(infraID, pool);
  const [first = ""] = names;
  return [
    ...names.flatMap((name, index) => machine(input, { name, instance: name, index, role: "master" })),
    ...machine(input, { name: bootstrapName(infraID), instance: first, index: 0, role: "bootstrap" }),
  ];
}

interface Machine {
  readonly name: string;
  /** Name of the instance: the bootstrap machine's is that of the machine that it is like. */
  readonly instance: string;
  readonly index: number;
  readonly role: "master" | "bootstrap";
}

function machine(input: PlatformInput, { name, instance, index, role }: Machine): Rendering[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const pool = poolsOf(input).controlPlane;
  const zone = pool.zones[index % Math.max(pool.zones.length, 1)];
  if (zone === undefined) return [];
  const namespace = role === "master" ? INSTALLER_NAMESPACE : undefined;
  const labels = controlPlaneLabels(input);
  return [
    {
      template: "cluster-api/ibmcloud/10_inframachine.yaml",
      path: machinePath(name),
      view: {
        ...machineSpec(input, pool, zone),
        name,
        instance,
        namespace,
        labels,
        members: membersOf(infraID, isPrivate(config)),
        securityGroups: [
          ...securityGroups(infraID, pool.role),
          ...(role === "bootstrap" ? [`${infraID}-security-group-bootstrap`] : []),
        ],
      },
    },
    machineObject({
      name,
      labels,
      namespace,
      clusterName: infraID,
      dataSecretName: `${infraID}-${role}`,
      infrastructure: MACHINE,
    }),
  ];
}
