/** The most that a place gives to the config of a machine (docs/reference/ignition-configs.md §4d). */
export interface UserDataLimit {
  readonly what: string;
  /** In bytes. */
  readonly limit: number;
  /** Whether that is meant before or after encoding with base64. */
  readonly counts: "bytes" | "base64";
  /** Who makes the size no problem, and how. */
  readonly uploads?: string;
  /** The documentation of the place. */
  readonly source: string;
}
