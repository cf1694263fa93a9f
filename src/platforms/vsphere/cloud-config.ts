/**
 * The config of the cloud controller manager: YAML with what is set, up to 4.22 YAML with every member of the type, and
 * in 4.18 INI where several vCenters are not asked for (openshift/installer
 * pkg/asset/manifests/vsphere/cloudproviderconfig.go).
 */
import type { JsonObject } from "../../core/json.js";
import { resolvePlain } from "../../text/yaml-scalars.js";
import { writeYaml } from "../../text/yaml-write.js";
import { gateEnabled } from "../enabled-gates.js";
import type { PlatformInput } from "../platform.js";
import { TAG_CATEGORIES, topologyOf, type VspherePlatform, vsphereOf } from "./config.js";
import { folderOf } from "./names.js";
import { has } from "./tables.js";

const SECRET = { secretName: "vsphere-creds", secretNamespace: "kube-system" } as const;
const DEFAULT_PORT = 443;

export function cloudConfig({ config, identity, release }: PlatformInput): string {
  const vsphere = vsphereOf(config);
  if (has(release, "nodesInCloudConfig")) {
    const blocks = config.networking.machineNetwork.map(({ cidr }) => cidr);
    return writeYaml(minimal(vsphere, blocks));
  }
  return has(release, "installGates") && !gateEnabled(release, config, "VSphereMultiVCenters")
    ? ini(vsphere, identity.infraID)
    : complete(vsphere);
}

type Side = NonNullable<NonNullable<VspherePlatform["nodeNetworking"]>["external"]>;

const several = ({ failureDomains = [] }: VspherePlatform): boolean => failureDomains.length > 1;

function minimal(vsphere: VspherePlatform, machineNetworks: readonly string[]): JsonObject {
  const { vcenters = [], nodeNetworking } = vsphere;
  const byDefault: Side = { networkSubnetCidr: [...machineNetworks] };
  const external: Side = nodeNetworking === undefined ? byDefault : (nodeNetworking.external ?? {});
  const internal: Side = nodeNetworking === undefined ? byDefault : (nodeNetworking.internal ?? {});
  const members = {
    externalVmNetworkName: external.network ?? "",
    externalNetworkSubnetCidr: (external.networkSubnetCidr ?? []).join(","),
    excludeExternalNetworkSubnetCidr: (external.excludeNetworkSubnetCidr ?? []).join(","),
    internalVmNetworkName: internal.network ?? "",
    internalNetworkSubnetCidr: (internal.networkSubnetCidr ?? []).join(","),
    excludeInternalNetworkSubnetCidr: (internal.excludeNetworkSubnetCidr ?? []).join(","),
  };
  const nodes = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ""));
  return {
    global: { insecureFlag: true, ...SECRET },
    ...(several(vsphere) ? { labels: { ...TAG_CATEGORIES } } : {}),
    ...(Object.keys(nodes).length === 0 ? {} : { nodes }),
    vcenter: Object.fromEntries(
      vcenters.map(({ server = "", datacenters = [], port = 0 }) => [
        server,
        { server, datacenters, ...(port === 0 ? {} : { port }) },
      ]),
    ),
  };
}

/** Members in the order of the type, each at the depth that it says. */
const lines = (
  indent: string,
  members: readonly (readonly [string, string | number | boolean | readonly string[]])[],
) =>
  members.flatMap(([name, value]) => {
    if (typeof value === "object" && value.length > 0)
      return [`${indent}${name}:`, ...value.map((each) => `${indent}- ${scalar(each)}`)];
    return [
      `${indent}${name}: ${typeof value === "object" ? "[]" : typeof value === "string" ? scalar(value) : value}`,
    ];
  });

/** As gopkg.in/yaml.v2 writes it: in double quotes where it would be read as something else than a text. */
const scalar = (text: string): string =>
  resolvePlain(text).kind === "string" ? writeYaml(text).trimEnd() : JSON.stringify(text);

function complete(vsphere: VspherePlatform): string {
  // One entry for each server: of several vCenters with one address, the last counts.
  const byServer = new Map((vsphere.vcenters ?? []).map((each) => [each.server ?? "", each]));
  const vcenters = [...byServer.values()].sort((a, b) => ((a.server ?? "") < (b.server ?? "") ? -1 : 1));
  const labels = several(vsphere) ? TAG_CATEGORIES : { zone: "", region: "" };
  return [
    "global:",
    ...lines("  ", [
      ["user", ""],
      ["password", ""],
      ["server", ""],
      ["port", 0],
      ["insecureFlag", true],
      ["datacenters", []],
      ["soapRoundtripCount", 0],
      ["caFile", ""],
      ["thumbprint", ""],
      ["secretName", SECRET.secretName],
      ["secretNamespace", SECRET.secretNamespace],
      ["secretsDirectory", ""],
      ["apiDisable", false],
      ["apiBinding", ""],
      ["ipFamily", []],
    ]),
    "vcenter:",
    ...vcenters.flatMap(({ server = "", port = 0, datacenters = [] }) => [
      `  ${scalar(server)}:`,
      ...lines("    ", [
        ["user", ""],
        ["password", ""],
        ["tenantref", ""],
        ["server", server],
        ["port", port === 0 ? DEFAULT_PORT : port],
        ["insecureFlag", true],
        ["datacenters", datacenters],
        ["soapRoundtripCount", 0],
        ["caFile", ""],
        ["thumbprint", ""],
        ["secretref", ""],
        ["secretName", ""],
        ["secretNamespace", ""],
        ["ipFamily", []],
      ]),
    ]),
    "labels:",
    ...lines("  ", [
      ["zone", labels.zone],
      ["region", labels.region],
    ]),
    "",
  ].join("\n");
}

function ini(vsphere: VspherePlatform, infraID: string): string {
  const { vcenters = [], failureDomains = [] } = vsphere;
  const [first = {}] = failureDomains;
  const set = (name: string, value = ""): string[] =>
    value === "" ? [] : [`${name} = ${JSON.stringify(value)}`];
  const datacentersOf = (server: string, listed: readonly string[]): string => {
    const own = failureDomains
      .filter((domain) => domain.server === server)
      .map((domain) => topologyOf(domain).datacenter ?? "");
    // What the user lists twice stays twice.
    return [...listed, ...new Set(own.filter((name) => !listed.includes(name)))].join(",");
  };
  return [
    "[Global]",
    ...set("secret-name", SECRET.secretName),
    ...set("secret-namespace", SECRET.secretNamespace),
    ...set("insecure-flag", "1"),
    "",
    ...vcenters.flatMap(({ server = "", port = 0, datacenters = [] }) => [
      `[VirtualCenter ${JSON.stringify(server)}]`,
      ...(port === 0 ? [] : [...set("port", String(port)), ""]),
      ...set("datacenters", datacentersOf(server, datacenters)),
    ]),
    "",
    "[Workspace]",
    ...set("server", first.server),
    ...set("datacenter", topologyOf(first).datacenter),
    ...set("default-datastore", topologyOf(first).datastore),
    ...set("folder", folderOf(infraID, first)),
    ...set("resourcepool-path", topologyOf(first).resourcePool),
    "",
    ...(several(vsphere)
      ? ["[Labels]", ...set("region", TAG_CATEGORIES.region), ...set("zone", TAG_CATEGORIES.zone)]
      : []),
    "",
  ].join("\n");
}
