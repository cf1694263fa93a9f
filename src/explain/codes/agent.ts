/** Agent-based installation: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const AGENT: Remedies<"AGT"> = {
  AGT001: {
    remedy: "Set apiVersion: v1beta1 and kind: AgentConfig.",
    why: "The installer reads agent-config.yaml by its apiVersion and rejects any other.",
    example: `apiVersion: v1beta1
kind: AgentConfig
rendezvousIP: 192.0.2.20`,
  },
  AGT002: {
    remedy: "Correct the address, host name or URL.",
  },
  AGT003: {
    remedy: "Give every host at least one interface with its own unicast MAC address.",
    why: "The installer finds out which host is which by the MAC addresses.",
    example: `hosts:
- hostname: master-0
  interfaces:
  - name: eno1
    macAddress: "52:54:00:aa:bb:01"`,
  },
  AGT004: {
    remedy: "Use a path in /dev/ or /dev/disk/by-path/, or other hints such as wwn and serialNumber.",
  },
  AGT005: {
    remedy: "Use master, worker or arbiter, and make the host with the rendezvousIP a control plane host.",
    why: "The host with the rendezvousIP runs assisted-service, installs the others and becomes a control plane node itself.",
    example: `rendezvousIP: 192.0.2.20
hosts:
- hostname: master-0    # has 192.0.2.20
  role: master`,
  },
  AGT006: {
    remedy: "List as many hosts as there are replicas, or fewer: unlisted hosts take part with DHCP.",
  },
  AGT007: {
    remedy: "Write networkConfig as nmstate documents it, with the names in interfaces.",
    why: "slipway checks how networkConfig fits the host. Only nmstatectl, which openshift-install runs, checks its content.",
    example: `interfaces:
- name: eno1
  macAddress: "52:54:00:aa:bb:01"
networkConfig:
  interfaces:
  - name: eno1
    type: ethernet
    state: up`,
  },
  AGT010: {
    remedy: "Use a platform, an architecture and numbers of nodes that the message names.",
    why: "The agent-based installer supports some platforms only, with 1 to 5 control plane nodes, and a single node only where load balancing and DNS are yours.",
    example: `controlPlane:
  name: master
  replicas: 3`,
  },
  AGT011: {
    remedy: "Remove the field, or keep it if the file is used for another way of installing too.",
  },
  AGT012: {
    remedy:
      "Set server, user, password and datacenters of the vCenter and the folder of each failure domain, or none of them.",
  },
  AGT013: {
    remedy: "Use a larger cluster network, or a longer hostPrefix.",
    why: "Every host gets a block of hostPrefix from the cluster network; assisted-service rejects a cluster with more hosts than blocks.",
    example: "networking:\n  clusterNetwork:\n  - cidr: 10.128.0.0/14\n    hostPrefix: 23",
  },
  AGT014: {
    remedy: "Correct the provisioning network: the cluster will manage the listed hosts over it.",
  },
  AGT015: {
    remedy: "Add a source for the repository of the release image.",
  },
  AGT020: {
    remedy: "Set --release-image PULLSPEC; it is remembered.",
    why: "The hosts install exactly this release. openshift-install knows its own; slipway does not ask a registry.",
    example: "slipway create agent-manifests --dir cluster --release-image PULLSPEC",
  },
  AGT021: {
    remedy: "Use a directory for each way of installing.",
    why: "The ways of installing read some of the same folders and files, such as openshift/ and auth/, and would mix them.",
    example: "slipway create manifests --dir another-directory",
  },
  AGT022: {
    remedy: "Create the file: slipway create agent-config.",
  },
  AGT023: {
    remedy: "Edit the file, or move it away.",
  },
  AGT024: {
    remedy: "Set rendezvousIP to the address of a control plane host.",
    why: "The other hosts contact assisted-service there. Without static networks nothing says which address a host will have.",
    example: "rendezvousIP: 192.0.2.20",
  },
  AGT025: {
    remedy: "Set --nmstatectl to the program.",
    why: "The configuration image contains NetworkManager keyfiles, and only nmstatectl generates them from networkConfig. slipway keeps them in the state, so the flag is needed again only for a changed network.",
    example: "slipway create agent-config-image --dir cluster --nmstatectl /usr/bin/nmstatectl",
  },
  AGT026: {
    remedy: "Add the file to cluster-manifests/, or an install-config.yaml from which slipway generates it.",
    why: "Without an install-config the installer requires all objects but NMStateConfigs, each in the file that it expects.",
    example: "cluster-manifests/infraenv.yaml",
  },
  AGT027: {
    remedy: "Correct the value.",
    why: "The installer and assisted-service read these objects, and reject what their types and webhooks do not allow.",
    example: `spec:
  platformType: BareMetal
  provisionRequirements:
    controlPlaneAgents: 3`,
  },
  AGT028: {
    remedy:
      "Remove agent-config.yaml and describe hosts in cluster-manifests/nmstateconfig.yaml, or add an install-config.yaml.",
    example: "slipway create agent-config-image --dir cluster",
    why: "openshift-install discards manifests if the directory has an agent-config.yaml, and cannot generate them without an install-config.",
  },
};
