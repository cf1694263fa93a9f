/**
 * The objects of cluster-api/ on powervs (openshift/installer pkg/asset/manifests/powervs/cluster.go,
 * pkg/asset/machines/powervs/powervsmachines.go). All machines are alike.
 */
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, PlatformInput, Rendering } from "../platform.js";
import { powervsOf } from "./config.js";
import { factsOf } from "./facts.js";
import { clusterSpec, imageSpec, machineSpec } from "./infrastructure/objects.js";
import { imageName } from "./names.js";
import { poolsOf } from "./pools.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";
const MACHINE = { apiVersion: API_VERSION, kind: "IBMPowerVSMachine" };
const BOOTSTRAP_LABEL = { "install.openshift.io/bootstrap": "" };

export function clusterApi(input: PlatformInput): InstallerClusterApi {
  const { config, facts, identity } = input;
  const { infraID } = identity;
  const pool = poolsOf(input).controlPlane;
  const hasImage = (powervsOf(config).clusterOSImage ?? "") !== "" || factsOf(facts).image !== undefined;
  return {
    clusters: [{ apiVersion: API_VERSION, kind: "IBMPowerVSCluster", name: infraID }],
    objects: [
      {
        template: "cluster-api/powervs/02_powervs-cluster.yaml",
        path: "cluster-api/02_powervs-cluster.yaml",
        view: { ...clusterSpec(input), name: infraID, namespace: INSTALLER_NAMESPACE },
      },
      {
        template: "cluster-api/powervs/03_powervs-image.yaml",
        path: "cluster-api/03_powervs-image.yaml",
        view: { ...imageSpec(input), name: imageName(infraID), namespace: INSTALLER_NAMESPACE },
      },
    ],
    machines: [
      ...controlPlaneNames(infraID, pool).flatMap((name) => machine(input, name, "master")),
      ...machine(input, bootstrapName(infraID), "bootstrap"),
    ],
    lacking: hasImage
      ? []
      : [
          {
            what: "the boot image",
            hint: "specify --coreos-stream FILE, or set platform.powervs.clusterOSImage",
          },
        ],
  };
}

function machine(input: PlatformInput, name: string, role: "master" | "bootstrap"): Rendering[] {
  const { infraID } = input.identity;
  const labels = { ...controlPlaneLabels(input), ...(role === "bootstrap" ? BOOTSTRAP_LABEL : {}) };
  return [
    {
      template: "cluster-api/powervs/10_inframachine.yaml",
      path: machinePath(name),
      view: {
        ...machineSpec(input, poolsOf(input).controlPlane),
        name,
        namespace: INSTALLER_NAMESPACE,
        labels,
      },
    },
    machineObject({
      name,
      labels,
      clusterName: infraID,
      dataSecretName: `${infraID}-${role}`,
      infrastructure: MACHINE,
    }),
  ];
}
