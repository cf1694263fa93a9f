/**
 * The boot sequence of the bootstrap node for the platforms none and external: files and units that turn the data
 * part of its config into a control plane, and where the machine installs itself, that control plane into a node. Experimental: no machine was ever booted with it. It replaces upstream's
 * scripts and units (docs/reference/ignition-configs.md §2c, §2f; docs/deviations.md maps one to the other);
 * templates/bootstrap holds the scripts.
 */
import { formatRelease } from "../../../core/release.js";
import { TEXTS } from "../../../generated/bootstrap-texts.js";
import { TABLE } from "../../../generated/tables/bootstrap-steps.js";
import { singleQuoted } from "../../../text/shell.js";
import type { IgnitionParts } from "../config.js";
import type { BootInput } from "./input.js";
import { needsNodeImage, stepsFile, textsOf } from "./steps.js";
import { bootUnits } from "./units.js";

export type { BootInput } from "./input.js";

/**
 * What to do about missing programs: a boot image of 4.19 and later has them only in the node image
 * (docs/reference/ignition-configs.md §8a S3).
 */
const missingPrograms = ({ release, installationDisk }: BootInput): string =>
  needsNodeImage(release)
    ? `Boot images of ${TABLE.node.nodeImage.since} and later do not contain these programs; they are part of the node image of ` +
      "the release, which slipway does not overlay. Complete the phase with openshift-install of " +
      `OpenShift ${formatRelease(release)} instead ('${installationDisk === undefined ? "slipway reconstruct --installer" : "openshift-install create single-node-ignition-config"}'), or boot from an image that ` +
      "contains them, such as one of 4.18."
    : `Boot from the image of OpenShift ${formatRelease(release)}.`;

const environment = (input: BootInput): string =>
  [
    "# Read by slipway-node.",
    `RELEASE_IMAGE=${singleQuoted(input.releaseImage)}`,
    `PROGRAMS=${singleQuoted(textsOf(TABLE.node.programs, input).join(" "))}`,
    `MISSING_PROGRAMS=${singleQuoted(missingPrograms(input))}`,
    `WAIT_FOR_API_SERVERS=${input.controlPlaneTopology === "HighlyAvailable" ? "yes" : "no"}`,
    ...(input.installationDisk === undefined
      ? []
      : [`INSTALLATION_DISK=${singleQuoted(input.installationDisk)}`]),
    "",
  ].join("\n");

const motd = ({ installationDisk }: BootInput): string =>
  `${
    installationDisk === undefined
      ? "This is the bootstrap node of an OpenShift cluster. It is no longer required after the bootstrap is complete."
      : `This live system installs a single-node OpenShift cluster to ${installationDisk} and reboots from it.`
  }

EXPERIMENTAL: slipway generated this boot sequence, which has never been tested on a machine.

  sudo slipway-boot --status
  sudo journalctl --boot --follow --unit slipway-node-check --unit slipway-release-image --unit slipway-boot${installationDisk === undefined ? "" : " --unit slipway-install"}
`;

const IN_PLACE: IgnitionParts["files"] = [
  { path: "/opt/openshift/slipway/installed-system.bu", mode: 0o644, data: TEXTS["installed-system.bu"] },
  { path: "/usr/local/bin/slipway-in-place", mode: 0o555, data: TEXTS["slipway-in-place"] },
];

/**
 * Files and units of the boot sequence, /etc/motd included; the data part (certificates, kubeconfigs, manifests, pull
 * secret, registries, proxy) comes from elsewhere. Scripts and everything else that is the same for every cluster are
 * fixed texts; what differs is in /etc/slipway and in the kubelet's unit.
 */
export function bootSequence(input: BootInput): IgnitionParts {
  return {
    files: [
      { path: "/etc/motd", mode: 0o644, append: true, data: motd(input) },
      { path: "/etc/slipway/boot-steps", mode: 0o600, data: stepsFile(input) },
      { path: "/etc/slipway/boot.env", mode: 0o600, data: environment(input) },
      { path: "/usr/local/bin/slipway-boot", mode: 0o555, data: TEXTS["slipway-boot"] },
      { path: "/usr/local/bin/slipway-node", mode: 0o555, data: TEXTS["slipway-node"] },
      ...(input.installationDisk === undefined ? [] : IN_PLACE),
    ],
    units: bootUnits(input),
  };
}
