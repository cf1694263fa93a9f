/**
 * What the network configs of hosts (nmstate) say beside the hosts and each other. The installer passes them on unread; that two
 * hosts claim one address shows when the second one is installed.
 */

import { isList, isObject, type Json, type JsonObject, textAt } from "../../../core/json.js";
import { warning } from "../../../core/problem.js";
import { formatAddress, formatMac, parseAddress, parseMac } from "../../../kubernetes/network.js";
import { quote } from "../../../text/quote.js";
import type { NormalConfig } from "../../config.js";
import type { RuleContext } from "../../platform.js";
import { type BaremetalHost, baremetalOf, FIELD, networkConfigOf } from "../config.js";
import { hostField } from "./defaults.js";

/** A text in a network config, with the path below it. */
interface Said {
  readonly path: string;
  readonly text: string;
}

const listAt = (value: Json | undefined, name: string): readonly Json[] => {
  const list = isObject(value) ? value[name] : undefined;
  return isList(list) ? list : [];
};

const interfacesOf = (config: JsonObject): readonly { readonly path: string; readonly value: JsonObject }[] =>
  listAt(config, "interfaces").flatMap((value, index) =>
    isObject(value) ? [{ path: `interfaces[${index}]`, value }] : [],
  );

const addressesOf = (config: JsonObject): Said[] =>
  interfacesOf(config).flatMap(({ path, value }) =>
    (["ipv4", "ipv6"] as const).flatMap((family) =>
      listAt(value[family], "address").flatMap((each, index) =>
        isObject(each) ? [{ path: `${path}.${family}.address[${index}].ip`, text: textAt(each, "ip") }] : [],
      ),
    ),
  );

const macsOf = (config: JsonObject): Said[] =>
  interfacesOf(config)
    .map(({ path, value }) => ({ path: `${path}.mac-address`, text: textAt(value, "mac-address") }))
    .filter(({ text }) => text !== "");

/** Whole numbers of more digits than a number here can hold. */
function inexactIn(value: Json, path = ""): string[] {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value) ? [path] : [];
  if (isList(value)) return value.flatMap((each, index) => inexactIn(each, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    inexactIn(each, path === "" ? name : `${path}.${name}`),
  );
}

const plainMac = (text: string): string | undefined => {
  const mac = parseMac(text);
  return mac === undefined ? undefined : formatMac(mac);
};

const plainAddress = (text: string): string | undefined => {
  const address = parseAddress(text);
  return address === undefined ? undefined : formatAddress(address);
};

/** Warns of numbers that are not kept as they are, of MAC and IP addresses that are another host's or a virtual IP, of MACs that are none, and of foreign names. */
export function warnOfNetworks(
  hosts: readonly BaremetalHost[],
  config: NormalConfig,
  { report }: RuleContext,
): void {
  const owners = new Map<string, number>();
  hosts.forEach(({ bootMACAddress = "" }, index) => {
    const mac = plainMac(bootMACAddress);
    if (mac !== undefined) owners.set(mac, index);
  });
  const { apiVIPs = [], ingressVIPs = [] } = baremetalOf(config);
  const virtual = new Set([...apiVIPs, ...ingressVIPs].map(plainAddress));
  for (const [index, host] of hosts.entries()) {
    const network = networkConfigOf(host);
    if (!isObject(network)) continue;
    const warn = (path: string, message: string, hint: string): void =>
      report(
        warning("IC349", "Invalid", `${FIELD}.hosts[${index}].networkConfig.${path}`, message, {
          at: `${hostField(host, index)}.networkConfig.${path}`,
          hint,
        }),
      );
    /** Takes an address for the host; names the other host that had it before. */
    const claim = (what: string): string | undefined => {
      const owner = owners.get(what) ?? index;
      owners.set(what, owner);
      return owner === index ? undefined : (hosts[owner]?.name ?? "");
    };
    for (const path of inexactIn(network)) warn(path, "the number has too many digits", "quote the value");
    for (const { path, text } of macsOf(network)) {
      const mac = plainMac(text);
      const other = mac === undefined ? undefined : claim(mac);
      if (mac === undefined)
        warn(
          path,
          `invalid value ${quote(text)}: must be a MAC address`,
          "use an address such as 52:54:00:00:00:01",
        );
      else if (other !== undefined)
        warn(
          path,
          `duplicate MAC address ${mac}, also used by the host ${quote(other)}`,
          "use the addresses of the host's own interfaces",
        );
    }
    for (const { path, text } of addressesOf(network)) {
      const address = plainAddress(text);
      const other = address === undefined ? undefined : claim(address);
      if (address === undefined)
        warn(
          path,
          `invalid value ${quote(text)}: must be an IP address`,
          "use an address such as 192.0.2.20",
        );
      else if (virtual.has(address))
        warn(
          path,
          `must not be a virtual IP of the cluster: ${address}`,
          "use an address of its own for the host",
        );
      else if (other !== undefined)
        warn(
          path,
          `duplicate address ${address}, also used by the host ${quote(other)}`,
          "use a different address for each host",
        );
    }
    const hostname = isObject(network["hostname"]) ? textAt(network["hostname"], "config") : "";
    const owner = hosts.findIndex(({ name }) => name !== undefined && name === hostname.split(".", 1)[0]);
    if (hostname !== "" && owner >= 0 && owner !== index)
      warn(
        "hostname.config",
        `the hosts ${quote(host.name ?? "")} and ${quote(hosts[owner]?.name ?? "")} would have the same host name`,
        "use a different name for each host",
      );
  }
}
