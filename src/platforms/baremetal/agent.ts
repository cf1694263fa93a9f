/** Bare metal in an agent-based installation. */
import { isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { type AgentHost, agentFact, type ListedHost, type PlatformAgent } from "../agent.js";
import { ignoredFields } from "../agent-rules.js";
import { type BaremetalHost, baremetalOf, FIELD, networkConfigOf } from "./config.js";
import { hostField } from "./install-config/defaults.js";
import { hostProvisioningRules } from "./install-config/provisioning-rules.js";

const IGNORED = [
  ["externalBridge", "baremetal"],
  ["provisioningBridge", "provisioning"],
  ["defaultMachinePlatform"],
] as const;
const BOOT_MODE = "UEFI";

/** Members of the section that the cluster needs to manage its hosts. */
const PROVISIONING = [
  "clusterProvisioningIP",
  "provisioningNetwork",
  "provisioningNetworkInterface",
  "provisioningNetworkCIDR",
  "provisioningDHCPRange",
];

/** Interfaces with a name and an address, in the order of the network config. */
function interfacesOf(network: Json | undefined): AgentHost["interfaces"] {
  const given = isObject(network) ? network["interfaces"] : undefined;
  return (isList(given) ? given : [])
    .filter(isObject)
    .map((each) => ({ name: textAt(each, "name"), macAddress: textAt(each, "mac-address") }))
    .filter(({ name, macAddress }) => name !== "" && macAddress !== "");
}

function listedHost(host: BaremetalHost, index: number): ListedHost {
  const { name = "", role = "", bootMACAddress = "", bmc = {}, rootDeviceHints = {} } = host;
  const networkConfig = networkConfigOf(host);
  const interfaces = interfacesOf(networkConfig);
  return {
    bootMACAddress,
    field: hostField(host, index),
    host: {
      hostname: name,
      role,
      interfaces: interfaces.length > 0 ? interfaces : [{ name: "boot", macAddress: bootMACAddress }],
      rootDeviceHints: Object.fromEntries(
        Object.entries(rootDeviceHints).filter((each): each is [string, string | number | boolean] =>
          ["string", "number", "boolean"].includes(typeof each[1]),
        ),
      ),
      networkConfig,
      bmc,
    },
  };
}

/** A host that the cluster manages, with every member that the installer writes. */
const managedHost = ({ hostname, role, interfaces: [first], bmc }: AgentHost): JsonObject => ({
  ...(hostname === "" ? {} : { name: hostname }),
  bmc: {
    username: bmc.username ?? "",
    password: bmc.password ?? "",
    address: bmc.address ?? "",
    disableCertificateVerification: bmc.disableCertificateVerification ?? false,
  },
  role,
  bootMACAddress: first?.macAddress ?? "",
  hardwareProfile: "",
});

const isManaged = ({ bmc: { address = "", username = "", password = "" } }: AgentHost): boolean =>
  address !== "" || username !== "" || password !== "";

export const agent: PlatformAgent = {
  validate(config, context) {
    const section = baremetalOf(config);
    const { hosts = [] } = section;
    if (hosts.some(({ bmc }) => (bmc?.address ?? "") !== ""))
      hostProvisioningRules(
        config,
        agentFact(context.release, "fieldsInLowerCase") ? FIELD : "Platform.BareMetal",
      ).forEach(context.report);
    ignoredFields(FIELD, section, IGNORED, context);
    for (const [index, host] of hosts.entries())
      ignoredFields(hostField(host, index), host, [["bootMode", BOOT_MODE]], context);
  },
  hosts: (config) => (baremetalOf(config).hosts ?? []).map(listedHost),
  timeServers: (config) => baremetalOf(config).additionalNTPServers ?? [],
  spec(config) {
    const { apiVIPs = [], ingressVIPs = [] } = baremetalOf(config);
    const [apiVIP = "", ingressVIP = ""] = [apiVIPs[0], ingressVIPs[0]];
    return { apiVIP, apiVIPs, ingressVIP, ingressVIPs };
  },
  override({ section, hosts, release }) {
    const managed = hosts.filter(isManaged);
    if (managed.length === 0) return undefined;
    const names = [
      ...PROVISIONING,
      ...(agentFact(release, "provisioningGateway") ? ["provisioningNetworkGateway"] : []),
    ];
    return {
      hosts: managed.map(managedHost),
      ...Object.fromEntries(
        Object.entries(section).filter(([name, value]) => names.includes(name) && value !== ""),
      ),
    };
  },
};
