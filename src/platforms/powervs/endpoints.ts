/**
 * Private endpoints of the cloud's services, which a cluster without a way out uses (openshift/installer
 * pkg/asset/installconfig/powervs/metadata.go, SetDefaultPrivateServiceEndpoints).
 */
import type { Release } from "../../core/release.js";
import type { NormalConfig } from "../config.js";
import { type Endpoint, givenEndpoints, isDisconnected, powervsOf, storageRegion } from "./config.js";
import { has } from "./tables.js";

/** The endpoints that the config gives, and the private ones of other services where the cluster needs them. */
export function endpointsOf(config: NormalConfig, vpcRegion: string, release: Release): readonly Endpoint[] {
  const section = powervsOf(config);
  const given = givenEndpoints(section);
  if (!isDisconnected(config)) return given;
  const manager = has(release, "managerEndpoint");
  const all: readonly Endpoint[] = [
    {
      name: "COS",
      url: `https://s3.direct.${storageRegion(section)}.cloud-object-storage.appdomain.cloud`,
    },
    { name: "DNSServices", url: `https://api.private.dns-svcs.cloud.ibm.com${manager ? "/v1" : ""}` },
    { name: "IAM", url: "https://private.iam.cloud.ibm.com" },
    { name: "Power", url: `https://private.${vpcRegion}.power-iaas.cloud.ibm.com` },
    { name: "ResourceController", url: "https://private.resource-controller.cloud.ibm.com" },
    ...(manager
      ? [{ name: "ResourceManager", url: "https://private.resource-controller.cloud.ibm.com" }]
      : []),
    { name: "VPC", url: `https://${vpcRegion}.private.iaas.cloud.ibm.com` },
  ];
  return [...given, ...all.filter(({ name }) => given.every((endpoint) => endpoint.name !== name))];
}
