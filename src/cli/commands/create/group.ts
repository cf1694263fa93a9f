/** `slipway create <phase>`: what the commands are; what they do is in the *-run.ts files. */
import { flagsOf } from "../../../pipeline/flags.js";
import type { Command, Group } from "../../command.js";
import { FLEET_FLAGS } from "../../fleet/flags.js";
import { withFleet } from "../../fleet/with-fleet.js";
import { createInstallConfig } from "./install-config.js";

const NOTES = `Reads install-config.yaml (or the state of an earlier run) in the directory. Inputs and edits are kept: a file that was changed by hand and that would now be compiled differently is a conflict, nothing is written, and --ours PATH… or --theirs PATH… decides.`;

const manifests: Command = {
  path: "create manifests",
  summary: "Compile the installer's manifests",
  details: `${NOTES}\nWrites manifests/, openshift/, .openshift_install_state.json and .slipway/record.json.`,
  flags: [...flagsOf("create"), ...FLEET_FLAGS],
  examples: [
    { line: "slipway create manifests --dir cluster", does: "compile, or bring up to date" },
    { line: "slipway create manifests --dir cluster --dry-run", does: "say what would change" },
  ],
  writes: true,
  load: async () => withFleet("create manifests", (await import("./create-run.js")).create("manifests")),
};

const infrastructureManifests: Command = {
  path: "create infrastructure-manifests",
  summary: "Compile the Cluster API objects around the manifests",
  details: `${NOTES}\nWrites infrastructure-manifests/ (and infrastructure-manifests-secrets/ with --secrets separate) beside what create manifests writes, and wraps manifests/ and openshift/ as they are on disk.`,
  flags: [...flagsOf("create"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create infrastructure-manifests --dir cluster --secrets separate",
      does: "keep apart what must not be committed",
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
  details: `${NOTES}\nWrites bootstrap.ign, master.ign, worker.ign, auth/ and metadata.json beside what create manifests writes, from manifests/ and openshift/ as they are on disk; infrastructure-manifests is not needed. bootstrap.ign is EXPERIMENTAL: its boot sequence was never booted, and it has one for none and external only; elsewhere the release's own installer completes the phase (slipway reconstruct --installer). Some certificates last a day: the time to use the configs by is said at the end, and --renew signs again.`,
  flags: [...flagsOf("create ignition-configs"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create ignition-configs --dir cluster --release-image PULLSPEC",
      does: "for machines that you start yourself",
    },
    { line: "slipway create ignition-configs --dir cluster --renew", does: "a day later" },
  ],
  writes: true,
  load: async () =>
    withFleet("create ignition-configs", (await import("./create-run.js")).create("ignition-configs")),
};

const singleNodeIgnitionConfig: Command = {
  path: "create single-node-ignition-config",
  summary: "Write the Ignition config of a machine that installs itself in place",
  details: `${NOTES}\nFor a cluster of one machine without a bootstrap machine: controlPlane.replicas is 1, and bootstrapInPlace.installationDisk names the disk. Writes bootstrap-in-place-for-live-iso.ign, worker.ign, auth/ and metadata.json; a live image with the first of them brings up the control plane, writes the system to the disk and restarts from there. EXPERIMENTAL: its boot sequence was never booted, and it has one for none and external only.`,
  flags: [...flagsOf("create single-node-ignition-config"), ...FLEET_FLAGS],
  examples: [
    {
      line: "slipway create single-node-ignition-config --dir cluster --release-image PULLSPEC",
      does: "for the platform none with bootstrapInPlace",
    },
  ],
  writes: true,
  load: async () =>
    withFleet(
      "create single-node-ignition-config",
      (await import("./create-run.js")).create("single-node-ignition-config"),
    ),
};

export const createGroup: Group = {
  word: "create",
  summary: "Create the files of a cluster, phase by phase",
  commands: [
    createInstallConfig,
    manifests,
    infrastructureManifests,
    ignitionConfigs,
    singleNodeIgnitionConfig,
  ],
};
