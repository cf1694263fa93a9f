/**
 * The one machine template, for the bootstrap machine and the control plane (docs/reference/cluster-api.md §7). What
 * varies by machine is left out: the provider picks the subnet by the machine's failure domain; a public address and an
 * address of a pool of one's own are the bootstrap machine's alone. Ignition data goes through the object store, the
 * only way that carries the bootstrap machine's; with it go the proxy and the certificates that reach it.
 */
import { PLACEHOLDER_PREFIX } from "../../../kubernetes/labels.js";
import { ignitionProxy, proxyHoldsSecret, trustedAuthorities } from "../../ignition-source.js";
import { osStreamLabel } from "../../os-stream.js";
import type { InfrastructureInput, Rendering } from "../../platform.js";
import { awsOf, hasRoles, subnetsWithRole } from "../config.js";
import { machineSettings } from "../machines/machine-settings.js";
import { poolsOf } from "../machines/pools.js";
import { has } from "../tables.js";

/** Stands for the image that is to be copied into the region; `validate` refuses to call the directory ready. */
export const placeholderImage = (region: string): string => `${PLACEHOLDER_PREFIX}image-copied-to-${region}`;

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

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
        proxy,
        certificateAuthorities: authorities.length > 0 ? authorities : undefined,
        subnetIDs: clusterNodes.length > 0 ? clusterNodes : undefined,
        uncompressedUserData: has(release, "uncompressedUserData") ? true : undefined,
      },
    },
  };
}
