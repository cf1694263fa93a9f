/**
 * The objects of cluster-api/ on openstack (openshift/installer pkg/asset/manifests/openstack/cluster.go,
 * pkg/asset/machines/openstack/openstackmachines.go). Each machine has the volume of its own failure domain.
 */
import { base64 } from "../../core/base64.js";
import type { View } from "../../text/render.js";
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, LackingFact, PlatformInput, Rendering } from "../platform.js";
import { providerSecret } from "./clouds.js";
import { clusterTag, openstackOf } from "./config.js";
import { clusterView, identityRef, machineView, managedSubnet } from "./infrastructure.js";
import { type FailureDomain, poolOf } from "./pools.js";
import { has } from "./tables.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
const MACHINE = { apiVersion: API_VERSION, kind: "OpenStackMachine" };

export function clusterApi(input: PlatformInput): InstallerClusterApi {
  const { config, identity, credentials } = input;
  const { infraID } = identity;
  return {
    clusters: [{ apiVersion: API_VERSION, kind: "OpenStackCluster", name: infraID }],
    objects: [
      {
        template: "cluster-api/openstack/02_infra-cluster.yaml",
        path: "cluster-api/02_infra-cluster.yaml",
        view: {
          ...common(infraID),
          ...clusterView(input, poolOf(config, config.controlPlane), managedSubnet(input)),
        },
      },
      ...(credentials === undefined ? [] : [login(infraID, providerSecret(credentials))]),
    ],
    machines: machines(input),
    lacking: lacking(input),
  };
}

const common = (infraID: string): View => ({
  infraID,
  namespace: INSTALLER_NAMESPACE,
  identity: identityRef(infraID),
  tag: clusterTag(infraID),
});

const login = (infraID: string, data: Readonly<Record<string, string>>): Rendering => ({
  template: "cluster-api/openstack/02_openstack-cloud-config.yaml",
  path: "cluster-api/02_openstack-cloud-config.yaml",
  secret: true,
  view: {
    name: `${infraID}-cloud-config`,
    namespace: INSTALLER_NAMESPACE,
    data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, base64(text)])),
  },
});

function lacking(input: PlatformInput): readonly LackingFact[] {
  const { controlPlanePort } = openstackOf(input.config);
  return [
    ...(input.credentials === undefined
      ? [{ what: "the login of the cloud", hint: "specify --credentials FILE (clouds.yaml)" }]
      : []),
    ...(controlPlanePort === undefined && managedSubnet(input) === undefined
      ? [{ what: "room for a subnet in the first machine network", hint: "use a larger machine network" }]
      : []),
  ];
}

function machines(input: PlatformInput): Rendering[] {
  const { config, identity, release } = input;
  const { infraID } = identity;
  const pool = poolOf(config, config.controlPlane);
  const domain = (index: number): FailureDomain | undefined => pool.zones[index % pool.zones.length];
  const specOf = (index: number): View => {
    const zone = domain(index);
    return machineView(input, zone === undefined ? pool : { ...pool, zones: [zone] }, "master");
  };
  const group = (name: string) => ({ filter: { name } });
  return [
    ...controlPlaneNames(infraID, pool).flatMap((name, index) =>
      machine(input, name, "master", domain(index), { ...specOf(index), labels: controlPlaneLabels(input) }),
    ),
    ...machine(input, bootstrapName(infraID), "bootstrap", domain(0), {
      ...specOf(0),
      labels: { ...controlPlaneLabels(input), "install.openshift.io/bootstrap": "" },
      securityGroups: [
        group(`${infraID}-master`),
        ...(has(release, "bootstrapSecurityGroup") ? [group(`${infraID}-bootstrap`)] : []),
        ...pool.securityGroups.map((id) => ({ id })),
      ],
      securityGroup: bootstrapName(infraID),
      serverGroup: undefined,
    }),
  ];
}

function machine(
  input: PlatformInput,
  name: string,
  role: "master" | "bootstrap",
  domain: FailureDomain | undefined,
  spec: View,
): Rendering[] {
  const { infraID } = input.identity;
  return [
    {
      template: "cluster-api/openstack/10_inframachine.yaml",
      path: machinePath(name),
      view: { ...common(infraID), ...spec, name },
    },
    machineObject({
      name,
      labels: controlPlaneLabels(input),
      clusterName: infraID,
      dataSecretName: `${infraID}-${role}`,
      failureDomain: domain?.zone ?? "",
      infrastructure: MACHINE,
    }),
  ];
}
