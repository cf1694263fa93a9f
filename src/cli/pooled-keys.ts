/** `--keys FILE`: new keys of a cluster come out of a pool that was made ahead. */
import type { Problem, Report } from "../core/diagnostics.js";
import type { KeySource } from "../core/inputs.js";
import { warning } from "../core/problem.js";
import { FLAGS } from "../pipeline/flags.js";
import { pooled } from "../pki/pooled.js";
import { commandLine } from "../text/shell.js";
import type { CliContext, PoolUse } from "./cli-context.js";
import { UsageError } from "./exit.js";
import type { Arguments } from "./flags.js";

export interface PooledKeys {
  readonly source: KeySource;
  /** Says of how many keys the pool fell short, once the run has all that it needs. */
  reportShortage(report: Report): void;
  /** Puts the keys of a run that wrote none of them back into the pool. */
  giveBack(): Promise<void>;
}

/** What is wrong with a pool beside a seed. */
export const SEED_OR_POOL = "--keys and --seed are mutually exclusive: with a seed, keys are derived from it";

export function refuseSeedAndPool(args: Arguments): void {
  if (args.given(FLAGS.keys) && args.given(FLAGS.seed)) throw new UsageError(SEED_OR_POOL);
}

/** The keys of this run: those of a pool where one is named, then fresh ones. */
export function pooledKeys(args: Arguments, cli: CliContext, report: Report): PooledKeys {
  refuseSeedAndPool(args);
  const file = args.get(FLAGS.keys) ?? cli.environment.keyPool;
  if (file === undefined)
    return { source: cli.keys, reportShortage: () => undefined, giveBack: async () => undefined };
  let short = 0;
  const drawn: string[] = [];
  const take = async (count: number): Promise<readonly string[]> => {
    const { takeKeys } = await import("../directory/key-pool.js");
    const taken = await takeKeys(file, count);
    if (taken.ok) {
      drawn.push(...taken.value);
      return taken.value;
    }
    report(taken.problem);
    // The run has failed, and its keys go nowhere: any will do.
    const { placeholderKey } = await import("../pipeline/placeholder-keys.js");
    return Array.from({ length: count }, placeholderKey);
  };
  return {
    source: pooled(cli.keys, take, (count) => {
      short += count;
    }),
    reportShortage(tell) {
      const use = { file, needed: drawn.length + short, made: short };
      if (cli.usesPool !== undefined) cli.usesPool(use);
      else if (short > 0) tell(shortage(use));
    },
    async giveBack() {
      if (drawn.length === 0) return;
      const { addKeys } = await import("../directory/key-pool.js");
      const added = await addKeys(file, drawn.splice(0));
      if (!added.ok) report(added.problem);
    },
  };
}

/** That a pool fell short, and how many keys it has to hold for such a run to find them all. */
export const shortage = ({ file, needed, made }: PoolUse): Problem =>
  warning(
    "KEY002",
    "TooMany",
    "",
    `the pool has too few keys: ${made} of the ${needed} required keys ${made === 1 ? "was" : "were"} generated now`,
    {
      file,
      hint: `refill it: ${commandLine(["slipway", "keys", "--count", String(needed), "--out", file])}`,
    },
  );
