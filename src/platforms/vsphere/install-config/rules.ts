/**
 * Rules of platform.vsphere (openshift/installer pkg/types/vsphere/validation/platform.go). The installer leaves the
 * index out of the fields of failure domains and hosts, and the name of the object that holds them.
 */

import type { Problem } from "../../../core/diagnostics.js";
import { invalid, problem, warning } from "../../../core/problem.js";
import { isDnsSubdomain } from "../../../kubernetes/names.js";
import { parseAddress, parseCidr } from "../../../kubernetes/network.js";
import { quote } from "../../../text/quote.js";
import type { NormalConfig } from "../../config.js";
import { arbiterIsEnabled } from "../../enabled-gates.js";
import type { RuleContext } from "../../platform.js";
import { demands, validateVirtualIps } from "../../virtual-ips.js";
import { GENERATED, topologyOf, type VsphereHost, type VspherePlatform } from "../config.js";
import { has } from "../tables.js";
import { validateFailureDomains } from "./failure-domain-rules.js";
import { validatePoolSection } from "./pool-rules.js";

const FIELD = "platform.vsphere";
const DISK_TYPES = ["thin", "thick", "eagerZeroedThick"];
const ROLES = ["bootstrap", "control-plane", "compute"];
const MOST_NAMESERVERS = 3;
const MOST_VCENTERS = 3;

export function validate(config: NormalConfig, context: RuleContext): void {
  const { vsphere } = config.platform;
  if (vsphere === undefined) return;
  const { report } = context;
  const { diskType = "" } = vsphere;
  if (diskType !== "" && !DISK_TYPES.includes(diskType))
    report(
      problem(
        "IC337",
        "Invalid",
        `${FIELD}.diskType`,
        `unsupported disk type ${quote(diskType)}`,
        `use ${DISK_TYPES.join(", ")}, or remove diskType`,
      ),
    );
  const isAgent = context.method === "agent";
  if (!isAgent || hasWholeLogin(vsphere)) validateVcenters(vsphere, context);
  if (!isAgent || hasNamedDomain(vsphere)) validateFailureDomains(vsphere, context);
  if (!isAgent && vsphere.hosts !== undefined) validateHosts(vsphere, config, context);
  validateNodeNetworking(vsphere, context);
  validateVirtualIps(vsphere, config, { field: FIELD, ...demands(context) }, context);
  const pools = [
    { pool: config.controlPlane, field: "controlPlane" },
    ...(config.arbiter === undefined || !arbiterIsEnabled(context.release, config)
      ? []
      : [{ pool: config.arbiter, field: "arbiter" }]),
    ...config.compute.map((pool, index) => ({ pool, field: `compute[${index}]` })),
  ];
  for (const { pool, field } of pools)
    if (pool.platform.vsphere !== undefined)
      validatePoolSection(vsphere, pool.platform.vsphere, `${field}.platform.vsphere`, context);
}

/** Without a login, assisted-service works with placeholders; one in part is refused by a rule of its own (agent.ts). */
const hasWholeLogin = ({ vcenters: [first] = [] }: VspherePlatform): boolean =>
  [first?.user, first?.password, first?.server, first?.datacenters?.[0]].every((each) => (each ?? "") !== "");

/** A failure domain that was made up, as where the config names none, is not judged in an agent-based installation. */
const hasNamedDomain = ({ failureDomains: [first] = [] }: VspherePlatform): boolean =>
  first?.name !== GENERATED.name && first?.zone !== GENERATED.zone && first?.region !== GENERATED.region;

function validateVcenters(vsphere: VspherePlatform, { release, report }: RuleContext): void {
  const { vcenters = [] } = vsphere;
  for (const [index, { server = "", user = "", password = "", datacenters = [] }] of vcenters.entries()) {
    const field = `${FIELD}.vcenters[${index}]`;
    // One that was put together from flat members is told of where they stand.
    const flat = vcenters.length === 1 && vsphere.vCenter !== undefined && vsphere.vCenter === server;
    const at = (member: string, old: string) => ({ at: flat ? `${FIELD}.${old}` : `${field}.${member}` });
    const required = (member: string, place: { at: string }, message: string, hint: string): void =>
      report(problem("IC345", "Required", `${field}.${member}`, message, { ...place, hint }));
    if (server === "")
      required(
        "server",
        at("server", "vCenter"),
        "required value is missing",
        "set its host name or address, such as vcenter.example.com",
      );
    else if (parseAddress(server) === undefined && !isDnsSubdomain(server))
      report(
        invalid("IC345", `${field}.server`, server, "must be a host name or an IP address", {
          ...at("server", "vCenter"),
          hint: "use the lowercase host name or the address, without https:// and port",
        }),
      );
    if (user === "")
      required(
        has(release, "userByItsName") ? "user" : "username",
        at("user", "username"),
        "required value is missing",
        "set the user name",
      );
    if (password === "")
      required(
        "password",
        at("password", "password"),
        "required value is missing",
        "set the password of the user",
      );
    if (datacenters.length === 0)
      required(
        "datacenters",
        at("datacenters", "datacenter"),
        "required value is missing",
        "list the datacenters of the failure domains",
      );
  }
  if (vcenters.length > MOST_VCENTERS)
    report(
      warning(
        "IC349",
        "TooMany",
        `${FIELD}.vcenters`,
        `the API server accepts at most ${MOST_VCENTERS} vCenters in the Infrastructure config, found ${vcenters.length}`,
        "remove some",
      ),
    );
}

function validateHosts(vsphere: VspherePlatform, config: NormalConfig, { report }: RuleContext): void {
  const { hosts = [], failureDomains = [] } = vsphere;
  const field = `${FIELD}.hosts`;
  const broken = (problem: Omit<Problem, "code">): void => report({ code: "IC342", ...problem });
  const workers = config.compute.reduce((sum, { replicas }) => sum + replicas, 0);
  const counts = [
    { role: "bootstrap", wanted: 1, of: "which every installation requires" },
    { role: "control-plane", wanted: config.controlPlane.replicas, of: "as in controlPlane.replicas" },
    { role: "compute", wanted: workers, of: "as in compute[].replicas" },
  ];
  for (const { role, wanted, of } of counts) {
    const found = hosts.filter((host) => host.role === role).length;
    if (found !== wanted)
      broken({
        kind: "Invalid",
        field,
        message: `${found} ${found === 1 ? "host has" : "hosts have"} the role ${role}, expected ${wanted}, ${of}`,
        hint: `assign the role ${role} to ${wanted === 1 ? "one host" : `${wanted} hosts`}`,
      });
  }
  for (const [index, host] of hosts.entries()) {
    const at = `${field}[${index}]`;
    const { role = "", failureDomain = "" } = host;
    if (!ROLES.includes(role))
      broken({
        kind: "NotSupported",
        field: `${field}.role`,
        at: `${at}.role`,
        message: `unsupported role ${quote(role)}`,
        hint: `use ${ROLES.join(", ")}`,
      });
    if (failureDomain !== "" && !failureDomains.some(({ name }) => name === failureDomain))
      broken({
        kind: "Invalid",
        field: `${field}.failureDomain`,
        at: `${at}.failureDomain`,
        message: `unsupported failure domain ${quote(failureDomain)}`,
        hint: `use ${failureDomains.map(({ name = "" }) => name).join(", ")}, or remove it`,
      });
    validateDevice(host, at, broken);
  }
}

function validateDevice(
  { networkDevice: device }: VsphereHost,
  at: string,
  broken: (problem: Omit<Problem, "code">) => void,
): void {
  const field = `${FIELD}.hosts`;
  if (device === undefined) {
    broken({
      kind: "Required",
      field: `${field}.networkDevice`,
      at,
      below: true,
      message: "required value is missing",
      hint: "set networkDevice with ipAddrs, gateway and nameservers",
    });
    return;
  }
  const { ipAddrs = [], nameservers = [], gateway = "" } = device;
  const fault = (member: string, index: string, text: string, what: string, hint: string): void =>
    broken({
      kind: text === "" ? "Required" : "Invalid",
      field: `${field}.${member}`,
      at: `${at}.networkDevice.${member}${index}`,
      message: text === "" ? "must not be empty" : `invalid value ${quote(text)}: must be ${what}`,
      hint,
    });
  if (ipAddrs.length === 0)
    broken({
      kind: "Required",
      field: `${field}.ipAddrs`,
      at: `${at}.networkDevice.ipAddrs`,
      message: "required value is missing",
      hint: "add an address with a prefix length, such as 192.0.2.21/24",
    });
  for (const [index, text] of ipAddrs.entries())
    if (parseCidr(text) === undefined)
      fault(
        "ipAddrs",
        `[${index}]`,
        text,
        "an address with a prefix length",
        "use an address such as 192.0.2.21/24",
      );
  if (nameservers.length > MOST_NAMESERVERS)
    broken({
      kind: "TooMany",
      field: `${field}.nameservers`,
      at: `${at}.networkDevice.nameservers`,
      message: `must have at most ${MOST_NAMESERVERS} items, has ${nameservers.length}`,
      hint: "remove some",
    });
  for (const [index, text] of nameservers.entries())
    if (text !== "" && parseAddress(text) === undefined)
      fault("nameservers", `[${index}]`, text, "an IP address", "use an address such as 192.0.2.53");
  if (gateway !== "" && parseAddress(gateway) === undefined)
    fault("gateway", "", gateway, "an IP address", "use an address such as 192.0.2.1");
}

function validateNodeNetworking(vsphere: VspherePlatform, { report }: RuleContext): void {
  const { nodeNetworking, failureDomains = [] } = vsphere;
  const known = failureDomains.flatMap((domain) => topologyOf(domain).networks ?? []);
  for (const side of ["internal", "external"] as const) {
    const field = `${FIELD}.nodeNetworking.${side}`;
    const {
      networkSubnetCidr = [],
      excludeNetworkSubnetCidr = [],
      network = "",
    } = nodeNetworking?.[side] ?? {};
    const lists = { networkSubnetCidr, excludeNetworkSubnetCidr };
    for (const [name, blocks] of Object.entries(lists))
      for (const [index, block] of blocks.entries())
        if (parseCidr(block) === undefined)
          report(
            problem(
              "IC332",
              block === "" ? "Required" : "Invalid",
              `${field}.${name}`,
              block === "" ? "must not be empty" : `invalid value ${quote(block)}: must be a CIDR`,
              { at: `${field}.${name}[${index}]`, hint: "use a CIDR such as 192.0.2.0/24" },
            ),
          );
    if (network !== "" && !known.includes(network))
      report(
        problem(
          "IC332",
          "Invalid",
          `${field}.network`,
          `unsupported value ${quote(network)}: not a network of a failure domain`,
          `use one of their networks: ${[...new Set(known)].join(", ")}`,
        ),
      );
  }
}
