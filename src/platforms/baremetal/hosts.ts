/**
 * The hosts as objects of Metal3, with the Secrets that hold the login of their controllers and their network
 * (openshift/installer pkg/asset/machines/baremetal/hosts.go).
 */
import { base64 } from "../../core/base64.js";
import type { JsonObject } from "../../core/json.js";
import type { View } from "../../text/render.js";
import { writeUpstreamYaml } from "../../text/yaml-upstream.js";
import type { NormalConfig } from "../config.js";
import { kernelName } from "../coreos-stream.js";
import { padded } from "../machine-api.js";
import { osImageStreamOf } from "../os-stream.js";
import type { PlatformInput, Rendering } from "../platform.js";
import { type AssignedHost, assignedHosts, type BaremetalHost, networkConfigOf } from "./config.js";
import { has } from "./tables.js";

/** A Secret of a host: name and data. */
export interface HostSecret {
  readonly name: string;
  readonly data: { readonly [key: string]: string };
}

/** The login of a host's controller; undefined when it lacks a part. */
export function loginOf({ name, bmc }: BaremetalHost): HostSecret | undefined {
  const { username = "", password = "" } = bmc ?? {};
  return username === "" || password === ""
    ? undefined
    : { name: `${name}-bmc-secret`, data: { username: base64(username), password: base64(password) } };
}

/** The network of a host, in the bytes in which the installer writes it; undefined when it has none of its own. */
export function networkOf(host: BaremetalHost): HostSecret | undefined {
  const network = networkConfigOf(host);
  return network === undefined
    ? undefined
    : {
        name: `${host.name}-network-config-secret`,
        data: { nmstate: base64(writeUpstreamYaml(network)) },
      };
}

/** How a controller is reached; empty without a login, which the installer passes over. */
export function controllerView(host: BaremetalHost): JsonObject {
  const login = loginOf(host);
  if (login === undefined) return { address: "", credentialsName: "" };
  const { address = "", disableCertificateVerification = false } = host.bmc ?? {};
  return {
    address,
    credentialsName: login.name,
    ...(disableCertificateVerification ? { disableCertificateVerification } : {}),
  };
}

/** The architecture of a role's machines, as the kernel names it; compute pools share that of the first. */
export function architectureOf(
  { controlPlane, arbiter, compute }: NormalConfig,
  role: AssignedHost["role"],
): string {
  const pool = role === "master" ? controlPlane : role === "arbiter" ? arbiter : compute[0];
  const { architecture = "" } = pool ?? {};
  return kernelName(architecture);
}

/** What a host's object has whoever keeps it. */
export const hostView = (host: BaremetalHost): View => ({
  name: host.name,
  bmc: controllerView(host),
  bootMACAddress: host.bootMACAddress || undefined,
  bootMode: host.bootMode || undefined,
  networkSecret: networkOf(host)?.name,
  rootDeviceHints: host.rootDeviceHints === undefined ? undefined : withoutZeros(host.rootDeviceHints),
});

/** Hints as they are written: what says nothing is left out, but a disk that does not spin is a hint. */
const withoutZeros = (hints: NonNullable<BaremetalHost["rootDeviceHints"]>): JsonObject =>
  Object.fromEntries(Object.entries(hints).filter(([, value]) => value !== "" && value !== 0));

/** What the objects of hosts and machines of a role are named after: `master` is not part of the names of files. */
const FILES = { master: "", worker: "", arbiter: "arbiter_" } as const;

/** Every object in `openshift/` that stands for a host. */
export function hostObjects(input: PlatformInput): Rendering[] {
  const hosts = assignedHosts(input.config, input.release);
  const arbiters = hosts.filter(({ role }) => role === "arbiter");
  return [
    ...objectsOf(
      input,
      hosts.filter(({ role }) => role !== "arbiter"),
    ),
    ...objectsOf(input, arbiters),
  ];
}

function objectsOf(input: PlatformInput, hosts: readonly AssignedHost[]): Rendering[] {
  const [first] = hosts;
  if (first === undefined) return [];
  const path = (what: string, index: number, count: number): string =>
    `openshift/99_openshift-cluster-api_${FILES[first.role]}${what}-${padded(index, count)}.yaml`;
  const secrets = (what: string, list: readonly (HostSecret | undefined)[]): Rendering[] =>
    list
      .filter((each) => each !== undefined)
      .map(({ name, data }, index, { length }) => ({
        template: "openshift/baremetal/99_openshift-cluster-api_host-secrets.yaml",
        path: path(what, index, length),
        secret: true,
        view: { name, data },
      }));
  return [
    ...secrets(
      "host-bmc-secrets",
      hosts.map(({ host }) => loginOf(host)),
    ),
    ...secrets(
      "host-network-config-secrets",
      hosts.map(({ host }) => networkOf(host)),
    ),
    ...hosts.map((each, index) => ({
      template: "openshift/baremetal/99_openshift-cluster-api_hosts.yaml" as const,
      path: path("hosts", index, hosts.length),
      view: machineHostView(input, each),
    })),
  ];
}

function machineHostView(
  { config, identity, release }: PlatformInput,
  { host, role, machine }: AssignedHost,
): View {
  const labels = {
    ...(has(release, "hostStreams")
      ? { "coreos.openshift.io/stream": osImageStreamOf({ config, release }) }
      : {}),
    ...(machine === undefined ? {} : { "installer.openshift.io/role": "control-plane" }),
  };
  return {
    ...hostView(host),
    labels: Object.keys(labels).length === 0 ? undefined : labels,
    // Compute waits until the control plane is up.
    paused: machine === undefined ? true : undefined,
    architecture: has(release, "hostArchitecture") ? architectureOf(config, role) : undefined,
    hardwareProfile: profileOf(host) || undefined,
    machine: machine === undefined ? undefined : `${identity.infraID}-${role}-${machine}`,
    userData: machine === undefined ? undefined : `${role}-user-data-managed`,
  };
}

/** Metal3 calls the default profile by another name. */
export const profileOf = ({ hardwareProfile = "" }: BaremetalHost): string =>
  hardwareProfile === "default" ? "unknown" : hardwareProfile;
