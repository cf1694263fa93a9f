/** Inputs of azure that take every turn of the objects: networks, gateways, images, disks, identities, clouds, releases. */
import type { AzureFacts } from "../../src/generated/types/cloud-facts.js";
import type { InfrastructureInput } from "../../src/platforms/platform.js";
import { FACTS, inputOf, installConfig, machineType } from "./azure.js";

const SUBSCRIPTION = "00000000-0000-4000-8000-000000000001";
export const SET = { subscriptionId: SUBSCRIPTION, resourceGroup: "keys-rg", name: "cluster-des" };

/** A network that is brought along, and what is known of it. */
export const OWN = {
  networkResourceGroupName: "network-rg",
  virtualNetwork: "birds-vnet",
  subnets: [
    { name: "masters", role: "control-plane" },
    { name: "nodes", role: "node" },
  ],
};
export const NETWORK_FACTS: AzureFacts = {
  ...FACTS,
  virtualNetwork: {
    id: `/subscriptions/${SUBSCRIPTION}/resourceGroups/network-rg/providers/Microsoft.Network/virtualNetworks/birds-vnet`,
    location: "northeurope",
    addressPrefixes: ["10.0.0.0/16"],
    subnets: [
      { name: "masters", addressPrefix: "10.0.0.0/24" },
      { name: "nodes", addressPrefix: "10.0.1.0/24" },
      { name: "more-nodes", addressPrefixes: ["10.0.2.0/24", "10.0.3.0/24"] },
    ],
  },
  loadBalancerAddress: { available: true },
};

export const STACK = {
  cloudName: "AzureStackCloud",
  armEndpoint: "https://management.local.azurestack.external",
  clusterOSImage: "https://vhds.local.azurestack.external/images/rhcos.vhd",
};
export const STACK_FACTS: AzureFacts = {
  ...FACTS,
  stackEndpoints: {
    authentication: { loginEndpoint: "https://login.local", audiences: ["https://audience"] },
  },
};

export const CONFIDENTIAL = {
  type: "Standard_DC8as_v5",
  osDisk: { securityProfile: { securityEncryptionType: "DiskWithVMGuestState", diskEncryptionSet: SET } },
  settings: {
    securityType: "ConfidentialVM",
    confidentialVM: {
      uefiSettings: { secureBoot: "Enabled", virtualizedTrustedPlatformModule: "Enabled" },
    },
  },
};
export const SECURED_FACTS: AzureFacts = {
  ...FACTS,
  instanceTypes: [
    ...(FACTS.instanceTypes ?? []),
    machineType(
      "Standard_DC8as_v5",
      ["1", "2"],
      [
        { name: "HyperVGenerations", value: "V2" },
        { name: "ConfidentialComputingType", value: "SNP" },
      ],
    ),
  ],
};

const controlPlane = (azure: object, more: object = {}) => ({
  controlPlane: { name: "master", replicas: 3, platform: { azure: { ...azure } }, ...more },
});

export const VARIANTS: Readonly<Record<string, InfrastructureInput>> = {
  plain: inputOf(installConfig()),
  internal: inputOf(installConfig({}, { publish: "Internal" })),
  "several machine networks": inputOf(
    installConfig(
      {},
      {
        publish: "Internal",
        networking: {
          machineNetwork: ["10.0.0.0/18", "10.0.64.0/18", "10.0.128.0/18"].map((cidr) => ({ cidr })),
        },
      },
    ),
  ),
  "a network of one's own": inputOf(installConfig(OWN), NETWORK_FACTS),
  "routes of one's own": inputOf(
    installConfig({ ...OWN, outboundType: "UserDefinedRouting" }, { publish: "Internal" }),
    NETWORK_FACTS,
  ),
  "a gateway": inputOf(installConfig({ outboundType: "NATGatewaySingleZone" })),
  "a gateway for each zone": inputOf(installConfig({ outboundType: "NATGatewayMultiZone" }), {
    ...FACTS,
    natGatewayZones: ["3", "1", "2"],
  }),
  "a gateway for each zone in a network of one's own": inputOf(
    installConfig({
      ...OWN,
      subnets: [...OWN.subnets, { name: "more-nodes", role: "node" }],
      outboundType: "NATGatewayMultiZone",
    }),
    { ...NETWORK_FACTS, natGatewayZones: ["1", "2"] },
  ),
  confidential: inputOf(installConfig({}, controlPlane(CONFIDENTIAL)), SECURED_FACTS),
  "trusted launch": inputOf(
    installConfig({
      defaultMachinePlatform: {
        settings: {
          securityType: "TrustedLaunch",
          trustedLaunch: {
            uefiSettings: { secureBoot: "Enabled", virtualizedTrustedPlatformModule: "Disabled" },
          },
        },
      },
    }),
  ),
  "disks, diagnostics and an identity": inputOf(
    installConfig(
      { defaultMachinePlatform: { osDisk: { diskEncryptionSet: SET } } },
      {
        featureSet: "TechPreviewNoUpgrade",
        ...controlPlane({
          encryptionAtHost: true,
          bootDiagnostics: { type: "UserManaged", resourceGroup: "logs-rg", storageAccountName: "birdslogs" },
          identity: {
            type: "UserAssigned",
            userAssignedIdentities: [
              { name: "masters", resourceGroup: "identity-rg", subscription: SUBSCRIPTION },
            ],
          },
          dataDisks: [
            {
              nameSuffix: "etcd",
              diskSizeGB: 64,
              lun: 0,
              cachingType: "None",
              managedDisk: { storageAccountType: "Premium_LRS" },
            },
            {
              nameSuffix: "logs",
              diskSizeGB: 64,
              lun: 1,
              cachingType: "",
              managedDisk: { storageAccountType: "Premium_LRS" },
            },
          ],
        }),
      },
    ),
  ),
  "an image of one's own": inputOf(
    installConfig(
      {},
      controlPlane({
        osImage: {
          publisher: "RedHat",
          offer: "rh-ocp",
          sku: "worker",
          version: "4.1.2",
          plan: "WithPurchasePlan",
        },
      }),
    ),
    {
      ...FACTS,
      marketplaceImages: [
        {
          publisher: "redhat",
          offer: "rh-ocp",
          sku: "worker",
          version: "4.1.2",
          plan: { name: "worker", product: "rh-ocp", publisher: "redhat-plan" },
          termsAccepted: true,
        },
      ],
    },
  ),
  "tags, groups and no identity": inputOf(
    installConfig({
      userTags: { team: "birds" },
      resourceGroupName: "birds-rg",
      defaultMachinePlatform: { identity: { type: "None" } },
    }),
  ),
  "DNS of one's own": inputOf(installConfig({ userProvisionedDNS: "Enabled" })),
  government: inputOf(installConfig({ cloudName: "AzureUSGovernmentCloud" })),
  stack: inputOf(installConfig(STACK, { credentialsMode: "Manual" }), STACK_FACTS),
  "a key of one's own": inputOf(
    installConfig({
      customerManagedKey: {
        keyVault: { resourceGroup: "keys-rg", name: "birds-vault", keyName: "storage" },
        userAssignedIdentityKey: "storage-identity",
      },
      allowSharedKeyAccess: false,
    }),
  ),
  "without credentials": inputOf(
    installConfig({}, { credentialsMode: "Manual" }),
    {
      ...FACTS,
      subscriptionID: SUBSCRIPTION,
      tenantID: "00000000-0000-4000-8000-000000000002",
      providerIdentity: { type: "UserAssignedMSI", clientID: "00000000-0000-4000-8000-000000000004" },
    },
    { credentials: undefined },
  ),
  "release 4.21": inputOf(installConfig(), FACTS, { name: "4.21" }),
  "release 4.20": inputOf(installConfig(), FACTS, { name: "4.20" }),
  "release 4.18": inputOf(installConfig(), FACTS, { name: "4.18" }),
  "a network of one's own, release 4.20": inputOf(
    installConfig({
      networkResourceGroupName: "network-rg",
      virtualNetwork: "birds-vnet",
      controlPlaneSubnet: "masters",
      computeSubnet: "nodes",
    }),
    NETWORK_FACTS,
    { name: "4.20" },
  ),
  "a gateway, release 4.19": inputOf(
    installConfig({ outboundType: "NatGateway" }, { featureSet: "TechPreviewNoUpgrade" }),
    FACTS,
    { name: "4.19" },
  ),
};
