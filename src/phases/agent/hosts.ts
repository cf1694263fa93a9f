/**
 * Hosts of an agent-based installation: those of agent-config.yaml, else those that the install-config lists
 * (openshift/installer pkg/asset/agent/agentconfig/agenthosts.go).
 */

import type { Report } from "../../core/diagnostics.js";
import { isJson, isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { ignored, required, warning } from "../../core/problem.js";
import type { AgentConfig, AgentHost as ConfigHost } from "../../generated/types/agent-config.js";
import type { AgentHost, PlacedHost } from "../../platforms/agent.js";
import type { NormalConfig } from "../../platforms/config.js";
import type { PlatformModule } from "../../platforms/platform.js";
import { quote } from "../../text/quote.js";
import type { InstallConfigAsset } from "../assets.js";
import type { ReadAgentConfig } from "./read.js";

/** Members of hints that say something, as Go leaves the others out. */
const hintsOf = (hints: object): JsonObject =>
  Object.fromEntries(
    Object.entries(hints).flatMap(([name, value]: [string, unknown]) =>
      isJson(value) && value !== "" && value !== 0 && value !== null ? [[name, value]] : [],
    ),
  );

/** A host of agent-config.yaml. */
export function configHost({
  hostname = "",
  role = "",
  rootDeviceHints = {},
  interfaces = [],
  networkConfig,
  BMC = {},
}: ConfigHost): AgentHost {
  const network: unknown = networkConfig;
  return {
    hostname,
    role,
    rootDeviceHints: hintsOf(rootDeviceHints),
    interfaces: interfaces.map(({ name = "", macAddress = "" }) => ({ name, macAddress })),
    networkConfig: isJson(network) && network !== null ? network : undefined,
    bmc: BMC,
  };
}

/** Hosts of agent-config.yaml with their places. */
export const hostsOfAgentConfig = (
  { hosts = [] }: AgentConfig,
  { position }: Pick<ReadAgentConfig, "position">,
): readonly PlacedHost[] =>
  hosts.map((host, index) => ({
    host: configHost(host),
    position: (member) => position(member === "" ? `hosts[${index}]` : `hosts[${index}].${member}`),
  }));

/** The hosts that count, of both files; what is wrong with those of the install-config as a source is reported. */
export function agentHosts(
  ofAgentConfig: readonly PlacedHost[],
  { config, position }: Pick<InstallConfigAsset, "config" | "position">,
  platform: PlatformModule,
  report: Report,
): readonly PlacedHost[] {
  const listed = platform.agent?.hosts?.(config) ?? [];
  const [first] = listed;
  if (ofAgentConfig.length > 0) {
    if (first !== undefined)
      report({
        ...position(first.field.replace(/\[\d+\]$/, "")),
        ...ignored("AGT011", first.field.replace(/\[\d+\]$/, ""), "agent-config.yaml lists hosts", {
          hint: "keep the hosts in one of the two files",
        }),
      });
    return ofAgentConfig;
  }
  return listed.map(({ host, field, bootMACAddress }) => {
    if (bootMACAddress === "")
      report({
        ...position(`${field}.bootMACAddress`),
        ...required("AGT003", `${field}.bootMACAddress`, "", "add the MAC address that the host boots with"),
      });
    else if (host.networkConfig !== undefined && !macAddressesIn(host.networkConfig).includes(bootMACAddress))
      report({
        ...position(`${field}.bootMACAddress`),
        ...warning(
          "AGT003",
          "NotFound",
          `${field}.bootMACAddress`,
          `${quote(bootMACAddress)} is not in networkConfig, so its interface gets no static network`,
          "set mac-address on the interface",
        ),
      });
    return { host, position: (member) => position(member === "" ? field : `${field}.${listedName(member)}`) };
  });
}

/** The member of a host of the install-config that stands for one of agent-config.yaml. */
const listedName = (member: string): string =>
  member.startsWith("interfaces") ? "bootMACAddress" : member === "hostname" ? "name" : member;

const interfacesIn = (network: Json | undefined): readonly JsonObject[] => {
  const list = memberOf(network, "interfaces");
  return isList(list) ? list.filter(isObject) : [];
};

/** A member as Go's json package finds it, without regard to case. */
function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (!isObject(value)) return undefined;
  const key = Object.keys(value).findLast((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : value[key];
}

const macAddressesIn = (network: Json): readonly string[] =>
  interfacesIn(network)
    .map((each) => textAt(each, "mac-address"))
    .filter((each) => each !== "");

/** Names of the interfaces of a network config. */
export const interfaceNames = (network: Json): readonly string[] =>
  interfacesIn(network)
    .map((each) => textAt(each, "name"))
    .filter((each) => each !== "");

/** Static addresses in a network config, in its order, IPv4 before IPv6 for each interface. */
export const staticAddresses = (network: Json | undefined): readonly string[] =>
  interfacesIn(network).flatMap((each) =>
    ["ipv4", "ipv6"].flatMap((family) => {
      const list = memberOf(memberOf(each, family), "address");
      return (isList(list) ? list : []).flatMap((entry) => {
        const ip = memberOf(entry, "ip");
        return typeof ip === "string" && ip !== "" ? [ip] : [];
      });
    }),
  );

/** How many hosts of each role the install-config asks for. */
export const replicaCounts = ({
  controlPlane,
  arbiter,
  compute,
}: NormalConfig): Readonly<Record<"master" | "arbiter" | "worker", number>> => ({
  master: controlPlane.replicas,
  arbiter: arbiter?.replicas ?? 0,
  worker: compute.reduce((sum, { replicas }) => sum + replicas, 0),
});
