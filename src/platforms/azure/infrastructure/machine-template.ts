/**
 * The one machine template, for the bootstrap machine and the control plane (openshift/installer
 * pkg/asset/machines/azure/azuremachines.go). What varies by machine is left out: the zone is the machine's failure
 * domain, and a public address is the bootstrap machine's alone.
 */
import type { JsonObject } from "../../../core/json.js";
import type { PlatformInput } from "../../platform.js";
import { azureOf, CONTROL_PLANE, isStack, resourceGroupOf, subnetsFor } from "../config.js";
import { subscriptionOf } from "../credentials.js";
import { storageSuffixOf } from "../facts/view.js";
import { type Pool, poolsOf } from "../machines/pools.js";
import {
  clusterIdentity,
  encryptionSetID,
  galleryImage,
  identityID,
  storageAddress,
} from "../machines/provider-spec.js";
import { has } from "../tables.js";

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

/** The tag of everything that belongs to the cluster. */
export const ownershipTag = (infraID: string): string => `kubernetes.io_cluster.${infraID}`;

/** `spec.template.spec` of the AzureMachineTemplate of the control plane. */
export function controlPlaneSpec(input: PlatformInput): JsonObject {
  const { config, identity, release } = input;
  const own = subnetsFor(azureOf(config), release, CONTROL_PLANE).at(-1);
  const made = has(release, "madeSubnetNamed") ? `${identity.infraID}-master-subnet` : undefined;
  return machineSpec(input, poolsOf(input).controlPlane, own ?? made);
}

/** `spec.template.spec` of the AzureMachineTemplate of a pool; without a subnet the provider takes the one with the machine's role. */
export function machineSpec(input: PlatformInput, pool: Pool, subnetName: string | undefined): JsonObject {
  const { config, identity, release } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  const identities = identitiesOf(input, pool);
  const disks = (has(release, "dataDisks") ? (pool.settings.dataDisks ?? []) : []).map(
    // Left out where it is empty, as the provider's own type does.
    ({ cachingType, ...rest }) => ({ ...rest, ...(cachingType ? { cachingType } : {}) }),
  );
  const diagnostics = diagnosticsOf(input, pool);
  return {
    additionalCapabilities: { ultraSSDEnabled: pool.settings.ultraSSDCapability === "Enabled" },
    additionalTags: { ...azure.userTags, [ownershipTag(infraID)]: "owned" },
    ...(disks.length === 0 ? {} : { dataDisks: plain(disks) }),
    ...(diagnostics === undefined ? {} : { diagnostics: { boot: diagnostics } }),
    disableExtensionOperations: true,
    identity: pool.identity.type ?? "",
    image: image(input, pool),
    networkInterfaces: [
      {
        acceleratedNetworking: pool.accelerated,
        ...(subnetName === undefined ? {} : { subnetName }),
      },
    ],
    osDisk: {
      cachingType: "ReadWrite",
      diskSizeGB: pool.diskSize,
      managedDisk: managedDisk(pool),
      osType: "Linux",
    },
    securityProfile: securityProfile(pool),
    ...(identities.length === 0 ? {} : { userAssignedIdentities: identities }),
    vmSize: pool.type,
  };
}

/** Only the members that are there. */
const plain = (value: readonly object[]): JsonObject[] =>
  value.map((each): JsonObject => JSON.parse(JSON.stringify(each)));

function identitiesOf(input: PlatformInput, { identity }: Pool): JsonObject[] {
  const given = (identity.userAssignedIdentities ?? []).map((each) => ({ providerID: identityID(each) }));
  if (given.length > 0 || identity.type !== "UserAssigned") return given;
  return [{ providerID: clusterIdentityID(input) }];
}

/** The identifier of the identity that is made for the cluster, spelled as the installer does. */
export function clusterIdentityID(input: PlatformInput): string {
  const { infraID } = input.identity;
  const group = resourceGroupOf(azureOf(input.config), infraID);
  return `/subscriptions/${subscriptionOf(input)}/resourcegroups/${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${clusterIdentity(infraID)}`;
}

function image(input: PlatformInput, pool: Pool): JsonObject {
  const { infraID } = input.identity;
  const group = resourceGroupOf(azureOf(input.config), infraID);
  const compute = `/subscriptions/${subscriptionOf(input)}/resourceGroups/${group}/providers/Microsoft.Compute`;
  switch (pool.image.from) {
    case "marketplace": {
      const { publisher, offer, sku, version, plan } = pool.image;
      return { marketplace: { offer, publisher, sku, thirdPartyImage: plan, version } };
    }
    case "gallery": {
      const names = galleryImage(infraID, pool.image.generation);
      return { id: `${compute}/galleries/${names.gallery}/images/${names.image}` };
    }
    case "managed":
      return { id: `${compute}/images/${infraID}` };
  }
}

function managedDisk({ settings, diskType }: Pool): JsonObject {
  const set = settings.osDisk?.diskEncryptionSet;
  const profile = settings.osDisk?.securityProfile;
  const encryption = profile?.securityEncryptionType ?? "";
  return {
    ...(set === undefined ? {} : { diskEncryptionSet: { id: encryptionSetID(set) } }),
    ...(encryption === ""
      ? {}
      : {
          securityProfile: {
            ...(profile?.diskEncryptionSet === undefined
              ? {}
              : { diskEncryptionSet: { id: encryptionSetID(profile.diskEncryptionSet) } }),
            securityEncryptionType: encryption,
          },
        }),
    storageAccountType: diskType,
  };
}

function securityProfile({ settings: { encryptionAtHost, settings } }: Pool): JsonObject {
  const type = settings?.securityType ?? "";
  const section =
    type === "ConfidentialVM"
      ? settings?.confidentialVM
      : type === "TrustedLaunch"
        ? settings?.trustedLaunch
        : undefined;
  const uefi = section?.uefiSettings;
  return {
    ...(encryptionAtHost === true ? { encryptionAtHost } : {}),
    ...(type === "" ? {} : { securityType: type }),
    ...(uefi === undefined
      ? {}
      : {
          uefiSettings: {
            secureBootEnabled: uefi.secureBoot === "Enabled",
            vTpmEnabled: uefi.virtualizedTrustedPlatformModule === "Enabled",
          },
        }),
  };
}

/** The storage account that the installer makes, from the letters and digits of the infrastructure ID. */
export const storageAccount = (infraID: string): string => `${infraID.replaceAll("-", "").slice(0, 22)}sa`;

function diagnosticsOf({ config, identity, release }: PlatformInput, pool: Pool): JsonObject | undefined {
  if (!has(release, "bootDiagnostics")) return undefined;
  const azure = azureOf(config);
  const suffix = storageSuffixOf(azure);
  const given = pool.settings.bootDiagnostics;
  const account = (uri: string): JsonObject => ({
    storageAccountType: "UserManaged",
    userManaged: { storageAccountURI: uri },
  });
  if (isStack(azure) && (given === undefined || !has(release, "stackKeepsDiagnostics")))
    return account(`https://${storageAccount(identity.infraID)}.blob.${suffix}`);
  const uri = storageAddress(given, suffix);
  return uri === "" ? { storageAccountType: given?.type ?? "Managed" } : account(uri);
}
