/**
 * Rules of a pool's azure section and of defaultMachinePlatform (openshift/installer
 * pkg/types/azure/validation/machinepool.go, disk.go). The installer leaves nested objects out of some fields, and puts
 * `defaultMachinePlatform` into those of every pool.
 */

import { counted } from "../../../core/counted.js";
import type { Problem } from "../../../core/diagnostics.js";
import { below, problem } from "../../../core/problem.js";
import type {
  AzureMachinePool,
  AzurePlatform,
  MachinePool,
} from "../../../generated/types/install-config.js";
import { quote } from "../../../text/quote.js";
import type { RuleContext } from "../../platform.js";
import { isStack } from "../config.js";
import { has } from "../tables.js";

/** A section with what it is judged by. */
interface Given {
  readonly azure: AzurePlatform;
  readonly section: AzureMachinePool;
  /** Name of the pool; empty for defaultMachinePlatform. */
  readonly name: string;
  /** The pool that the section is of. */
  readonly pool?: Pick<MachinePool, "diskSetup">;
}

/** Reports a fault of `member` of the section; `named` is what the installer calls it. */
type Fault = (
  code: Problem["code"],
  kind: Problem["kind"],
  member: string,
  message: string,
  hint: string,
  named?: string,
) => void;

const DISK_TYPES = ["Premium_LRS", "StandardSSD_LRS"];
const COMPUTE_DISK_TYPES = [...DISK_TYPES, "Standard_LRS"];
const STACK_DISK = { least: 128, most: 1023 };
const ON_OFF = ["Enabled", "Disabled"];
const NETWORKING = ["Accelerated", "Basic"];
const DIAGNOSTICS = ["Disabled", "Managed", "UserManaged"];
const PLANS = ["NoPurchasePlan", "WithPurchasePlan"];
const IDENTITIES = ["None", "UserAssigned"];
const MOST_LUN = 63;
const SUBSCRIPTION = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const RESOURCE_GROUP = /^[-a-zA-Z0-9_().]{0,89}[-a-zA-Z0-9_()]$/;
const ENCRYPTION_SET = /^[-a-zA-Z0-9_]{1,80}$/;
/** Stands in the fields of some faults of every pool. */
const ODD = "defaultMachinePlatform";

export function validatePoolSection(given: Given, field: string, context: RuleContext): void {
  const fault: Fault = (code, kind, member, message, hint, named = member) =>
    context.report(problem(code, kind, below(field, named), message, { at: below(field, member), hint }));
  const zones = given.section.zones ?? [];
  // An empty one alone is what the installer itself writes where there are no zones.
  for (const zone of zones)
    if (!/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(zone) && !(zone === "" && zones.length === 1))
      fault("IC335", "Invalid", "zones", `invalid zone ${quote(zone)}`, "use 1, 2 or 3");
  validateDisk(given, fault);
  validateEncryption(given, fault, context);
  validateSecurity(given, fault);
  validateNetworking(given, fault);
  if (has(context.release, "bootDiagnostics")) validateBootDiagnostics(given, fault);
  if (has(context.release, "dataDisks")) validateDataDisks(given, fault);
  validateImage(given, fault);
  if (has(context.release, "identities")) validateIdentity(given, fault);
}

function validateDisk({ azure, section, name }: Given, fault: Fault): void {
  const { diskSizeGB: size = 0, diskType: type = "" } = section.osDisk ?? {};
  const invalidSize = (message: string, hint: string) =>
    fault("IC337", "Invalid", "osDisk.diskSizeGB", message, hint, "diskSizeGB");
  if (size < 0) invalidSize(`invalid size ${size} GiB`, "use a size in GiB, such as 128");
  else if (isStack(azure) && size !== 0 && (size < STACK_DISK.least || size > STACK_DISK.most))
    invalidSize(`invalid size ${size} GiB`, `use ${STACK_DISK.least} to ${STACK_DISK.most}`);
  const types = name === "" || name === "master" ? DISK_TYPES : COMPUTE_DISK_TYPES;
  if (type !== "" && !types.includes(type))
    fault(
      "IC337",
      "NotSupported",
      "osDisk.diskType",
      COMPUTE_DISK_TYPES.includes(type)
        ? `the disk type ${type} is supported only for compute pools`
        : `unsupported disk type ${quote(type)}`,
      `use ${types.join(" or ")}`,
      "diskType",
    );
  const ultra = section.ultraSSDCapability ?? "";
  if (ultra !== "" && !ON_OFF.includes(ultra))
    fault(
      "IC336",
      "NotSupported",
      "ultraSSDCapability",
      `unsupported value ${quote(ultra)}`,
      `use ${ON_OFF.join(" or ")}`,
    );
}

function validateEncryption({ azure, section }: Given, fault: Fault, { release }: RuleContext): void {
  if (section.encryptionAtHost === true && isStack(azure))
    fault(
      "IC339",
      "Invalid",
      "encryptionAtHost",
      "encryption at the host is not supported on Azure Stack Hub",
      "remove encryptionAtHost",
      `${ODD}.encryptionAtHost`,
    );
  const set = section.osDisk?.diskEncryptionSet;
  if (set === undefined) return;
  const invalid = (
    member: string,
    named: string,
    message: string,
    hint: string,
    kind: "Invalid" | "Required" = "Invalid",
  ) =>
    fault(
      "IC339",
      kind,
      `osDisk.diskEncryptionSet${member}`,
      message,
      hint,
      `${ODD}.osDisk.diskEncryptionSet.${named}`,
    );
  if (isStack(azure)) {
    invalid(
      "",
      "diskEncryptionSet",
      "disk encryption sets are not supported on Azure Stack Hub",
      "remove it",
    );
    return;
  }
  const { subscriptionId = "", resourceGroup = "", name = "" } = set;
  if (subscriptionId === "")
    invalid(
      ".subscriptionId",
      "subscriptionID",
      "required value is missing: the subscription of the disk encryption set",
      "set the cluster's subscription, or add cloud-facts azure.subscriptionID (--facts FILE)",
      has(release, "subscriptionNotRequired") ? "Invalid" : "Required",
    );
  else if (!SUBSCRIPTION.test(subscriptionId))
    invalid(
      ".subscriptionId",
      "subscriptionID",
      `invalid subscription ID ${quote(subscriptionId)}`,
      "use a UUID; to show it, run: az account show --query id",
    );
  else if (!RESOURCE_GROUP.test(resourceGroup))
    invalid(
      ".resourceGroup",
      "resourceGroup",
      resourceGroup === ""
        ? "required value is missing"
        : `invalid resource group name ${quote(resourceGroup)}`,
      "set the resource group of the disk encryption set",
    );
  else if (!ENCRYPTION_SET.test(name))
    invalid(
      ".name",
      "diskEncryptionSetName",
      name === "" ? "required value is missing" : `invalid disk encryption set name ${quote(name)}`,
      "use 1 to 80 letters, digits, hyphens and underscores",
    );
}

/** The first fault alone is told, as the rules build on one another. */
type Told = (kind: Problem["kind"], member: string, message: string, hint: string) => void;

function validateSecurity({ azure, section }: Given, fault: Fault): void {
  const { settings, osDisk } = section;
  const profile = osDisk?.securityProfile;
  const encryption = profile?.securityEncryptionType ?? "";
  let isSound = true;
  const told: Told = (kind, member, message, hint) => {
    isSound = false;
    fault("IC343", kind, member, message, hint, `${ODD}.${member}`);
  };
  if (settings === undefined) {
    // An empty profile makes the installer crash here.
    if (encryption !== "" || (profile !== undefined && !isStack(azure)))
      told(
        "Required",
        "settings",
        "a disk security profile requires security settings of the machines",
        "add settings with securityType: ConfidentialVM, or remove securityProfile",
      );
    else if (profile !== undefined)
      told(
        "Invalid",
        "settings.securityType",
        "security types are not supported on Azure Stack Hub",
        "remove securityProfile",
      );
    return;
  }
  const type = settings.securityType ?? "";
  if (isStack(azure))
    told(
      "Invalid",
      "settings.securityType",
      "security types are not supported on Azure Stack Hub",
      "remove settings",
    );
  else if (type === "ConfidentialVM") confidential(section, encryption, told);
  else if (type === "TrustedLaunch") {
    if (settings.trustedLaunch === undefined)
      told(
        "Required",
        "settings.trustedLaunch",
        "required value is missing: trustedLaunch",
        "add it with uefiSettings",
      );
  } else if (encryption !== "")
    told(
      "Invalid",
      "settings.securityType",
      "securityEncryptionType requires securityType: ConfidentialVM",
      "use ConfidentialVM, or remove securityEncryptionType",
    );
  else if (Object.values(settings.trustedLaunch?.uefiSettings ?? {}).includes("Enabled"))
    told(
      "Invalid",
      "settings.securityType",
      "enabled UEFI settings require securityType: TrustedLaunch",
      "use TrustedLaunch",
    );
  if (isSound) firmwareValues(settings, told);
}

/** The installer hands on whatever stands there, and the API of machines takes two words. */
function firmwareValues(settings: NonNullable<AzureMachinePool["settings"]>, told: Told): void {
  for (const [name, section] of Object.entries({
    confidentialVM: settings.confidentialVM,
    trustedLaunch: settings.trustedLaunch,
  }))
    for (const [member, value = ""] of Object.entries(section?.uefiSettings ?? {}))
      if (!["", "Enabled", "Disabled"].includes(value))
        told(
          "NotSupported",
          `settings.${name}.uefiSettings.${member}`,
          `unsupported value ${quote(value)}`,
          "use Enabled or Disabled",
        );
}

function confidential(
  { settings, encryptionAtHost }: AzureMachinePool,
  encryption: string,
  told: Told,
): void {
  const types = ["VMGuestStateOnly", "DiskWithVMGuestState"];
  const firmware = settings?.confidentialVM?.uefiSettings;
  const { secureBoot, virtualizedTrustedPlatformModule: tpm } = firmware ?? {};
  const whole = encryption === "DiskWithVMGuestState";
  const at = "settings.confidentialVM";
  if (encryption === "")
    told(
      "Required",
      "osDisk.securityProfile.securityEncryptionType",
      "required value is missing: confidential VMs require it",
      `use ${types.join(" or ")}`,
    );
  else if (!types.includes(encryption))
    told(
      "NotSupported",
      "osDisk.securityProfile.securityEncryptionType",
      `unsupported value ${quote(encryption)}`,
      `use ${types.join(" or ")}`,
    );
  else if (settings?.confidentialVM === undefined)
    told("Required", at, "required value is missing: confidentialVM", "add it with uefiSettings");
  else if (firmware === undefined)
    told(
      "Required",
      `${at}.uefiSettings`,
      "required value is missing: uefiSettings",
      "add it, with both settings Enabled",
    );
  else if (tpm !== undefined && tpm !== "Enabled")
    told(
      "Invalid",
      `${at}.uefiSettings.virtualizedTrustedPlatformModule`,
      "confidential VMs require a virtual TPM",
      "use Enabled",
    );
  else if (whole && encryptionAtHost === true)
    told(
      "Invalid",
      "encryptionAtHost",
      "not supported with securityEncryptionType: DiskWithVMGuestState",
      "remove encryptionAtHost, or use VMGuestStateOnly",
    );
  else if (whole && secureBoot !== undefined && secureBoot !== "Enabled")
    told(
      "Invalid",
      `${at}.uefiSettings.secureBoot`,
      "securityEncryptionType: DiskWithVMGuestState requires Secure Boot",
      "use Enabled",
    );
}

function validateNetworking({ section }: Given, fault: Fault): void {
  const type = section.vmNetworkingType ?? "";
  if (type === "" || NETWORKING.includes(type)) return;
  fault(
    "IC336",
    "NotSupported",
    "vmNetworkingType",
    `unsupported value ${quote(type)}`,
    `use ${NETWORKING.join(" or ")}`,
    "acceleratedNetworking",
  );
}

function validateBootDiagnostics({ azure, section }: Given, fault: Fault): void {
  const diagnostics = section.bootDiagnostics;
  if (diagnostics === undefined) return;
  const { type = "", resourceGroup = "", storageAccountName = "" } = diagnostics;
  const at = (member: string): string => `bootDiagnostics.${member}`;
  if (!DIAGNOSTICS.includes(type))
    fault(
      "IC341",
      "NotSupported",
      at("type"),
      `unsupported value ${quote(type)}`,
      `use ${DIAGNOSTICS.join(", ")}`,
    );
  if (type === "Managed" && isStack(azure))
    fault(
      "IC341",
      "Invalid",
      at("type"),
      "managed boot diagnostics are not supported on Azure Stack Hub",
      "use UserManaged with your own storage account",
      at("StorageAccountURI"),
    );
  const account = [
    { member: "resourceGroup", named: "ResourceGroup", value: resourceGroup },
    { member: "storageAccountName", named: "StorageAccountName", value: storageAccountName },
  ];
  for (const { member, named, value } of account)
    if ((type === "UserManaged") === (value === ""))
      fault(
        "IC341",
        "Invalid",
        at(member),
        value === ""
          ? `required value is missing: UserManaged requires ${member}`
          : `${member} is supported only with UserManaged`,
        value === "" ? `use ${member}` : `remove ${member}, or use type: UserManaged`,
        at(named),
      );
}

function validateDataDisks({ section, name, pool }: Given, fault: Fault): void {
  const disks = section.dataDisks ?? [];
  const setups = pool?.diskSetup ?? [];
  if (name === "" && disks.length > 0)
    fault(
      "IC337",
      "Invalid",
      "dataDisks",
      "data disks are supported only on pools",
      "move dataDisks to controlPlane.platform.azure and compute[].platform.azure",
    );
  if (disks.length === 0 || setups.length === 0) return;
  if (disks.length < setups.length) {
    fault(
      "IC337",
      "TooLong",
      "dataDisks",
      `diskSetup has ${counted(setups.length, "disk")}, but the pool has ${counted(disks.length, "data disk")}`,
      "add data disks, or remove disks from diskSetup",
    );
    return;
  }
  const seen = new Set<number>();
  for (const [i, disk] of disks.entries()) {
    const told = (kind: Problem["kind"], member: string, named: string, message: string, hint: string) =>
      fault("IC337", kind, `dataDisks[${i}].${member}`, message, hint, `dataDisks.${named}`);
    const { lun, nameSuffix = "", diskSizeGB = 0 } = disk;
    if (lun === undefined)
      told(
        "Required",
        "lun",
        "Lun",
        `required value is missing: lun of the disk ${quote(nameSuffix)}`,
        `use 0 to ${MOST_LUN}`,
      );
    else {
      if (lun < 0 || lun > MOST_LUN)
        told("Required", "lun", "Lun", `invalid value ${lun}`, `use 0 to ${MOST_LUN}`);
      if (seen.has(lun)) told("Invalid", "lun", "Lun", `duplicate value ${lun}`, "use different values");
      seen.add(lun);
    }
    if (diskSizeGB <= 0)
      told(
        "Invalid",
        "diskSizeGB",
        "DiskSizeGB",
        `invalid size ${diskSizeGB} GiB`,
        "use a size in GiB, such as 64",
      );
    const setup = setups[i];
    const wanted =
      setup?.type === "etcd"
        ? setup.etcd
        : setup?.type === "swap"
          ? setup.swap
          : setup?.type === "user-defined"
            ? setup.userDefined
            : undefined;
    if (wanted !== undefined && (wanted.platformDiskID ?? "") !== nameSuffix)
      told(
        "Invalid",
        "nameSuffix",
        "NameSuffix",
        `the disk is named ${quote(nameSuffix)}, but diskSetup[${i}] names ${quote(wanted.platformDiskID ?? "")}`,
        "use the same names in the same order",
      );
  }
}

function validateImage({ section }: Given, fault: Fault): void {
  const image = section.osImage ?? {};
  if (Object.values(image).every((value) => value === "")) return;
  const at = (member: string): string => `osImage.${member}`;
  if (image.plan && !PLANS.includes(image.plan))
    fault(
      "IC338",
      "NotSupported",
      at("plan"),
      `unsupported purchase plan ${quote(image.plan)}`,
      `use ${PLANS.join(" or ")}`,
    );
  for (const member of ["publisher", "offer", "sku", "version"] as const)
    if (!image[member])
      fault(
        "IC338",
        "Required",
        at(member),
        `required value is missing: ${member} of the image`,
        "to list publisher, offer, sku and version, run: az vm image list",
      );
}

function validateIdentity({ section }: Given, fault: Fault): void {
  const { identity } = section;
  if (identity === undefined) return;
  const { type = "" } = identity;
  const told = (kind: Problem["kind"], message: string, hint: string) =>
    fault("IC343", kind, "identity.type", message, hint);
  if (type === "") told("Required", "required value is missing", `use ${IDENTITIES.join(" or ")}`);
  else if (!IDENTITIES.includes(type))
    told("NotSupported", `unsupported identity type ${quote(type)}`, `use ${IDENTITIES.join(" or ")}`);
  else if (identity.userAssignedIdentities !== undefined && type !== "UserAssigned")
    told(
      "Invalid",
      "userAssignedIdentities requires type: UserAssigned",
      "use UserAssigned, or remove userAssignedIdentities",
    );
}
