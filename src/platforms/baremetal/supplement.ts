/**
 * What is left to do on bare metal beside the Cluster API objects, for this config: what the installer does on the provisioning host
 * and the bootstrap machine, and what its documentation asks of the network (docs/platforms/baremetal.md).
 */

import type { Problem } from "../../core/diagnostics.js";
import { decode, type OutputFile } from "../../core/files.js";
import { warning } from "../../core/problem.js";
import { shell } from "../../text/shell.js";
import { clusterDomain } from "../config.js";
import { padded } from "../machine-api.js";
import type { PlatformInput } from "../platform.js";
import type { SupplementItem } from "../supplement.js";
import {
  assignedHosts,
  baremetalOf,
  isDisabled,
  isUserManaged,
  keepsMachines,
  networkConfigOf,
} from "./config.js";
import { baremetalFactsOf } from "./facts.js";

export const supplement = (input: PlatformInput): readonly SupplementItem[] => [
  provider(input),
  ...network(input),
  ...ownership(input),
  bootstrapHost(input),
  ...balancer(input),
  dns(input),
  ...arbiters(input),
  providerIds(),
  ...compute(input),
];

export function provider({ config, facts }: PlatformInput): SupplementItem {
  const { image } = baremetalFactsOf(facts);
  const baremetal = baremetalOf(config);
  return {
    area: "provider",
    when: "before",
    what:
      image === undefined
        ? "Run Metal3 with OpenShift's Ironic agent and the Cluster API provider in the management cluster."
        : "Run Metal3 and its Cluster API provider in the management cluster.",
    why:
      image === undefined
        ? "The template uses the deploy step install_coreos of that agent's ramdisk. The fact baremetal.image replaces it."
        : "Metal3 writes the image in the fact baremetal.image to the disks.",
    details: {
      command: "clusterctl init --infrastructure metal3",
      ...(image === undefined ? {} : { image: image.url }),
      provisioning: isDisabled(baremetal)
        ? "only virtual media"
        : `network ${baremetal.provisioningNetworkCIDR ?? ""}, ${baremetal.provisioningNetwork ?? ""}`,
      ...(baremetal.bmcVerifyCA
        ? { certificates: "platform.baremetal.bmcVerifyCA, with which Ironic verifies the BMCs" }
        : {}),
      ...((baremetal.additionalNTPServers ?? []).length === 0
        ? {}
        : { timeServers: baremetal.additionalNTPServers ?? [] }),
    },
  };
}

/** Network data in the form of nmstate is OpenShift's own. */
function network({ config, release }: PlatformInput): SupplementItem[] {
  const hosts = assignedHosts(config, release)
    .filter(({ host, role }) => role !== "worker" && networkConfigOf(host) !== undefined)
    .map(({ host }) => host.name ?? "");
  if (hosts.length === 0) return [];
  return [
    {
      area: "network",
      when: "before",
      what: "Run OpenShift's image-customization-controller alongside Metal3 in the management cluster.",
      why: "It adds the NMState configs of hosts to their inspection images. Metal3's own controller ignores them.",
      details: { hosts },
    },
  ];
}

const PAUSED = "baremetalhost.metal3.io/paused";

/** Files of the hosts that the control plane is installed on; none where the new cluster has no objects of hosts. */
function controlPlaneHosts({ config, release }: PlatformInput): readonly string[] {
  if (!keepsMachines(config)) return [];
  const own = assignedHosts(config, release);
  return (["master", "arbiter"] as const).flatMap((role) => {
    const list = own.filter((each) => (each.role === "arbiter") === (role === "arbiter"));
    return list.flatMap((each, index) =>
      each.machine === undefined
        ? []
        : [
            `openshift/99_openshift-cluster-api_${role === "arbiter" ? "arbiter_" : ""}hosts-${padded(index, list.length)}.yaml`,
          ],
    );
  });
}

/** Both clusters' Metal3 would manage the hosts of the control plane. */
function ownership(input: PlatformInput): SupplementItem[] {
  if (!keepsMachines(input.config)) return [];
  return [
    {
      area: "hosts",
      when: "before",
      what: "Prevent the new cluster's Metal3 from managing its control plane hosts: annotate their objects in openshift/ and rerun create infrastructure-manifests.",
      why: "The installer provisions them from the bootstrap machine through these objects. Here the management cluster provisions them, and two Ironic instances would power-manage the same hosts.",
      details: { annotation: `${PAUSED}: ""`, files: [...controlPlaneHosts(input)] },
    },
  ];
}

/** Files of the control plane's hosts that whichever Metal3 reads them power-manages: those that are not paused. */
export function openHosts(
  input: PlatformInput,
  files: readonly Pick<OutputFile, "path" | "data">[],
): readonly string[] {
  const hosts = new Set(controlPlaneHosts(input));
  return files.flatMap(({ path, data }) =>
    hosts.has(path) && !decode(data)?.includes(PAUSED) ? [path] : [],
  );
}

/** Hosts of the control plane that the new cluster's Metal3 would switch as well. */
export const openManifests = (
  input: PlatformInput,
  files: readonly Pick<OutputFile, "path" | "data">[],
): readonly Problem[] =>
  openHosts(input, files).map((path) =>
    warning(
      "CAPI048",
      "Required",
      "metadata.annotations",
      "two Ironic instances (management cluster and new cluster) would power-manage this host",
      { file: path, hint: `add the annotation ${PAUSED}: "" and rerun create infrastructure-manifests` },
    ),
  );

const bootstrapHost = ({ identity }: PlatformInput): SupplementItem => ({
  area: "bootstrap",
  when: "before",
  what: "Register an additional host for the bootstrap machine in the namespace of the cluster, such as a virtual machine with Redfish.",
  why: "The installer runs the bootstrap machine on the provisioning host with libvirt. A Cluster API machine requires a BareMetalHost of its own.",
  details: {
    labels: {
      "cluster.x-k8s.io/cluster-name": identity.infraID,
      "installer.openshift.io/role": "control-plane",
    },
  },
});

function balancer({ config }: PlatformInput): SupplementItem[] {
  const baremetal = baremetalOf(config);
  if (!isUserManaged(baremetal)) return [];
  return [
    {
      area: "load-balancer",
      when: "before",
      what: "Set up your load balancer.",
      why: "With loadBalancer.type: UserManaged, the cluster does not run a load balancer.",
      details: {
        api: {
          addresses: baremetal.apiVIPs ?? [],
          ports: [6443, 22623],
          members: "bootstrap machine and control plane",
        },
        ingress: {
          addresses: baremetal.ingressVIPs ?? [],
          ports: [80, 443],
          members: "compute machines, or the control plane if there are none",
        },
      },
    },
  ];
}

export function dns({ config }: PlatformInput): SupplementItem {
  const { apiVIPs = [], ingressVIPs = [], dnsRecordsType } = baremetalOf(config);
  const domain = clusterDomain(config);
  return {
    area: "dns",
    when: "before",
    what: "Create the records of the API and the ingress.",
    why:
      dnsRecordsType === "External"
        ? "With dnsRecordsType: External, the nodes resolve the names through your DNS as well."
        : "The nodes resolve the names themselves; all other clients use your DNS.",
    details: {
      records: [
        { name: `api.${domain}`, addresses: apiVIPs },
        ...(dnsRecordsType === "External" ? [{ name: `api-int.${domain}`, addresses: apiVIPs }] : []),
        { name: `*.apps.${domain}`, addresses: ingressVIPs },
      ],
    },
  };
}

function arbiters({ config, identity, release }: PlatformInput): SupplementItem[] {
  const hosts = assignedHosts(config, release).filter(({ role }) => role === "arbiter");
  if (hosts.length === 0) return [];
  return [
    {
      area: "arbiter",
      when: "during",
      what: "Create a Machine with a Metal3Machine for each arbiter.",
      why: "OpenShiftControlPlane has one template, which is only for control plane machines.",
      details: {
        hosts: hosts.map(({ host }) => host.name ?? ""),
        hostSelector: {
          "cluster.x-k8s.io/cluster-name": identity.infraID,
          "installer.openshift.io/role": "arbiter",
        },
        data: `Secret ${identity.infraID}-arbiter, written by create ignition-configs --data-secrets`,
      },
    },
  ];
}

const providerIds = (): SupplementItem => ({
  area: "nodes",
  when: "during",
  what: "Ensure that every control plane node gets a provider ID.",
  why: "No cloud sets it. The Metal3 provider sets it for a node that has the name of its host, or the label.",
  details: { label: "metal3.io/uuid=UID of the BareMetalHost" },
});

/** What the bootstrap machine's own service does at its end. */
function compute({ config, release }: PlatformInput): SupplementItem[] {
  if (!keepsMachines(config)) return [];
  const hosts = assignedHosts(config, release).filter(({ role }) => role === "worker");
  if (hosts.length === 0) return [];
  return [
    {
      area: "compute",
      when: "after",
      what: "Hand the compute hosts over to the new cluster.",
      why: "Their objects are paused until the control plane is available. With the installer, a service on the bootstrap machine unpauses them.",
      details: {
        commands: hosts.map(
          ({ host }) =>
            shell`oc annotate -n openshift-machine-api baremetalhost/${host.name} baremetalhost.metal3.io/paused-`,
        ),
      },
    },
  ];
}
