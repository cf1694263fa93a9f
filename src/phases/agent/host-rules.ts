/**
 * Rules of hosts, wherever they are listed (openshift/installer pkg/asset/agent/agentconfig/agenthosts.go;
 * pkg/asset/agent/manifests/nmstateconfig.go and staticnetworkconfig/generator.go, as far as nmstatectl is not asked).
 */
import { counted } from "../../core/counted.js";
import type { Report } from "../../core/diagnostics.js";
import { isObject } from "../../core/json.js";
import {
  duplicate,
  type Found,
  forbidden,
  invalid,
  problem,
  required,
  unsupported,
  warning,
} from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import { parseMac } from "../../kubernetes/network.js";
import { type AgentHost, agentFact, type PlacedHost } from "../../platforms/agent.js";
import type { NormalConfig } from "../../platforms/config.js";
import { DEVICE_HINT, deviceFaults } from "../../platforms/devices.js";
import { quote } from "../../text/quote.js";
import { interfaceNames, replicaCounts, staticAddresses } from "./hosts.js";

export interface HostContext {
  readonly release: Release;
  readonly rendezvousIP: string;
  readonly report: Report;
}

/** Every broken rule of each host by itself. */
export function validateHosts(hosts: readonly PlacedHost[], context: HostContext): void {
  const seen = new Set<string>();
  for (const [index, placed] of hosts.entries()) {
    const rules = new HostRules(placed, index, context);
    rules.interfaces(seen);
    rules.rootDevice();
    rules.role();
    rules.network();
  }
}

const MAC_HINT = 'use an address such as "52:54:00:aa:bb:01"';
/** The form in which a network config's MAC addresses are compared with those of a host. */
const COLONS = /^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$/;

class HostRules {
  private readonly host: AgentHost;
  private readonly modern: boolean;

  constructor(
    private readonly placed: PlacedHost,
    private readonly index: number,
    private readonly context: HostContext,
  ) {
    this.host = placed.host;
    this.modern = agentFact(context.release, "fieldsInLowerCase");
  }

  /** The field of a member; before 4.19 the installer names it in another way. */
  private field(member: string, old = member): string {
    return this.modern ? `hosts[${this.index}].${member}` : `Hosts[${this.index}].${old}`;
  }

  private report(member: string, found: Found): void {
    this.context.report({ ...this.placed.position(member), ...found });
  }

  interfaces(seen: Set<string>): void {
    const { interfaces } = this.host;
    if (interfaces.length === 0)
      this.report(
        "interfaces",
        required(
          "AGT003",
          this.field("interfaces", "Interfaces"),
          "",
          "add an interface with its macAddress, by which the host is found",
        ),
      );
    for (const [number, { macAddress }] of interfaces.entries()) {
      const member = `interfaces[${number}].macAddress`;
      const field = this.field(member, `Interfaces[${number}].macAddress`);
      if (macAddress === "") {
        this.report(member, required("AGT003", field, "", "add the MAC address of the interface"));
        continue;
      }
      const bytes = parseMac(macAddress);
      if (bytes?.length !== 6 || ((bytes[0] ?? 0) & 1) === 1)
        this.report(
          member,
          invalid("AGT003", field, macAddress, "must be a unicast MAC address of 6 bytes", MAC_HINT),
        );
      if (seen.has(macAddress))
        this.report(
          member,
          duplicate("AGT003", field, macAddress, {
            kind: "Invalid",
            hint: "use the address of the host's own interface",
          }),
        );
      seen.add(macAddress);
    }
  }

  rootDevice(): void {
    const { deviceName = "", wwnWithExtension = "", wwnVendorExtension = "" } = this.host.rootDeviceHints;
    for (const message of deviceFaults(String(deviceName)))
      this.report(
        "rootDeviceHints.deviceName",
        problem("AGT004", "Invalid", this.field("rootDeviceHints.deviceName"), message, DEVICE_HINT),
      );
    for (const [name, value] of Object.entries({ wwnWithExtension, wwnVendorExtension }))
      if (value !== "")
        this.report(
          `rootDeviceHints.${name}`,
          forbidden(
            "AGT004",
            this.field(`rootDeviceHints.${name}`),
            "the agent-based installer does not support WWN extensions",
            "remove it, and use wwn",
          ),
        );
  }

  role(): void {
    const { role, networkConfig } = this.host;
    const { release, rendezvousIP } = this.context;
    const roles = ["master", "worker", ...(agentFact(release, "arbiters") ? ["arbiter"] : [])];
    if (role !== "" && !roles.includes(role))
      this.report(
        "role",
        unsupported("AGT005", this.field("role", "Host"), role, roles, {
          kind: this.modern ? "NotSupported" : "Forbidden",
          hint: "use a supported role, or remove it",
        }),
      );
    if (role === "worker" && rendezvousIP !== "" && staticAddresses(networkConfig).includes(rendezvousIP))
      this.report(
        "role",
        forbidden(
          "AGT005",
          this.field("role", "Host"),
          `the host has the rendezvousIP ${rendezvousIP}, which must belong to a control plane host`,
          "set role: master, or set rendezvousIP to the address of a control plane host",
        ),
      );
  }

  /** What is known of a network config without nmstatectl. */
  network(): void {
    const { networkConfig, interfaces } = this.host;
    if (networkConfig === undefined) return;
    const fault = (member: string, message: string, hint: string): void =>
      this.report(member, problem("AGT007", "Invalid", this.field(member), message, hint));
    if (!isObject(networkConfig)) {
      fault("networkConfig", "must be a mapping", "write the fields of nmstate below it, not as a string");
      return;
    }
    for (const [number, { macAddress }] of interfaces.entries())
      if (macAddress !== "" && parseMac(macAddress) !== undefined && !COLONS.test(macAddress))
        fault(
          `interfaces[${number}].macAddress`,
          `${quote(macAddress)} must be written with colons where the host has a networkConfig`,
          MAC_HINT,
        );
    const names = interfaces.map(({ name }) => name);
    for (const [number, name] of names.entries())
      if (names.indexOf(name) < number)
        fault(
          `interfaces[${number}].name`,
          `duplicate value ${quote(name)}: each interface of a host with a networkConfig must have its own name`,
          "use the names in networkConfig",
        );
    const known = interfaceNames(networkConfig);
    for (const [number, name] of names.entries())
      if (name !== "" && known.length > 0 && !known.includes(name))
        this.report(
          `interfaces[${number}].name`,
          warning(
            "AGT007",
            "NotFound",
            this.field(`interfaces[${number}].name`),
            `${quote(name)} is not an interface of networkConfig, so its MAC address finds no interface`,
            `use one of ${known.map(quote).join(", ")}`,
          ),
        );
  }
}

const POOLS = {
  master: { what: "control plane", field: "controlPlane.replicas" },
  arbiter: { what: "arbiter", field: "arbiter.replicas" },
  worker: { what: "compute", field: "compute[0].replicas" },
} as const;

/**
 * More hosts than the install-config asks for are refused, fewer leave hosts that are found without being listed. Hosts
 * without a role become control plane, arbiters and compute nodes in this order.
 */
export function validateHostCounts(
  hosts: readonly PlacedHost[],
  config: NormalConfig,
  { release, report }: HostContext,
): void {
  if (hosts.length === 0) return;
  const wanted = replicaCounts(config);
  const roles = agentFact(release, "arbiters")
    ? (["master", "arbiter", "worker"] as const)
    : (["master", "worker"] as const);
  const found = { master: 0, arbiter: 0, worker: 0 };
  for (const { host } of hosts) for (const role of roles) if (host.role === role) found[role]++;
  for (const { host } of hosts)
    if (host.role === "") found[roles.find((role) => found[role] < wanted[role]) ?? "worker"]++;
  for (const role of roles) {
    const { what, field } = POOLS[role];
    const [has, asked] = [found[role], wanted[role]];
    const place = hosts.findLast(({ host }) => host.role === role || host.role === "") ?? hosts[0];
    if (has === asked || (has === 0 && asked > 0)) continue;
    const message = `${counted(has, `${what} host`)} listed, but ${field} is ${asked}`;
    const hint = `set ${field}: ${has}, or change the hosts`;
    const position = place?.position("role") ?? {};
    report({
      ...position,
      ...(has > asked
        ? problem("AGT006", "TooMany", "hosts", message, hint)
        : warning("AGT006", "Required", "hosts", message, hint)),
    });
  }
}
