/** `slipway create <phase>`: what the commands are; what they do is in the *-run.ts files. */
import { flagsOf } from "../../../pipeline/flags.js";
import type { Command, Group } from "../../command.js";
import { FLEET_FLAGS } from "../../fleet/flags.js";
import { withFleet } from "../../fleet/with-fleet.js";
import { rendezvousIP } from "./agent-config-flags.js";
import { script } from "./facts-flags.js";
import { createInstallConfig } from "./install-config.js";

const NOTES = `Reads install-config.yaml (or the state of an earlier run) in the directory. Keeps your edits: if you edited a file and its compiled content has changed too, that is a conflict and nothing is written until you resolve it with --ours PATH… or --theirs PATH….`;

const manifests: Command = {
  path: "create manifests",
  summary: "Compile the installer's manifests",
  details: `${NOTES}\nWrites manifests/, openshift/, .openshift_install_state.json and .slipway/record.json.`,
  flags: [...flagsOf("create"), ...FLEET_FLAGS],
  examples: [
    { line: "slipway create manifests --dir cluster", does: "compile, or update" },
    { line: "slipway create manifests --dir cluster --dry-run", does: "show what would change" },
  ],
  writes: true,
  load: async () => withFleet("create manifests", (await import("./create-run.js")).create("manifests")),
};

const infrastructureManifests: Command = {
  path: "create infrastructure-manifests",
  summary: "Compile the Cluster API objects that wrap the manifests",
  details: `${NOTES}\nWrites infrastructure-manifests/ (and infrastructure-manifests-secrets/ with --secrets separate) in addition to the output of create manifests, and wraps manifests/ and openshift/ as they are on disk.`,
  flags: [...flagsOf("create"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create infrastructure-manifests --dir cluster --secrets separate",
      does: "write secrets to a separate folder, which must not be committed",
    },
  ],
  writes: true,
  load: async () =>
    withFleet(
      "create infrastructure-manifests",
      (await import("./create-run.js")).create("infrastructure-manifests"),
    ),
};

const ignitionConfigs: Command = {
  path: "create ignition-configs",
  summary: "Write the Ignition configs of the machines, the kubeconfig and metadata.json",
  details: `${NOTES}\nWrites bootstrap.ign, master.ign, worker.ign, auth/ and metadata.json in addition to the output of create manifests, from manifests/ and openshift/ as they are on disk; infrastructure-manifests is not required. bootstrap.ign is EXPERIMENTAL: its boot sequence has never been tested on a machine, and exists for the platforms none and external only. On other platforms, complete the phase with openshift-install of the same release (slipway reconstruct --installer). Some certificates expire after one day: the command prints the expiry time, and --renew renews them.`,
  flags: [...flagsOf("create ignition-configs"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create ignition-configs --dir cluster --release-image PULLSPEC",
      does: "for machines that you provision yourself",
    },
    {
      line: "slipway create ignition-configs --dir cluster --renew",
      does: "renew the certificates one day later",
    },
  ],
  writes: true,
  load: async () =>
    withFleet("create ignition-configs", (await import("./create-run.js")).create("ignition-configs")),
};

const singleNodeIgnitionConfig: Command = {
  path: "create single-node-ignition-config",
  summary: "Write the Ignition config for a single node with bootstrap in place",
  details: `${NOTES}\nFor a single-node cluster without a bootstrap machine: set controlPlane.replicas to 1 and bootstrapInPlace.installationDisk to the disk. Writes bootstrap-in-place-for-live-iso.ign, worker.ign, auth/ and metadata.json; a live image with bootstrap-in-place-for-live-iso.ign starts the control plane, installs to the disk and reboots from it. EXPERIMENTAL: the boot sequence has never been tested on a machine, and exists for the platforms none and external only.`,
  flags: [...flagsOf("create single-node-ignition-config"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create single-node-ignition-config --dir cluster --release-image PULLSPEC",
      does: "for platform none with bootstrapInPlace",
    },
  ],
  writes: true,
  load: async () =>
    withFleet(
      "create single-node-ignition-config",
      (await import("./create-run.js")).create("single-node-ignition-config"),
    ),
};

const agentManifests: Command = {
  path: "create agent-manifests",
  summary: "Compile the manifests of the agent-based installer",
  details: `Reads install-config.yaml (or the state of an earlier run) and agent-config.yaml in the directory. Writes cluster-manifests/ and mirror/, as openshift-install agent create cluster-manifests does, .openshift_install_state.json and .slipway/record.json. Keeps your edits, as create manifests does. For the image that hosts boot, continue in this directory with openshift-install of the release: openshift-install agent create image. For hosts that booted an unconfigured image, run create agent-config-image.`,
  flags: [...flagsOf("create agent-manifests"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create agent-manifests --dir cluster --release-image PULLSPEC",
      does: "compile, or update",
    },
    { line: "slipway create agent-manifests --dir cluster --dry-run", does: "show what would change" },
  ],
  writes: true,
  load: async () =>
    withFleet("create agent-manifests", (await import("./create-run.js")).create("agent-manifests")),
};

const agentConfigImage: Command = {
  path: "create agent-config-image",
  summary: "Write the configuration image of an agent-based installation",
  details: `Writes agentconfig.noarch.iso and auth/ in addition to the output of create agent-manifests, from cluster-manifests/, mirror/ and openshift/ as they are on disk, as openshift-install agent create config-image does. Hosts that booted an unconfigured image install the cluster when the image is attached. The image contains secrets and is never committed. For hosts with a networkConfig, set --nmstatectl; the keyfiles are kept in the state for later runs.`,
  flags: [...flagsOf("create agent-config-image"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create agent-config-image --dir cluster --release-image PULLSPEC",
      does: "for hosts that use DHCP",
    },
    {
      line: "slipway create agent-config-image --dir cluster --nmstatectl /usr/bin/nmstatectl",
      does: "for hosts with static networks",
    },
  ],
  writes: true,
  load: async () =>
    withFleet("create agent-config-image", (await import("./create-run.js")).create("agent-config-image")),
};

const agentConfig: Command = {
  path: "create agent-config",
  summary: "Write an initial agent-config.yaml",
  details: `Writes DIR/agent-config.yaml with comments: a host for each replica of the install-config in the directory. Never overwrites an existing file (exit 1).`,
  flags: [rendezvousIP, ...flagsOf("create agent-config")],
  examples: [
    {
      line: "slipway create agent-config --dir cluster --rendezvous-ip 192.0.2.20",
      does: "a commented starter",
    },
  ],
  writes: true,
  load: async () => (await import("./agent-config-run.js")).runCreateAgentConfig,
};

const imageBasedConfig: Command = {
  path: "create image-based-config",
  summary: "Write an initial image-based-config.yaml",
  details: `Writes DIR/image-based-config.yaml with comments: host name, network and labels of the node. Never overwrites an existing file (exit 1).`,
  flags: flagsOf("create image-based-config"),
  examples: [{ line: "slipway create image-based-config --dir cluster", does: "a commented starter" }],
  writes: true,
  load: async () => (await import("./image-based-starter-run.js")).runCreateImageBasedConfig,
};

const imageBasedConfigImage: Command = {
  path: "create image-based-config-image",
  summary: "Write the configuration image of an image-based installation",
  details: `Reads install-config.yaml, image-based-config.yaml and extra-manifests/ in the directory. Writes imagebasedconfig.iso and auth/, as openshift-install image-based create config-image does: a node that was installed from the image of a seed cluster becomes this cluster when the image is attached. The image contains secrets and is never committed. For platform none with a single node. With --nmstatectl, the program checks networkConfig.`,
  flags: [...flagsOf("create image-based-config-image"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create image-based-config-image --dir cluster --nmstatectl /usr/bin/nmstatectl",
      does: "for a node with a static network",
    },
  ],
  writes: true,
  load: async () =>
    withFleet(
      "create image-based-config-image",
      (await import("./create-run.js")).create("image-based-config-image"),
    ),
};

const imageBasedInstallationConfig: Command = {
  path: "create image-based-installation-config",
  summary: "Write an initial image-based-installation-config.yaml",
  details: `Writes DIR/image-based-installation-config.yaml with comments: seed image, disk and network of the installation. slipway validate checks the file; openshift-install creates the image from it: openshift-install image-based create image. Never overwrites an existing file (exit 1).`,
  flags: flagsOf("create image-based-installation-config"),
  examples: [
    { line: "slipway create image-based-installation-config --dir image", does: "a commented starter" },
  ],
  writes: true,
  load: async () => (await import("./image-based-starter-run.js")).runCreateInstallationConfig,
};

const facts: Command = {
  path: "create facts",
  summary: "Write the facts file that the install-config needs, to fill in",
  details: `Writes DIR/facts.yaml with the facts that the install-config in DIR needs from the cloud, each with the command that prints it; create, check and validate read the file unless --facts names another one. An existing file keeps its values and comments and gets what is missing. With --script, writes a POSIX shell script instead that asks the cloud and prints the whole file: it calls the command-line tool of the cloud, only reads, and prints nothing secret.`,
  flags: [script, ...flagsOf("create facts")],
  examples: [
    { line: "slipway create facts --dir cluster", does: "write or complete cluster/facts.yaml" },
    {
      line: "slipway create facts --dir cluster --script facts.sh && sh facts.sh > cluster/facts.yaml",
      does: "let a script ask the cloud",
    },
  ],
  writes: true,
  load: async () => (await import("./facts-run.js")).runCreateFacts,
};

export const createGroup: Group = {
  word: "create",
  summary: "Create the files of a cluster, phase by phase",
  commands: [
    createInstallConfig,
    facts,
    manifests,
    infrastructureManifests,
    ignitionConfigs,
    singleNodeIgnitionConfig,
    agentConfig,
    agentManifests,
    agentConfigImage,
    imageBasedConfig,
    imageBasedConfigImage,
    imageBasedInstallationConfig,
  ],
};
