/** What has to be there before the machines: the group, identities, the storage account, images, an own network's parts. */
import { words } from "../../../text/shell.js";
import type { PlatformInput } from "../../platform.js";
import type { SupplementItem } from "../../supplement.js";
import { type AzureConfig, allowsSharedKey, azureOf, isStack, makesIdentity } from "../config.js";
import { subscriptionOf } from "../credentials.js";
import { azureFactsOf, releaseImage, storageSuffixOf } from "../facts/view.js";
import { ownershipTag, storageAccount } from "../infrastructure/machine-template.js";
import { clusterNetwork } from "../infrastructure/network.js";
import { type Pool, poolsOf } from "../machines/pools.js";
import { galleryImage } from "../machines/provider-spec.js";
import { oldestTls } from "../tables.js";
import { az, groupOf, inGroup, tagged, tagWords } from "./az.js";

export const prepare = (input: PlatformInput): readonly SupplementItem[] => [
  group(input),
  ...machineIdentity(input),
  storage(input),
  ...image(input),
  ...terms(input),
  ...ownNetwork(input),
];

function group(input: PlatformInput): SupplementItem {
  const { config } = input;
  const { region, resourceGroupName, baseDomainResourceGroupName, networkResourceGroupName } =
    azureOf(config);
  const name = groupOf(input);
  if (!resourceGroupName)
    return {
      area: "resource-group",
      when: "before",
      what: `Create the resource group ${name}.`,
      why: "The identity, the storage account and the images must be in it before the provider creates machines. The provider uses an existing group and keeps it when the Cluster is deleted.",
      details: {
        commands: [az(input, words`group create --name ${name} --location ${region} ${tagged(input)}`)],
      },
    };
  const tags = [
    ...tagWords(input).slice(-1),
    `openshift_region=${region}`,
    ...(baseDomainResourceGroupName ? [`openshift_basedomainRG=${baseDomainResourceGroupName}`] : []),
    ...(networkResourceGroupName ? [`openshift_networkRG=${networkResourceGroupName}`] : []),
  ];
  return {
    area: "resource-group",
    when: "before",
    what: `Add the cluster tags to the resource group ${name}.`,
    why: "The provider does not tag an existing group. Destroying the cluster finds the group by these tags and deletes it.",
    details: {
      commands: [
        az(
          input,
          words`tag update --operation Merge
          --resource-id /subscriptions/${subscriptionOf(input)}/resourceGroups/${name} --tags ${tags}`,
        ),
      ],
    },
  };
}

/** The identity of machines that have none of their own, with the role that the installer gives it. */
function machineIdentity(input: PlatformInput): SupplementItem[] {
  if (!makesIdentity(input.config, input.release)) return [];
  const name = `${input.identity.infraID}-identity`;
  return [
    {
      area: "iam",
      when: "before",
      what: `Create the machine identity ${name} and assign its role.`,
      why: "The provider does not create identities; machines only refer to them.",
      details: {
        commands: [
          az(
            input,
            words`identity create --name ${name} ${inGroup(input)}
            --location ${azureOf(input.config).region} ${tagged(input)}`,
          ),
          az(
            input,
            words`role assignment create --assignee-object-id PRINCIPAL-ID
            --assignee-principal-type ServicePrincipal --role Contributor
            --scope /subscriptions/${subscriptionOf(input)}/resourceGroups/${groupOf(input)}`,
          ),
        ],
        "PRINCIPAL-ID": "principalId in the output of the first command",
      },
    },
  ];
}

/** The key that the storage account is encrypted with; undefined where Azure has one of its own. */
function customerKey({ customerManagedKey }: AzureConfig) {
  if (!customerManagedKey?.keyVault?.name) return undefined;
  const { keyVault, userAssignedIdentityKey = "" } = customerManagedKey;
  const { name: vault = "", keyName: key = "", resourceGroup: group = "" } = keyVault;
  return { vault, key, group, identity: userAssignedIdentityKey };
}

/** The storage account of the bootstrap machine's config, images and diagnostics. */
function storage(input: PlatformInput): SupplementItem {
  const azure = azureOf(input.config);
  const name = storageAccount(input.identity.infraID);
  const key = customerKey(azure);
  const identity = `/subscriptions/${subscriptionOf(input)}/resourceGroups/${key?.group ?? ""}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${key?.identity ?? ""}`;
  const encrypted =
    key === undefined
      ? []
      : words`--identity-type UserAssigned --user-identity-id ${identity}
        --key-vault-user-identity-id ${identity} --encryption-key-source Microsoft.Keyvault
        --encryption-key-vault VAULT-URI --encryption-key-name ${key.key}`;
  const create = isStack(azure)
    ? words`--sku Standard_LRS --kind Storage`
    : words`--sku ${key === undefined ? "Standard_LRS" : "Premium_LRS"} --kind StorageV2
      --min-tls-version ${oldestTls(azure.cloudName)}
      --allow-blob-public-access ${String(key !== undefined)}
      --allow-shared-key-access ${String(allowsSharedKey(azure, input.release))}
      --allow-cross-tenant-replication false ${encrypted}`;
  return {
    area: "storage",
    when: "before",
    what: `Create the storage account ${name}.`,
    why: "The bootstrap machine fetches its Ignition config from it, because the config is too large for custom data.",
    details: {
      commands: [
        az(
          input,
          words`storage account create --name ${name} ${inGroup(input)}
          --location ${azure.region} ${create} ${tagged(input)}`,
        ),
      ],
      ...(key === undefined
        ? {}
        : {
            "VAULT-URI": az(
              input,
              words`keyvault show --name ${key.vault}
              --resource-group ${key.group} --query properties.vaultUri`,
            ),
          }),
    },
  };
}

const everyPool = (input: PlatformInput): readonly Pool[] => {
  const { controlPlane, compute } = poolsOf(input);
  return [controlPlane, ...compute];
};

/** What the definition of an image for secured machines says. */
const securityFeature = (pools: readonly Pool[]): string | undefined => {
  const type = pools.map(({ settings }) => settings.settings?.securityType ?? "").find((each) => each !== "");
  return type === undefined ? undefined : `${type}Supported`;
};

/** The image that machines boot from, where it is made for the cluster. */
function image(input: PlatformInput): SupplementItem[] {
  const { config, identity, facts } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  const pools = everyPool(input);
  if (pools.some((pool) => pool.image.from === "managed"))
    return [
      {
        area: "image",
        when: "before",
        what: `Create the image ${infraID} from the disk in clusterOSImage.`,
        why: "The provider does not create images; machines only refer to them.",
        details: {
          commands: [
            az(
              input,
              words`image create --name ${infraID} ${inGroup(input)}
              --location ${azure.region} --os-type Linux --hyper-v-generation V1
              --source ${azure.clusterOSImage ?? ""} ${tagged(input)}`,
            ),
          ],
        },
      },
    ];
  if (pools.every((pool) => pool.image.from !== "gallery")) return [];
  const architecture = config.controlPlane.architecture === "arm64" ? "arm64" : "amd64";
  const account = storageAccount(infraID);
  const disk = `https://${account}.blob.${storageSuffixOf(azure)}/vhd/rhcos.vhd`;
  const feature = securityFeature(pools);
  const definition = (generation: "V1" | "V2"): string[] => {
    const { gallery, image: name } = galleryImage(infraID, generation);
    const second = generation === "V2";
    const named = [
      ...inGroup(input),
      "--gallery-name",
      gallery,
      "--gallery-image-definition",
      name,
      "--location",
      azure.region,
    ];
    return [
      az(
        input,
        words`sig image-definition create ${named}
        --publisher ${second ? "RedHat-gen2" : "RedHat"} --offer ${second ? "rhcos-gen2" : "rhcos"}
        --sku ${second ? "gen2" : "basic"} --os-type Linux --os-state Generalized
        --hyper-v-generation ${generation} --architecture ${architecture === "arm64" ? "Arm64" : "x64"}
        ${second && feature !== undefined ? words`--features SecurityType=${feature}` : []}
        ${tagged(input)}`,
      ),
      az(
        input,
        words`sig image-version create ${named} --gallery-image-version IMAGE-VERSION
        --os-vhd-uri ${disk}
        --os-vhd-storage-account /subscriptions/${subscriptionOf(input)}/resourceGroups/${groupOf(input)}/providers/Microsoft.Storage/storageAccounts/${account}
        --replica-count 1`,
      ),
    ];
  };
  return [
    {
      area: "image",
      when: "before",
      what: "Copy the release's disk to the storage account and create the cluster's gallery from it.",
      why: "The provider does not create images; machines only refer to them.",
      details: {
        "DISK-URL":
          releaseImage(azureFactsOf(facts), undefined, architecture)?.url ??
          "the Azure disk in the output of openshift-install coreos print-stream-json",
        "IMAGE-VERSION": "three numbers from the disk's release, such as 9.6.20250523",
        commands: [
          az(input, words`storage container create --account-name ${account} --name vhd`),
          az(
            input,
            words`storage blob copy start --account-name ${account}
            --destination-container vhd --destination-blob rhcos.vhd --source-uri DISK-URL`,
          ),
          az(
            input,
            words`sig create ${inGroup(input)}
            --gallery-name ${galleryImage(infraID, "V1").gallery} --location ${azure.region}
            ${tagged(input)}`,
          ),
          ...definition("V1"),
          ...definition("V2"),
        ],
      },
    },
  ];
}

/** Images of others that are sold with a plan have terms. */
function terms(input: PlatformInput): SupplementItem[] {
  const names = everyPool(input).flatMap(({ image: from }) =>
    from.from === "marketplace" && from.plan
      ? [[from.publisher, from.offer, from.sku, from.version].join(":")]
      : [],
  );
  if (names.length === 0) return [];
  return [
    {
      area: "image",
      when: "before",
      what: "Accept the terms of the pools' images, unless they are already accepted.",
      why: "Azure creates no VM from an image with a purchase plan before the terms are accepted in the subscription.",
      details: {
        commands: [...new Set(names)].map((name) => az(input, words`vm image terms accept --urn ${name}`)),
      },
    },
  ];
}

/** A network that is brought along: its tag, and the security group that the machines' network has to have. */
function ownNetwork(input: PlatformInput): SupplementItem[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  const { virtualNetwork, networkResourceGroupName = "", region } = azure;
  if (!virtualNetwork) return [];
  const id = `/subscriptions/${subscriptionOf(input)}/resourceGroups/${networkResourceGroupName}/providers/Microsoft.Network/virtualNetworks/${virtualNetwork}`;
  const associations = clusterNetwork(input).subnets.flatMap(({ name, natGateway }) =>
    typeof natGateway === "object" && natGateway !== null && "name" in natGateway
      ? [
          az(
            input,
            words`network vnet subnet update --resource-group ${networkResourceGroupName}
            --vnet-name ${virtualNetwork} --name ${String(name)}
            --nat-gateway /subscriptions/${subscriptionOf(input)}/resourceGroups/${groupOf(input)}/providers/Microsoft.Network/natGateways/${String(natGateway.name)}`,
          ),
        ]
      : [],
  );
  return [
    {
      area: "network",
      when: "before",
      what: "Tag the network as shared with the cluster, and create the cluster's security group.",
      why: "The provider neither creates nor tags anything in an existing network. The cloud provider of the cluster requires the group.",
      details: {
        commands: [
          ...(isStack(azure)
            ? []
            : [
                az(
                  input,
                  words`tag update --operation Merge --resource-id ${id}
                  --tags ${ownershipTag(infraID)}=shared`,
                ),
              ]),
          az(
            input,
            words`network nsg create --name ${infraID}-nsg ${inGroup(input)}
            --location ${region} ${tagged(input)}`,
          ),
        ],
        rules:
          "the existing security groups of the subnets must allow port 6443 and all traffic between the machines; no group is attached to the subnets",
      },
    },
    ...(associations.length === 0
      ? []
      : [
          {
            area: "network",
            when: "during" as const,
            what: "Attach the NAT gateways to the subnets after the provider creates them.",
            why: "The provider creates the gateways but does not change existing subnets.",
            details: { commands: associations },
          },
        ]),
  ];
}
