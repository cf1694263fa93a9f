/**
 * Where facts and install-config contradict each other: what an installer with a network would find when it compares the
 * install-config with the cloud (openshift/installer pkg/asset/installconfig/azure/validation.go).
 */

import { counted } from "../../../core/counted.js";
import type { Problem } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import type { Release } from "../../../core/release.js";
import type { NormalConfig } from "../../config.js";
import { isDualStack } from "../../ip-families.js";
import type { FactSources } from "../../platform.js";
import { startsWithin } from "../../subnet-blocks.js";
import { type AzureConfig, azureOf, MULTI_ZONE, ownSubnets, SINGLE_ZONE } from "../config.js";
import { type Pool, poolsOf, subnetsByZone } from "../machines/pools.js";
import { has } from "../tables.js";
import {
  type AzureFacts,
  type AzureInstanceType,
  capability,
  generationsOf,
  instanceType,
  subnetFact,
} from "./view.js";

const LEAST = { master: { cpus: 4, memory: 16 }, worker: { cpus: 2, memory: 8 } } as const;
/** Families that the machines cannot boot on, and why. */
const FAMILIES: Readonly<Record<string, string>> = {
  standardNVSv4Family: "runs Windows only",
  standardEIBDSv5Family: "has disks that are not supported yet",
  standardEIBSv5Family: "has disks that are not supported yet",
};
const CONFIDENTIAL = ["SNP", "TDX"];
const ACCOUNT_SKUS = ["Standard_GRS", "Standard_LRS", "Standard_RAGRS"];
const CONFIDENTIAL_SET = "ConfidentialVmEncryptedWithCustomerKey";

export function contradictions(
  config: NormalConfig,
  facts: AzureFacts,
  sources: FactSources,
  release: Release,
): Problem[] {
  const azure = azureOf(config);
  const resolved = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", azure: facts } as const;
  const { controlPlane, compute } = poolsOf({ config, facts: resolved, release });
  const pools = [controlPlane, ...compute];
  return [
    ...factProblems(azure, facts, sources),
    ...pools.flatMap((pool) => typeProblems(pool, facts)),
    ...pools.flatMap((pool) => imageProblems(pool, facts)),
    ...pools.flatMap((pool) => storageProblems(pool, azure, facts)),
    ...networkProblems(config, azure, facts, release),
    ...groupProblems(azure, facts),
    ...gatewayProblems(azure, facts, compute, release),
  ];
}

const wrong = (field: string, message: string, hint = ""): Problem =>
  problem("FACT002", "Invalid", field, message, hint);

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Names of regions are written with blanks and capitals too. */
const sameRegion = (a: string, b: string): boolean => same(a.replaceAll(" ", ""), b.replaceAll(" ", ""));

/** What the facts say of themselves. */
const factProblems = (
  { region }: AzureConfig,
  facts: AzureFacts,
  { positionInFacts }: FactSources,
): Problem[] =>
  facts.region === undefined || facts.region === region
    ? []
    : [
        {
          ...positionInFacts?.("azure.region"),
          ...wrong(
            "azure.region",
            `the facts are for ${facts.region}, but the install-config is for ${region}`,
            `use facts of ${region}`,
          ),
        },
      ];

function typeProblems(pool: Pool, facts: AzureFacts): Problem[] {
  const type = instanceType(facts, pool.type);
  if (type === undefined) return [];
  const at = (member: string): string => `${pool.path}.platform.azure.${member}`;
  const number = (name: string): number | undefined => {
    const text = capability(type, name);
    const value = Number(text);
    return text === undefined || text === "" || Number.isNaN(value) ? undefined : value;
  };
  const least = LEAST[pool.role];
  const cpus = number("vCPUsAvailable") ?? least.cpus;
  const memory = number("MemoryGB") ?? least.memory;
  const cpu = capability(type, "CpuArchitectureType");
  const family = FAMILIES[type.family ?? ""];
  return [
    ...(cpus < least.cpus
      ? [
          wrong(
            at("type"),
            `${pool.type} has ${cpus} processors; ${least.cpus} are needed`,
            "take a larger type",
          ),
        ]
      : []),
    ...(memory < least.memory
      ? [
          wrong(
            at("type"),
            `${pool.type} has ${memory} GB of memory; ${least.memory} are needed`,
            "take a larger type",
          ),
        ]
      : []),
    ...(cpu !== undefined && !same(cpu, pool.architecture === "arm64" ? "Arm64" : "x64")
      ? [
          wrong(
            at("type"),
            `${pool.type} is of the architecture ${cpu}, the pool of ${pool.architecture}`,
            "take another type",
          ),
        ]
      : []),
    ...(family === undefined ? [] : [wrong(at("type"), `${pool.type} ${family}`, "take another type")]),
    ...securityProblems(pool, type, at("settings.securityType")),
    ...(pool.diskType === "Premium_LRS" && !same(capability(type, "PremiumIO") ?? "false", "true")
      ? [
          wrong(
            at("osDisk.diskType"),
            `${pool.type} has no disks of the type Premium_LRS`,
            "write another diskType, or take another type",
          ),
        ]
      : []),
    ...(pool.settings.vmNetworkingType === "Accelerated" && !pool.offersAcceleration
      ? [
          wrong(
            at("vmNetworkingType"),
            `${pool.type} has no accelerated networking`,
            "write Basic, or take another type",
          ),
        ]
      : []),
    ...ultraProblems(pool, type, at("type")),
  ];
}

function securityProblems(pool: Pool, type: AzureInstanceType, field: string): Problem[] {
  const kind = pool.settings.settings?.securityType;
  const computing = capability(type, "ConfidentialComputingType");
  if (kind === "ConfidentialVM" && !CONFIDENTIAL.includes(computing ?? ""))
    return [wrong(field, `${pool.type} has no confidential machines`, "take a type with SEV-SNP or TDX")];
  const disabled = capability(type, "TrustedLaunchDisabled") !== undefined || computing !== undefined;
  return kind === "TrustedLaunch" && disabled
    ? [wrong(field, `${pool.type} has no trusted launch`, "take another type, or leave settings out")]
    : [];
}

/** Ultra disks are there in some zones only, and never outside zones. */
function ultraProblems(pool: Pool, type: AzureInstanceType, field: string): Problem[] {
  if (pool.settings.ultraSSDCapability !== "Enabled") return [];
  const offered = type.zones ?? [];
  if (offered.length === 0)
    return [
      wrong(field, `ultra disks need zones, and no zone offers ${pool.type}`, "leave ultraSSDCapability out"),
    ];
  const has = (capabilities: AzureInstanceType["capabilities"]): boolean =>
    capabilities.some(({ name, value }) => same(name, "UltraSSDAvailable") && same(value, "true"));
  const some = (type.zoneDetails ?? []).filter(({ capabilities }) => has(capabilities));
  const lacking = some.find(({ name }) => !pool.zones.every((zone) => name.includes(zone)));
  if (lacking !== undefined)
    return [
      wrong(
        field,
        `${pool.type} has ultra disks in the zones ${lacking.name.join(", ")} only`,
        "choose these zones, or leave ultraSSDCapability out",
      ),
    ];
  return some.length > 0 || has(type.capabilities)
    ? []
    : [wrong(field, `${pool.type} has no ultra disks`, "take another type, or leave ultraSSDCapability out")];
}

function imageProblems(pool: Pool, facts: AzureFacts): Problem[] {
  const image = pool.settings.osImage;
  const known = facts.marketplaceImages?.find(
    (each) =>
      each.publisher.toLowerCase() === (image?.publisher ?? "").toLowerCase() &&
      each.offer === image?.offer &&
      each.sku === image.sku &&
      each.version === image.version,
  );
  if (image === undefined || known === undefined) return [];
  const field = `${pool.path}.platform.azure.osImage`;
  const generations = generationsOf(instanceType(facts, pool.type)) ?? [];
  const { hyperVGeneration: generation, plan, termsAccepted } = known;
  if (generation !== undefined && generations.length > 0 && !generations.includes(generation))
    return [
      wrong(
        field,
        `the image is for machines of generation ${generation}, and ${pool.type} has ${generations.join(", ")}`,
        "take another type, or another SKU of the image",
      ),
    ];
  const noPlan = image.plan === "NoPurchasePlan";
  if (plan !== undefined && noPlan)
    return [
      wrong(field, "the image has terms that must be accepted", "leave plan out, and accept the terms"),
    ];
  if (plan !== undefined && termsAccepted === false)
    return [
      wrong(
        field,
        "the terms of the image have not been accepted",
        "az vm image terms accept --urn URN accepts them",
      ),
    ];
  return plan === undefined && generation !== undefined && !noPlan
    ? [wrong(field, "the image has no terms to accept", "write plan: NoPurchasePlan")]
    : [];
}

function storageProblems(pool: Pool, { region }: AzureConfig, facts: AzureFacts): Problem[] {
  const at = (member: string): string => `${pool.path}.platform.azure.${member}`;
  const { bootDiagnostics: given, osDisk } = pool.settings;
  const account =
    given?.type !== "UserManaged"
      ? undefined
      : facts.storageAccounts?.find(
          ({ name, resourceGroup }) =>
            name === given.storageAccountName && same(resourceGroup, given.resourceGroup ?? ""),
        );
  const sets = [
    { set: osDisk?.diskEncryptionSet, field: at("osDisk.diskEncryptionSet"), type: undefined },
    {
      set: osDisk?.securityProfile?.diskEncryptionSet,
      field: at("osDisk.securityProfile.diskEncryptionSet"),
      type: CONFIDENTIAL_SET,
    },
  ];
  return [
    ...(account?.location !== undefined && !sameRegion(account.location, region)
      ? [
          wrong(
            at("bootDiagnostics.storageAccountName"),
            `the storage account is in ${account.location}, the cluster in ${region}`,
            "name an account of the region",
          ),
        ]
      : []),
    ...(account?.sku && !ACCOUNT_SKUS.includes(account.sku)
      ? [
          wrong(
            at("bootDiagnostics.storageAccountName"),
            `the storage account is of the SKU ${account.sku}`,
            `name an account of the SKU ${ACCOUNT_SKUS.join(", ")}`,
          ),
        ]
      : []),
    ...sets.flatMap(({ set, field, type }) => {
      const known = facts.diskEncryptionSets?.find(
        ({ name, resourceGroup }) =>
          same(name, set?.name ?? "") && same(resourceGroup, set?.resourceGroup ?? ""),
      );
      return [
        ...(known?.location !== undefined && !sameRegion(known.location, region)
          ? [
              wrong(
                field,
                `the encryption set is in ${known.location}, the cluster in ${region}`,
                "name a set of the region",
              ),
            ]
          : []),
        ...(type !== undefined && known?.encryptionType && known.encryptionType !== type
          ? [
              wrong(
                field,
                `the encryption set is of the type ${known.encryptionType}`,
                `name one of the type ${type}`,
              ),
            ]
          : []),
        ...(set?.subscriptionId && facts.subscriptionID && !same(set.subscriptionId, facts.subscriptionID)
          ? [
              wrong(
                field,
                "the encryption set is in another subscription than the cluster",
                "name a set of the cluster's subscription",
              ),
            ]
          : []),
      ];
    }),
  ];
}

function networkProblems(
  config: NormalConfig,
  azure: AzureConfig,
  facts: AzureFacts,
  release: Release,
): Problem[] {
  const network = facts.virtualNetwork;
  if (!azure.virtualNetwork || network === undefined) return [];
  const blocks = config.networking.machineNetwork.map(({ cidr }) => cidr);
  const gateway = azure.outboundType === SINGLE_ZONE || azure.outboundType === MULTI_ZONE;
  const field = (index: number): string =>
    has(release, "subnetList") ? `platform.azure.subnets[${index}]` : "platform.azure.virtualNetwork";
  return [
    ...(network.location && !sameRegion(network.location, azure.region)
      ? [
          wrong(
            "platform.azure.virtualNetwork",
            `the virtual network is in ${network.location}, the cluster in ${azure.region}`,
            "name a network of the region",
          ),
        ]
      : []),
    ...ownSubnets(azure, release).flatMap(({ name }, index) => {
      const subnet = subnetFact(facts, name);
      const block = subnet?.judged;
      if (subnet === undefined || block === undefined) return [];
      return [
        ...(startsWithin(block, blocks)
          ? []
          : [
              wrong(
                field(index),
                `the subnet ${name} has the block ${block}, outside of the machine networks`,
                "add its block, or the network's, to networking.machineNetwork",
              ),
            ]),
        ...(gateway && subnet.natGateway
          ? [
              wrong(
                field(index),
                `the subnet ${name} has a NAT gateway already`,
                "name another subnet, or another outboundType",
              ),
            ]
          : []),
        ...(isDualStack(azure) && !subnet.blocks.some((each) => each.includes(":"))
          ? [wrong(field(index), `the subnet ${name} has no IPv6 block`, "add one to the subnet")]
          : []),
      ];
    }),
  ];
}

/** A resource group that is brought along is the cluster's alone, and goes with it. */
function groupProblems(azure: AzureConfig, { resourceGroup: group }: AzureFacts): Problem[] {
  if (!azure.resourceGroupName || group === undefined) return [];
  const told = (message: string, hint: string): Problem =>
    wrong("platform.azure.resourceGroupName", message, hint);
  const owned = Object.keys(group.tags ?? {}).find((key) => key.startsWith("kubernetes.io_cluster"));
  const resources = group.resources ?? [];
  return [
    ...(sameRegion(group.location, azure.region)
      ? []
      : [
          told(
            `the resource group is in ${group.location}, the cluster in ${azure.region}`,
            "name a group of the region",
          ),
        ]),
    ...(owned === undefined
      ? []
      : [
          told(
            `the resource group is that of another cluster: it has the tag ${owned}`,
            "name another group",
          ),
        ]),
    ...(resources.length === 0
      ? []
      : [
          told(
            `the resource group must be empty, and holds ${counted(resources.length, "resource")}`,
            "name an empty group",
          ),
        ]),
  ];
}

function gatewayProblems(
  azure: AzureConfig,
  facts: AzureFacts,
  compute: readonly Pool[],
  release: Release,
): Problem[] {
  if (azure.outboundType !== MULTI_ZONE || (facts.natGatewayZones ?? []).length === 0) return [];
  const byZone = subnetsByZone(azure, facts, "", release);
  return compute.flatMap(({ path, zones }) =>
    zones.some((zone) => byZone.has(zone))
      ? []
      : [
          wrong(
            `${path}.platform.azure.zones`,
            `none of the zones ${zones.join(", ")} of the pool has a NAT gateway and a subnet`,
            `choose zones of ${[...byZone.keys()].join(", ")}`,
          ),
        ],
  );
}
