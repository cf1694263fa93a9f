/** What the installer keeps of the platform in its state. */
import type { JsonObject } from "../../core/json.js";
import type { NormalConfig, NormalPool } from "../config.js";
import type { InstallerImages, PlatformInput } from "../platform.js";
import { azureOf, isStack, poolSection } from "./config.js";
import { architectureOf, azureFactsOf, generationOf, instanceType } from "./facts/view.js";
import { type Pool, poolsOf } from "./machines/pools.js";
import { has } from "./tables.js";

/**
 * The boot images of both roles. From 4.21 the installer asks the cloud for the generation of the machine types before it
 * chooses them; earlier releases need no more than the stream (openshift/installer pkg/asset/rhcos/image.go, osImage).
 * Undefined where the facts do not say an image.
 */
export function installerImages(input: PlatformInput): InstallerImages | undefined {
  const { config, release } = input;
  if (!has(release, "marketplaceImages") || isStack(azureOf(config))) return undefined;
  const facts = azureFactsOf(input.facts);
  const pools = poolsOf(input);
  const imageOf = (pool: NormalPool, { type, settings }: Pool): string | undefined => {
    const images = facts.images?.[architectureOf(pool)];
    // Confidential machines by the pool's own section: the installer does not look at the defaults here.
    const isSecured = (poolSection(pool)?.settings?.securityType ?? "") !== "";
    if (images?.gen2 === undefined || isSecured) return images?.url;
    const generation = generationOf(instanceType(facts, type));
    // Machines with an image of their own do not use it, but the installer asks for it all the same.
    if (generation === undefined && !settings.osImage?.publisher) return undefined;
    return generation === "V1" ? images.gen1 : images.gen2;
  };
  const controlPlane = imageOf(config.controlPlane, pools.controlPlane);
  const [pool] = config.compute;
  const [first] = pools.compute;
  const compute = pool === undefined || first === undefined ? controlPlane : imageOf(pool, first);
  return controlPlane === undefined || compute === undefined ? undefined : { controlPlane, compute };
}

/**
 * The member `azure` of the installer's InstallConfig asset: the cloud as it was before the defaults filled it in, and
 * the zones of subnets, which it works out later (openshift/installer pkg/asset/installconfig/azure/metadata.go).
 */
export function installerMetadata({ platform }: NormalConfig): JsonObject {
  const { cloudName = "", armEndpoint = "" } = platform.azure ?? {};
  return {
    ZonesSubnetMap: null,
    ...(armEndpoint === "" ? {} : { armEndpoint }),
    ...(cloudName === "" ? {} : { cloudName }),
  };
}
