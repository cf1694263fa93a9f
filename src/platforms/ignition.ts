/**
 * What a platform adds to the Ignition configs of the machines and to what the installer leaves for later commands
 * (facts/ignition-configs.md §2e, §3d, §8b), and the parts that the bootstrap node's config is put together from
 * (§2a). What makes parts knows nothing of data URLs; how they become JSON is the business of the phase.
 */
import type { JsonObject } from "../core/json.js";
import type { PlatformInput } from "./platform.js";

/** A file of user root; `data` is written as it is. */
export interface IgnitionFile {
  /** Absolute path on the node. */
  readonly path: string;
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  /** Appended to what the operating system ships, instead of replacing it. */
  readonly append?: boolean;
  readonly data: Uint8Array | string;
}

export interface IgnitionDropin {
  /** Ends in `.conf`. */
  readonly name: string;
  readonly contents: string;
}

/** A systemd unit: its contents, or drop-ins for one that the operating system ships. */
export interface IgnitionUnit {
  readonly name: string;
  readonly enabled?: boolean;
  readonly contents?: string;
  readonly dropins?: readonly IgnitionDropin[];
}

export interface IgnitionParts {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
}

export interface PlatformIgnition {
  /** Members of metadata.json that only the platform has, such as `aws`. */
  metadata?(input: PlatformInput): JsonObject;
  /** True when a password is among them. */
  readonly secretMetadata?: boolean;
  /** Files and units of the bootstrap node; a file replaces a common one of the same path. */
  bootstrap?(input: PlatformInput): IgnitionParts;
  /** Members beside `ignition`, `passwd`, `storage.files` and `systemd` of the bootstrap node's config. */
  bootstrapAdditions?(input: PlatformInput): JsonObject;
  /**
   * What only the release's own installer does for the bootstrap node of the platform, as the end of a sentence
   * ("… has to"); bootstrap.ign then holds the data alone. Absent where slipway gives the boot sequence.
   */
  readonly leftToInstaller?: string;
}
