/** What every etcd command does first: flags to copies, configurations and answers; then the pass over the copies. */
import type { Diagnostic, Problem, Reporter } from "../../../core/diagnostics.js";
import type { JsonObject } from "../../../core/json.js";
import { info, problem } from "../../../core/problem.js";
import { NO_ANSWERS, readKmsAnswers } from "../../../etcd/encryption/answers.js";
import type { EncryptionConfig } from "../../../etcd/encryption/config.js";
import { readEncryptionConfigs } from "../../../etcd/encryption/embedded.js";
import { copyFindings, surveyFindings } from "../../../etcd/findings.js";
import { type Copy, type CopyForm, openCopy } from "../../../etcd/read/copies.js";
import { CopyFault } from "../../../etcd/read/copy-file.js";
import { checkHash } from "../../../etcd/read/hash.js";
import { type Minor, NEWEST_RELEASED, parseTarget, releaseName, TARGETS } from "../../../etcd/releases.js";
import { type ScanOptions, type Survey, scan } from "../../../etcd/scan.js";
import type { CliContext } from "../../cli-context.js";
import { type OpenFile, openForReading } from "../../copy-files.js";
import { UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { refuseWithout } from "../../idle-flags.js";
import { type Progress, progressBar } from "../../progress.js";
import { readTextFile } from "../../read-text.js";
import { releaseIn } from "../../release-flag.js";
import * as flags from "./flags.js";

/** Snapshots up to this size have their hash checked unless told otherwise. */
const HASH_LIMIT = 256 << 20;

export interface Session {
  readonly copies: readonly Copy[];
  readonly names: readonly string[];
  readonly target: Minor;
  /** Reads every live key. */
  survey(): Promise<Survey>;
  /** For what reads the copies on its own; interrupting works, without a bar. */
  readonly options: ScanOptions;
  close(): Promise<void>;
}

/** Opens what the flags name. Undefined when something is wrong with it, which is then reported. */
export async function openSession(
  args: Arguments,
  cli: CliContext,
  reporter: Reporter,
  need: { readonly hash: boolean; readonly target?: boolean },
): Promise<Session | undefined> {
  const report = (problem: Problem): void => reporter.report(problem);
  const asked = named(args);
  if (asked.length === 0)
    throw new UsageError("a copy of etcd is required: --snapshot FILE, --db FILE or --dump FILE");
  refuseWithout(args, [flags.snapshot], [flags.hash]);
  const target = need.target === false ? NEWEST_RELEASED : targetOf(args, report);
  const at = revisionOf(args);
  const prefixes = prefixesOf(args);
  const configs = readConfigs(args, cli, report);
  const answers = readAnswers(args, cli, report);
  const files: OpenFile[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(files.map((file) => file.close()));
  };
  const copies: Copy[] = [];
  for (const { path, form } of asked) {
    const file = openForReading(path, cli.cwd, report);
    if (file === undefined) continue;
    files.push(file);
    try {
      copies.push(openCopy(file, form, report));
    } catch (error) {
      if (!(error instanceof CopyFault)) throw error;
      report(error.problem);
    }
  }
  if (reporter.failed || target === undefined) {
    await close();
    return undefined;
  }
  const { pause } = progressBar(
    { isTerminal: false, colour: false, write: () => {}, pass: () => {} },
    "",
    () => 0,
  );
  const options: ScanOptions = { copies, at, prefixes, configs, answers, report, pause };
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const bytesRead = (): number => files.reduce((sum, file) => sum + file.read, 0);
  const progressOf = (label: string): Progress => {
    const before = bytesRead();
    return progressBar(cli.stderr, label, () => (size === 0 ? 1 : (bytesRead() - before) / size));
  };
  const survey = async (): Promise<Survey> => {
    const progress = progressOf("Reading");
    try {
      const hashes = Promise.all(
        copies.map(async (copy) => checkHash(copy, wanted(copy, args, need.hash), report)),
      );
      const surveyed = await scan({ ...options, pause: progress.pause });
      await hashes;
      // What is in a copy that cannot be read to its end, or without values, tells nothing that can be acted on.
      if (surveyed.complete) {
        copyFindings(copies, surveyed, report);
        surveyFindings(surveyed, args.given(flags.encryptionConfig), report);
      }
      return surveyed;
    } finally {
      progress.done();
    }
  };
  return { copies, names: copies.map(({ file }) => file.name), target, survey, options, close };
}

/**
 * What an answer was limited to, for whoever takes it for evidence: `complete` is true when it speaks of every object
 * that the copies hold now.
 */
export function scopeOf(
  args: Arguments,
  { copies, options }: Session,
  diagnostics: readonly Diagnostic[],
  limits: {
    readonly whole: boolean;
    readonly isNow: boolean;
    readonly namespace?: string | undefined;
    readonly partOfObjects?: boolean;
  },
): JsonObject {
  const { whole, isNow, namespace, partOfObjects = false } = limits;
  const prefix = options.prefixes;
  const cutShort = diagnostics.some(({ code }) => code === "ETC008");
  return {
    complete: whole && namespace === undefined && prefix.length === 0 && !partOfObjects && isNow && !cutShort,
    ...(namespace === undefined ? {} : { namespace }),
    ...(prefix.length === 0 ? {} : { prefix }),
    ...(args.get(flags.revision) === undefined ? {} : { revision: String(options.at) }),
    copies: copies.map(({ file, form, revision }) => ({
      file: file.name,
      form,
      revision: options.at?.toString() ?? revision()?.toString() ?? "unknown",
    })),
  };
}

function wanted({ file }: Copy, args: Arguments, needed: boolean): boolean {
  const choice = args.get(flags.hash);
  return needed || choice === "check" || (choice === "auto" && file.size <= HASH_LIMIT);
}

function named(args: Arguments): { path: string; form: CopyForm }[] {
  const of = (flag: Flag<readonly string[]>, form: CopyForm): { path: string; form: CopyForm }[] =>
    args.get(flag).map((path) => ({ path, form }));
  return [...of(flags.snapshot, "snapshot"), ...of(flags.db, "db"), ...of(flags.dump, "dump")];
}

export function minorOfFlag(
  flag: Flag<string | undefined>,
  args: Arguments,
  report: (problem: Problem) => void,
): Minor | undefined {
  const text = args.get(flag);
  if (text === undefined || releaseIn(args, flag) === undefined) return undefined;
  const minor = parseTarget(text);
  if (minor === undefined)
    report(
      problem(
        "ETC040",
        "NotSupported",
        `--${flag.name}`,
        `invalid value ${JSON.stringify(text)}: slipway has no data for this release`,
        `use Kubernetes ${TARGETS}, or an OpenShift release based on one of these`,
      ),
    );
  return minor;
}

function targetOf(args: Arguments, report: (problem: Problem) => void): Minor | undefined {
  if (args.given(flags.target)) return minorOfFlag(flags.target, args, report);
  report(
    info(
      "ETC040",
      "Required",
      "--release",
      `no target release set; using ${releaseName(NEWEST_RELEASED)}`,
      "set --release to the release that the cluster runs or will run",
    ),
  );
  return NEWEST_RELEASED;
}

function revisionOf(args: Arguments): bigint | undefined {
  const text = args.get(flags.revision);
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,18}$/.test(text))
    throw new UsageError(`--revision: invalid value ${JSON.stringify(text)}: must be a whole number`);
  return BigInt(text);
}

function prefixesOf(args: Arguments): string[] {
  return args.get(flags.prefix).map((each) => {
    const prefix = `/${each.replace(/^\/+|\/+$/g, "")}`;
    if (prefix === "/")
      throw new UsageError('--prefix: invalid value "/": must be a storage prefix, such as /registry');
    return prefix;
  });
}

function readConfigs(
  args: Arguments,
  cli: CliContext,
  report: (problem: Problem) => void,
): EncryptionConfig[] {
  return args.get(flags.encryptionConfig).flatMap((path) => {
    const text = readTextFile(cli, path, report);
    return text === undefined ? [] : readEncryptionConfigs(text, path, report);
  });
}

function readAnswers(
  args: Arguments,
  cli: CliContext,
  report: (problem: Problem) => void,
): ScanOptions["answers"] {
  const path = args.get(flags.kmsAnswers);
  if (path === undefined) return NO_ANSWERS;
  const text = readTextFile(cli, path, report);
  return (text === undefined ? undefined : readKmsAnswers(text, path, report)) ?? NO_ANSWERS;
}
