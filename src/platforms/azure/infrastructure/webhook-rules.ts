/**
 * Rules of the provider's webhooks, which no definition of a kind holds (cluster-api-provider-azure api/v1beta1:
 * ValidateCreate of each kind, with its defaults). Pure over objects as they would be applied.
 */

import ipaddr from "ipaddr.js";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../../core/json.js";
import { lookup } from "../../../core/lookup.js";
import { type Found, problem } from "../../../core/problem.js";
import { quote } from "../../../text/quote.js";

const CLUSTER_NAME = /^[a-z0-9][a-z0-9-]{0,42}[a-z0-9]$/;
const RESOURCE_GROUP = /^[-\w._()]+$/;
const NAME = /^[-\w._]+$/;
const DNS_NAME = /^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$/;
const PRIORITIES = { least: 100, most: 4096 };
const MOST_ADDRESSES = 16;
const MOST_OS_DISK = 2048;
const DATA_DISK = { least: 4, most: 32767 };
const MOST_LUN = 63;
const DISK_TYPES = [
  "PremiumV2_LRS",
  "Premium_LRS",
  "Premium_ZRS",
  "StandardSSD_LRS",
  "StandardSSD_ZRS",
  "Standard_LRS",
  "UltraSSD_LRS",
];
const CACHING = ["None", "ReadOnly", "ReadWrite"];
const RESOURCE_ID =
  /^\/subscriptions\/[^/]+(\/resourcegroups\/[^/]+)?(\/providers\/[^/]+(\/[^/]+\/[^/]+)+)?$/i;

type Refuse = (field: string, message: string, hint: string, kind?: Found["kind"]) => void;

/** What the webhooks would refuse of an object; nothing for other kinds than the provider's. */
export const webhookFindings = (object: JsonObject): Found[] => {
  const isOurs = textAt(object, "apiVersion").startsWith("infrastructure.cluster.x-k8s.io/");
  const rules = isOurs ? lookup(RULES, textAt(object, "kind")) : undefined;
  const found: Found[] = [];
  rules?.(object, (field, message, hint, kind = "Invalid") =>
    found.push(problem("CAPI101", kind, field, message, hint)),
  );
  return found;
};

const RULES: Readonly<Record<string, (object: JsonObject, refuse: Refuse) => void>> = {
  AzureCluster: checkCluster,
  AzureMachineTemplate: (object, refuse) =>
    checkMachine(mapAt(mapAt(mapAt(object, "spec"), "template"), "spec"), "spec.template.spec", refuse),
};

const mapAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};
const listAt = (object: JsonObject, key: string): readonly JsonObject[] => {
  const value = object[key];
  return isList(value) ? value.map((each) => (isObject(each) ? each : {})) : [];
};
const textsAt = (object: JsonObject, key: string): readonly string[] => {
  const value = object[key];
  return isList(value) ? value.filter((each) => typeof each === "string") : [];
};
const isThere = (value: Json | undefined): boolean => value !== undefined && value !== null;

function checkCluster(object: JsonObject, refuse: Refuse): void {
  const name = textAt(mapAt(object, "metadata"), "name");
  if (!CLUSTER_NAME.test(name))
    refuse(
      "metadata.name",
      `invalid name ${quote(name)}`,
      "use 2 to 44 lowercase letters, digits and inner hyphens",
    );
  const spec = mapAt(object, "spec");
  const network = mapAt(spec, "networkSpec");
  const at = "spec.networkSpec";
  const identity = spec["identityRef"];
  if (!isObject(identity))
    refuse("spec.identityRef", "required value is missing", "use an AzureClusterIdentity", "Required");
  else if (textAt(identity, "kind") !== "AzureClusterIdentity")
    refuse(
      "spec.identityRef.name",
      "must be an AzureClusterIdentity",
      "use an AzureClusterIdentity",
      "NotSupported",
    );
  const vnet = mapAt(network, "vnet");
  const subnets = listAt(network, "subnets");
  // A resource group stands for a network that is there already.
  if (textAt(vnet, "resourceGroup") !== "") checkOwnNetwork(vnet, subnets, at, refuse);
  const controlPlane = subnets.find((subnet) =>
    ["control-plane", "cluster"].includes(textAt(subnet, "role")),
  );
  if (spec["controlPlaneEnabled"] === false) return;
  if (controlPlane === undefined)
    refuse(`${at}.subnets`, "required value is missing: a subnet with the role control-plane", "add one");
  checkApiBalancer(
    mapAt(network, "apiServerLB"),
    controlPlane === undefined ? [] : textsAt(controlPlane, "cidrBlocks"),
    `${at}.apiServerLB`,
    refuse,
  );
  const count = mapAt(network, "controlPlaneOutboundLB")["frontendIPsCount"];
  if (typeof count === "number" && count > MOST_ADDRESSES)
    refuse(
      `${at}.controlPlaneOutboundLB.frontendIPsCount`,
      `invalid value ${count}: too many addresses`,
      `use at most ${MOST_ADDRESSES}`,
    );
  const zone = textAt(network, "privateDNSZoneName");
  if (zone !== "" && (zone.length > 255 || !DNS_NAME.test(zone)))
    refuse(
      `${at}.privateDNSZoneName`,
      `invalid DNS zone name ${quote(zone)}`,
      "use letters, digits, hyphens and underscores, separated by dots",
    );
}

function checkOwnNetwork(vnet: JsonObject, subnets: readonly JsonObject[], at: string, refuse: Refuse): void {
  const group = textAt(vnet, "resourceGroup");
  if (!RESOURCE_GROUP.test(group))
    refuse(
      `${at}.vnet.resourceGroup`,
      `invalid resource group name ${quote(group)}`,
      "use letters, digits and -_.()",
    );
  const blocks = textsAt(vnet, "cidrBlocks");
  for (const block of blocks)
    if (!ipaddr.isValidCIDR(block))
      refuse(
        `${at}.cidrBlocks`,
        `invalid value ${quote(block)}: must be a CIDR`,
        "use a CIDR such as 10.0.0.0/16",
      );
  const names = new Set<string>();
  for (const [i, subnet] of subnets.entries()) {
    const field = `${at}.subnets[${i}]`;
    const name = textAt(subnet, "name");
    if (!NAME.test(name))
      refuse(`${field}.name`, `invalid subnet name ${quote(name)}`, "use letters, digits and -_.");
    if (names.has(name))
      refuse(`${at}.subnets`, `duplicate subnet ${quote(name)}`, "remove the others", "Duplicate");
    names.add(name);
    for (const [j, rule] of listAt(mapAt(subnet, "securityGroup"), "securityRules").entries())
      checkRule(rule, `${field}.securityGroup.securityRules[${j}]`, refuse);
    for (const block of textsAt(subnet, "cidrBlocks")) {
      if (!ipaddr.isValidCIDR(block))
        refuse(
          `${field}.cidrBlocks`,
          `invalid value ${quote(block)}: must be a CIDR`,
          "use a CIDR such as 10.0.0.0/24",
        );
      else if (!blocks.some((each) => contains(each, block.split("/")[0] ?? "")))
        refuse(
          `${field}.cidrBlocks`,
          `${block} must be in a CIDR of the virtual network (${blocks.join(", ") || "none"})`,
          "use a CIDR in the virtual network",
        );
    }
  }
  const roles = new Set(subnets.map((subnet) => textAt(subnet, "role")));
  if (!roles.has("cluster"))
    for (const role of ["control-plane", "node"])
      if (!roles.has(role))
        refuse(`${at}.subnets`, `no subnet has the role ${role}`, "assign it to a subnet", "Required");
}

function checkRule(rule: JsonObject, field: string, refuse: Refuse): void {
  const priority = typeof rule["priority"] === "number" ? rule["priority"] : 0;
  if (priority < PRIORITIES.least || priority > PRIORITIES.most)
    refuse(field, `invalid priority ${priority}`, `use ${PRIORITIES.least} to ${PRIORITIES.most}`);
  if (isThere(rule["source"]) && isThere(rule["sources"]))
    refuse(field, "forbidden: only one of source and sources can be set", "keep one of them");
}

function checkApiBalancer(
  balancer: JsonObject,
  blocks: readonly string[],
  field: string,
  refuse: Refuse,
): void {
  const type = textAt(balancer, "type");
  const frontends = listAt(balancer, "frontendIPs");
  const name = textAt(balancer, "name");
  const sku = textAt(balancer, "sku");
  if (sku !== "" && sku !== "Standard")
    refuse(`${field}.sku`, `unsupported SKU ${quote(sku)}`, "use Standard", "NotSupported");
  if (name !== "" && !NAME.test(name))
    refuse(`${field}.name`, `invalid load balancer name ${quote(name)}`, "use letters, digits and -_.");
  const idle = balancer["idleTimeoutInMinutes"];
  if (typeof idle === "number" && (idle < 4 || idle > 30))
    refuse(`${field}.idleTimeoutInMinutes`, `invalid value ${idle}`, "use 4 to 30");
  if (type !== "" && type !== "Internal" && type !== "Public")
    refuse(`${field}.type`, `unsupported type ${quote(type)}`, "use Internal or Public", "NotSupported");
  if (type !== "Internal") return;
  const at = `${field}.frontendIPConfigs`;
  if (frontends.some(({ publicIP }) => isThere(publicIP)))
    refuse(
      `${at}[0].publicIP`,
      "forbidden: an internal load balancer has no public address",
      "remove it",
      "Forbidden",
    );
  const addresses = frontends.map((each) => textAt(each, "privateIP")).filter((each) => each !== "");
  const [address = ""] = addresses;
  if (addresses.length !== 1)
    refuse(at, "required value is missing: an internal load balancer requires a private address", "add one");
  else if (!blocks.some((block) => contains(block, address)))
    refuse(
      `${at}[0].privateIP`,
      `${address} must be in the control plane's subnet (${blocks.join(", ") || "no CIDR"})`,
      "use an address of that subnet",
    );
}

function contains(block: string, address: string): boolean {
  if (!ipaddr.isValidCIDR(block) || !ipaddr.isValid(address)) return false;
  const [base, prefix] = ipaddr.parseCIDR(block);
  const given = ipaddr.parse(address);
  return given.kind() === base.kind() && given.match(base, prefix);
}

function checkMachine(spec: JsonObject, at: string, refuse: Refuse): void {
  checkImage(spec["image"], `${at}.image`, refuse);
  const osDisk = mapAt(spec, "osDisk");
  const size = osDisk["diskSizeGB"];
  if (typeof size === "number" && (size <= 0 || size > MOST_OS_DISK))
    refuse(`${at}.osDisk.diskSizeGB`, `invalid size ${size} GiB`, `use 1 to ${MOST_OS_DISK}`);
  checkManagedDisk(osDisk, `${at}.osDisk`, true, refuse);
  checkConfidential(mapAt(osDisk, "managedDisk"), spec["securityProfile"], `${at}.securityProfile`, refuse);
  checkIdentity(spec, at, refuse);
  checkDataDisks(listAt(spec, "dataDisks"), `${at}.dataDisks`, refuse);
  const boot = mapAt(mapAt(spec, "diagnostics"), "boot");
  const uri = textAt(mapAt(boot, "userManaged"), "storageAccountURI");
  const managed = textAt(boot, "storageAccountType") === "UserManaged";
  if (managed === (uri === "") && (managed || uri !== ""))
    refuse(
      `${at}.diagnostics.boot.userManaged`,
      managed ? "required value is missing" : "forbidden: requires UserManaged",
      managed ? "use storageAccountURI" : "use UserManaged, or remove it",
      managed ? "Required" : "Invalid",
    );
  const interfaces = listAt(spec, "networkInterfaces");
  if (interfaces.length > 0 && (textAt(spec, "subnetName") !== "" || isThere(spec["acceleratedNetworking"])))
    refuse(
      `${at}.networkInterfaces`,
      "forbidden: conflicts with subnetName and acceleratedNetworking",
      "keep only networkInterfaces",
    );
  if (spec["disableExtensionOperations"] === true && listAt(spec, "vmExtensions").length > 0)
    refuse(`${at}.vmExtensions`, "forbidden: extensions are disabled", "remove them", "Forbidden");
}

function checkImage(image: Json | undefined, field: string, refuse: Refuse): void {
  if (!isObject(image)) return;
  const sources = ["id", "marketplace", "sharedGallery", "computeGallery"].filter((name) =>
    isThere(image[name]),
  );
  if (sources.length === 0)
    refuse(
      field,
      "required value is missing: an image source",
      "set id, marketplace or computeGallery",
      "Required",
    );
  if (sources.length > 1)
    refuse(
      field,
      `only one image source can be set, found ${sources.join(", ")}`,
      "remove the others",
      "Forbidden",
    );
  if (image["id"] === "") refuse(`${field}.id`, "required value is missing", "set it");
}

function checkManagedDisk(disk: JsonObject, field: string, system: boolean, refuse: Refuse): void {
  const managed = disk["managedDisk"];
  const caching = textAt(disk, "cachingType");
  if (caching !== "" && !CACHING.includes(caching))
    refuse(`${field}.cachingType`, `unsupported caching type ${quote(caching)}`, `use ${CACHING.join(", ")}`);
  if (!isObject(managed)) return;
  const at = `${field}.managedDisk`;
  const type = textAt(managed, "storageAccountType");
  if (type === "")
    refuse(
      `${at}.storageAccountType`,
      "required value is missing",
      `use ${DISK_TYPES.join(", ")}`,
      "Required",
    );
  else if (!DISK_TYPES.includes(type) || (system && type === "UltraSSD_LRS"))
    refuse(
      `${at}.storageAccountType`,
      `unsupported disk type ${quote(type)}`,
      `use ${DISK_TYPES.join(", ")}`,
    );
  if (type === "UltraSSD_LRS" && caching !== "" && caching !== "None")
    refuse(`${field}.cachingType`, "ultra disks do not support caching", "use None");
  const profile = mapAt(managed, "securityProfile");
  if (
    system &&
    isThere(profile["diskEncryptionSet"]) &&
    textAt(profile, "securityEncryptionType") !== "DiskWithVMGuestState"
  )
    refuse(
      `${at}.securityProfile.diskEncryptionSet`,
      "requires securityEncryptionType: DiskWithVMGuestState",
      "use DiskWithVMGuestState, or remove diskEncryptionSet",
    );
}

function checkConfidential(
  managed: JsonObject,
  profile: Json | undefined,
  field: string,
  refuse: Refuse,
): void {
  const encryption = textAt(mapAt(managed, "securityProfile"), "securityEncryptionType");
  if (!isObject(profile) || encryption === "") return;
  const uefi = profile["uefiSettings"];
  if (textAt(profile, "securityType") !== "ConfidentialVM")
    refuse(`${field}.securityType`, "must be ConfidentialVM for a confidential disk", "use ConfidentialVM");
  if (!isObject(uefi)) {
    refuse(
      `${field}.uefiSettings`,
      "required value is missing: confidential VMs require it",
      "add uefiSettings",
    );
    return;
  }
  if (uefi["vTpmEnabled"] !== true)
    refuse(
      `${field}.vTpmEnabled`,
      "confidential VMs require a virtual TPM",
      "set virtualizedTrustedPlatformModule: Enabled",
    );
  if (encryption !== "DiskWithVMGuestState") return;
  if (profile["encryptionAtHost"] === true)
    refuse(
      `${field}.encryptionAtHost`,
      "forbidden: not supported with securityEncryptionType: DiskWithVMGuestState",
      "remove it",
    );
  if (uefi["secureBootEnabled"] !== true)
    refuse(
      `${field}.secureBootEnabled`,
      "securityEncryptionType: DiskWithVMGuestState requires Secure Boot",
      "set secureBoot: Enabled",
    );
}

function checkIdentity(spec: JsonObject, at: string, refuse: Refuse): void {
  const type = textAt(spec, "identity");
  const identities = listAt(spec, "userAssignedIdentities");
  const field = `${at}.userAssignedIdentities`;
  if (identities.length > 0 && type !== "UserAssigned")
    refuse(field, "forbidden: requires identity: UserAssigned", "use identity: UserAssigned");
  if (type !== "UserAssigned") return;
  if (identities.length === 0) refuse(field, "required value is missing", "add one", "Required");
  for (const each of identities) {
    const id = textAt(each, "providerID");
    if (id !== "" && !RESOURCE_ID.test(id.replace(/^azure:\/\//, "")))
      refuse(field, `invalid resource ID ${quote(id)}`, "use /subscriptions/…/userAssignedIdentities/NAME");
  }
}

function checkDataDisks(disks: readonly JsonObject[], field: string, refuse: Refuse): void {
  const names = new Set<string>();
  const luns = new Set<number>();
  for (const [i, disk] of disks.entries()) {
    const at = `${field}[${i}]`;
    const size = typeof disk["diskSizeGB"] === "number" ? disk["diskSizeGB"] : 0;
    const name = textAt(disk, "nameSuffix");
    const { lun } = disk;
    if (size < DATA_DISK.least || size > DATA_DISK.most)
      refuse(`${at}.diskSizeGB`, `invalid size ${size} GiB`, `use ${DATA_DISK.least} to ${DATA_DISK.most}`);
    if (name === "") refuse(`${at}.nameSuffix`, "required value is missing", "use nameSuffix", "Required");
    if (names.has(name)) refuse(at, `duplicate value ${quote(name)}`, "rename one", "Duplicate");
    names.add(name);
    // A disk without a number gets the next that is free.
    if (typeof lun === "number" && (lun < 0 || lun > MOST_LUN))
      refuse(`${at}.lun`, `invalid value ${lun}`, `use 0 to ${MOST_LUN}`);
    else if (typeof lun === "number" && luns.has(lun))
      refuse(`${at}.lun`, `duplicate value ${lun}`, "use different values", "Duplicate");
    else if (typeof lun === "number") luns.add(lun);
    checkManagedDisk(disk, at, false, refuse);
  }
}
