/**
 * What is left to do on azure beside the Cluster API objects, for this config: what the installer does by hand against the
 * cloud (openshift/installer pkg/infrastructure/azure, pkg/asset/cluster/azure).
 */

import { isList, isObject } from "../../../core/json.js";
import { words } from "../../../text/shell.js";
import type { PlatformInput } from "../../platform.js";
import type { SupplementItem } from "../../supplement.js";
import { allowsSharedKey, azureOf, isStack } from "../config.js";
import { loginOf } from "../credentials.js";
import { storageSuffixOf } from "../facts/view.js";
import { storageAccount } from "../infrastructure/machine-template.js";
import { clusterNetwork } from "../infrastructure/network.js";
import { poolsOf } from "../machines/pools.js";
import { az, inGroup } from "./az.js";
import { prepare } from "./prepare.js";
import { reach } from "./reach.js";

export const supplement = (input: PlatformInput): readonly SupplementItem[] => [
  provider(input),
  ...prepare(input),
  bootstrapMachine(input),
  ...reach(input),
  ...zones(input),
  ...cleanRules(input),
  cleanConfig(input),
];

function provider({ config, credentials }: PlatformInput): SupplementItem {
  const login = credentials === undefined ? undefined : loginOf(credentials);
  const azure = azureOf(config);
  return {
    area: "provider",
    when: "before",
    what: "Run the Azure provider 1.21 or later.",
    why: "The objects use its API version v1beta1 with fields that earlier releases do not have.",
    details: {
      command: "clusterctl init --infrastructure azure",
      identity:
        login === "secret"
          ? "the specified service principal, in a Secret next to the AzureClusterIdentity"
          : login === "certificate"
            ? "a certificate: mount the file of clientCertificate into the provider's container at the path in the AzureClusterIdentity"
            : "the identity in the AzureClusterIdentity; the provider must be configured for it",
      ...(isStack(azure)
        ? {
            endpoint: `the fork for Azure Stack Hub, at ${azure.armEndpoint ?? ""}; the commands require az cloud register`,
          }
        : {}),
    },
  };
}

/** What the bootstrap machine needs beside the template that it shares with the control plane. */
function bootstrapMachine(input: PlatformInput): SupplementItem {
  const { config, identity } = input;
  const azure = azureOf(config);
  const account = storageAccount(identity.infraID);
  const blob = words`--account-name ${account} --container-name ignition --name bootstrap.ign`;
  const pages = azure.customerManagedKey !== undefined;
  const byLogin = allowsSharedKey(azure, input.release) ? [] : words`--as-user --auth-mode login`;
  return {
    area: "bootstrap",
    when: "during",
    what: "Change the bootstrap machine as listed, so that it fetches its Ignition config from the storage account.",
    why: "The bootstrap machine and the control plane share one template, and bootstrap.ign is too large for custom data.",
    details: {
      allocatePublicIP: config.publish !== "Internal",
      labels: { "install.openshift.io/bootstrap": "" },
      ...(pages
        ? { padding: "page blobs have a multiple of 512 bytes: add spaces before the last brace" }
        : {}),
      EXPIRY: "an hour from now, such as 2026-11-27T13:00Z",
      commands: [
        az(input, words`storage container create --account-name ${account} --name ignition`),
        az(
          input,
          words`storage blob upload ${blob} --file bootstrap.ign
          --type ${pages ? "page" : "block"}`,
        ),
        az(
          input,
          words`storage blob generate-sas ${blob} --permissions r --https-only --expiry EXPIRY
          --full-uri ${byLogin}`,
        ),
      ],
      userData: `a config {"ignition": {"config": {"replace": {"source": "https://${account}.blob.${storageSuffixOf(azure)}/ignition/bootstrap.ign?THE-SIGNATURE"}}, "version": "3.2.0"}}`,
    },
  };
}

/** Machines of the control plane go to the zones of its pool, while the provider offers all of the region. */
function zones(input: PlatformInput): SupplementItem[] {
  const { controlPlane } = poolsOf(input);
  const wanted = controlPlane.zones.filter((zone) => zone !== "");
  if (wanted.length === 0) return [];
  return [
    {
      area: "failure-domains",
      when: "during",
      what: "Place control plane machines only in the listed zones; the provider offers every zone of the region.",
      why: "The template has no zone. The zone is the machine's failure domain, which the control plane controller selects.",
      details: {
        machines: Array.from({ length: controlPlane.replicas }, (_, index) => ({
          machine: `${input.identity.infraID}-${controlPlane.name}-${index}`,
          failureDomain: wanted[index % wanted.length] ?? "",
        })),
      },
    },
  ];
}

/** Machines are reached by ssh while the cluster is made. */
function cleanRules(input: PlatformInput): SupplementItem[] {
  if (azureOf(input.config).virtualNetwork) return [];
  const [subnet] = clusterNetwork(input).subnets;
  const group = isObject(subnet?.["securityGroup"]) ? subnet["securityGroup"] : {};
  const rules = isList(group["securityRules"]) ? group["securityRules"] : [];
  const names = rules.flatMap((rule) =>
    isObject(rule) && rule["destinationPorts"] === "22" && typeof rule["name"] === "string"
      ? [rule["name"]]
      : [],
  );
  if (names.length === 0) return [];
  return [
    {
      area: "network",
      when: "after",
      what: "Remove the SSH rules from the security groups of the AzureCluster, then from the cloud.",
      why: "They allow access to the bootstrap machine. The provider recreates rules that are still in the AzureCluster.",
      details: {
        commands: names.map((name) =>
          az(
            input,
            words`network nsg rule delete ${inGroup(input)}
            --nsg-name ${input.identity.infraID}-nsg --name ${name}`,
          ),
        ),
      },
    },
  ];
}

function cleanConfig(input: PlatformInput): SupplementItem {
  const account = storageAccount(input.identity.infraID);
  return {
    area: "storage",
    when: "after",
    what: "Delete the container ignition of the storage account.",
    why: "It contains the bootstrap machine's Ignition config with keys and the pull secret.",
    details: {
      commands: [az(input, words`storage container delete --account-name ${account} --name ignition`)],
    },
  };
}
