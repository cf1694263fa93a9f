/**
 * Every platform that an install-config may name, as one table: its traits, and for those that slipway handles what
 * the rest of it is made of. Traits are at hand for all; the code of a platform is loaded when a config asks for it.
 */
import type { InstallConfig } from "../generated/types/install-config.js";
import { aws } from "./aws/descriptor.js";
import { azure } from "./azure/descriptor.js";
import { baremetal } from "./baremetal/descriptor.js";
import type { PlatformName } from "./config.js";
import { external } from "./external/descriptor.js";
import { gcp } from "./gcp/descriptor.js";
import { ibmcloud } from "./ibmcloud/descriptor.js";
import { none } from "./none/descriptor.js";
import { nutanix } from "./nutanix/descriptor.js";
import { openstack } from "./openstack/descriptor.js";
import { ovirt } from "./ovirt/descriptor.js";
import type { PlatformDescriptor, PlatformModule } from "./platform.js";
import { powervc } from "./powervc/descriptor.js";
import { powervs } from "./powervs/descriptor.js";
import type { PlatformStarter } from "./starter.js";
import type { Traits } from "./traits.js";
import { vsphere } from "./vsphere/descriptor.js";

/**
 * In the order in which the installer looks for the active one (docs/reference/install-config-and-manifests.md §1.7).
 */
export const PLATFORMS: Readonly<Record<PlatformName, PlatformDescriptor>> = {
  aws,
  azure,
  baremetal,
  gcp,
  ibmcloud,
  none,
  external,
  powervc,
  openstack,
  vsphere,
  ovirt,
  powervs,
  nutanix,
};

const isPlatformName = (name: string): name is PlatformName => Object.hasOwn(PLATFORMS, name);

/** The names of all platforms, handled or not, in the installer's order. */
export const PLATFORM_NAMES: readonly PlatformName[] = Object.keys(PLATFORMS).filter(isPlatformName);

/** The platforms that slipway handles, in the order in which they are listed. */
export const HANDLED_PLATFORMS: readonly PlatformName[] = PLATFORM_NAMES.filter(
  (name) => typeof PLATFORMS[name].handling === "object",
).sort();

/** The platforms that a config names, the active one first. */
export const namedPlatforms = ({ platform }: Pick<InstallConfig, "platform">): readonly PlatformName[] =>
  PLATFORM_NAMES.filter((name) => platform?.[name] !== undefined && platform[name] !== null);

/** The active platform of a config; undefined when none is named. */
export const activePlatform = (config: Pick<InstallConfig, "platform">): PlatformName | undefined =>
  namedPlatforms(config)[0];

/** The traits of every platform that a config names. */
export const namedTraits = (config: Pick<InstallConfig, "platform">): readonly Traits[] =>
  namedPlatforms(config).map((name) => PLATFORMS[name].traits);

/** The traits of the active platform. */
export const activeTraits = (config: Pick<InstallConfig, "platform">): Traits | undefined =>
  namedTraits(config)[0];

/** The platforms whose traits are such, as people list them. */
export const platformsWith = (test: (traits: Traits) => boolean): string =>
  PLATFORM_NAMES.filter((name) => test(PLATFORMS[name].traits))
    .sort()
    .join(", ");

/** The platforms whose cloud a script can ask for facts, as people list them. */
export const platformsWithScript = (): string => platformsWith(({ factsScript }) => factsScript === true);

/** What the install-config of a platform starts from; undefined for one that slipway does not handle. */
export function starterOf(name: PlatformName): PlatformStarter | undefined {
  const { handling } = PLATFORMS[name];
  return typeof handling === "object" ? handling.starter : undefined;
}

/**
 * The platforms that a config names beside the active one. Beside the platform they are refused, and their sections
 * judged all the same; pools may have sections of any platform, which are written in its form.
 */
export function otherPlatforms(
  config: Pick<InstallConfig, "platform" | "controlPlane" | "compute" | "arbiter">,
): readonly PlatformName[] {
  const active = activePlatform(config);
  const sections = [config, config.controlPlane, ...(config.compute ?? []), config.arbiter].flatMap((each) =>
    Object.entries(each?.platform ?? {}).filter(([, section]) => section !== undefined && section !== null),
  );
  return PLATFORM_NAMES.filter((name) => name !== active && sections.some(([each]) => each === name));
}

/** The modules of those of the other platforms that slipway handles. */
export async function loadOtherPlatforms(
  config: Parameters<typeof otherPlatforms>[0],
): Promise<readonly PlatformModule[]> {
  const loaded = otherPlatforms(config).map(async (name) => loadPlatform({ platform: { [name]: {} } }));
  return (await Promise.all(loaded)).flatMap((each) => each ?? []);
}

/** Everything of the active platform of a config; undefined where none is named or slipway does not handle it. */
export async function loadPlatform(
  config: Pick<InstallConfig, "platform">,
): Promise<PlatformModule | undefined> {
  const name = activePlatform(config);
  const handling = name === undefined ? undefined : PLATFORMS[name].handling;
  return typeof handling === "object" ? handling.load() : undefined;
}
