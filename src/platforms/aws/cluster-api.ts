/**
 * The objects of cluster-api/ on aws (openshift/installer pkg/asset/manifests/aws/cluster.go,
 * pkg/asset/machines/aws/awsmachines.go). Unlike the machine template, a machine names its subnet; the bootstrap machine alone
 * has a public address and an address of the user's pool, and alone fetches its config through the proxy.
 */
import type { JsonObject } from "../../core/json.js";
import type { View } from "../../text/render.js";
import { ignitionProxy, proxyHoldsSecret, trustedAuthorities } from "../ignition-source.js";
import {
  bootstrapName,
  controlPlaneLabels,
  controlPlaneNames,
  INSTALLER_NAMESPACE,
  machineObject,
  machinePath,
} from "../installer-machines.js";
import type { InstallerClusterApi, PlatformInput, Rendering } from "../platform.js";
import { awsOf, existingSubnets, publishesExternally } from "./config.js";
import { awsFactsOf, nodeSubnets } from "./facts/view.js";
import { network } from "./infrastructure/network.js";
import { clusterSpec } from "./infrastructure/objects.js";
import { machineSettings } from "./machines/machine-settings.js";
import { poolsOf } from "./machines/pools.js";
import { subnetName } from "./names.js";
import { has } from "./tables.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";
const MACHINE = { apiVersion: API_VERSION, kind: "AWSMachine" };

export function clusterApi(input: PlatformInput): InstallerClusterApi {
  const { config, identity, facts, release } = input;
  const { infraID } = identity;
  return {
    clusters: [{ apiVersion: API_VERSION, kind: "AWSCluster", name: infraID }],
    objects: [
      {
        template: "cluster-api/aws/01_aws-cluster-controller-identity-default.yaml",
        path: "cluster-api/01_aws-cluster-controller-identity-default.yaml",
        view: { namespace: INSTALLER_NAMESPACE },
      },
      {
        template: "cluster-api/aws/02_infra-cluster.yaml",
        path: "cluster-api/02_infra-cluster.yaml",
        view: {
          ...clusterSpec(input, network(config, infraID, awsFactsOf(facts), release)),
          name: infraID,
          namespace: INSTALLER_NAMESPACE,
        },
      },
    ],
    machines: [...controlPlane(input), ...bootstrap(input)],
  };
}

function controlPlane(input: PlatformInput): Rendering[] {
  const { infraID } = input.identity;
  const pool = poolsOf(input).controlPlane;
  return controlPlaneNames(infraID, pool).flatMap((name, index) => {
    const { name: zone = "", subnet } = pool.zones[index % pool.zones.length] ?? {};
    return machine(input, {
      name,
      role: "master",
      labels: controlPlaneLabels(input),
      storageType: "UnencryptedUserData",
      publicIP: false,
      subnet: subnetOf(infraID, zone, subnet?.id, false),
    });
  });
}

function bootstrap(input: PlatformInput): Rendering[] {
  const { config, identity, facts } = input;
  const aws = awsOf(config);
  const external = publishesExternally(config);
  const authorities = trustedAuthorities(input);
  const existing = nodeSubnets(aws, awsFactsOf(facts), "BootstrapNode", external);
  const own = poolsOf(input).controlPlane.zones[0]?.name ?? "";
  const isOfSubnets = existingSubnets(aws).length > 0 && has(input.release, "bootstrapZones");
  const zone = isOfSubnets ? ([...existing.keys()][0] ?? own) : own;
  return machine(input, {
    name: bootstrapName(identity.infraID),
    role: "bootstrap",
    labels: { ...controlPlaneLabels(input), "install.openshift.io/bootstrap": "" },
    secret: proxyHoldsSecret(input),
    storageType: "ClusterObjectStore",
    proxy: ignitionProxy(input) ?? {},
    tls: authorities.length > 0 ? { certificateAuthorities: authorities } : {},
    publicIP: external,
    publicIpv4Pool: aws.publicIpv4Pool === "" ? undefined : aws.publicIpv4Pool,
    subnet: subnetOf(identity.infraID, zone, existing.get(zone)?.id, external),
  });
}

/** A subnet that exists, or the one that the provider creates for the zone. */
const subnetOf = (infraID: string, zone: string, id: string | undefined, isPublic: boolean): View =>
  id === undefined
    ? { filters: [{ name: "tag:Name", values: [subnetName(infraID, zone, isPublic)] }] }
    : { id };

interface Machine {
  readonly name: string;
  readonly role: "master" | "bootstrap";
  readonly labels: JsonObject;
  readonly storageType: string;
  readonly publicIP: boolean;
  readonly subnet: View;
  readonly secret?: boolean;
  readonly proxy?: View;
  readonly tls?: View;
  readonly publicIpv4Pool?: string | undefined;
}

function machine(input: PlatformInput, given: Machine): Rendering[] {
  const { name, role, labels } = given;
  const { identity, release } = input;
  const pool = poolsOf(input).controlPlane;
  return [
    {
      template: "cluster-api/aws/10_inframachine.yaml",
      path: machinePath(name),
      secret: given.secret === true,
      view: {
        name,
        labels,
        // An image of another region is copied when the cluster is created.
        amiID: pool.amiID ?? "",
        securityGroupIDs: pool.securityGroupIDs.length > 0 ? pool.securityGroupIDs : undefined,
        machine: machineSettings(input, pool, "master", pool.zones[0]?.instanceType ?? ""),
        uncompressedUserData: has(release, "uncompressedUserData") ? true : undefined,
        storageType: given.storageType,
        publicIP: given.publicIP,
        subnet: given.subnet,
        proxy: given.proxy,
        tls: given.tls,
        publicIpv4Pool: given.publicIpv4Pool,
      },
    },
    machineObject({
      name,
      labels: controlPlaneLabels(input),
      clusterName: identity.infraID,
      dataSecretName: `${identity.infraID}-${role}`,
      infrastructure: MACHINE,
    }),
  ];
}
