/** The provider part of Machine API objects on azure (openshift/installer pkg/asset/machines/azure/machines.go). */
import type { Json, JsonObject } from "../../../core/json.js";
import type { Release } from "../../../core/release.js";
import type { View } from "../../../text/render.js";
import type { PlatformInput } from "../../platform.js";
import {
  type AzureMachinePool,
  azureOf,
  isStack,
  networkNameOf,
  OWN_ROUTES,
  resourceGroupOf,
} from "../config.js";
import { storageSuffixOf } from "../facts/view.js";
import { has } from "../tables.js";
import type { Pool } from "./pools.js";

export interface ProviderSpecInput {
  readonly input: PlatformInput;
  readonly pool: Pool;
  /** The zone of the machines; empty for none. */
  readonly zone: string;
  readonly subnet: string;
}

/** View of templates/openshift/azure/_provider-spec. */
export function providerSpec({ input, pool, zone, subnet }: ProviderSpecInput): View {
  const { config, identity, release } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  const master = pool.role === "master";
  const tags = azure.userTags ?? {};
  const { ultraSSDCapability = "" } = pool.settings;
  return {
    accelerated: pool.accelerated ? true : undefined,
    availabilitySet: isStack(azure)
      ? `${infraID}${has(release, "controlPlaneAvailabilitySet") ? "_control-plane-as" : "-cluster"}`
      : undefined,
    dataDisks: has(release, "dataDisks") ? dataDisks(pool) : undefined,
    diagnostics: diagnostics(input, pool),
    image: image(input, pool),
    internalLoadBalancer: master ? `${infraID}-internal` : undefined,
    location: azure.region,
    managedIdentity: managedIdentity(pool, infraID),
    networkResourceGroup: azure.virtualNetwork
      ? azure.networkResourceGroupName
      : resourceGroupOf(azure, infraID),
    diskSize: pool.diskSize,
    managedDisk: managedDisk(pool),
    publicLoadBalancer: azure.outboundType === OWN_ROUTES ? undefined : infraID,
    resourceGroup: resourceGroupOf(azure, infraID),
    securityProfile: securityProfile(pool.settings, release),
    subnet,
    tags: Object.keys(tags).length === 0 ? undefined : tags,
    ultraSSD: ultraSSDCapability === "" ? undefined : ultraSSDCapability,
    userDataSecret: `${pool.role}-user-data`,
    type: pool.type,
    network: networkNameOf(azure, infraID),
    zone: zone === "" ? undefined : zone,
  };
}

/** The identifier of an encryption set; the subscription may be wanting, as with the installer. */
export const encryptionSetID = ({
  subscriptionId = "",
  resourceGroup = "",
  name = "",
}: NonNullable<NonNullable<AzureMachinePool["osDisk"]>["diskEncryptionSet"]>): string =>
  `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute/diskEncryptionSets/${name}`;

export const identityID = ({
  subscription = "",
  resourceGroup = "",
  name = "",
}: NonNullable<Pool["identity"]["userAssignedIdentities"]>[number]): string =>
  `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;

/** The name of the identity that is made for the cluster. */
export const clusterIdentity = (infraID: string): string => `${infraID}-identity`;

function managedIdentity({ identity }: Pool, infraID: string): string | undefined {
  const [first] = identity.userAssignedIdentities ?? [];
  if (first !== undefined) return identityID(first);
  return identity.type === "UserAssigned" ? clusterIdentity(infraID) : undefined;
}

/** The name of the cluster's image in a gallery, and that of the gallery, which cannot have dashes. */
export const galleryImage = (
  infraID: string,
  generation: string | undefined,
): { gallery: string; image: string } => ({
  gallery: `gallery_${infraID.replaceAll("-", "_")}`,
  image: generation === "V2" ? `${infraID}-gen2` : infraID,
});

function image({ config, identity, release }: PlatformInput, pool: Pool): JsonObject {
  const { infraID } = identity;
  const none = { offer: "", publisher: "", sku: "", version: "" };
  const compute = `/resourceGroups/${resourceGroupOf(azureOf(config), infraID)}/providers/Microsoft.Compute`;
  switch (pool.image.from) {
    case "marketplace": {
      const { publisher, offer, sku, version, plan } = pool.image;
      return {
        offer,
        publisher,
        resourceID: "",
        sku,
        type: plan ? "MarketplaceWithPlan" : "MarketplaceNoPlan",
        version,
      };
    }
    case "gallery": {
      const names = galleryImage(infraID, pool.image.generation);
      const latest = has(release, "marketplaceImages") ? "" : "/versions/latest";
      return { ...none, resourceID: `${compute}/galleries/${names.gallery}/images/${names.image}${latest}` };
    }
    case "managed":
      return { ...none, resourceID: `${compute}/images/${infraID}` };
  }
}

function managedDisk({ settings, diskType }: Pool): JsonObject {
  const set = settings.osDisk?.diskEncryptionSet;
  const profile = settings.osDisk?.securityProfile;
  const encryption = profile?.securityEncryptionType ?? "";
  const own = encryption === "" ? undefined : profile?.diskEncryptionSet;
  return {
    ...(set === undefined ? {} : { diskEncryptionSet: { id: encryptionSetID(set) } }),
    securityProfile: {
      diskEncryptionSet: own === undefined ? {} : { id: encryptionSetID(own) },
      ...(encryption === "" ? {} : { securityEncryptionType: encryption }),
    },
    storageAccountType: diskType,
  };
}

/** Settings of the firmware, as far as they are given. */
const firmware = (given: Readonly<Record<string, string | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => (entry[1] ?? "") !== ""),
  );

function securityProfile({ encryptionAtHost, settings }: AzureMachinePool, release: Release): JsonObject {
  const type = settings?.securityType ?? "";
  const [name, section] =
    type === "TrustedLaunch"
      ? ["trustedLaunch", settings?.trustedLaunch]
      : ["confidentialVM", type === "ConfidentialVM" ? settings?.confidentialVM : undefined];
  const uefi = section?.uefiSettings;
  return {
    ...(encryptionAtHost === true ? { encryptionAtHost } : {}),
    settings: {
      ...(type === "" && !has(release, "emptySecurityType") ? {} : { securityType: type }),
      ...(uefi === undefined
        ? {}
        : {
            [name]: {
              uefiSettings: firmware({
                secureBoot: uefi.secureBoot,
                virtualizedTrustedPlatformModule: uefi.virtualizedTrustedPlatformModule,
              }),
            },
          }),
    },
  };
}

function dataDisks({ settings }: Pool): Json | undefined {
  const disks = settings.dataDisks ?? [];
  if (disks.length === 0) return undefined;
  return disks.map((disk): JsonObject => {
    const { managedDisk: managed, cachingType = "" } = disk;
    // Where the disk has a set of its own, the installer takes that of the security profile, and crashes without a profile.
    const own = managed?.diskEncryptionSet;
    const set = managed?.securityProfile === undefined ? own : managed.securityProfile.diskEncryptionSet;
    const id = set?.id ?? "";
    return {
      ...(cachingType === "" ? {} : { cachingType }),
      deletionPolicy: "Delete",
      diskSizeGB: disk.diskSizeGB ?? 0,
      lun: disk.lun ?? 0,
      managedDisk: {
        ...(own === undefined || set === undefined ? {} : { diskEncryptionSet: id === "" ? {} : { id } }),
        storageAccountType: managed?.storageAccountType ?? "",
      },
      nameSuffix: disk.nameSuffix ?? "",
    };
  });
}

type Diagnostics = AzureMachinePool["bootDiagnostics"];

/** The address of the storage account that boot diagnostics go to; empty where Azure keeps them. */
export const storageAddress = (given: Diagnostics, suffix: string): string =>
  given?.type === "UserManaged" && given.storageAccountName
    ? `https://${given.storageAccountName}.blob.${suffix}`
    : "";

/** Those of the pool, else those of the platform for all; only the control plane has some without a word. */
function diagnostics({ config, release }: PlatformInput, pool: Pool): JsonObject {
  if (!has(release, "bootDiagnostics")) return {};
  const azure = azureOf(config);
  const suffix = storageSuffixOf(azure);
  const of = (given: Diagnostics): JsonObject | undefined => {
    if (given === undefined)
      return pool.role === "master" ? { boot: { storageAccountType: "AzureManaged" } } : undefined;
    if (given.type === "Disabled") return undefined;
    if (given.type === "Managed") return { boot: { storageAccountType: "AzureManaged" } };
    const customerManaged = { storageAccountURI: storageAddress(given, suffix) };
    return { boot: { customerManaged, storageAccountType: "CustomerManaged" } };
  };
  const fallback = azure.defaultMachinePlatform;
  return (
    of(pool.settings.bootDiagnostics) ??
    (fallback === undefined ? undefined : of(fallback.bootDiagnostics)) ??
    {}
  );
}
