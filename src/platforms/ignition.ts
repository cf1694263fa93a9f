/**
 * What a platform adds to the Ignition configs of the machines and to what the installer leaves for later commands
 * (docs/reference/ignition-configs.md §2e, §3d, §8b), and the parts that the bootstrap node's config is put together
 * from (docs/reference/ignition-configs.md §2a). What makes parts knows nothing of data URLs; how they become JSON is
 * the business of the phase.
 */

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

/** What the bootstrap node serves media to machines with, where it does (`Traits.mediaServer`). */
export interface MediaServer {
  /** Private key, PEM. */
  readonly key: string;
  /** Certificate, PEM. */
  readonly certificate: string;
  readonly user: string;
  readonly password: string;
}

export interface IgnitionParts {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
}
