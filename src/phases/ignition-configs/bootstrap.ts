/**
 * bootstrap.ign, or the config of a machine that installs itself in place: everything that the bootstrap node is made
 * of (docs/reference/ignition-configs.md §2). The data is the same in both; the boot sequence differs.
 */

import ipaddr from "ipaddr.js";
import { type OutputFile, textFile } from "../../core/files.js";
import type { IgnitionFile, IgnitionParts } from "../../platforms/ignition.js";
import { controlPlaneTopology } from "../manifests/topology.js";
import type { BootInput } from "./boot/index.js";
import { FIRST_CONFIG, type Form } from "./forms.js";
import { type IgnitionInput, ROOT } from "./input.js";
import { manifestFiles } from "./manifest-files.js";
import { nodeFiles } from "./node-files.js";
import { authFiles, tlsFiles } from "./tls-files.js";
import { writeConfig } from "./write-config.js";

/** What makes files and units of the boot sequence. */
export type Boot = (input: BootInput) => IgnitionParts;

const NOTHING: IgnitionParts = { files: [], units: [] };

/**
 * bootstrap.ign, or the config of a machine that installs itself in place. The files are in upstream's order; a later one
 * replaces an earlier one of the same path.
 */
export function bootstrapConfig(input: IgnitionInput, boot: Boot, form: Form): OutputFile {
  const { config, pki, platform } = input;
  const data = [...manifestFiles(input), ...authFiles(input), ...tlsFiles(input)];
  const sequence = bootParts(input, data, boot, form);
  const extra = platform.ignition?.bootstrap?.({ ...input, mediaServer: pki.mediaServer }) ?? NOTHING;
  const additions = platform.ignition?.bootstrapAdditions?.(input);
  const text = writeConfig({
    files: [...nodeFiles(input), ...sequence.files, ...extra.files, ...data],
    units: [...sequence.units, ...extra.units],
    // The text of the config as it is, be it empty or of several lines.
    users: [{ name: "core", keys: [config.sshKey ?? "", pki.bootstrapSsh.publicKey] }],
    ...(additions === undefined ? {} : { additions }),
  });
  return textFile(FIRST_CONFIG[form], text, { secret: true });
}

/** The boot sequence, where it is ours to give and the release to install is known. */
function bootParts(
  input: IgnitionInput,
  data: readonly IgnitionFile[],
  boot: Boot,
  form: Form,
): IgnitionParts {
  const { config, domain, options, platform, release } = input;
  if (platform.ignition?.leftToInstaller !== undefined) return dataOnly(platform.name, form);
  if (options.releaseImage === undefined) return NOTHING;
  const [network = ""] = config.networking.serviceNetwork;
  return boot({
    release,
    releaseImage: options.releaseImage,
    clusterDomain: domain,
    controlPlaneTopology: controlPlaneTopology({ config, release }),
    ipv6First: network !== "" && ipaddr.parseCIDR(network)[0].kind() === "ipv6",
    files: data.map(({ path }) => path.slice(ROOT.length + 1)),
    ...(form === "in place" ? { installationDisk: config.bootstrapInPlace?.installationDisk ?? "" } : {}),
    ...(options.bootstrapNodeIP === undefined ? {} : { nodeAddress: options.bootstrapNodeIP }),
    ...(options.clusterProfile === undefined ? {} : { clusterProfile: options.clusterProfile }),
  });
}

/** A machine that is started with such a config says at login what it lacks. */
const dataOnly = (platform: string, form: Form): IgnitionParts => ({
  files: [
    {
      path: "/etc/motd",
      mode: 0o644,
      append: true,
      data: `This machine was started with a ${FIRST_CONFIG[form]} for ${platform} that slipway generated. It contains the data of the\nbootstrap node but no boot sequence, so no control plane will start here. Complete it with openshift-install of\nthe release: ${form === "in place" ? "openshift-install create single-node-ignition-config" : "slipway reconstruct --installer"}.\n`,
    },
  ],
  units: [],
});
