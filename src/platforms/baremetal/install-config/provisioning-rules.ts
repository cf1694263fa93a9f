/**
 * What the installer refuses when it is to make the cluster, although the config alone tells it; it writes manifests and Ignition
 * configs all the same, so that these are warnings (openshift/installer pkg/types/baremetal/validation/platform.go,
 * `ValidateProvisioning`, and pkg/asset/installconfig/baremetal/validation.go).
 */

import type { Problem } from "../../../core/diagnostics.js";
import { problem, warning } from "../../../core/problem.js";
import { isDnsSubdomain } from "../../../kubernetes/names.js";
import {
  type Address,
  type Cidr,
  contains,
  effectivePrefix,
  formatAddress,
  formatCidr,
  isV4,
  networkOf,
  overlap,
  parseAddress,
  parseCidr,
  parseMac,
} from "../../../kubernetes/network.js";
import { quote } from "../../../text/quote.js";
import { parseUri } from "../../../text/uri.js";
import type { NormalConfig } from "../../config.js";
import { type BaremetalPlatform, baremetalOf, FIELD, isDisabled } from "../config.js";
import { controllerAt } from "../controllers.js";
import { hostField } from "./defaults.js";
import { fieldProblems } from "./rules.js";

type Told = (problem: {
  readonly field: string;
  readonly at?: string;
  readonly kind?: Problem["kind"];
  readonly message: string;
  readonly hint: string;
}) => void;

export function provisioningRules(config: NormalConfig): Problem[] {
  const baremetal = baremetalOf(config);
  const found: Problem[] = [];
  const told: Told = ({ field, at = field, kind = "Invalid", message, hint }) =>
    found.push(
      warning(
        "FACT008",
        kind,
        field === "" ? FIELD : `${FIELD}.${field}`,
        `openshift-install create cluster would reject this: ${message}`,
        { at: `${FIELD}.${at}`, hint },
      ),
    );
  networking(config, told, true);
  macAddresses(baremetal, told);
  logins(baremetal, told);
  images(baremetal, told);
  staticBootstrap(baremetal, told);
  const { libvirtURI = "" } = baremetal;
  if ((parseUri(libvirtURI, "reference")?.scheme ?? "") === "")
    told({
      field: "libvirtURI",
      message: `invalid value ${quote(libvirtURI)}: must be a URI with a scheme`,
      hint: "use a URI such as qemu:///system",
    });
  return found;
}

/**
 * Those of them that hold where a cluster manages its hosts and the bootstrap machine is one of them (`ValidateProvisioningNetworking`);
 * `field` is the section as the installer of the release names it.
 */
export function hostProvisioningRules(config: NormalConfig, section: string): Problem[] {
  const found: Problem[] = [];
  const told: Told = ({ field, at = field, kind = "Invalid", message, hint }) =>
    found.push(
      problem("AGT014", kind, field === "" ? section : `${section}.${field}`, message, {
        at: `${FIELD}.${at}`,
        hint,
      }),
    );
  networking(config, told, false);
  logins(baremetalOf(config), told);
  return found;
}

/** @param bootstraps whether a machine of its own bootstraps the cluster */
function networking(config: NormalConfig, told: Told, bootstraps: boolean): void {
  const baremetal = baremetalOf(config);
  const machines = config.networking.machineNetwork.flatMap(({ cidr }) => parseCidr(cidr) ?? []);
  if (isDisabled(baremetal)) withoutNetwork(baremetal, machines, told, bootstraps);
  else withNetwork(baremetal, machines, told, bootstraps);
}

const holds = (block: Cidr, text: string): boolean => {
  const address = parseAddress(text);
  return address !== undefined && contains(block, address);
};

/** Provisioning services run in a machine network, and every controller boots its host from virtual media. */
function withoutNetwork(
  baremetal: BaremetalPlatform,
  machines: readonly Cidr[],
  told: Told,
  bootstraps: boolean,
): void {
  const names = [
    "clusterProvisioningIP",
    ...(bootstraps ? (["bootstrapProvisioningIP"] as const) : []),
  ] as const;
  for (const name of names) {
    const address = baremetal[name];
    if (address && !machines.some((block) => holds(block, address)))
      told({
        field: name,
        message: `invalid value "${address}": must be in a machine network if the provisioning network is disabled`,
        hint: `use an address in ${machines.map(formatCidr).join(" or ")}, or remove it`,
      });
  }
  for (const [index, host] of (baremetal.hosts ?? []).entries()) {
    const controller = controllerAt(host.bmc?.address ?? "");
    const message =
      "fault" in controller
        ? controller.fault
        : controller.virtualMedia
          ? undefined
          : `the driver ${controller.driver} requires a provisioning network`;
    if (message !== undefined)
      told({
        field: `hosts[${index}].bmc`,
        at: `${hostField(host, index).slice(FIELD.length + 1)}.bmc.address`,
        message,
        hint: "use an address with virtual media, such as redfish-virtualmedia+https://192.0.2.10/redfish/v1/Systems/1",
      });
  }
}

function withNetwork(
  baremetal: BaremetalPlatform,
  machines: readonly Cidr[],
  told: Told,
  bootstraps: boolean,
): void {
  const {
    provisioningNetworkCIDR = "",
    bootstrapProvisioningIP = "",
    clusterProvisioningIP = "",
  } = baremetal;
  const block = parseCidr(provisioningNetworkCIDR);
  if (block === undefined) return;
  const network = formatCidr(networkOf(block));
  const outside = (field: string, address: string): void =>
    told({
      field,
      message: `invalid value ${quote(address)}: must be in the provisioning network`,
      hint: `use an address in ${network}`,
    });
  const inMachines =
    bootstrapProvisioningIP !== "" && machines.some((each) => holds(each, bootstrapProvisioningIP));
  if (bootstraps && !holds(block, bootstrapProvisioningIP))
    outside("bootstrapProvisioningIP", bootstrapProvisioningIP);
  if (bootstraps && inMachines)
    told({
      field: "bootstrapProvisioningIP",
      message: `must not be in a machine network: ${bootstrapProvisioningIP}`,
      hint: `use an address in ${network}`,
    });
  if (clusterProvisioningIP !== "" && !holds(block, clusterProvisioningIP))
    outside("clusterProvisioningIP", clusterProvisioningIP);
  const wrong = (message: string, hint: string): void =>
    told({ field: "provisioningNetworkCIDR", message, hint });
  if (baremetal.provisioningNetwork === "Managed" && !isV4(block) && block.prefix < 64)
    wrong(
      "a managed IPv6 network must have a prefix length of at least /64",
      "use a CIDR such as fd00:1101::/64",
    );
  const other = machines.find((each) => isV4(each) === isV4(block) && overlap(each, block));
  if (other !== undefined)
    wrong(
      `must not overlap the machine network ${formatCidr(other)}`,
      "use a separate network for provisioning",
    );
  if (network !== formatCidr(block)) wrong("must not have host bits set", `use ${network}`);
  gateway(baremetal, block, told);
  timeServers(baremetal, told);
  dhcpRange(baremetal, block, told);
}

function gateway(baremetal: BaremetalPlatform, block: Cidr, told: Told): void {
  const text = baremetal.provisioningNetworkGateway ?? "";
  const address = parseAddress(text);
  // What is not an address the rules of the config have told.
  if (address === undefined) return;
  const wrong = (message: string): void =>
    told({
      field: "provisioningNetworkGateway",
      message,
      hint: `use the gateway address in ${formatCidr(networkOf(block))}`,
    });
  if (!contains(block, address)) wrong(`${text} must be in the provisioning network`);
  if (text === baremetal.clusterProvisioningIP) wrong(`${text} is reserved for the provisioning services`);
  const first = networkOf(block).address;
  if (!isV4(block) || effectivePrefix(block) >= 31) return;
  if (formatAddress(first) === formatAddress(address)) wrong(`${text} is the network address`);
  else if (isBroadcast(block, address)) wrong(`${text} is the broadcast address`);
}

const isBroadcast = (block: Cidr, address: Address): boolean =>
  contains(block, address) &&
  address.every((byte, index) => {
    const host = 0xff >> Math.min(8, Math.max(0, effectivePrefix(block) - 8 * index));
    return (byte & host) === host;
  });

function timeServers({ additionalNTPServers = [] }: BaremetalPlatform, told: Told): void {
  for (const [index, server] of additionalNTPServers.entries())
    if (parseAddress(server) === undefined && !isDnsSubdomain(server.replace(/\.$/, "")))
      told({
        field: "",
        at: `additionalNTPServers[${index}]`,
        message: `invalid value ${quote(server)}: must be an IP address or a host name`,
        hint: "use a host name such as ntp.example.net",
      });
}

function dhcpRange(baremetal: BaremetalPlatform, block: Cidr, told: Told): void {
  const range = baremetal.provisioningDHCPRange ?? "";
  if (range === "") return;
  const wrong = (message: string): void =>
    told({
      field: "provisioningDHCPRange",
      message,
      hint: "use the first and the last address separated by a comma, such as 172.22.0.10,172.22.0.100",
    });
  const ends = range.split(",");
  if (ends.length !== 2) {
    wrong("must have two addresses separated by a comma");
    return;
  }
  for (const end of ends) {
    if (parseAddress(end) === undefined) {
      wrong(`invalid value ${quote(end)}: must be an IP address`);
      return;
    }
    if (!holds(block, end)) {
      wrong(`${end} must be in the provisioning network`);
      return;
    }
  }
  const [from = "", to = ""] = ends;
  for (const name of [
    "clusterProvisioningIP",
    "bootstrapProvisioningIP",
    "provisioningNetworkGateway",
  ] as const) {
    const address = baremetal[name] ?? "";
    if (isBetween(address, from, to))
      told({
        field: name,
        message: `must not be in provisioningDHCPRange: ${address}`,
        hint: "use an address outside provisioningDHCPRange",
      });
  }
}

/** Compares as the installer does: in the sixteen bytes of IPv6. */
function isBetween(text: string, from: string, to: string): boolean {
  const [address, first, last] = [text, from, to].map((each) => {
    const bytes = parseAddress(each);
    if (bytes === undefined) return undefined;
    const mapped = bytes.length === 4 ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...bytes] : bytes;
    return mapped.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  });
  return (
    address !== undefined && first !== undefined && last !== undefined && first <= address && address <= last
  );
}

function macAddresses(baremetal: BaremetalPlatform, told: Told): void {
  const { externalMACAddress = "", provisioningMACAddress = "" } = baremetal;
  for (const name of ["externalMACAddress", "provisioningMACAddress"] as const) {
    const mac = parseMac(baremetal[name] ?? "");
    if (mac?.length !== 6 || ((mac[0] ?? 0) & 1) === 1)
      told({
        field: name,
        message: "must be a unicast MAC address of 6 bytes",
        hint: 'use an address such as "52:54:00:aa:bb:cc"',
      });
  }
  if (provisioningMACAddress.toLowerCase() === externalMACAddress.toLowerCase())
    told({
      field: "provisioningMACAddress",
      kind: "Duplicate",
      message:
        "duplicate MAC address: the bootstrap machine must have different addresses in the two networks",
      hint: "use two different addresses, or remove both",
    });
}

/** Logins and addresses of controllers, which are asked for only here. */
function logins({ hosts = [] }: BaremetalPlatform, told: Told): void {
  for (const { host, index, field, fault } of fieldProblems(hosts, [
    "bmc.username",
    "bmc.password",
    "bmc.address",
  ]))
    told({
      field: `hosts[${index}].${field}`,
      at: `${hostField(host, index).slice(FIELD.length + 1)}.${field}`,
      ...fault,
    });
}

function images(baremetal: BaremetalPlatform, told: Told): void {
  for (const field of ["bootstrapOSImage", "clusterOSImage"] as const) {
    const text = baremetal[field] ?? "";
    if (text === "") continue;
    const uri = parseUri(text, "request");
    const checksum = new URLSearchParams(uri?.query ?? "").get("sha256") ?? "";
    const message =
      uri === undefined
        ? "must be a URL"
        : !["http", "https"].includes(uri.scheme)
          ? "must have the scheme http or https"
          : checksum.length !== 64
            ? "must have a parameter sha256 with a checksum of 64 digits"
            : undefined;
    if (message !== undefined)
      told({ field, message, hint: "remove it; the operating system comes with the release" });
  }
}

/** The three settings of a bootstrap machine without DHCP stand together. */
function staticBootstrap(baremetal: BaremetalPlatform, told: Told): void {
  const names = [
    "bootstrapExternalStaticIP",
    "bootstrapExternalStaticGateway",
    "bootstrapExternalStaticDNS",
  ] as const;
  const given = names.filter((name) => baremetal[name]);
  const missing = names.filter((name) => !baremetal[name]);
  if (given.length === 0 || missing.length === 0) return;
  told({
    field: "",
    at: given[0] ?? "",
    kind: "Required",
    message: `${given.join(" and ")} requires ${missing.join(" and ")}`,
    hint: `add ${missing.join(" and ")}`,
  });
}
