/** What nutanix puts into the config objects of manifests/ (openshift/installer pkg/asset/manifests, pkg/asset/manifests/nutanix). */
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import type { PlatformInput, PlatformManifests } from "../platform.js";
import { virtualIpStatus } from "../virtual-ips.js";
import { endpointOf, has, nutanixOf, prismCentral, prismElement } from "./config.js";
import { nutanixFactsOf } from "./pools.js";

/** Secret that operators find the login of Prism Central in; it is made by hand. */
export const CREDENTIALS_SECRET = "nutanix-credentials";

export const manifests: PlatformManifests = {
  infrastructure(input) {
    const nutanix = nutanixOf(input.config);
    const { endpoint } = prismElement(nutanix);
    return {
      type: "Nutanix",
      spec: {
        nutanix: {
          prismCentral: { ...prismCentral(nutanix) },
          prismElements: [{ name: elementName(input), endpoint: { ...endpointOf(endpoint) } }],
          failureDomains: (nutanix.failureDomains ?? []).map(
            ({ name = "", prismElement: element, subnetUUIDs = [] }) => ({
              name,
              cluster: identified(element?.uuid ?? ""),
              subnets: subnetUUIDs.map(identified),
            }),
          ),
        },
      },
      status:
        (nutanix.apiVIPs ?? []).length > 0 ? { nutanix: virtualIpStatus(nutanix, { singular: true }) } : {},
    };
  },

  dns: () => ({}),
  ingressPlatform: () => ({}),
  noProxy: () => [],

  cloudProviderConfig: ({ config }) => ({
    config: `${JSON.stringify(
      {
        prismCentral: {
          ...prismCentral(nutanixOf(config)),
          credentialRef: {
            kind: "Secret",
            name: CREDENTIALS_SECRET,
            namespace: "openshift-cloud-controller-manager",
          },
        },
        topologyDiscovery: { type: "Prism", topologyCategories: null },
        enableCustomLabeling: true,
      },
      undefined,
      "\t",
    )}\n`,
  }),

  // The mode is Manual: the login in the install-config is the installer's alone.
  credentialsSecret: () => undefined,
  networkMtu: () => undefined,
  apiVips: ({ config }) => nutanixOf(config).apiVIPs ?? [],
  redact,
  extra: () => [],
};

/** Infrastructure/cluster has another word for it than machines. */
const identified = (uuid: string) => ({ type: "UUID", uuid });

/** The Prism Element goes by its name there. */
const elementName = ({ config, facts }: PlatformInput): string => {
  const { name, uuid } = prismElement(nutanixOf(config));
  const known = nutanixFactsOf(facts).prismElements?.find((each) => each.uuid === uuid);
  return name || known?.name || "";
};

function redact(installConfig: JsonObject, { release }: PlatformInput): JsonObject {
  const platform = membersOf(installConfig["platform"]);
  const { dnsRecordsType, ...section } = membersOf(platform["nutanix"]);
  if (!has(release, "redacted")) return installConfig;
  const kept = has(release, "redactedWithoutDns") || dnsRecordsType === undefined ? {} : { dnsRecordsType };
  const central = { ...membersOf(section["prismCentral"]), username: "", password: "" };
  return {
    ...installConfig,
    platform: { ...platform, nutanix: { ...section, ...kept, prismCentral: central } },
  };
}

const membersOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
