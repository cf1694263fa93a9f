/**
 * Virtual IPs of the API and of the ingress, and the load balancer that stands for them: the same members and rules on
 * every platform without a load balancer of its cloud's (openshift/installer pkg/types/validation/installconfig.go,
 * `validateAPIAndIngressVIPs`; pkg/types/conversion/installconfig.go, `upconvertVIP`).
 */

import type { JsonObject } from "../core/json.js";
import { deprecated, ignored, problem, tooMany, unsupported, warning } from "../core/problem.js";
import {
  type Cidr,
  contains,
  formatAddress,
  formatCidr,
  isV4,
  NO_CIDR,
  parseAddress,
  parseCidr,
} from "../kubernetes/network.js";
import { quote } from "../text/quote.js";
import type { NormalConfig, NormalNetworking } from "./config.js";
import type { GatedField, RuleContext } from "./platform.js";
import { inForce } from "./release-changes.js";

/** What the sections of such platforms have in common. */
export interface VirtualIpSection {
  apiVIP?: string;
  apiVIPs?: string[];
  ingressVIP?: string;
  ingressVIPs?: string[];
  loadBalancer?: { type?: string };
  dnsRecordsType?: string;
}

export interface VirtualIpRules {
  /** The section, such as `platform.nutanix`. */
  readonly field: string;
  /** The cluster cannot do without them. */
  readonly required: boolean;
  /** The facts that supply one where the list is empty. */
  readonly facts?: Readonly<Record<ListName, string>>;
  /**
   * They must lie in a machine network, unless the load balancer is the user's. Where the installer does not insist, a
   * machine could hardly hold an address of another network all the same: then it is a warning.
   */
  readonly inMachineNetwork: boolean;
  /** A pair is put into the order IPv4, IPv6 (`ipv4First`), whatever the networks say. */
  readonly ordered?: true;
}

/** Where a load balancer of the cloud may stand in; an agent-based installation has none. */
export const demands = ({ method }: RuleContext): Pick<VirtualIpRules, "required" | "inMachineNetwork"> => ({
  required: method !== undefined,
  inMachineNetwork: method !== undefined,
});

type ListName = "apiVIPs" | "ingressVIPs";

const USER_MANAGED = "UserManaged";
const LOAD_BALANCERS = ["OpenShiftManagedDefault", USER_MANAGED];
const MOST = 2;

/** True when the load balancer in front of API and ingress is the user's business. */
export const userManagedLoadBalancer = ({ loadBalancer }: VirtualIpSection): boolean =>
  loadBalancer?.type === USER_MANAGED;

/** The section in today's spelling; undefined when the old and the new one contradict each other, which is reported. */
export function upconvertVirtualIps<Section extends VirtualIpSection>(
  section: Section,
  field: string,
  context: RuleContext,
): Section | undefined {
  const next = { ...section };
  for (const [old, name] of [
    ["apiVIP", "apiVIPs"],
    ["ingressVIP", "ingressVIPs"],
  ] as const) {
    const value = section[old] ?? "";
    const list = section[name] ?? [];
    if (value === "") continue;
    if (list.length === 0) next[name] = [value];
    else if (!list.includes(value)) {
      context.report(
        problem(
          "IC103",
          "Invalid",
          `${field}.${name}`,
          `conflicts with ${name}: must be one of its addresses`,
          {
            at: `${field}.${old}`,
            hint: `remove ${old}`,
          },
        ),
      );
      return undefined;
    }
    context.report(
      list.length === 0
        ? deprecated("IC102", `${field}.${old}`, name)
        : ignored("IC102", `${field}.${old}`, `${name} is also set`, "remove this deprecated field"),
    );
  }
  return next;
}

/** A pair of virtual IPs with the IPv4 one first. */
export function ipv4First(list: readonly string[]): string[] {
  const [first, second] = list;
  return list.length === MOST && familyOf(first) === "IPv6" && familyOf(second) === "IPv4"
    ? [...list].reverse()
    : [...list];
}

/** The rules of the lists, of `loadBalancer` and of `dnsRecordsType`. */
export function validateVirtualIps(
  section: VirtualIpSection,
  config: NormalConfig,
  rules: VirtualIpRules,
  context: RuleContext,
): void {
  for (const name of ["apiVIPs", "ingressVIPs"] as const)
    validateList(name, section, config.networking, rules, context);
  validateLoadBalancer(section, rules.field, context);
}

function validateLoadBalancer(section: VirtualIpSection, field: string, { report }: RuleContext): void {
  const { loadBalancer, dnsRecordsType } = section;
  if (loadBalancer !== undefined && !LOAD_BALANCERS.includes(loadBalancer.type ?? ""))
    report(
      unsupported("IC333", `${field}.loadBalancer.type`, loadBalancer.type ?? "", LOAD_BALANCERS, {
        kind: "Invalid",
      }),
    );
  if (dnsRecordsType === "External" && !userManagedLoadBalancer(section))
    report(
      problem(
        "IC340",
        "Invalid",
        `${field}.dnsRecordsType`,
        "dnsRecordsType: External requires a user-managed load balancer",
        `set loadBalancer.type: ${USER_MANAGED}, or remove dnsRecordsType`,
      ),
    );
  else if (dnsRecordsType !== undefined && !["", "Internal", "External"].includes(dnsRecordsType))
    report(
      warning(
        unsupported(
          "IC349",
          `${field}.dnsRecordsType`,
          dnsRecordsType,
          ["Internal", "External"],
          "use a supported value, or the API server will reject the Infrastructure config",
        ),
      ),
    );
}

const WHAT = { apiVIPs: "the API", ingressVIPs: "the ingress" } as const;
const OTHER = { apiVIPs: "ingressVIPs", ingressVIPs: "apiVIPs" } as const;

function validateList(
  name: ListName,
  section: VirtualIpSection,
  networking: NormalNetworking,
  rules: VirtualIpRules,
  { release, report }: RuleContext,
): void {
  const list = section[name] ?? [];
  const others = section[OTHER[name]] ?? [];
  const field = `${rules.field}.${name}`;
  const invalid = (message: string, hint: string, at = field): void =>
    report(problem("IC333", "Invalid", at, message, hint));
  if (list.length === 0) {
    if (rules.required || (others.length > 0 && others.length <= MOST))
      report(
        problem(
          "IC333",
          "Required",
          field,
          rules.required
            ? `required value is missing: virtual IP of ${WHAT[name]}`
            : `required value is missing: ${OTHER[name]} is set`,
          {
            below: true,
            hint: `set ${name} to an unused address in a machine network${rules.facts === undefined ? "" : `, or add cloud-facts ${rules.facts[name]} (--facts FILE)`}`,
          },
        ),
      );
    return;
  }
  if (list.length > MOST) {
    report(tooMany("IC333", field, list.length, MOST, "keep one address of each IP family"));
    const families = new Set(list.map(familyOf));
    if (rules.ordered && families.has(undefined))
      invalid(`every entry must be an IP address`, "use one IPv4 and one IPv6 address");
    else if (rules.ordered && families.size > 1)
      invalid(`at most one address of each IP family is supported`, "keep one IPv4 and one IPv6 address");
    return;
  }
  const managed = !userManagedLoadBalancer(section);
  const machines = networking.machineNetwork.map(({ cidr }) => parseCidr(cidr) ?? NO_CIDR);
  for (const text of list) {
    const address = parseAddress(text);
    if (address === undefined)
      invalid(`invalid value ${quote(text)}: must be an IP address`, "use an address such as 192.0.2.5");
    else if (managed) {
      const same = (other: string): boolean => {
        const read = parseAddress(other);
        return read !== undefined && formatAddress(read) === formatAddress(address);
      };
      if (name === "apiVIPs" && others.some(same))
        invalid(
          `${text} is also in ingressVIPs`,
          `use different addresses, or set loadBalancer.type: ${USER_MANAGED}`,
        );
      if (!machines.some((network) => contains(network, address)))
        report(
          problem(
            "IC333",
            "Invalid",
            field,
            `${text} must be in a machine network (${machines.map(formatCidr).join(", ")})`,
            {
              ...(rules.inMachineNetwork ? {} : { severity: "warning" }),
              at: field,
              hint: "use an address in networking.machineNetwork, or add its network there",
            },
          ),
        );
    }
  }
  validateFamilies(name, list, networking, rules, { release, report });
}

/** The first one is of the family that comes first in the networks; two are of both families. */
function validateFamilies(
  name: ListName,
  list: readonly string[],
  networking: NormalNetworking,
  rules: VirtualIpRules,
  { release, report }: RuleContext,
): void {
  const field = `${rules.field}.${name}`;
  const invalid = (message: string, hint: string, at = field): void =>
    report(problem("IC333", "Invalid", at, message, { at: field, hint }));
  const everyList = inForce(release, "virtualIpsInFamilyOfEveryNetwork");
  const [first = ""] = list;
  const family = familyOf(first) ?? "IPv4";
  const services = networking.serviceNetwork.map(readCidr);
  const both = services.some(isV4) && services.some((cidr) => !isV4(cidr));
  if (both && (everyList || list.length === 1)) {
    const others = primaryFamilies(networking)
      .filter(([network, primary]) => (everyList || network === "machineNetwork") && primary !== family)
      .map(([network]) => `networking.${network}`);
    if (others.length > 0)
      invalid(
        `${first} is an ${family} address, but ${others.join(", ")} ${others.length === 1 ? "starts" : "start"} with the other IP family`,
        "put the address of the networks' first IP family first",
      );
  }
  if (list.length !== MOST) return;
  const families = list.map(familyOf);
  if (families.includes(undefined) && everyList)
    invalid(`every entry must be an IP address`, "use one IPv4 and one IPv6 address", rules.field);
  if (families.includes(undefined) || families[0] === families[1])
    invalid(
      `the two addresses must be one IPv4 and one IPv6 address`,
      "use one IPv4 and one IPv6 address, or only one address",
    );
}

const readCidr = (text: string): Cidr => parseCidr(text) ?? NO_CIDR;

function primaryFamilies({
  clusterNetwork,
  machineNetwork,
  serviceNetwork,
}: NormalNetworking): [string, "IPv4" | "IPv6"][] {
  const lists: [string, readonly string[]][] = [
    ["clusterNetwork", clusterNetwork.map(({ cidr }) => cidr)],
    ["machineNetwork", machineNetwork.map(({ cidr }) => cidr)],
    ["serviceNetwork", serviceNetwork],
  ];
  return lists.flatMap(([name, [first]]): [string, "IPv4" | "IPv6"][] =>
    first === undefined ? [] : [[name, isV4(readCidr(first)) ? "IPv4" : "IPv6"]],
  );
}

/** The family as the installer's helper reads it, which takes leading zeros in IPv4; undefined for no address. */
function familyOf(text: string | undefined): "IPv4" | "IPv6" | undefined {
  const address = parseAddress((text ?? "").replace(/(^|\.)0+(?=\d)/g, (_, before: string) => before));
  return address === undefined ? undefined : address.length === 4 ? "IPv4" : "IPv6";
}

/** `dnsRecordsType: External` needs its feature gate. */
export const gatedDnsRecords = (
  { dnsRecordsType }: VirtualIpSection,
  field: string,
): readonly GatedField[] =>
  dnsRecordsType === "External" ? [{ gate: "OnPremDNSRecords", field: `${field}.dnsRecordsType` }] : [];

/**
 * The members of `platformStatus.NAME` of Infrastructure/cluster; `singular` where it names the first ones apart too.
 */
export function virtualIpStatus(
  { apiVIPs = [], ingressVIPs = [], loadBalancer, dnsRecordsType = "" }: VirtualIpSection,
  { singular }: { readonly singular: boolean },
): JsonObject {
  const [api = ""] = apiVIPs;
  const [ingress = ""] = ingressVIPs;
  return {
    ...(singular ? { apiServerInternalIP: api, ingressIP: ingress } : {}),
    apiServerInternalIPs: [...apiVIPs],
    ingressIPs: [...ingressVIPs],
    ...(loadBalancer === undefined
      ? {}
      : { loadBalancer: loadBalancer.type === undefined ? {} : { type: loadBalancer.type } }),
    ...(dnsRecordsType === "" ? {} : { dnsRecordsType }),
  };
}

/** A virtual IP as a block of one address. */
export const virtualIpBlock = (vip: string): string => `${vip}/${familyOf(vip) === "IPv6" ? 128 : 32}`;
