/**
 * What is left to do on bare metal beside the Cluster API objects, for this config: what the installer does on the provisioning host
 * and the bootstrap machine, and what its documentation asks of the network (docs/platforms/baremetal.md).
 */

import type { Problem } from "../../core/diagnostics.js";
import { decode, type OutputFile } from "../../core/files.js";
import { warning } from "../../core/problem.js";
import { commandLine } from "../../text/shell.js";
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
        ? "Run Metal3 with OpenShift's Ironic agent in the management cluster, and the provider of Cluster API."
        : "Run Metal3 in the management cluster, and the provider of Cluster API.",
    why:
      image === undefined
        ? "The template asks for the deploy step install_coreos, which that agent's ramdisk brings; the fact baremetal.image takes its place."
        : "Metal3 writes the image of the fact baremetal.image onto the disks.",
    details: {
      command: "clusterctl init --infrastructure metal3",
      ...(image === undefined ? {} : { image: image.url }),
      provisioning: isDisabled(baremetal)
        ? "virtual media alone"
        : `network ${baremetal.provisioningNetworkCIDR ?? ""}, ${baremetal.provisioningNetwork ?? ""}`,
      ...(baremetal.bmcVerifyCA
        ? { certificates: "those of platform.baremetal.bmcVerifyCA, for Ironic to verify the controllers by" }
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
      what: "Run OpenShift's image-customization-controller beside Metal3 in the management cluster.",
      why: "It puts the nmstate configs of hosts into the images that they are inspected with; Metal3's own controller does not read them.",
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
      what: "Keep the new cluster's Metal3 away from the hosts of its control plane: annotate their objects in openshift/ and run create infrastructure-manifests again.",
      why: "The installer provisions them from the bootstrap machine through these objects; here the management cluster does, and two Ironics would switch the same hosts.",
      details: { annotation: `${PAUSED}: ""`, files: [...controlPlaneHosts(input)] },
    },
  ];
}

/** Hosts of the control plane that the new cluster's Metal3 would switch as well. */
export function openManifests(
  input: PlatformInput,
  files: readonly Pick<OutputFile, "path" | "data">[],
): readonly Problem[] {
  const hosts = new Set(controlPlaneHosts(input));
  const open = files.filter(({ path, data }) => hosts.has(path) && !decode(data)?.includes(PAUSED));
  return open.map(({ path }) =>
    warning(
      "CAPI048",
      "Required",
      "metadata.annotations",
      "the new cluster would manage a host of its control plane that the management cluster manages: two Ironics would switch it",
      { file: path, hint: `add the annotation ${PAUSED}: "" and create infrastructure-manifests again` },
    ),
  );
}

const bootstrapHost = ({ identity }: PlatformInput): SupplementItem => ({
  area: "bootstrap",
  when: "before",
  what: "Register one more host in the namespace of the cluster for the bootstrap machine, such as a virtual machine with a Redfish controller.",
  why: "The installer runs the bootstrap machine on the provisioning host through libvirt; a machine of Cluster API needs a BareMetalHost of its own.",
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
      what: "Set up the load balancer of yours.",
      why: "With loadBalancer.type UserManaged the cluster runs none of its own.",
      details: {
        api: {
          addresses: baremetal.apiVIPs ?? [],
          ports: [6443, 22623],
          members: "bootstrap machine and control plane",
        },
        ingress: {
          addresses: baremetal.ingressVIPs ?? [],
          ports: [80, 443],
          members: "compute, or the control plane without any",
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
    what: "Create the records of the API and the routes.",
    why:
      dnsRecordsType === "External"
        ? "With dnsRecordsType External the nodes resolve the names through your DNS too."
        : "The nodes resolve the names themselves; everybody else asks your DNS.",
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
      why: "OpenShiftControlPlane has one template, and its machines are of the control plane.",
      details: {
        hosts: hosts.map(({ host }) => host.name ?? ""),
        hostSelector: {
          "cluster.x-k8s.io/cluster-name": identity.infraID,
          "installer.openshift.io/role": "arbiter",
        },
        data: `Secret ${identity.infraID}-arbiter, which create ignition-configs --data-secrets writes`,
      },
    },
  ];
}

const providerIds = (): SupplementItem => ({
  area: "nodes",
  when: "during",
  what: "See that every node of the control plane gets a provider ID.",
  why: "No cloud sets it; the provider of Metal3 does, for a node that has the name of its host, or its label.",
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
      what: "Let the new cluster take the hosts of compute.",
      why: "Their objects are paused until the control plane is up; a service of the installer's bootstrap machine unpauses them.",
      details: {
        commands: hosts.map(({ host }) =>
          commandLine([
            ...["oc", "annotate", "-n", "openshift-machine-api"],
            ...[`baremetalhost/${host.name}`, "baremetalhost.metal3.io/paused-"],
          ]),
        ),
      },
    },
  ];
}
