/** Rules of platform.baremetal (openshift/installer pkg/types/baremetal/validation/platform.go, `ValidatePlatform`). */

import { counted } from "../../../core/counted.js";
import type { Problem } from "../../../core/diagnostics.js";
import { isList, isObject } from "../../../core/json.js";
import { invalid, problem, required, unsupported, warning } from "../../../core/problem.js";
import { subdomainFault } from "../../../kubernetes/names.js";
import { parseAddress } from "../../../kubernetes/network.js";
import { quote } from "../../../text/quote.js";
import type { NormalConfig } from "../../config.js";
import { DEVICE_HINT, deviceFaults } from "../../devices.js";
import type { RuleContext } from "../../platform.js";
import { validateVirtualIps } from "../../virtual-ips.js";
import {
  type BaremetalHost,
  type BaremetalPlatform,
  baremetalOf,
  FIELD,
  keepsMachines,
  networkConfigOf,
} from "../config.js";
import { controllerAt } from "../controllers.js";
import { has } from "../tables.js";
import { hostField } from "./defaults.js";
import { warnOfNetworks } from "./network-config.js";

/** What the installer asks DNS for. */
const FACTS = { apiVIPs: "baremetal.apiVIP", ingressVIPs: "baremetal.ingressVIP" };
const PROVISIONING_NETWORKS = ["Managed", "Unmanaged", "Disabled"];
const BOOT_MODES = ["UEFI", "UEFISecureBoot", "legacy"];
/** What the definition of a BareMetalHost takes. */
const MAC = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;
/** An object's name has at most 253 characters, and the longest ending is that of the network's Secret. */
const LONGEST_NAME = 253 - "-network-config-secret".length;
const ROLES = ["master", "arbiter", "worker"];

export function validate(config: NormalConfig, context: RuleContext): void {
  const { baremetal } = config.platform;
  if (baremetal === undefined) return;
  validateProvisioningNetwork(baremetal, context);
  if (context.method !== "agent" && keepsMachines(config)) validateHosts(config, context);
  warnOfFencing(config, context);
  validateVirtualIps(
    baremetal,
    config,
    { field: FIELD, required: true, inMachineNetwork: true, facts: FACTS },
    context,
  );
}

const firstLabel = (name: string): string => name.replace(/\..*/s, "");

/** A node finds its credential by its name, which is that of its host where nothing else names it. */
function warnOfFencing(config: NormalConfig, { report }: RuleContext): void {
  const names = (baremetalOf(config).hosts ?? []).map(({ name = "" }) => name).filter((name) => name !== "");
  const labels = names.map(firstLabel);
  for (const [i, { hostName = "" }] of (config.controlPlane.fencing?.credentials ?? []).entries())
    if (hostName !== "" && names.length > 0 && !labels.includes(firstLabel(hostName)))
      report(
        warning(
          "IC349",
          "NotFound",
          `controlPlane.fencing.credentials[${i}].hostName`,
          `no host is named ${quote(hostName)}: fencing works only if a node has this name`,
          `use the name of the node, such as ${names.map(quote).join(" or ")}`,
        ),
      );
}

function validateProvisioningNetwork(baremetal: BaremetalPlatform, { report }: RuleContext): void {
  const { provisioningNetwork = "" } = baremetal;
  if (!PROVISIONING_NETWORKS.includes(provisioningNetwork))
    report(unsupported("IC332", `${FIELD}.provisioningNetwork`, provisioningNetwork, PROVISIONING_NETWORKS));
  for (const name of [
    "bootstrapProvisioningIP",
    "clusterProvisioningIP",
    "provisioningNetworkGateway",
  ] as const) {
    const address = baremetal[name];
    if (address && parseAddress(address) === undefined)
      report(
        invalid(
          "IC332",
          `${FIELD}.${name}`,
          address,
          "must be an IP address",
          "use an address of the provisioning network, such as 172.22.0.3",
        ),
      );
  }
}

/** Rules of the hosts; the installer has them where the cluster keeps machines. */
export function validateHosts(config: NormalConfig, context: RuleContext): void {
  const { hosts } = baremetalOf(config);
  if (hosts === undefined)
    context.report(
      required("IC342", `${FIELD}.hosts`, "", {
        kind: "Invalid",
        below: true,
        hint: "list the hosts here, or disable the capability MachineAPI; to install with agent-config.yaml instead, run: slipway create agent-manifests",
      }),
    );
  const missing = missingHosts(hosts ?? [], config, context);
  if (missing !== undefined)
    context.report(
      problem("IC342", "Required", `${FIELD}.${hostsInErrors(context)}`, missing, {
        at: `${FIELD}.hosts`,
        below: true,
        hint: "add hosts, change the roles of hosts, or use fewer replicas",
      }),
    );
  for (const { host, index, field, fault } of fieldProblems(hosts ?? [], ["name", "bootMACAddress"])) {
    const name = has(context.release, "fieldsInLowerCase") ? field : FIELDS[field].inCode;
    context.report({
      ...problemAt(host, index, name, fault),
      at: `${hostField(host, index)}.${field}`,
    });
  }
  for (const [index, host] of (hosts ?? []).entries()) validateHost(host, index, context);
  warnOfNetworks(hosts ?? [], config, context);
}

/** What the hosts are too few for: the first of control plane, arbiters and compute. */
function missingHosts(
  hosts: readonly BaremetalHost[],
  config: NormalConfig,
  { release }: RuleContext,
): string | undefined {
  const arbiters = has(release, "arbiterHosts");
  const roles = [
    { role: "master", what: "the control plane", wanted: config.controlPlane.replicas },
    ...(arbiters ? [{ role: "arbiter", what: "arbiters", wanted: config.arbiter?.replicas ?? 0 }] : []),
    {
      role: "worker",
      what: "compute",
      wanted: config.compute.reduce((sum, { replicas }) => sum + replicas, 0),
    },
  ];
  const found = new Map(roles.map(({ role }) => [role, 0]));
  const count = (role: string): number => found.get(role) ?? 0;
  for (const { role = "" } of hosts) {
    const taken = found.has(role) ? role : roles.find((each) => count(each.role) < each.wanted)?.role;
    if (taken !== undefined) found.set(taken, count(taken) + 1);
  }
  const short = roles.find(({ role, wanted }) => count(role) < wanted);
  return short === undefined
    ? undefined
    : `${short.what} ${short.role === "arbiter" ? "require" : "requires"} ${counted(short.wanted, "host")}, found ${count(short.role)}`;
}

/** The list of hosts as the installer of the release names it where it judges them one by one. */
const hostsInErrors = ({ release }: RuleContext): string =>
  has(release, "fieldsInLowerCase") ? "hosts" : "Hosts";

/** Problems of a field of a host, as the installer of the release names it. */
const problemAt = (
  host: BaremetalHost,
  index: number,
  name: string,
  problem: Pick<Problem, "kind" | "message" | "hint">,
  hosts = "hosts",
): Problem => ({
  code: "IC342",
  field: `${FIELD}.${hosts}[${index}].${name}`,
  at: `${hostField(host, index)}.${name}`,
  ...problem,
});

type NamedField = "name" | "bootMACAddress" | "bmc.username" | "bmc.password" | "bmc.address";

/** Fields that every host has: which of them no two hosts may share, and what older installers call them. */
const FIELDS: Readonly<Record<NamedField, { readonly unique: boolean; readonly inCode: string }>> = {
  name: { unique: true, inCode: "Name" },
  bootMACAddress: { unique: true, inCode: "BootMACAddress" },
  "bmc.username": { unique: false, inCode: "BMC.Username" },
  "bmc.password": { unique: false, inCode: "BMC.Password" },
  "bmc.address": { unique: true, inCode: "BMC.Address" },
};

function textOf({ name, bootMACAddress, bmc }: BaremetalHost, field: NamedField): string {
  const values: Record<NamedField, string | undefined> = {
    name,
    bootMACAddress,
    "bmc.username": bmc?.username,
    "bmc.password": bmc?.password,
    "bmc.address": bmc?.address,
  };
  return values[field] ?? "";
}

/** Hosts that lack one of the fields, or have the same value there as an earlier one. */
export function* fieldProblems(hosts: readonly BaremetalHost[], fields: readonly NamedField[]) {
  const seen = new Set<string>();
  for (const [index, host] of hosts.entries())
    for (const field of fields) {
      const value = textOf(host, field);
      const key = `${field} ${value}`;
      if (value === "")
        yield {
          host,
          index,
          field,
          fault: { kind: "Required", message: `required value is missing`, hint: `add ${field}` } as const,
        };
      else if (FIELDS[field].unique && seen.has(key))
        yield {
          host,
          index,
          field,
          fault: {
            kind: "Duplicate",
            // The address of a controller is not shown: it may hold a login.
            message: `duplicate value${field === "bmc.address" ? "" : ` ${quote(value)}`}`,
            hint: "use a different value for each host",
          } as const,
        };
      seen.add(key);
    }
}

/** A user, or a user and a password, before the host of an address, with or without a scheme. */
const LOGIN = /^(?:[^/]*\/\/)?[^/]*@/;

function validateHost(host: BaremetalHost, index: number, context: RuleContext): void {
  const { release, report } = context;
  const { name = "", role = "", bootMode = "", bootMACAddress = "", bmc, rootDeviceHints } = host;
  const told = (field: string, problem: Pick<Problem, "kind" | "message" | "hint">): void =>
    report(problemAt(host, index, field, problem, hostsInErrors(context)));
  const nameFault = subdomainFault(name);
  if (nameFault !== undefined)
    told("name", {
      kind: "Invalid",
      message: `invalid value ${quote(name)}: ${nameFault}`,
      hint: "use lowercase letters, digits, hyphens and dots",
    });
  else if (name.length > LONGEST_NAME)
    report({
      ...problemAt(host, index, "name", {
        kind: "TooLong",
        message: `must have at most ${LONGEST_NAME} characters, because the host's Secrets are named after it`,
        hint: `use at most ${LONGEST_NAME} characters`,
      }),
      code: "IC346",
    });
  if (bootMACAddress !== "" && !MAC.test(bootMACAddress))
    report({
      ...problemAt(host, index, "bootMACAddress", {
        kind: "Invalid",
        message: `the API server will reject the BareMetalHost: ${quote(bootMACAddress)} is not a MAC address`,
        hint: 'use an address such as "52:54:00:aa:bb:cc"',
      }),
      code: "IC349",
      severity: "warning",
    });
  if (role !== "" && !ROLES.includes(role))
    report({
      ...problemAt(host, index, "role", {
        kind: "NotSupported",
        message: `unsupported value ${quote(role)}: the host is treated as one without a role`,
        hint: `use one of ${ROLES.join(", ")}`,
      }),
      code: "IC349",
      severity: "warning",
    });
  const address = bmc?.address ?? "";
  if (LOGIN.test(address))
    report({
      ...problemAt(host, index, "bmc.address", {
        kind: "Invalid",
        message: "the address contains a login, which is unused and visible in the BareMetalHost",
        hint: "remove the login from the address, and set username and password, which are stored in a Secret",
      }),
      code: "IC349",
      severity: "warning",
    });
  const controller = controllerAt(address);
  if (!BOOT_MODES.includes(bootMode))
    told("bootMode", {
      kind: "NotSupported",
      message: `unsupported value ${quote(bootMode)}`,
      hint: `use one of ${BOOT_MODES.join(", ")}`,
    });
  else if (bootMode === "UEFISecureBoot" && "driver" in controller && !controller.secureBoot)
    told("bootMode", {
      kind: "Invalid",
      message: `the BMC driver ${controller.driver} does not support Secure Boot`,
      hint: "use UEFI, or a Redfish address of the BMC",
    });
  for (const message of deviceFaults(rootDeviceHints?.deviceName ?? ""))
    told("rootDeviceHints.deviceName", { kind: "Invalid", message, hint: DEVICE_HINT });
  const network = networkConfigOf(host);
  if (network !== undefined && !isObject(network))
    told("networkConfig", {
      kind: "Invalid",
      message: "must be a mapping",
      hint: "write the NMState fields below it, not as a string",
    });
  if (!has(release, "networkConfigMtu") || !isObject(network) || !isList(network["interfaces"])) return;
  for (const [number, each] of network["interfaces"].entries())
    if (isObject(each) && Object.hasOwn(each, "mtu") && typeof each["mtu"] !== "number")
      told(`networkConfig.interfaces[${number}].mtu`, {
        kind: "Invalid",
        message: "must be a number",
        hint:
          typeof each["mtu"] === "string" ? "use only digits, without quotes" : "use a number such as 1500",
      });
}
