/**
 * The objects of cluster-api/ on azure (openshift/installer pkg/asset/manifests/azure/cluster.go,
 * pkg/asset/machines/azure/azuremachines.go). A machine names its zone; the bootstrap machine alone has a public address, and no
 * interface of its own.
 */
import { isList, isObject, type JsonObject } from "../../core/json.js";
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, LackingFact, PlatformInput, Rendering } from "../platform.js";
import { azureOf, isStack } from "./config.js";
import { IDENTITY_TYPES, identityName } from "./credential-objects.js";
import { loginOf, tenantOf } from "./credentials.js";
import { controlPlaneSpec } from "./infrastructure/machine-template.js";
import { type ClusterNetwork, clusterNetwork } from "./infrastructure/network.js";
import { clusterSpec } from "./infrastructure/objects.js";
import { poolsOf } from "./machines/pools.js";
import { has } from "./tables.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
const MACHINE = { apiVersion: API_VERSION, kind: "AzureMachine" };
/** Namespace of the provider's controller, which the installer creates beside its own. */
const CONTROLLER_NAMESPACE = "capz-system";

export function clusterApi(input: PlatformInput): InstallerClusterApi | undefined {
  const { config, identity, release } = input;
  if (isStack(azureOf(config)) && !has(release, "stackClusterApi")) return undefined;
  const network = clusterNetwork(input);
  return {
    clusters: [{ apiVersion: API_VERSION, kind: "AzureCluster", name: identity.infraID }],
    objects: [
      {
        template: "cluster-api/azure/00_azure-namespace.yaml",
        path: "cluster-api/00_azure-namespace.yaml",
        view: { name: CONTROLLER_NAMESPACE },
      },
      ...login(input),
      {
        template: "cluster-api/azure/02_azure-cluster.yaml",
        path: "cluster-api/02_azure-cluster.yaml",
        view: {
          name: identity.infraID,
          namespace: INSTALLER_NAMESPACE,
          spec: withEmptyMembers(clusterSpec(input, network)),
        },
      },
    ],
    machines: machines(input),
    lacking: lacking(input, network),
  };
}

function lacking({ credentials }: PlatformInput, network: ClusterNetwork): readonly LackingFact[] {
  return [
    ...(credentials === undefined
      ? [{ what: "the login of the installer", hint: "specify --credentials FILE" }]
      : []),
    ...(network.fits
      ? []
      : [{ what: "room for two subnets in the machine networks", hint: "use a larger machine network" }]),
    ...(network.fits && network.address === ""
      ? [
          {
            what: "an available address for the internal load balancer",
            hint: "add cloud-facts azure.loadBalancerAddress (--facts FILE)",
          },
        ]
      : []),
  ];
}

function login(input: PlatformInput): Rendering[] {
  const { credentials, identity } = input;
  if (credentials === undefined) return [];
  const way = loginOf(credentials);
  const secretName = `${identity.infraID}-azure-client-secret`;
  const own: Rendering = {
    template: "cluster-api/azure/01_azure-cluster-controller-identity-default.yaml",
    path: "cluster-api/01_azure-cluster-controller-identity-default.yaml",
    view: {
      name: identityName(input),
      namespace: INSTALLER_NAMESPACE,
      certPath: way === "certificate" ? credentials["clientCertificate"] : undefined,
      clientID: credentials["clientId"] ?? "",
      clientSecret: way === "secret" ? { name: secretName, namespace: INSTALLER_NAMESPACE } : {},
      tenantID: tenantOf(input),
      type: way === undefined ? "" : IDENTITY_TYPES[way],
    },
  };
  const secret: Rendering = {
    template: "cluster-api/azure/01_azure-client-secret.yaml",
    path: "cluster-api/01_azure-client-secret.yaml",
    secret: true,
    view: {
      name: secretName,
      namespace: INSTALLER_NAMESPACE,
      clientSecret: credentials["clientSecret"] ?? "",
    },
  };
  return way === "secret" ? [own, secret] : [own];
}

/** The members that the installer writes with nothing in them. */
function withEmptyMembers(spec: JsonObject): JsonObject {
  const network = spec["networkSpec"];
  if (!isObject(network)) return spec;
  return {
    ...spec,
    bastionSpec: {},
    controlPlaneEndpoint: { host: "", port: 0 },
    networkSpec: {
      ...network,
      subnets: subnetsOf(network).map((subnet) => ({
        ...subnet,
        natGateway: { ip: { name: "" }, name: "", ...objectAt(subnet, "natGateway") },
        routeTable: { name: "" },
      })),
    },
  };
}

const subnetsOf = ({ subnets = [] }: JsonObject): readonly JsonObject[] =>
  isList(subnets) ? subnets.filter(isObject) : [];

const objectAt = (object: JsonObject, name: string): JsonObject => {
  const value = object[name];
  return isObject(value) ? value : {};
};

function machines(input: PlatformInput): Rendering[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const pool = poolsOf(input).controlPlane;
  const spec = controlPlaneSpec(input);
  const { networkInterfaces: _interfaces, dataDisks: _disks, ...alike } = spec;
  const inZone = (index: number): JsonObject => {
    const zone = pool.zones[index % Math.max(pool.zones.length, 1)] ?? "";
    return zone === "" ? {} : { failureDomain: zone };
  };
  return [
    ...controlPlaneNames(infraID, pool).flatMap((name, index) =>
      machine(input, name, "master", { ...spec, ...inZone(index) }),
    ),
    ...machine(
      input,
      bootstrapName(infraID),
      "bootstrap",
      { ...alike, ...inZone(0), ...(config.publish === "Internal" ? {} : { allocatePublicIP: true }) },
      { "install.openshift.io/bootstrap": "" },
    ),
  ];
}

function machine(
  input: PlatformInput,
  name: string,
  role: "master" | "bootstrap",
  spec: JsonObject,
  labels: JsonObject = {},
): Rendering[] {
  const { infraID } = input.identity;
  return [
    {
      template: "cluster-api/azure/10_inframachine.yaml",
      path: machinePath(name),
      view: {
        name,
        labels: { ...controlPlaneLabels(input), "cluster.x-k8s.io/cluster-name": infraID, ...labels },
        machine: spec,
      },
    },
    machineObject({
      name,
      labels: controlPlaneLabels(input),
      clusterName: infraID,
      dataSecretName: `${infraID}-${role}`,
      infrastructure: MACHINE,
    }),
  ];
}
