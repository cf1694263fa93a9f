/**
 * The objects of cluster-api/ on nutanix (openshift/installer pkg/asset/manifests/nutanix/cluster.go,
 * pkg/asset/machines/nutanix/capimachines.go). Each machine says its cluster and subnets; the bootstrap machine boots from an
 * image with its config, and has four cores.
 */
import { isDnsLabel } from "../../kubernetes/names.js";
import type { View } from "../../text/render.js";
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  invalidNames,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, PlatformInput, Rendering } from "../platform.js";
import { has, type NutanixFailureDomain, nutanixOf, prismCentral } from "./config.js";
import { loginText, machineSpec } from "./infrastructure.js";
import { placeOf } from "./machines.js";
import { CREDENTIALS_SECRET } from "./manifests.js";
import { poolsOf } from "./pools.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
const MACHINE = { apiVersion: API_VERSION, kind: "NutanixMachine" };
const BOOTSTRAP_IMAGE = "bootstrap-ign.iso";

export function clusterApi(input: PlatformInput): InstallerClusterApi {
  const { config, identity, release } = input;
  const { infraID } = identity;
  const bundle = config.additionalTrustBundle ?? "";
  const domains = nutanixOf(config).failureDomains ?? [];
  const asObjects = has(release, "failureDomainObjects");
  return {
    clusters: [{ apiVersion: API_VERSION, kind: "NutanixCluster", name: infraID }],
    objects: [
      {
        template: "cluster-api/nutanix/01_nutanix-cluster.yaml",
        path: "cluster-api/01_nutanix-cluster.yaml",
        view: {
          name: infraID,
          namespace: INSTALLER_NAMESPACE,
          host: `api.${config.metadata.name}.${config.baseDomain}`,
          prismCentral: { ...prismCentral(nutanixOf(config)) },
          credentials: CREDENTIALS_SECRET,
          trustBundle: bundle === "" ? undefined : { data: bundle, kind: "String", name: "", namespace: "" },
          controlPlaneFailureDomains:
            asObjects && domains.length > 0 ? domains.map(({ name = "" }) => ({ name })) : undefined,
          failureDomains: asObjects
            ? undefined
            : domains.map((domain) => {
                const { cluster, subnets } = placeOf(input, domain);
                return { cluster, name: domain.name ?? "", subnets };
              }),
        },
      },
      {
        template: "cluster-api/nutanix/01_nutanix-creds.yaml",
        path: "cluster-api/01_nutanix-creds.yaml",
        secret: true,
        view: { name: CREDENTIALS_SECRET, namespace: INSTALLER_NAMESPACE, credentials: loginText(input) },
      },
      ...(asObjects ? domains.map((domain) => failureDomain(input, domain, domain === domains.at(-1))) : []),
    ],
    machines: machines(input),
    lacking: asObjects ? invalidNames(domains, isDnsLabel) : [],
  };
}

/** The installer writes all of them to one file, of which the last one stays; the others get files of their own. */
function failureDomain(input: PlatformInput, domain: NutanixFailureDomain, isLast: boolean): Rendering {
  const { name = "" } = domain;
  const { cluster: prismElementCluster, subnets } = placeOf(input, domain);
  return {
    template: "cluster-api/nutanix/01_nutanix-failureDomain.yaml",
    path: `cluster-api/01_nutanix-failureDomain${isLast ? "" : `-${name}`}.yaml`,
    view: { name, namespace: INSTALLER_NAMESPACE, prismElementCluster, subnets },
  };
}

function machines(input: PlatformInput): Rendering[] {
  const { infraID } = input.identity;
  const pool = poolsOf(input).controlPlane;
  const { failureDomains } = pool;
  const specOf = (index: number): View =>
    machineSpec(input, pool, placeOf(input, failureDomains[index % Math.max(failureDomains.length, 1)]));
  const name = bootstrapName(infraID);
  return [
    ...controlPlaneNames(infraID, pool).flatMap((each, index) =>
      machine(input, each, { ...specOf(index), labels: controlPlaneLabels(input) }),
    ),
    ...machine(input, name, {
      ...specOf(0),
      labels: { ...controlPlaneLabels(input), "install.openshift.io/bootstrap": "" },
      bootstrapImage: `${infraID}-${BOOTSTRAP_IMAGE}`,
      vcpuSockets: 1,
      vcpusPerSocket: 4,
    }),
  ];
}

const machine = (input: PlatformInput, name: string, spec: View): Rendering[] => [
  {
    template: "cluster-api/nutanix/10_inframachine.yaml",
    path: machinePath(name),
    view: { ...spec, name, namespace: INSTALLER_NAMESPACE },
  },
  machineObject({
    name,
    labels: controlPlaneLabels(input),
    namespace: INSTALLER_NAMESPACE,
    clusterName: input.identity.infraID,
    dataSecretName: name,
    infrastructure: MACHINE,
  }),
];
