/** Each rule of platform.azure and of its pools, broken alone: kind, field and the place that is shown. */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { writeYaml } from "../../../src/text/yaml-write.js";
import { namesRemedy } from "../../helpers/applied-hints.js";
import { compile, installConfig } from "../../helpers/azure.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("azure: rules of the install-config");

interface Case {
  readonly azure?: JsonObject;
  /** Section of the first compute pool. */
  readonly pool?: JsonObject;
  readonly master?: JsonObject;
  readonly top?: JsonObject;
  readonly release?: string;
  /** Errors as `kind field`. */
  readonly errors: readonly string[];
  /** Where the first error is shown: a path in the config. */
  readonly at?: string;
}

const DUAL = { featureSet: "DevPreviewNoUpgrade" };
/** Networks of both families; those of machines as given. */
const networks = (machines: readonly string[]): JsonObject => ({
  networkType: "OVNKubernetes",
  machineNetwork: machines.map((cidr) => ({ cidr })),
  clusterNetwork: [
    { cidr: "10.128.0.0/14", hostPrefix: 23 },
    { cidr: "fd01::/48", hostPrefix: 64 },
  ],
  serviceNetwork: ["172.30.0.0/16", "fd02::/112"],
});
const NETWORK = { virtualNetwork: "birds", networkResourceGroupName: "net-rg" };
const MASTERS = { name: "masters", role: "control-plane" };
const NODES = { name: "nodes", role: "node" };
const STACK = {
  cloudName: "AzureStackCloud",
  armEndpoint: "https://management.local.azurestack.external",
};
const TECH = { featureSet: "TechPreviewNoUpgrade" };
const SUBSCRIPTION = "00000000-0000-4000-8000-000000000001";
const SET = { subscriptionId: SUBSCRIPTION, resourceGroup: "keys-rg", name: "des" };
const VAULT = { resourceGroup: "keys-rg", name: "cluster-vault", keyName: "storage" };
const P = "platform.azure";
const W = "compute[0].platform.azure";
const ODD = `${W}.defaultMachinePlatform`;
const CONFIDENTIAL = { securityType: "ConfidentialVM", confidentialVM: { uefiSettings: {} } };
const GUEST = { securityEncryptionType: "VMGuestStateOnly" };
const WHOLE = { securityEncryptionType: "DiskWithVMGuestState" };
const DISK = { nameSuffix: "data", diskSizeGB: 64, lun: 0 };
const SETUP = [{ type: "user-defined", userDefined: { platformDiskID: "data", mountPath: "/data" } }];
const tags = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, "value"]));

const CASES: Readonly<Record<string, Case>> = {
  "a sound config": { errors: [] },
  "no region": { azure: { region: "" }, errors: [`Required ${P}.region`], at: `${P}.region` },
  "no group of the DNS zone": {
    azure: { baseDomainResourceGroupName: "" },
    errors: [`Required ${P}.baseDomainResourceGroupName`],
  },
  "no group of the DNS zone, and not published": {
    azure: { baseDomainResourceGroupName: "" },
    top: { publish: "Internal" },
    errors: [],
  },
  "a subnet twice": {
    azure: { ...NETWORK, subnets: [MASTERS, NODES, NODES] },
    errors: [`Invalid ${P}.subnets`],
    at: `${P}.subnets[2]`,
  },
  "two subnets of the control plane": {
    azure: { ...NETWORK, subnets: [MASTERS, { ...MASTERS, name: "more" }, NODES] },
    errors: [`Invalid ${P}.subnets`],
    at: `${P}.subnets[1]`,
  },
  "a role that does not exist": {
    azure: { ...NETWORK, subnets: [MASTERS, NODES, { name: "edge", role: "edge" }] },
    errors: [`Invalid ${P}.subnets`],
    at: `${P}.subnets[2]`,
  },
  "a network without its group": {
    azure: { virtualNetwork: "birds", subnets: [MASTERS, NODES] },
    errors: [`Required ${P}.networkResourceGroupName`],
  },
  "a network without subnets": {
    azure: NETWORK,
    errors: [`Required ${P}.computeSubnet`, `Required ${P}.controlPlaneSubnet`],
  },
  "subnets without a network": {
    azure: { subnets: [MASTERS, NODES] },
    errors: [`Required ${P}.networkResourceGroupName`, `Required ${P}.virtualNetwork`],
  },
  "old spellings of subnets": {
    azure: { ...NETWORK, controlPlaneSubnet: "masters", computeSubnet: "nodes" },
    errors: [],
  },
  "old and new spellings of subnets": {
    azure: { ...NETWORK, controlPlaneSubnet: "masters", subnets: [MASTERS, NODES] },
    errors: [`Invalid ${P}.subnets`],
  },
  "old spellings at 4.20, one missing": {
    azure: { ...NETWORK, controlPlaneSubnet: "masters" },
    release: "4.20",
    errors: [`Required ${P}.computeSubnet`],
  },
  "an empty zone among others": {
    pool: { zones: ["1", ""] },
    errors: [`Invalid ${W}.zones`],
  },
  "a zone that ends no name": {
    pool: { zones: ["-"] },
    errors: [`Invalid ${W}.zones`],
  },
  "no zone": { pool: { zones: [""] }, errors: [] },
  "zones that no name of a machine set can hold": {
    pool: { zones: ["1", "\u0000"] },
    errors: [`Invalid ${W}.zones`],
  },
  "a cloud that does not exist": {
    azure: { cloudName: "AzureMoon" },
    errors: [`NotSupported ${P}.cloudName`],
    at: `${P}.cloudName`,
  },
  "an outbound type that does not exist": {
    azure: { outboundType: "Pigeon" },
    errors: [`NotSupported ${P}.outboundType`],
  },
  "the old name of the NAT gateway": {
    azure: { outboundType: "NatGateway" },
    errors: [`NotSupported ${P}.outboundType`],
  },
  "the NAT gateway of 4.19 without the technology preview": {
    azure: { outboundType: "NatGateway" },
    release: "4.19",
    errors: [`Invalid ${P}.outboundType`],
  },
  "the NAT gateway of 4.19 with it": {
    azure: { outboundType: "NatGateway" },
    top: TECH,
    release: "4.19",
    errors: [],
  },
  "a NAT gateway on an own network at 4.20": {
    azure: {
      ...NETWORK,
      controlPlaneSubnet: "masters",
      computeSubnet: "nodes",
      outboundType: "NATGatewaySingleZone",
    },
    release: "4.20",
    errors: [`Invalid ${P}.outboundType`],
  },
  "the NAT gateway of 4.20 in an own network at 4.18": {
    azure: {
      ...NETWORK,
      controlPlaneSubnet: "masters",
      computeSubnet: "nodes",
      outboundType: "NATGatewaySingleZone",
    },
    release: "4.18",
    errors: [`NotSupported ${P}.outboundType`],
  },
  "several NAT gateways before 4.21": {
    azure: { outboundType: "NATGatewayMultiZone" },
    release: "4.20",
    errors: [`NotSupported ${P}.outboundType`],
  },
  "own routes without an own network": {
    azure: { outboundType: "UserDefinedRouting" },
    errors: [`Invalid ${P}.outboundType`],
  },
  "a NAT gateway of a cluster that is not published": {
    azure: { outboundType: "NATGatewaySingleZone" },
    top: { publish: "Internal" },
    errors: [`Invalid ${P}.outboundType`],
  },
  "a NAT gateway of a cluster with internal ingress": {
    azure: { outboundType: "NATGatewayMultiZone" },
    top: { publish: "Mixed", operatorPublishingStrategy: { ingress: "Internal" } },
    errors: [`Invalid ${P}.outboundType`],
  },
  "one NAT gateway for two subnets": {
    azure: {
      ...NETWORK,
      subnets: [MASTERS, NODES, { ...NODES, name: "more" }],
      outboundType: "NATGatewaySingleZone",
    },
    errors: [`Invalid ${P}.outboundType`],
  },
  "several NAT gateways for one subnet": {
    azure: { ...NETWORK, subnets: [MASTERS, NODES], outboundType: "NATGatewayMultiZone" },
    errors: [`Invalid ${P}.outboundType`],
  },
  "a storage key without a name": {
    azure: {
      customerManagedKey: { keyVault: { ...VAULT, keyName: "" }, userAssignedIdentityKey: "identity" },
    },
    errors: [`Required ${P}.customerManagedKey`],
    at: `${P}.customerManagedKey.keyVault.keyName`,
  },
  "a storage key with a bad name": {
    azure: {
      customerManagedKey: { keyVault: { ...VAULT, keyName: "a b" }, userAssignedIdentityKey: "identity" },
    },
    errors: [`Invalid ${P}.customerManagedKey`],
    at: `${P}.customerManagedKey.keyVault.keyName`,
  },
  "a vault with two dashes": {
    azure: {
      customerManagedKey: { keyVault: { ...VAULT, name: "a--b" }, userAssignedIdentityKey: "identity" },
    },
    errors: [`Invalid ${P}.customerManagedKey`],
    at: `${P}.customerManagedKey.keyVault.name`,
  },
  "a vault in a group with a bad name": {
    azure: {
      customerManagedKey: {
        keyVault: { ...VAULT, resourceGroup: "a/b" },
        userAssignedIdentityKey: "identity",
      },
    },
    errors: [`Invalid ${P}.customerManagedKey`],
    at: `${P}.customerManagedKey.keyVault.resourceGroup`,
  },
  "a storage key without identity": {
    azure: { customerManagedKey: { keyVault: VAULT } },
    errors: [`Required ${P}.customerManagedKey`],
    at: `${P}.customerManagedKey`,
  },
  "a storage key with a bad identity": {
    azure: { customerManagedKey: { keyVault: VAULT, userAssignedIdentityKey: "-a" } },
    errors: [`Invalid ${P}.customerManagedKey`],
    at: `${P}.customerManagedKey.userAssignedIdentityKey`,
  },
  "a storage key that is sound": {
    azure: { customerManagedKey: { keyVault: VAULT, userAssignedIdentityKey: "identity" } },
    errors: [],
  },
  "tags in China": {
    azure: { cloudName: "AzureChinaCloud", userTags: { team: "birds" } },
    errors: [`Forbidden ${P}.userTags`],
  },
  "tags for the US government": {
    azure: { cloudName: "AzureUSGovernmentCloud", userTags: { team: "birds" } },
    errors: [],
  },
  "tags for the US government before 4.22": {
    azure: { cloudName: "AzureUSGovernmentCloud", userTags: { team: "birds" } },
    release: "4.21",
    errors: [`Forbidden ${P}.userTags`],
  },
  "eleven tags": { azure: { userTags: tags(11) }, errors: [`TooMany ${P}.userTags`] },
  "a tag in two cases": {
    azure: { userTags: { team: "birds", TEAM: "birds" } },
    errors: [`Forbidden ${P}.userTags`],
  },
  "a key that begins with a digit": {
    azure: { userTags: { "1team": "birds" } },
    errors: [`Invalid ${P}.userTags[1team]`],
  },
  "an empty value of a tag": {
    azure: { userTags: { team: "" } },
    errors: [`Invalid ${P}.userTags[team]`],
  },
  "a reserved tag": {
    azure: { userTags: { "Azure-team": "birds" } },
    errors: [`Invalid ${P}.userTags[Azure-team]`],
  },
  "values with the range of characters": { azure: { userTags: { team: "a:b;c<d>/e,f?" } }, errors: [] },
  "an endpoint of a hub in the public cloud": {
    azure: { armEndpoint: "https://management.example" },
    errors: [`Required ${P}.armEndpoint`],
  },
  "an image of a hub in the public cloud": {
    azure: { clusterOSImage: "https://vhds.example/os.vhd" },
    errors: [`Required ${P}.clusterOSImage`],
  },
  "a hub without its endpoint": {
    azure: { cloudName: "AzureStackCloud" },
    errors: [`Required ${P}.armEndpoint`],
  },
  "a sound hub": { azure: STACK, errors: [] },
  "a hub with a NAT gateway": {
    azure: { ...STACK, outboundType: "NATGatewaySingleZone" },
    errors: [`Invalid ${P}.outboundType`],
  },
  "a hub with a storage key": {
    azure: { ...STACK, customerManagedKey: {} },
    errors: [`Invalid ${P}.customerManagedKey`],
  },
  "a hub with DNS of the user's": {
    azure: { ...STACK, userProvisionedDNS: "Disabled" },
    errors: [`Invalid ${P}.userProvisionedDNS`],
  },
  "a hub with DNS of the user's before 4.22": {
    azure: { ...STACK, userProvisionedDNS: "Disabled" },
    release: "4.21",
    errors: [],
  },
  "a hub without shared keys": {
    azure: { ...STACK, allowSharedKeyAccess: false },
    errors: [`Invalid ${P}.allowSharedAccessKey`],
    at: `${P}.allowSharedKeyAccess`,
  },
  "a hub with another credentials mode": {
    azure: STACK,
    top: { credentialsMode: "Passthrough" },
    errors: ["NotSupported credentialsMode"],
  },
  "an IP family that does not exist": {
    azure: { ipFamily: "IPv5" },
    errors: [`NotSupported ${P}.ipFamily`],
  },
  "dual stack without its gate": {
    azure: { ipFamily: "DualStackIPv4Primary" },
    errors: [`Forbidden ${P}.ipFamily`],
  },
  "dual stack by ipFamily": {
    azure: { ipFamily: "DualStackIPv4Primary" },
    top: { ...DUAL, networking: networks(["10.0.0.0/16", "fd00::/48"]) },
    release: "5.0",
    errors: [],
  },
  "dual stack by ipFamily before 5.0": {
    azure: { ipFamily: "DualStackIPv4Primary" },
    top: { ...DUAL, networking: networks(["10.0.0.0/16", "fd00::/48"]) },
    errors: ["Invalid networking"],
  },
  "dual stack without an IPv6 block of machines": {
    azure: { ipFamily: "DualStackIPv6Primary" },
    top: { ...DUAL, networking: networks(["10.0.0.0/16"]) },
    release: "5.0",
    errors: ["Invalid networking.machineNetwork"],
  },
  "IPv6 first where IPv4 is to be": {
    azure: { ipFamily: "DualStackIPv4Primary" },
    top: { ...DUAL, networking: networks(["fd00::/48", "10.0.0.0/16"]) },
    release: "5.0",
    errors: ["Invalid networking.machineNetwork"],
  },
  "either family first where IPv6 may be": {
    azure: { ipFamily: "DualStackIPv6Primary" },
    top: { ...DUAL, networking: networks(["fd00::/48", "10.0.0.0/16"]) },
    release: "5.0",
    errors: [],
  },
  "both families asked for, one given": {
    azure: { ipFamily: "DualStackIPv4Primary" },
    top: DUAL,
    release: "5.0",
    errors: [],
  },
  "shared keys on a hub at 4.20": {
    azure: { ...STACK, allowSharedKeyAccess: false },
    top: { credentialsMode: "Manual" },
    release: "4.20",
    errors: [`Invalid ${P}.allowSharedKeyAccess`],
  },
  "DNS of the user's at 4.21 without its gate": {
    azure: { userProvisionedDNS: "Enabled" },
    release: "4.21",
    errors: [`Forbidden ${P}.userProvisionedDNS`],
  },
  "DNS of the user's": { azure: { userProvisionedDNS: "Enabled" }, errors: [] },
  "a disk of negative size": {
    pool: { osDisk: { diskSizeGB: -1 } },
    errors: [`Invalid ${W}.diskSizeGB`],
    at: `${W}.osDisk.diskSizeGB`,
  },
  "a disk that is too small for a hub": {
    azure: STACK,
    pool: { osDisk: { diskSizeGB: 64 } },
    errors: [`Invalid ${W}.diskSizeGB`],
  },
  "a disk that is too large for a hub": {
    azure: STACK,
    pool: { osDisk: { diskSizeGB: 1024 } },
    errors: [`Invalid ${W}.diskSizeGB`],
  },
  "a disk type that does not exist": {
    pool: { osDisk: { diskType: "Vinyl" } },
    errors: [`NotSupported ${W}.diskType`],
    at: `${W}.osDisk.diskType`,
  },
  "a slow disk of the control plane": {
    master: { osDisk: { diskType: "Standard_LRS" } },
    errors: ["NotSupported controlPlane.platform.azure.diskType"],
  },
  "a slow disk of compute": { pool: { osDisk: { diskType: "Standard_LRS" } }, errors: [] },
  "a slow disk for all": {
    azure: { defaultMachinePlatform: { osDisk: { diskType: "Standard_LRS" } } },
    errors: [
      "NotSupported controlPlane.platform.azure.diskType",
      `NotSupported ${P}.defaultMachinePlatform.diskType`,
    ],
  },
  "a slow disk for all at 4.20": {
    azure: { defaultMachinePlatform: { osDisk: { diskType: "Standard_LRS" } } },
    release: "4.20",
    errors: [`NotSupported ${P}.defaultMachinePlatform.diskType`],
  },
  "ultra disks neither on nor off": {
    pool: { ultraSSDCapability: "Maybe" },
    errors: [`NotSupported ${W}.ultraSSDCapability`],
  },
  "encryption at the host of a hub": {
    azure: STACK,
    pool: { encryptionAtHost: true },
    errors: [`Invalid ${ODD}.encryptionAtHost`],
    at: `${W}.encryptionAtHost`,
  },
  "an encryption set on a hub": {
    azure: STACK,
    pool: { osDisk: { diskEncryptionSet: SET } },
    errors: [`Invalid ${ODD}.osDisk.diskEncryptionSet.diskEncryptionSet`],
    at: `${W}.osDisk.diskEncryptionSet`,
  },
  "an encryption set without subscription": {
    pool: { osDisk: { diskEncryptionSet: { ...SET, subscriptionId: "" } } },
    errors: [`Invalid ${ODD}.osDisk.diskEncryptionSet.subscriptionID`],
    at: `${W}.osDisk.diskEncryptionSet.subscriptionId`,
  },
  "an encryption set without subscription before 4.22": {
    pool: { osDisk: { diskEncryptionSet: { ...SET, subscriptionId: "" } } },
    release: "4.21",
    errors: [`Required ${ODD}.osDisk.diskEncryptionSet.subscriptionID`],
  },
  "an encryption set in a bad subscription": {
    pool: { osDisk: { diskEncryptionSet: { ...SET, subscriptionId: "mine" } } },
    errors: [`Invalid ${ODD}.osDisk.diskEncryptionSet.subscriptionID`],
  },
  "an encryption set in a bad group": {
    pool: { osDisk: { diskEncryptionSet: { ...SET, resourceGroup: "a." } } },
    errors: [`Invalid ${ODD}.osDisk.diskEncryptionSet.resourceGroup`],
  },
  "an encryption set with a bad name": {
    pool: { osDisk: { diskEncryptionSet: { ...SET, name: "a.b" } } },
    errors: [`Invalid ${ODD}.osDisk.diskEncryptionSet.diskEncryptionSetName`],
    at: `${W}.osDisk.diskEncryptionSet.name`,
  },
  "a security profile without settings": {
    pool: { osDisk: { securityProfile: GUEST } },
    errors: [`Required ${ODD}.settings`],
  },
  "an empty security profile without settings": {
    pool: { osDisk: { securityProfile: {} } },
    errors: [`Required ${ODD}.settings`],
  },
  "security settings on a hub": {
    azure: STACK,
    pool: { settings: { securityType: "TrustedLaunch", trustedLaunch: {} } },
    errors: [`Invalid ${ODD}.settings.securityType`],
    at: `${W}.settings.securityType`,
  },
  "confidential machines without encryption": {
    pool: { settings: CONFIDENTIAL },
    errors: [`Required ${ODD}.osDisk.securityProfile.securityEncryptionType`],
  },
  "confidential machines with an encryption that does not exist": {
    pool: { settings: CONFIDENTIAL, osDisk: { securityProfile: { securityEncryptionType: "Rot13" } } },
    errors: [`NotSupported ${ODD}.osDisk.securityProfile.securityEncryptionType`],
  },
  "confidential machines without their section": {
    pool: { settings: { securityType: "ConfidentialVM" }, osDisk: { securityProfile: GUEST } },
    errors: [`Required ${ODD}.settings.confidentialVM`],
  },
  "confidential machines without firmware": {
    pool: {
      settings: { securityType: "ConfidentialVM", confidentialVM: {} },
      osDisk: { securityProfile: GUEST },
    },
    errors: [`Required ${ODD}.settings.confidentialVM.uefiSettings`],
  },
  "confidential machines without a trusted module": {
    pool: {
      settings: {
        securityType: "ConfidentialVM",
        confidentialVM: { uefiSettings: { virtualizedTrustedPlatformModule: "Disabled" } },
      },
      osDisk: { securityProfile: GUEST },
    },
    errors: [`Invalid ${ODD}.settings.confidentialVM.uefiSettings.virtualizedTrustedPlatformModule`],
    at: `${W}.settings.confidentialVM.uefiSettings.virtualizedTrustedPlatformModule`,
  },
  "confidential machines encrypted at the host too": {
    pool: { settings: CONFIDENTIAL, osDisk: { securityProfile: WHOLE }, encryptionAtHost: true },
    errors: [`Invalid ${ODD}.encryptionAtHost`],
  },
  "confidential machines without secure boot": {
    pool: {
      settings: {
        securityType: "ConfidentialVM",
        confidentialVM: { uefiSettings: { secureBoot: "Disabled" } },
      },
      osDisk: { securityProfile: WHOLE },
    },
    errors: [`Invalid ${ODD}.settings.confidentialVM.uefiSettings.secureBoot`],
  },
  "secure boot of another kind": {
    pool: {
      settings: { securityType: "ConfidentialVM", confidentialVM: { uefiSettings: { secureBoot: "on" } } },
      osDisk: { securityProfile: GUEST },
    },
    errors: [`NotSupported ${ODD}.settings.confidentialVM.uefiSettings.secureBoot`],
  },
  "a trusted module of another kind": {
    pool: {
      settings: {
        securityType: "TrustedLaunch",
        trustedLaunch: { uefiSettings: { virtualizedTrustedPlatformModule: "on", secureBoot: "Enabled" } },
      },
    },
    errors: [`NotSupported ${ODD}.settings.trustedLaunch.uefiSettings.virtualizedTrustedPlatformModule`],
  },
  "confidential machines": {
    pool: { settings: CONFIDENTIAL, osDisk: { securityProfile: WHOLE } },
    errors: [],
  },
  "trusted launch without its section": {
    pool: { settings: { securityType: "TrustedLaunch" } },
    errors: [`Required ${ODD}.settings.trustedLaunch`],
  },
  "encryption of confidential machines with another type": {
    pool: { settings: { securityType: "" }, osDisk: { securityProfile: GUEST } },
    errors: [`Invalid ${ODD}.settings.securityType`],
  },
  "firmware of trusted launch without the type": {
    pool: { settings: { securityType: "", trustedLaunch: { uefiSettings: { secureBoot: "Enabled" } } } },
    errors: [`Invalid ${ODD}.settings.securityType`],
  },
  "networking that does not exist": {
    pool: { vmNetworkingType: "Slow" },
    errors: [`NotSupported ${W}.acceleratedNetworking`],
    at: `${W}.vmNetworkingType`,
  },
  "boot diagnostics that do not exist": {
    pool: { bootDiagnostics: { type: "Loud" } },
    errors: [`NotSupported ${W}.bootDiagnostics.type`],
  },
  "boot diagnostics kept by a hub": {
    azure: STACK,
    pool: { bootDiagnostics: { type: "Managed" } },
    errors: [`Invalid ${W}.bootDiagnostics.StorageAccountURI`],
    at: `${W}.bootDiagnostics.type`,
  },
  "a storage account for nothing": {
    pool: { bootDiagnostics: { type: "Managed", resourceGroup: "logs", storageAccountName: "logs" } },
    errors: [`Invalid ${W}.bootDiagnostics.ResourceGroup`, `Invalid ${W}.bootDiagnostics.StorageAccountName`],
    at: `${W}.bootDiagnostics.resourceGroup`,
  },
  "no storage account": {
    pool: { bootDiagnostics: { type: "UserManaged" } },
    errors: [`Invalid ${W}.bootDiagnostics.ResourceGroup`, `Invalid ${W}.bootDiagnostics.StorageAccountName`],
  },
  "data disks for all": {
    azure: { defaultMachinePlatform: { dataDisks: [DISK] } },
    top: TECH,
    errors: [`Invalid ${P}.defaultMachinePlatform.dataDisks`],
  },
  "data disks without their gate": {
    pool: { dataDisks: [DISK] },
    errors: ["Forbidden compute.azure.dataDisks"],
    at: `${W}.dataDisks`,
  },
  "data disks of the control plane without their gate": {
    master: { dataDisks: [DISK] },
    errors: ["Forbidden controlPlane.azure.dataDisks"],
    at: "controlPlane.platform.azure.dataDisks",
  },
  "an image without a publisher": {
    pool: { osImage: { offer: "os", sku: "v2", version: "1" } },
    errors: [`Required ${W}.osImage.publisher`],
  },
  "an image with the publisher alone": {
    pool: { osImage: { publisher: "birds" } },
    errors: [`Required ${W}.osImage.offer`, `Required ${W}.osImage.sku`, `Required ${W}.osImage.version`],
  },
  "a plan that does not exist": {
    pool: { osImage: { plan: "Barter", publisher: "birds", offer: "os", sku: "v2", version: "1" } },
    errors: [`NotSupported ${W}.osImage.plan`],
  },
  "an identity without type": { pool: { identity: {} }, errors: [`Required ${W}.identity.type`] },
  "an identity that does not exist": {
    pool: { identity: { type: "Secret" } },
    errors: [`NotSupported ${W}.identity.type`],
  },
  "identities for nothing": {
    pool: { identity: { type: "None", userAssignedIdentities: [] } },
    errors: [`Invalid ${W}.identity.type`],
  },
  "two identities without their gate": {
    master: { identity: { type: "UserAssigned", userAssignedIdentities: [{ name: "a" }, { name: "b" }] } },
    errors: ["Forbidden controlPlane.azure.identity.userAssignedIdentities"],
    at: "controlPlane.platform.azure.identity.userAssignedIdentities",
  },
  "two identities for all without their gate": {
    azure: {
      defaultMachinePlatform: {
        identity: { type: "UserAssigned", userAssignedIdentities: [{ name: "a" }, { name: "b" }] },
      },
    },
    release: "4.20",
    errors: [`Forbidden ${P}.defaultMachinePlatform.identity.userAssignedIdentities`],
  },
  "two identities of compute, which nobody asks about": {
    pool: { identity: { type: "UserAssigned", userAssignedIdentities: [{ name: "a" }, { name: "b" }] } },
    errors: [],
  },
};

/** Faults of data disks beside diskSetup, by what the disk is instead. */
const DISKS: Readonly<Record<string, readonly [JsonObject[], string, string]>> = {
  "fewer disks than set up": [[], "", ""],
  "no lun": [[{ nameSuffix: "data", diskSizeGB: 64 }], "Required", "Lun"],
  "a lun out of range": [[{ ...DISK, lun: 64 }], "Required", "Lun"],
  "a lun twice": [[DISK, { ...DISK, nameSuffix: "more" }], "Invalid", "Lun"],
  "no size": [[{ nameSuffix: "data", lun: 0 }], "Invalid", "DiskSizeGB"],
  "another name": [[{ ...DISK, nameSuffix: "other" }], "Invalid", "NameSuffix"],
};

const configOf = ({ azure, pool, master, top }: Case, setup?: Json): JsonObject =>
  installConfig(azure, {
    ...(pool === undefined
      ? {}
      : {
          compute: [
            {
              name: "worker",
              platform: { azure: pool },
              ...(setup === undefined ? {} : { diskSetup: setup }),
            },
          ],
        }),
    ...(master === undefined ? {} : { controlPlane: { name: "master", platform: { azure: master } } }),
    ...top,
  });

for (const [name, given] of Object.entries(CASES))
  test(name, () => {
    const text = writeYaml(configOf(given));
    const { errors, diagnostics } = compile(text, given.release);
    assert.equal(errors, [...given.errors].sort());
    for (const each of diagnostics) if (each.severity === "error") assert.ok(namesRemedy(each), each.message);
    if (given.at === undefined) return;
    const shown = diagnostics.find(({ severity }) => severity === "error");
    const last = given.at.split(".").at(-1) ?? "";
    const [, key = "", index] = /^(\w+)(?:\[(\d+)\])?$/.exec(last) ?? [];
    const line = text.split("\n")[(shown?.line ?? 0) - 1] ?? "";
    if (index === undefined) assert.match(line, new RegExp(`^[ -]*${key}:`), `${shown?.line}: ${line}`);
    else assert.match(line, /^ *- /, `${shown?.line}: ${line}`);
  });

for (const [name, [disks, kind, field]] of Object.entries(DISKS))
  test(`data disks: ${name}`, () => {
    const pool = { dataDisks: disks };
    const { errors } = compile(configOf({ pool, top: TECH, errors: [] }, SETUP));
    assert.equal(errors, kind === "" ? [] : [`${kind} ${W}.dataDisks.${field}`]);
  });

test("data disks: fewer disks than diskSetup has", () => {
  const setup = [...SETUP, { type: "swap", swap: { platformDiskID: "swap" } }];
  const { errors } = compile(configOf({ pool: { dataDisks: [DISK] }, top: TECH, errors: [] }, setup));
  assert.equal(errors, [`TooLong ${W}.dataDisks`]);
});

test("the subscription of an encryption set comes from the facts", () => {
  const given = configOf({
    pool: { osDisk: { diskEncryptionSet: { resourceGroup: "keys-rg", name: "des" } } },
    errors: [],
  });
  const facts = {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    azure: { subscriptionID: SUBSCRIPTION },
  } as const;
  const { asset, errors } = compile(given, "4.22", facts);
  assert.equal(errors, []);
  assert.equal(
    asset?.config.compute[0]?.platform.azure?.osDisk?.diskEncryptionSet?.subscriptionId,
    SUBSCRIPTION,
  );
});

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Json => JSON.parse(line))
      .filter((line) => isObject(line) && line["platform"] === "azure");
    assert.ok(lines.length > 20);
    for (const line of lines) {
      if (!isObject(line) || !Array.isArray(line["errors"])) throw new Error("no line of answers");
      const errors = line["errors"].map((each: Json) =>
        isObject(each) ? `${String(each["type"])} ${String(each["field"])}` : "",
      );
      assert.equal(compile(String(line["config"])).errors, [...new Set(errors)].sort(), String(line["id"]));
    }
  },
);

/** Without texts that are empty, which a normal form may leave out. */
const filled = (value: unknown): Json =>
  JSON.parse(JSON.stringify(value), (_, member: Json) => (member === "" ? undefined : member));

test("a normal form means what the config means", () => {
  for (const given of Object.values(CASES)) {
    if (given.errors.length > 0) continue;
    const first = compile(configOf(given), given.release).asset;
    const again = compile(first?.normalForm ?? "", given.release).asset;
    assert.equal(filled(again?.config ?? null), filled(first?.config ?? null));
  }
});

// Install-configs in public repositories.
test("tokens in place of values are told to be a template", () => {
  const text =
    "apiVersion: v1\nplatform:\n  azure:\n    defaultMachinePlatform:\n      zones:\n      AV_ZONES\n      encryptionAtHost: USE_ENCRYPTION\n";
  const { asset, diagnostics } = compile(text);
  assert.is(asset, undefined);
  assert.ok(diagnostics.some(({ message }) => /^the placeholder AV_ZONES was not replaced$/.test(message)));
});

test("an unknown key of an official sample has a suggestion", () => {
  const { diagnostics, errors } = compile(installConfig({ resourceGroup: "birds-rg" }));
  assert.equal(errors, [`NotSupported ${P}.resourceGroup`]);
  assert.match(diagnostics.map(({ message, hint }) => `${message} ${hint}`).join(), "resourceGroupName");
});

test("enum values are case-sensitive, and keys are not", () => {
  assert.equal(compile(installConfig({ CloudName: "AzurePublicCloud" })).errors, []);
  const { errors } = compile(installConfig({ cloudName: "azurepubliccloud" }));
  assert.equal(errors, [`NotSupported ${P}.cloudName`]);
});

test("the normal form of a normal form is itself", () => {
  for (const given of Object.values(CASES)) {
    if (given.errors.length > 0) continue;
    const first = compile(configOf(given), given.release).asset?.normalForm ?? "";
    assert.ok(first !== "");
    const again = compile(first, given.release);
    assert.equal(again.errors, []);
    assert.equal(parseYaml(again.asset?.normalForm ?? ""), parseYaml(first));
  }
});

test.run();
