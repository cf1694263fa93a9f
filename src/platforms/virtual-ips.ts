/**
 * Virtual IPs of the API and of the ingress, and the load balancer that stands for them: the same members and rules on
 * every platform without a load balancer of its cloud's (openshift/installer pkg/types/validation/installconfig.go,
 * `validateAPIAndIngressVIPs`; pkg/types/conversion/installconfig.go, `upconvertVIP`).
 */
import type { JsonObject } from "../core/json.js";
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
      context.report({
        code: "IC103",
        kind: "Invalid",
        field: `${field}.${name}`,
        at: `${field}.${old}`,
        message: `${old} is not among ${name}, which replaces it`,
        hint: `leave ${old} out`,
      });
      return undefined;
    }
    context.report({
      code: "IC102",
      severity: "warning",
      kind: "Invalid",
      field: `${field}.${old}`,
      message:
        list.length === 0
          ? "this spelling is deprecated"
          : `this spelling is deprecated and without effect, since ${name} is given`,
      hint: list.length === 0 ? `write ${name}, which is a list` : "leave it out",
    });
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
    report({
      code: "IC333",
      kind: "Invalid",
      field: `${field}.loadBalancer.type`,
      message: `there is no load balancer type ${quote(loadBalancer.type ?? "")}`,
      hint: `write ${LOAD_BALANCERS.join(" or ")}, or leave loadBalancer out`,
    });
  if (dnsRecordsType === "External" && !userManagedLoadBalancer(section))
    report({
      code: "IC340",
      kind: "Invalid",
      field: `${field}.dnsRecordsType`,
      message: "external DNS records go with a load balancer of your own alone",
      hint: `set loadBalancer.type: ${USER_MANAGED}, or leave dnsRecordsType out`,
    });
  else if (dnsRecordsType !== undefined && !["", "Internal", "External"].includes(dnsRecordsType))
    report({
      code: "IC349",
      severity: "warning",
      kind: "NotSupported",
      field: `${field}.dnsRecordsType`,
      message: `the API server will refuse the Infrastructure config: dnsRecordsType cannot be ${quote(dnsRecordsType)}`,
      hint: "write Internal or External, or leave it out",
    });
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
    report({ code: "IC333", kind: "Invalid", field: at, message, hint });
  if (list.length === 0) {
    if (rules.required || (others.length > 0 && others.length <= MOST))
      report({
        code: "IC333",
        kind: "Required",
        field,
        below: true,
        message: rules.required
          ? `there is no virtual IP of ${WHAT[name]}`
          : `there is a virtual IP of ${WHAT[OTHER[name]]}, but none of ${WHAT[name]}`,
        hint: `write ${name} with an unused address of a machine network${rules.facts === undefined ? "" : `, or give cloud-facts ${rules.facts[name]} (--facts FILE)`}`,
      });
    return;
  }
  if (list.length > MOST) {
    report({
      code: "IC333",
      kind: "TooMany",
      field,
      message: `there are ${list.length} virtual IPs of ${WHAT[name]}; ${MOST} are allowed, one of each family`,
      hint: "remove some",
    });
    const families = new Set(list.map(familyOf));
    if (rules.ordered && families.has(undefined))
      invalid(`${name} has an entry that is not an IP address`, "write one address of each family");
    else if (rules.ordered && families.size > 1)
      invalid(`of both families there are ${MOST}`, "keep one of each family");
    return;
  }
  const managed = !userManagedLoadBalancer(section);
  const machines = networking.machineNetwork.map(({ cidr }) => parseCidr(cidr) ?? NO_CIDR);
  for (const text of list) {
    const address = parseAddress(text);
    if (address === undefined)
      invalid(`${quote(text)} is not an IP address`, "write an address such as 192.0.2.5");
    else if (managed) {
      const same = (other: string): boolean => {
        const read = parseAddress(other);
        return read !== undefined && formatAddress(read) === formatAddress(address);
      };
      if (name === "apiVIPs" && others.some(same))
        invalid(
          `${text} is a virtual IP of the ingress too`,
          `give each an address of its own, or set loadBalancer.type: ${USER_MANAGED}`,
        );
      if (!machines.some((network) => contains(network, address)))
        report({
          ...(rules.inMachineNetwork ? {} : { severity: "warning" }),
          code: "IC333",
          kind: "Invalid",
          field,
          at: field,
          message: `${text} is in no machine network (${machines.map(formatCidr).join(", ")})`,
          hint: "write an address of networking.machineNetwork, or add its network there",
        });
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
    report({ code: "IC333", kind: "Invalid", field: at, at: field, message, hint });
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
        `${first} is of ${family}, but ${others.join(", ")} ${others.length === 1 ? "begins" : "begin"} with the other family`,
        "put the address of the networks' first family first",
      );
  }
  if (list.length !== MOST) return;
  const families = list.map(familyOf);
  if (families.includes(undefined) && everyList)
    invalid(
      `${name} has an entry that is not an IP address`,
      "write one address of each family",
      rules.field,
    );
  if (families.includes(undefined) || families[0] === families[1])
    invalid(
      `the two virtual IPs of ${WHAT[name]} are not of two families`,
      "write one IPv4 and one IPv6 address, or one address alone",
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
