/** What gcp puts into the config objects of manifests/ (openshift/installer pkg/asset/manifests). */
import { createHash } from "node:crypto";
import { byCodeUnit } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import { parseUri } from "../../text/uri.js";
import type { PlatformInput, PlatformManifests, Rendering } from "../platform.js";
import {
  gcpOf,
  poolSection,
  publishesExternally,
  sharesNetwork,
  subnetName,
  userProvidesDns,
  userTags,
} from "./config.js";
import { CREDENTIALS_KEY } from "./credentials.js";
import { gcpFactsOf, lastSegment } from "./facts.js";
import { has } from "./tables.js";

export const manifests: PlatformManifests = {
  infrastructure({ config, release }) {
    const gcp = gcpOf(config);
    const labels = (gcp.userLabels ?? []).map(({ key = "", value = "" }) => ({ key, value }));
    const tags = userTags(gcp);
    const endpoints = serviceEndpoints({ config, release }, false);
    return {
      type: "GCP",
      spec: {},
      status: {
        gcp: {
          cloudLoadBalancerConfig: { dnsType: userProvidesDns(gcp) ? "ClusterHosted" : "PlatformDefault" },
          projectID: gcp.projectID,
          region: gcp.region,
          ...(labels.length === 0 ? {} : { resourceLabels: labels }),
          ...(tags.length === 0 ? {} : { resourceTags: [...tags] }),
          ...(endpoints.length === 0 ? {} : { serviceEndpoints: [...endpoints] }),
        },
      },
    };
  },

  dns: dnsZones,

  ingressPlatform: () => ({}),

  noProxy: () => ["169.254.169.254", "metadata", "metadata.google.internal", "metadata.google.internal."],

  cloudProviderConfig: (input) => ({ config: cloudConfig(input) }),

  credentialsSecret: ({ credentials }) => ({
    name: "gcp-credentials",
    data: credentials === undefined ? undefined : { [CREDENTIALS_KEY]: credentials[CREDENTIALS_KEY] ?? "" },
  }),

  networkMtu: () => undefined,

  customBootImage({ config }) {
    const chosen = [
      gcpOf(config).defaultMachinePlatform,
      config.compute[0] && poolSection(config.compute[0]),
    ];
    return chosen.some((section) => section?.osImage !== undefined);
  },

  extra: (input) => [controllerIdentity(input), ...storageDriver(input)],
};

/**
 * Zones of the cluster's domain, by name. In a shared VPC the private one may be of the user's own, in a project of its
 * own (pkg/asset/manifests/dns.go).
 */
function dnsZones({ config, identity, facts, release }: PlatformInput): JsonObject {
  const gcp = gcpOf(config);
  const named = has(release, "zoneNamesWithProject");
  if (userProvidesDns(gcp)) return named ? {} : { publicZone: {}, privateZone: {} };
  const { publicZone } = gcpFactsOf(facts);
  const id = (project: string, name: string): string =>
    named ? `projects/${project}/managedZones/${name}` : name;
  const own = privateZone({ config, identity, facts, release });
  return {
    ...(publishesExternally(config) && publicZone !== undefined
      ? { publicZone: { id: id(gcp.projectID, lastSegment(publicZone)) } }
      : {}),
    privateZone: { id: id(own.project, own.name) },
  };
}

/** The private zone of the cluster's domain: its project and name, and whether the user brings it along. */
export function privateZone({
  config,
  identity,
  facts,
  release,
}: Pick<PlatformInput, "config" | "identity" | "facts" | "release">): {
  readonly project: string;
  readonly name: string;
  readonly existing: boolean;
} {
  const gcp = gcpOf(config);
  const known = gcpFactsOf(facts).privateZone;
  const own = { project: gcp.projectID, name: `${identity.infraID}-private-zone`, existing: false };
  if (!sharesNetwork(gcp) && !has(release, "privateZoneAlwaysSought")) return own;
  const { projectID = "", name = "" } = gcp.dns?.privateZone ?? {};
  return {
    project: projectID || own.project,
    name: known === undefined ? name || own.name : lastSegment(known),
    existing: known !== undefined,
  };
}

/** The config of the cloud provider, in the form of the installer's template. */
function cloudConfig({ config, identity, release }: PlatformInput): string {
  const gcp = gcpOf(config);
  const { infraID } = identity;
  const endpoints = serviceEndpoints({ config, release }, true);
  const endpoint = (service: string): string => endpoints.find(({ name }) => name === service)?.url ?? "";
  const settings: readonly (readonly [string, string])[] = [
    ["network-project-id", gcp.networkProjectID ?? ""],
    ["api-endpoint", endpoint("Compute")],
    ["container-api-endpoint", endpoint("Container")],
    [
      "firewall-rules-management",
      has(release, "endpoint") ? (gcp.firewallRulesManagement === "Unmanaged" ? "Disabled" : "Enabled") : "",
    ],
  ];
  const given = settings.filter(([, value]) => value !== "").map(([name, value]) => `${name} = ${value}\n`);
  return [
    "[global]\n",
    `project-id      = ${gcp.projectID}\n`,
    "regional        = true\n",
    "multizone       = true\n",
    ...["master", "control-plane", "worker"].map((tag) => `node-tags       = ${infraID}-${tag}\n`),
    `node-instance-prefix = ${infraID}\n`,
    `external-instance-groups-prefix = ${infraID}\n`,
    `subnetwork-name = ${subnetName(gcp, infraID, "worker")}\n`,
    ...given,
    // The oldest template has a line for the project, empty or not.
    has(release, "privateZoneAlwaysSought") && given.length === 0 ? "\n\n" : "\n",
  ].join("");
}

/** Paths of services in their endpoints. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ["Compute", "/compute/v1/"],
  ["Container", "/container/v1/"],
  ["Storage", "/storage/v1/"],
]);

/** The service endpoints as the objects of the release have them, with the path of the service or without. */
export function serviceEndpoints(
  { config, release }: Pick<PlatformInput, "config" | "release">,
  withPath: boolean,
): readonly { readonly name: string; readonly url: string }[] {
  if (!has(release, "serviceEndpoints")) return [];
  const written = (gcpOf(config).serviceEndpoints ?? []).map(({ name = "", url = "" }) => ({ name, url }));
  if (!has(release, "formattedEndpoints")) return written.sort((a, b) => byCodeUnit(a.name, b.name));
  return written.map(({ name, url }) => {
    const { host = "", path = "" } = hostAndPath(url);
    return { name, url: `https://${host}${withPath ? (PATHS.get(name) ?? "/") : path}` };
  });
}

function hostAndPath(url: string): { readonly host: string; readonly path: string } {
  const uri = parseUri(url, "reference");
  if (uri === undefined || uri.hostname === "") return { host: url, path: "" };
  return {
    host: `${uri.hostname}${uri.port === "" ? "" : `:${uri.port}`}`,
    path: uri.path.replace(/\/$/, ""),
  };
}

/** What load balancers of the cluster are named after (pkg/types/gcp/clouduid.go). */
function controllerIdentity({ identity }: PlatformInput): Rendering {
  const uid = createHash("md5").update(identity.infraID).digest("hex").slice(0, 16);
  return {
    template: "manifests/gcp/cloud-controller-uid-config.yml",
    path: "manifests/cloud-controller-uid-config.yml",
    view: { uid },
  };
}

/** The driver encrypts volumes with the key of defaultMachinePlatform; a pool's own key does not count. */
function storageDriver({ config }: PlatformInput): Rendering[] {
  const key = gcpOf(config).defaultMachinePlatform?.osDisk?.encryptionKey?.kmsKey;
  if (key === undefined) return [];
  return [
    {
      template: "manifests/gcp/cluster-csi-driver-config.yaml",
      path: "manifests/cluster-csi-driver-config.yaml",
      view: {
        name: key.name ?? "",
        keyRing: key.keyRing ?? "",
        projectID: key.projectID ?? "",
        location: key.location || undefined,
      },
    },
  ];
}
