/** What nutanix puts into the config objects of manifests/ (openshift/installer pkg/asset/manifests, pkg/asset/manifests/nutanix). */
import { inside, isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import type { PlatformInput, PlatformManifests } from "../platform.js";
import { virtualIpStatus } from "../virtual-ips.js";
import { endpointOf, has, nutanixOf, prismCentral, prismElement } from "./config.js";
import { type NutanixFacts, nutanixFactsOf, uuidNamed } from "./pools.js";

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

function redact(given: JsonObject, { release, facts }: PlatformInput): JsonObject {
  const installConfig = withUuids(given, nutanixFactsOf(facts));
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

/**
 * Projects and images of pools that are named have their UUIDs too: the installer looks them up in place, before it
 * writes the object (openshift/installer pkg/types/nutanix/machinepool.go, ValidateConfig). What stands in
 * defaultMachinePlatform is looked up when a pool takes it from there.
 */
function withUuids(installConfig: JsonObject, facts: NutanixFacts): JsonObject {
  const pools = [installConfig["controlPlane"], ...listOf(installConfig["compute"])].map(sectionOf);
  const taken = (member: string): boolean => pools.some((pool) => isEmpty(pool[member]));
  const known = (section: JsonObject, isTaken: (member: string) => boolean): JsonObject => ({
    ...section,
    ...(isEmpty(section["project"]) || !isTaken("project")
      ? {}
      : { project: projectOf(membersOf(section["project"]), facts) }),
    ...(isEmpty(section["dataDisks"]) || !isTaken("dataDisks")
      ? {}
      : { dataDisks: listOf(section["dataDisks"]).map((disk) => diskOf(membersOf(disk), facts)) }),
  });
  const poolOf = (pool: Json): Json => inside(pool, ["platform", "nutanix"], (own) => known(own, () => true));
  const { controlPlane, compute } = installConfig;
  return membersOf(
    inside(
      {
        ...installConfig,
        ...(controlPlane === undefined ? {} : { controlPlane: poolOf(controlPlane) }),
        ...(compute === undefined ? {} : { compute: listOf(compute).map(poolOf) }),
      },
      ["platform", "nutanix", "defaultMachinePlatform"],
      (fallback) => known(fallback, taken),
    ),
  );
}

const projectOf = (project: JsonObject, { projects }: NutanixFacts): JsonObject => {
  const uuid = project["type"] === "name" ? uuidNamed(projects, String(project["name"])) : undefined;
  return uuid === undefined ? project : { ...project, type: "uuid", uuid };
};

const diskOf = (disk: JsonObject, { images }: NutanixFacts): Json =>
  inside(disk, ["dataSourceImage"], (image) => {
    const isNamed = isEmpty(image["referenceName"]) && isEmpty(image["uuid"]);
    const uuid = isNamed ? uuidNamed(images, String(image["name"])) : undefined;
    return uuid === undefined ? image : { ...image, uuid };
  });

const sectionOf = (pool: Json | undefined): JsonObject =>
  membersOf(membersOf(membersOf(pool)["platform"])["nutanix"]);
const listOf = (value: Json = null): readonly Json[] => (isList(value) ? value : []);
const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === "" || (isList(value) && value.length === 0);
const membersOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
