import type { Release } from "../../core/release.js";
import type { NormalConfig } from "../config.js";
import { isDualStack } from "../ip-families.js";
import { given, type Member, type Shape, text } from "../normal-shape.js";
import type { GatedField, PlatformRules } from "../platform.js";
import { applyDefaults, finish } from "./install-config/defaults.js";
import { validate } from "./install-config/rules.js";
import { upconvert } from "./install-config/upconvert.js";
import { has } from "./tables.js";

/** The installer names these fields without index and without `platform` (pkg/types/azure/validation/featuregates.go). */
function gatedFields(
  { platform: { azure }, controlPlane, compute }: NormalConfig,
  release: Release,
): readonly GatedField[] {
  const used: GatedField[] = [];
  const fallback = azure?.defaultMachinePlatform;
  const many = (section: typeof fallback): boolean =>
    has(release, "identities") && (section?.identity?.userAssignedIdentities ?? []).length > 1;
  const disks = (section: typeof fallback): boolean =>
    has(release, "dataDisks") && (section?.dataDisks ?? []).length > 0;
  const identities = "identity.userAssignedIdentities";
  if (many(controlPlane.platform.azure))
    used.push({
      gate: "MachineAPIMigration",
      field: `controlPlane.azure.${identities}`,
      at: `controlPlane.platform.azure.${identities}`,
    });
  if (many(fallback))
    used.push({
      gate: "MachineAPIMigration",
      field: `platform.azure.defaultMachinePlatform.${identities}`,
    });
  if (disks(fallback))
    used.push({ gate: "AzureMultiDisk", field: "platform.azure.defaultMachinePlatform.dataDisks" });
  if (disks(controlPlane.platform.azure))
    used.push({
      gate: "AzureMultiDisk",
      field: "controlPlane.azure.dataDisks",
      at: "controlPlane.platform.azure.dataDisks",
    });
  const pool = compute.findIndex((each) => disks(each.platform.azure));
  if (pool >= 0)
    used.push({
      gate: "AzureMultiDisk",
      field: "compute.azure.dataDisks",
      at: `compute[${pool}].platform.azure.dataDisks`,
    });
  if (has(release, "hostedDnsGate") && azure?.userProvisionedDNS === "Enabled")
    used.push({ gate: "AzureClusterHostedDNSInstall", field: "platform.azure.userProvisionedDNS" });
  if (has(release, "ipFamily") && azure !== undefined && isDualStack(azure))
    used.push({ gate: "AzureDualStackInstall", field: "platform.azure.ipFamily" });
  return used;
}

const ENCRYPTION_SET: Member = {
  keep: "given",
  of: { subscriptionId: text, resourceGroup: text, name: text },
};
const FIRMWARE: Member = {
  keep: "given",
  of: {
    uefiSettings: { keep: "given", of: { secureBoot: given, virtualizedTrustedPlatformModule: given } },
  },
};
/** An encryption set in the form of the Cluster API provider. */
const PROVIDER_SET: Member = { keep: "given", of: {} };

const POOL: Shape = {
  type: text,
  osDisk: {
    zero: {},
    of: {
      diskSizeGB: { zero: 0 },
      diskType: text,
      diskEncryptionSet: ENCRYPTION_SET,
      securityProfile: { keep: "given", of: { diskEncryptionSet: ENCRYPTION_SET } },
    },
  },
  bootDiagnostics: { keep: "given", of: { type: text, resourceGroup: text, storageAccountName: text } },
  osImage: { zero: {}, of: { plan: text, publisher: text, offer: text, sku: text, version: text } },
  settings: { keep: "given", of: { confidentialVM: FIRMWARE, trustedLaunch: FIRMWARE } },
  identity: {
    keep: "given",
    of: {
      type: text,
      userAssignedIdentities: {
        zero: null,
        each: { name: text, subscription: text, resourceGroup: text },
      },
    },
  },
  dataDisks: {
    each: {
      nameSuffix: text,
      diskSizeGB: { zero: 0 },
      lun: given,
      managedDisk: {
        keep: "given",
        of: {
          diskEncryptionSet: PROVIDER_SET,
          securityProfile: { keep: "given", of: { diskEncryptionSet: PROVIDER_SET } },
        },
      },
    },
  },
};

const section = (): Shape => ({
  region: text,
  outboundType: text,
  subnets: { each: { name: text, role: text } },
  userTags: { map: true },
  allowSharedKeyAccess: given,
  customerManagedKey: {
    keep: "given",
    of: { keyVault: { zero: {}, of: { resourceGroup: text, name: text, keyName: text } } },
  },
  defaultMachinePlatform: { keep: "given", of: POOL },
});

export const rules: PlatformRules = {
  name: "azure",
  upconvert,
  finish,
  applyDefaults,
  validate,
  gatedFields: { rank: 4, since: "4.19", used: gatedFields },
  normalForm: { section, pool: POOL },
};
