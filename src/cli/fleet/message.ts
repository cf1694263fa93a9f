/** What the processes of a fleet tell each other. */
import type { Diagnostic } from "../../core/diagnostics.js";
import type { ExcludeChange } from "../../directory/index.js";
import { FLAGS } from "../../pipeline/flags.js";
import type { PoolUse } from "../cli-context.js";
import type { ExitCode } from "../exit.js";
import type { Arguments, RawFlag } from "../flags.js";

/** The word that makes a process work for another one; nobody types it. */
export const FLEET_WORKER = "\u0001fleet-worker";

/** The commands that work on fleets. */
export const FLEET_COMMANDS = [
  "create manifests",
  "create infrastructure-manifests",
  "create ignition-configs",
  "create single-node-ignition-config",
  "create agent-manifests",
  "create agent-config-image",
  "create image-based-config-image",
  "check",
  "validate",
] as const;
export type FleetCommand = (typeof FLEET_COMMANDS)[number];

/** False for a run that looks alone. */
export const isWriting = (command: FleetCommand, args: Arguments): boolean =>
  command.startsWith("create") && !args.get(FLAGS.dryRun) && !args.get(FLAGS.diff);

/** One cluster to work on. */
export interface FleetJob {
  /** Its place in the fleet. */
  readonly index: number;
  readonly command: FleetCommand;
  readonly flags: Readonly<Record<string, RawFlag>>;
  readonly directory: string;
  /** What is to lie in its install-config.yaml; undefined where the directory has its own. */
  readonly installConfig: string | undefined;
  /** The name that the table gives a directory with an install-config of its own. */
  readonly called: string | undefined;
}

/** What the command answers for the cluster alone with `--output json`: as much of it as counts here. */
export interface FleetResult {
  readonly diagnostics: readonly Diagnostic[];
  readonly files?: readonly { readonly path: string; readonly status: string }[];
  readonly diff?: string;
  readonly gitExclude?: ExcludeChange;
}

export interface FleetAnswer {
  readonly index: number;
  readonly exit: ExitCode;
  readonly result: FleetResult;
  /** The pool of keys is the whole run's. */
  readonly pool?: PoolUse | undefined;
}
