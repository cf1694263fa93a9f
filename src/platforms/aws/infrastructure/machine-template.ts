/**
 * The one machine template, for the bootstrap machine and the control plane (docs/reference/cluster-api.md §7). What
 * varies by machine is left out: the provider picks the subnet by the machine's failure domain; a public address and an
 * address of a pool of one's own are the bootstrap machine's alone. Ignition data goes through the object store, the
 * only way that carries the bootstrap machine's; with it go the proxy and the certificates that reach it.
 */
import { PLACEHOLDER_PREFIX } from "../../../kubernetes/labels.js";
import { ignitionProxy, proxyHoldsSecret, trustedAuthorities } from "../../ignition-source.js";
import { spread } from "../../machine-api.js";
import { osStreamLabel } from "../../os-stream.js";
import type { ComputeSet, InfrastructureInput, PlatformCompute, Rendering } from "../../platform.js";
import { awsOf, EDGE, hasRoles, subnetsWithRole } from "../config.js";
import { machineSettings } from "../machines/machine-settings.js";
import { type PoolZone, poolsOf } from "../machines/pools.js";
import { subnetName } from "../names.js";
import { has } from "../tables.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";

/** Stands for the image that is to be copied into the region; `validate` refuses to call the directory ready. */
export const placeholderImage = (region: string): string => `${PLACEHOLDER_PREFIX}image-copied-to-${region}`;

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

/** Compute machines: a template for each zone, as the installer pins machine sets to the subnet of theirs. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const { identity, release, config, namespace } = input;
  const { infraID } = identity;
  const { region } = awsOf(config);
  const sets = spread(poolsOf(input).compute).map(({ pool, zone, replicas }): ComputeSet => {
    const name = `${infraID}-${pool.name}-${zone.name}`;
    const copied = pool.amiID === undefined;
    return {
      pool: pool.name,
      name,
      replicas,
      failureDomain: zone.name,
      ...(pool.name === EDGE ? ofEdge(zone) : {}),
      template: {
        template: "infrastructure-manifests/aws/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: {
          infraID,
          name,
          namespace,
          compute: true,
          storageType: "UnencryptedUserData",
          placeholder: copied ? "spec.template.spec.ami.id" : undefined,
          amiID: pool.amiID ?? placeholderImage(region),
          osStream: osStreamLabel(input),
          hostID: zone.hostID,
          publicIP: zone.subnet?.public === true ? true : undefined,
          securityGroupIDs: pool.securityGroupIDs.length > 0 ? pool.securityGroupIDs : undefined,
          machine: machineSettings(input, pool, "worker", zone.instanceType),
          subnet:
            zone.subnet === undefined
              ? { filters: [{ name: "tag:Name", values: [subnetName(infraID, zone.name, false)] }] }
              : { id: zone.subnet.id },
          uncompressedUserData: has(release, "uncompressedUserData") ? true : undefined,
        },
      },
    };
  });
  return { apiVersion: API_VERSION, kind: "AWSMachineTemplate", sets, objects: [] };
}

/** Nodes at the edge take no workload that does not ask for it. */
const ofEdge = ({ zone }: PoolZone): Pick<ComputeSet, "labels" | "taints"> => ({
  labels: {
    "machine.openshift.io/parent-zone-name": zone?.parent ?? "",
    "machine.openshift.io/zone-group": zone?.group ?? "",
    "machine.openshift.io/zone-type": zone?.type ?? "",
    "node-role.kubernetes.io/edge": "",
  },
  taints: [{ key: "node-role.kubernetes.io/edge", effect: "NoSchedule" }],
});

export function machineTemplate(input: InfrastructureInput): {
  readonly name: string;
  readonly rendering: Rendering;
} {
  const { config, identity, release, namespace } = input;
  const aws = awsOf(config);
  const { controlPlane } = poolsOf(input);
  const name = machineTemplateName(identity.infraID);
  const clusterNodes = hasRoles(aws) ? subnetsWithRole(aws, "ClusterNode") : [];
  const authorities = trustedAuthorities(input);
  const proxy = ignitionProxy(input);
  const copied = controlPlane.amiID === undefined;
  return {
    name,
    rendering: {
      template: "infrastructure-manifests/aws/50_machine-template.yaml",
      path: "50_machine-template.yaml",
      secret: proxyHoldsSecret(input),
      view: {
        infraID: identity.infraID,
        name,
        namespace,
        placeholder: copied ? "spec.template.spec.ami.id" : undefined,
        amiID: controlPlane.amiID ?? placeholderImage(aws.region),
        osStream: osStreamLabel(input),
        securityGroupIDs:
          controlPlane.securityGroupIDs.length > 0 ? controlPlane.securityGroupIDs : undefined,
        machine: machineSettings(input, controlPlane, "master", controlPlane.zones[0]?.instanceType ?? ""),
        storageType: "ClusterObjectStore",
        proxy,
        tls: authorities.length > 0 ? { certificateAuthorities: authorities } : undefined,
        subnetIDs: clusterNodes.length > 0 ? clusterNodes : undefined,
        uncompressedUserData: has(release, "uncompressedUserData") ? true : undefined,
      },
    },
  };
}
