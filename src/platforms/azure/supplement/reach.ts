/** How the API is reached while the control plane comes up: load balancers and DNS. */

import type { JsonObject } from "../../../core/json.js";
import { words } from "../../../text/shell.js";
import { clusterDomain } from "../../config.js";
import type { PlatformInput } from "../../platform.js";
import type { SupplementItem } from "../../supplement.js";
import { azureOf, isStack, OWN_ROUTES, publishesApi, userProvidesDns } from "../config.js";
import { clusterNetwork } from "../infrastructure/network.js";
import { az, inGroup, tagged, tagWords } from "./az.js";

const PUBLIC_ADDRESS = "PUBLIC-ADDRESS";
const PUBLIC_NAME = "PUBLIC-NAME";
const TTL = "300";

export const reach = (input: PlatformInput): readonly SupplementItem[] => [
  internalBalancer(input),
  ...publicBalancer(input),
  dns(input),
];

interface Port {
  readonly balancer: string;
  readonly rule: string;
  readonly probe: string;
  readonly port: string;
  readonly path: string;
  readonly frontend: string;
}

const portCommands = (
  input: PlatformInput,
  { balancer, rule, probe, port, path, frontend }: Port,
): string[] => [
  az(
    input,
    words`network lb probe create ${inGroup(input)} --lb-name ${balancer} --name ${probe}
    --protocol Https --port ${port} --path ${path} --interval 5 --probe-threshold 2`,
  ),
  az(
    input,
    words`network lb rule create ${inGroup(input)} --lb-name ${balancer} --name ${rule}
    --protocol Tcp --frontend-port ${port} --backend-port ${port} --frontend-ip-name ${frontend}
    --backend-pool-name ${balancer} --probe-name ${probe} --idle-timeout 30`,
  ),
];

function internalBalancer(input: PlatformInput): SupplementItem {
  const balancer = `${input.identity.infraID}-internal`;
  return {
    area: "load-balancer",
    when: "during",
    what: `Configure the load balancer ${balancer} to forward port 22623 as well, after it is created.`,
    why: "The provider's load balancer forwards only the API port; machines fetch their configs from port 22623.",
    details: {
      commands: portCommands(input, {
        balancer,
        rule: "sint-v4",
        probe: "sint-probe",
        port: "22623",
        path: "/healthz",
        frontend: `${balancer}-frontEnd`,
      }),
    },
  };
}

/** Machines reach the internet over the public load balancer, which gets the API too. */
function publicBalancer(input: PlatformInput): SupplementItem[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  if (!publishesApi(config)) return [];
  const address = `${infraID}-pip-v4`;
  const frontend = "public-lb-ip-v4";
  const named = [...inGroup(input), "--lb-name", infraID];
  const made =
    azure.outboundType === OWN_ROUTES
      ? [
          az(
            input,
            words`network lb create --name ${infraID} ${inGroup(input)}
            --location ${azure.region} --sku Standard --public-ip-address ${address}
            --frontend-ip-name ${frontend} --backend-pool-name ${infraID} ${tagged(input)}`,
          ),
        ]
      : [
          az(
            input,
            words`network lb frontend-ip create ${named} --name ${frontend}
            --public-ip-address ${address}`,
          ),
          az(input, words`network lb address-pool create ${named} --name ${infraID}`),
        ];
  return [
    {
      area: "load-balancer",
      when: "during",
      what: `Publish the API on the load balancer ${infraID}${azure.outboundType === OWN_ROUTES ? "" : " after it is created"}, and add the control plane machines and the bootstrap machine to its backend pool.`,
      why: "AzureCluster has only one API load balancer, the internal one.",
      details: {
        commands: [
          az(
            input,
            words`network public-ip create --name ${address} ${inGroup(input)}
            --location ${azure.region} --sku Standard --version IPv4 --allocation-method Static
            --dns-name ${infraID} ${tagged(input)}`,
          ),
          ...made,
          ...portCommands(input, {
            balancer: infraID,
            rule: "api-v4",
            probe: "api-probe",
            port: "6443",
            path: "/readyz",
            frontend,
          }),
          az(
            input,
            words`network nic ip-config address-pool add ${named} --address-pool ${infraID}
            --nic-name MACHINE-nic --ip-config-name pipConfig`,
          ),
        ],
        "MACHINE-nic": "the name of each machine followed by -nic; run the last command for each machine",
      },
    },
  ];
}

/** Where what is only known later is found. */
function addresses(input: PlatformInput): JsonObject {
  if (!publishesApi(input.config)) return {};
  const show = (query: string): string =>
    az(
      input,
      words`network public-ip show --name ${input.identity.infraID}-pip-v4 ${inGroup(input)}
      --query ${query} --output tsv`,
    );
  const azure = azureOf(input.config);
  return userProvidesDns(azure) || isStack(azure)
    ? { [PUBLIC_ADDRESS]: show("ipAddress") }
    : { [PUBLIC_NAME]: show("dnsSettings.fqdn") };
}

function dns(input: PlatformInput): SupplementItem {
  const { config } = input;
  const azure = azureOf(config);
  const domain = clusterDomain(config);
  const published = publishesApi(config);
  const internal = clusterNetwork(input).address;
  const why =
    "Cluster API does not manage these names. They are in certificates and in the config of every machine.";
  if (userProvidesDns(azure))
    return {
      area: "dns",
      when: "during",
      what: "Configure your DNS to resolve the API names, and add the addresses to the Ignition configs.",
      why: `${why} With userProvisionedDNS, machines resolve them with the addresses in their Ignition config.`,
      details: {
        records: [
          { name: `api.${domain}`, type: "A", value: published ? PUBLIC_ADDRESS : internal },
          { name: `api-int.${domain}`, type: "A", value: internal },
          {
            name: `*.apps.${domain}`,
            type: "A",
            value: "the load balancer of the service openshift-ingress/router-default, after it is created",
          },
        ],
        addresses: addresses(input),
      },
    };
  const { name } = config.metadata;
  const dnsGroup = azure.baseDomainResourceGroupName ?? "";
  const applications = `the ingress operator creates *.apps.${domain} in the zones of the DNS object`;
  if (isStack(azure))
    return {
      area: "dns",
      when: "during",
      what: `Create the API records in the zone ${config.baseDomain}.`,
      why,
      details: {
        addresses: addresses(input),
        commands: [
          ...record(
            input,
            "dns",
            dnsGroup,
            config.baseDomain,
            `api.${name}`,
            published ? PUBLIC_ADDRESS : internal,
          ),
          ...record(input, "dns", dnsGroup, config.baseDomain, `api-int.${name}`, internal),
        ],
        applications,
      },
    };
  const group = inGroup(input)[1] ?? "";
  return {
    area: "dns",
    when: "during",
    what: `Create the API records in the private zone ${domain}, which the provider creates${published ? `, and in the zone ${config.baseDomain}` : ""}.`,
    why: `${why} The provider's own record in the zone is named apiserver.`,
    details: {
      addresses: addresses(input),
      commands: [
        ...record(input, "private-dns", group, domain, "api-int", internal),
        ...record(input, "private-dns", group, domain, "api", internal),
        ...(published ? alias(input, dnsGroup, `api.${name}`) : []),
      ],
      applications,
    },
  };
}

/** An address of a name; records carry the cluster's tags as metadata. */
function record(
  input: PlatformInput,
  kind: "dns" | "private-dns",
  group: string,
  zone: string,
  name: string,
  address: string,
): string[] {
  const where = words`--resource-group ${group} --zone-name ${zone}`;
  const set = [kind === "dns" ? ["network", "dns"] : ["network", "private-dns"], ["record-set", "a"]].flat();
  return [
    az(input, words`${set} create ${where} --name ${name} --ttl ${TTL} --metadata ${tagWords(input)}`),
    az(input, words`${set} add-record ${where} --record-set-name ${name} --ipv4-address ${address}`),
  ];
}

function alias(input: PlatformInput, group: string, name: string): string[] {
  const where = words`--resource-group ${group} --zone-name ${input.config.baseDomain}`;
  const set = ["network", "dns", "record-set", "cname"];
  return [
    az(input, words`${set} create ${where} --name ${name} --ttl ${TTL} --metadata ${tagWords(input)}`),
    az(input, words`${set} set-record ${where} --record-set-name ${name} --cname ${PUBLIC_NAME}`),
  ];
}
