import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, isError, type Report } from "../../../core/diagnostics.js";
import type { KeySource } from "../../../core/inputs.js";
import { type Exclusion, excludeFromGit } from "../../../directory/git-exclude.js";
import { addKeys, countKeys, makePool } from "../../../directory/key-pool.js";
import { tellExposure } from "../../../directory/modes.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import { progressBar } from "../../progress.js";
import * as flags from "./flags.js";

const MOST = 1_000_000;
/** Keys that are written together. */
const BATCH = 16;

export const run: Handler = async (args, cli) => {
  const path = args.get(flags.out);
  if (path === undefined) throw new UsageError("--out FILE is required: the key pool");
  if (path === "-") throw new UsageError("--out must be a file, because used keys are removed from it");
  const count = countOf(args);
  const dry = args.get(flags.dryRun);
  const { diagnostics, report } = createReporter();
  const before = await countKeys(path);
  if (!before.ok) report(before.problem);
  const held = before.ok ? (before.value ?? 0) : 0;
  const wanted = before.ok ? Math.max(0, count - held) : 0;
  const excluded = dry || !before.ok ? undefined : excludeFromGit(resolve(cli.cwd, path));
  const made = dry || !before.ok ? 0 : await fill(path, wanted, cli, report);
  if (made > 0) tellExposure(resolve(cli.cwd, path), path, report);
  const ok = !diagnostics.some(isError);
  print(args, cli, {
    kind: "KeysResult",
    json: { dryRun: dry, file: path, keys: held + made, made, missing: wanted - made },
    text: !ok
      ? ""
      : dry
        ? `${path}: ${counted(held, "key")}; ${wanted} would be generated`
        : `${path}: ${counted(held + made, "key")}, ${made} of them new${excluded === undefined ? "" : gitNote(excluded)}`,
    diagnostics,
    outcome: ok ? undefined : { files: [] },
  });
  return ok ? EXIT.done : EXIT.wrong;
};

const gitNote = ({ line, done }: Exclusion): string =>
  done
    ? `\n${line} was added to .git/info/exclude, so that Git ignores it`
    : `\n.git/info/exclude cannot be written: add ${line} to .gitignore before you run git add`;

function countOf(args: Arguments): number {
  const text = args.get(flags.count);
  if (text === undefined) throw new UsageError("--count N is required: the number of keys in the pool");
  const count = /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST)
    throw new UsageError(`--count: invalid value ${JSON.stringify(text)}: must be from 1 to ${MOST}`);
  return count;
}

/** Makes keys and adds them; answers how many are in the file for certain. */
async function fill(path: string, wanted: number, cli: CliContext, report: Report): Promise<number> {
  const pool = await makePool(path);
  if (!pool.ok) {
    report(pool.problem);
    return 0;
  }
  let made = 0;
  let added = 0;
  const progress = progressBar(cli.stderr, `generating private keys: ${wanted}`, () => made / wanted);
  try {
    while (added < wanted) {
      const batch = Math.min(BATCH, wanted - added);
      const keys = await several(cli.keys, batch, async () => {
        made++;
        await progress.pause();
      });
      const written = await addKeys(path, keys);
      if (!written.ok) {
        report(written.problem);
        break;
      }
      added += batch;
    }
  } finally {
    progress.done();
  }
  return added;
}

/** Keys that are made side by side, two for a core: the search for a prime takes as long as it takes. */
async function several(source: KeySource, count: number, made: () => Promise<void>): Promise<string[]> {
  const keys: string[] = [];
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      keys.push(await source.generate("rsa-2048", "pool"));
      await made();
    }
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, lane));
  return keys;
}
