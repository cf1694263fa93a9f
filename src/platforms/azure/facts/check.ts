/**
 * Where facts and install-config contradict each other: what an installer with a network would find when it compares the
 * install-config with the cloud (openshift/installer pkg/asset/installconfig/azure/validation.go).
 */

import { counted } from "../../../core/counted.js";
import type { Problem } from "../../../core/diagnostics.js";
import type { Release } from "../../../core/release.js";
import type { NormalConfig } from "../../config.js";
import { mismatch } from "../../fact-problems.js";
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
  standardNVSv4Family: "supports only Windows",
  standardEIBDSv5Family: "has unsupported disks",
  standardEIBSv5Family: "has unsupported disks",
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
          ...mismatch(
            "azure.region",
            `the facts are for ${facts.region}, but the install-config is for ${region}`,
            `use the facts for ${region}`,
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
          mismatch(
            at("type"),
            `${pool.type} has ${cpus} vCPUs, but at least ${least.cpus} are required`,
            "use a larger type",
          ),
        ]
      : []),
    ...(memory < least.memory
      ? [
          mismatch(
            at("type"),
            `${pool.type} has ${memory} GB of memory, but at least ${least.memory} are required`,
            "use a larger type",
          ),
        ]
      : []),
    ...(cpu !== undefined && !same(cpu, pool.architecture === "arm64" ? "Arm64" : "x64")
      ? [
          mismatch(
            at("type"),
            `${pool.type} has the architecture ${cpu}, but the pool has ${pool.architecture}`,
            "use another type",
          ),
        ]
      : []),
    ...(family === undefined ? [] : [mismatch(at("type"), `${pool.type} ${family}`, "use another type")]),
    ...securityProblems(pool, type, at("settings.securityType")),
    ...(pool.diskType === "Premium_LRS" && !same(capability(type, "PremiumIO") ?? "false", "true")
      ? [
          mismatch(
            at("osDisk.diskType"),
            `${pool.type} does not support Premium_LRS disks`,
            "use another diskType or another type",
          ),
        ]
      : []),
    ...(pool.settings.vmNetworkingType === "Accelerated" && !pool.offersAcceleration
      ? [
          mismatch(
            at("vmNetworkingType"),
            `${pool.type} does not support accelerated networking`,
            "use Basic, or another type",
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
    return [
      mismatch(field, `${pool.type} does not support confidential VMs`, "use a type with SEV-SNP or TDX"),
    ];
  const disabled = capability(type, "TrustedLaunchDisabled") !== undefined || computing !== undefined;
  return kind === "TrustedLaunch" && disabled
    ? [
        mismatch(
          field,
          `${pool.type} does not support Trusted Launch`,
          "use another type, or remove settings",
        ),
      ]
    : [];
}

/** Ultra disks are there in some zones only, and never outside zones. */
function ultraProblems(pool: Pool, type: AzureInstanceType, field: string): Problem[] {
  if (pool.settings.ultraSSDCapability !== "Enabled") return [];
  const offered = type.zones ?? [];
  if (offered.length === 0)
    return [
      mismatch(
        field,
        `ultra disks require availability zones, but no zone offers ${pool.type}`,
        "remove ultraSSDCapability",
      ),
    ];
  const has = (capabilities: AzureInstanceType["capabilities"]): boolean =>
    capabilities.some(({ name, value }) => same(name, "UltraSSDAvailable") && same(value, "true"));
  const some = (type.zoneDetails ?? []).filter(({ capabilities }) => has(capabilities));
  const lacking = some.find(({ name }) => !pool.zones.every((zone) => name.includes(zone)));
  if (lacking !== undefined)
    return [
      mismatch(
        field,
        `${pool.type} supports ultra disks only in the zones ${lacking.name.join(", ")}`,
        "use these zones, or remove ultraSSDCapability",
      ),
    ];
  return some.length > 0 || has(type.capabilities)
    ? []
    : [
        mismatch(
          field,
          `${pool.type} does not support ultra disks`,
          "use another type, or remove ultraSSDCapability",
        ),
      ];
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
      mismatch(
        field,
        `the image requires generation ${generation}, but ${pool.type} supports only ${generations.join(", ")}`,
        "use another type, or another SKU of the image",
      ),
    ];
  const noPlan = image.plan === "NoPurchasePlan";
  if (plan !== undefined && noPlan)
    return [mismatch(field, "the terms of the image must be accepted", "remove plan and accept the terms")];
  if (plan !== undefined && termsAccepted === false)
    return [
      mismatch(
        field,
        "the terms of the image have not been accepted",
        "to accept the terms, run: az vm image terms accept --urn URN",
      ),
    ];
  return plan === undefined && generation !== undefined && !noPlan
    ? [mismatch(field, "the image has no purchase plan", "use plan: NoPurchasePlan")]
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
          mismatch(
            at("bootDiagnostics.storageAccountName"),
            `the storage account is in ${account.location}, but the cluster is in ${region}`,
            "use an account of the region",
          ),
        ]
      : []),
    ...(account?.sku && !ACCOUNT_SKUS.includes(account.sku)
      ? [
          mismatch(
            at("bootDiagnostics.storageAccountName"),
            `unsupported storage account SKU ${account.sku}`,
            `use an account with the SKU ${ACCOUNT_SKUS.join(" or ")}`,
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
              mismatch(
                field,
                `the disk encryption set is in ${known.location}, but the cluster is in ${region}`,
                "use a disk encryption set of the region",
              ),
            ]
          : []),
        ...(type !== undefined && known?.encryptionType && known.encryptionType !== type
          ? [
              mismatch(
                field,
                `unsupported disk encryption set type ${known.encryptionType}`,
                `use a disk encryption set of type ${type}`,
              ),
            ]
          : []),
        ...(set?.subscriptionId && facts.subscriptionID && !same(set.subscriptionId, facts.subscriptionID)
          ? [
              mismatch(
                field,
                "the disk encryption set is in another subscription",
                "use a disk encryption set of the cluster's subscription",
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
          mismatch(
            "platform.azure.virtualNetwork",
            `the virtual network is in ${network.location}, but the cluster is in ${azure.region}`,
            "use a network of the region",
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
              mismatch(
                field(index),
                `the CIDR ${block} of the subnet ${name} is outside the machine networks`,
                "add the CIDR of the subnet or of the virtual network to networking.machineNetwork",
              ),
            ]),
        ...(gateway && subnet.natGateway
          ? [
              mismatch(
                field(index),
                `the subnet ${name} already has a NAT gateway`,
                "use another subnet, or another outboundType",
              ),
            ]
          : []),
        ...(isDualStack(azure) && !subnet.blocks.some((each) => each.includes(":"))
          ? [mismatch(field(index), `the subnet ${name} has no IPv6 CIDR`, "add an IPv6 CIDR to the subnet")]
          : []),
      ];
    }),
  ];
}

/** A resource group that is brought along is the cluster's alone, and goes with it. */
function groupProblems(azure: AzureConfig, { resourceGroup: group }: AzureFacts): Problem[] {
  if (!azure.resourceGroupName || group === undefined) return [];
  const told = (message: string, hint: string): Problem =>
    mismatch("platform.azure.resourceGroupName", message, hint);
  const owned = Object.keys(group.tags ?? {}).find((key) => key.startsWith("kubernetes.io_cluster"));
  const resources = group.resources ?? [];
  return [
    ...(sameRegion(group.location, azure.region)
      ? []
      : [
          told(
            `the resource group is in ${group.location}, but the cluster is in ${azure.region}`,
            "use a group of the region",
          ),
        ]),
    ...(owned === undefined
      ? []
      : [
          told(`the resource group belongs to another cluster: it has the tag ${owned}`, "use another group"),
        ]),
    ...(resources.length === 0
      ? []
      : [
          told(
            `the resource group must be empty, has ${counted(resources.length, "resource")}`,
            "use an empty group",
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
          mismatch(
            `${path}.platform.azure.zones`,
            `no zone of the pool (${zones.join(", ")}) has both a NAT gateway and a subnet`,
            `use zones of ${[...byZone.keys()].join(", ")}`,
          ),
        ],
  );
}
