/** What to ask Azure for, with the commands of az. */
import { withoutEnd } from "../../../core/trim.js";
import { shellWord } from "../../../text/shell.js";
import {
  type AskFacts,
  type FactQuestion,
  fromStream,
  quotedWord,
  streamArchitecture,
} from "../../fact-questions.js";
import { azureOf, ownSubnets } from "../config.js";

const CAPABILITIES = [
  ["HyperVGenerations", "V1,V2"],
  ["AcceleratedNetworkingEnabled", "True"],
  ["PremiumIO", "True"],
  ["vCPUsAvailable", "8"],
  ["MemoryGB", "32"],
] as const;

export const askFacts: AskFacts = (config, { release, names }) => {
  const azure = azureOf(config);
  const region = azure.region ?? "";
  const sizes = names("azure.instanceTypes");
  const architectures = [...new Set(names("azure.images").map((each) => each.split(",", 1)[0] ?? each))];
  const network = azure.virtualNetwork ?? "";
  const group = azure.networkResourceGroupName ?? "";
  const subnets = ownSubnets(azure, release).map(({ name }) => name);
  const questions: FactQuestion[] = [
    {
      fact: "azure.subscriptionID",
      about: "ID of the subscription. --credentials FILE also supplies it.",
      commands: ["az account show --query id --output tsv"],
      value: (blank) => blank("ID of the subscription", "00000000-0000-4000-8000-000000000001"),
    },
    {
      fact: "azure.tenantID",
      about: "ID of the tenant. --credentials FILE also supplies it.",
      commands: ["az account show --query tenantId --output tsv"],
      value: (blank) => blank("ID of the tenant", "00000000-0000-4000-8000-000000000002"),
    },
    {
      fact: "azure.instanceTypes",
      about:
        "The VM sizes of the pools with all capabilities that the command prints; the output can be pasted below the name of the fact.",
      commands: sizes.map(
        (size) =>
          `az vm list-skus --location ${shellWord(region)} --resource-type virtualMachines --query ${quotedWord(`[?name=='${size}'].{name: name, family: family, zones: locationInfo[0].zones, zoneDetails: locationInfo[0].zoneDetails, capabilities: capabilities}`)}`,
      ),
      value: (blank) =>
        sizes.map((name) => ({
          name,
          zones: [blank("number of a zone", "1")],
          capabilities: CAPABILITIES.map(([capability, example]) => ({
            name: capability,
            value: blank(`value of ${capability}`, example),
          })),
        })),
    },
    {
      fact: "azure.images",
      about: "The release's images in the marketplace. --coreos-stream FILE also supplies them.",
      commands: architectures.map((architecture) =>
        fromStream(
          `.architectures.${streamArchitecture(architecture)}["rhel-coreos-extensions"].marketplace.azure["no-purchase-plan"]`,
        ),
      ),
      value: (blank) =>
        Object.fromEntries(
          architectures.map((architecture) => [
            architecture,
            {
              ...(architecture === "amd64"
                ? {
                    gen1: blank(
                      "publisher:offer:sku:version of hyperVGen1",
                      "azureopenshift:aro4:aro_422:9.8.20260428",
                    ),
                  }
                : {}),
              gen2: blank(
                "publisher:offer:sku:version of hyperVGen2",
                "azureopenshift:aro4:422-v2:9.8.20260428",
              ),
            },
          ]),
        ),
    },
    {
      fact: "azure.natGatewayZones",
      about: "Zones of the region that have NAT gateways.",
      commands: [
        `az provider show --namespace Microsoft.Network --query ${quotedWord("resourceTypes[?resourceType=='natGateways'].zoneMappings")}`,
      ],
      value: (blank) => [blank("number of a zone", "1")],
    },
    {
      fact: "azure.virtualNetwork",
      about: "The existing network with its subnets.",
      commands: [
        `az network vnet show --resource-group ${shellWord(group)} --name ${shellWord(network)} --query ${quotedWord("{id: id, location: location, addressPrefixes: addressSpace.addressPrefixes, subnets: subnets[].{name: name, addressPrefix: addressPrefix, addressPrefixes: addressPrefixes, natGateway: natGateway != null}}")}`,
      ],
      value: (blank) => ({
        id: blank(
          "ID of the network",
          "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/network-rg/providers/Microsoft.Network/virtualNetworks/vnet",
        ),
        addressPrefixes: [blank("CIDR of the network", "10.0.0.0/16")],
        subnets: subnets.map((name) => ({
          name,
          addressPrefix: blank(`CIDR of the subnet ${name}`, "10.0.0.0/24"),
        })),
      }),
    },
    {
      fact: "azure.stackEndpoints",
      about: "The endpoints of the Azure Stack Hub; the output can be pasted below the name of the fact.",
      commands: [
        `curl -s ${quotedWord(`${withoutEnd(azure.armEndpoint ?? "", "/")}/metadata/endpoints?api-version=1.0`)}`,
      ],
      value: (blank) => ({
        authentication: {
          loginEndpoint: blank("login endpoint", "https://login.example.com/"),
          audiences: [blank("audience of tokens", "https://management.example.com/0123")],
        },
      }),
    },
  ];
  return { scope: { region }, questions };
};
