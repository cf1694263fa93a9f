import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createReporter, isError, type Problem, type Reporter } from "../../../core/diagnostics.js";
import { encode, textFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import type { Release } from "../../../core/release.js";
import { dropAnswers } from "../../../directory/answers.js";
import { isTaken, writeNewFile } from "../../../directory/write-new.js";
import { pullSecretFaults } from "../../../phases/install-config/diagnose-pull-secret.js";
import { compileInstallConfig } from "../../../phases/install-config/index.js";
import { type ReadConfig, readInstallConfig } from "../../../phases/install-config/read.js";
import { blanksOf, filledStarter, starterText } from "../../../phases/install-config/starter.js";
import { FLAGS as common } from "../../../pipeline/flags.js";
import type { PlatformName } from "../../../platforms/config.js";
import { HANDLED_PLATFORMS, loadPlatform, PLATFORMS, starterOf } from "../../../platforms/registry.js";
import { isSealed } from "../../../sops/file.js";
import { decodeText } from "../../../text/decode-text.js";
import { placeAt } from "../../../text/json-text.js";
import { pathWord, shellWord } from "../../../text/shell.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, Interrupted, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { readNamed } from "../../input-files.js";
import { print } from "../../print.js";
import { releaseOf } from "./compile-request.js";
import {
  type Answers,
  answersOf,
  InstallConfigDialogue,
  PULL_SECRET,
  SSH_KEY,
} from "./install-config-dialogue.js";
import * as flags from "./install-config-flags.js";

const FILE = "install-config.yaml";

interface Made {
  readonly data: Uint8Array;
  /** What is left to do, for people. */
  readonly next: string;
}

export const runCreateInstallConfig: Handler = async (args, cli) => {
  const dir = args.get(common.dir);
  const reporter = createReporter();
  const release = await releaseOf(args.get(common.release), reporter.report);
  if (isTaken(dir, FILE)) reporter.report(alreadyThere(dir));
  const made = reporter.failed
    ? undefined
    : args.get(flags.fromStdin)
      ? await fromStdin(args, cli, release, reporter)
      : await fromAnswers(args, cli, release, reporter);
  let created = false;
  if (made !== undefined && !reporter.failed) {
    const written = await writeNewFile(dir, { path: FILE, data: made.data, secret: true });
    if (!written.ok) reporter.report(written.problem);
    else if (written.value === "exists") reporter.report(alreadyThere(dir));
    else created = true;
    if (created) dropAnswers(dir);
  }
  const ok = created && !reporter.diagnostics.some(isError);
  print(args, cli, {
    kind: "CreateResult",
    json: { dryRun: false, files: ok ? [{ path: FILE, status: "created" }] : [], nextSteps: [] },
    text: ok && made !== undefined ? `created  ${join(dir, FILE)}\n\n${made.next}` : "",
    diagnostics: reporter.diagnostics,
    outcome: { files: created ? [{ status: "created" }] : [] },
  });
  return ok ? EXIT.done : EXIT.wrong;
};

const alreadyThere = (dir: string): Problem =>
  problem("IC014", "Duplicate", "", "the file already exists and is never overwritten", {
    file: join(dir, FILE),
    hint: "edit the file, move it away, or specify another directory with --dir",
  });

/** The input as it is, when it can be read. */
async function fromStdin(
  args: Arguments,
  cli: CliContext,
  release: Release,
  { report }: Reporter,
): Promise<Made | undefined> {
  const content = [
    flags.platform,
    flags.name,
    flags.baseDomain,
    flags.machineNetwork,
    ...flags.PLATFORM_FLAGS.values(),
    common.pullSecret,
    common.sshKey,
  ];
  const besides = content.filter((flag) => args.given(flag)).map((flag) => `--${flag.name}`);
  if (besides.length > 0)
    throw new UsageError(`--from-stdin stores its input unchanged; remove ${besides.join(", ")}`);
  const data = await cli.stdin.bytes();
  const { text, problem } = decodeText(data, "<stdin>");
  if (problem !== undefined) report(problem);
  if (text === undefined) return undefined;
  const read = readInstallConfig(text, "<stdin>", { release, lenient: args.get(common.lenient) }, report);
  return read === undefined ? undefined : { data, next: nextStep(args, []) };
}

/** A starter from flags, and on a terminal from what the user answers. */
async function fromAnswers(
  args: Arguments,
  cli: CliContext,
  release: Release,
  reporter: Reporter,
): Promise<Made | undefined> {
  const given = answersOf(
    [
      flags.platform,
      flags.name,
      flags.baseDomain,
      flags.machineNetwork,
      ...flags.PLATFORM_FLAGS.values(),
      common.pullSecret,
      common.sshKey,
    ],
    (flag) => args.get(flag),
  );
  const missing = missingIn(given);
  const dialogue = missing.length === 0 ? undefined : await cli.dialogue?.();
  if (dialogue === undefined) {
    if (missing.length > 0)
      throw new UsageError(
        `missing: ${missing.map((flag) => `--${flag}`).join(", ")} (on a terminal, slipway prompts for them)`,
      );
    return compose(given, args, cli, release, reporter);
  }
  try {
    const asking = new InstallConfigDialogue(dialogue, cli, args.get(common.dir), release, given, {
      pullSecret: (path) => firstFault((report) => readPullSecret(fileNamed(path), cli, report)),
      sshKey: (path) => firstFault((report) => readSshKey(fileNamed(path), cli, report)),
    });
    const answers = await asking.run();
    return answers === undefined ? undefined : await compose(answers, args, cli, release, reporter);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    dialogue.close();
    // As from a terminal that handles the key by itself, whatever the shell runs the command within. The signal ends
    // the process, at the latest when nothing else is done.
    process.kill(0, "SIGINT");
    await setTimeout(10_000);
    return undefined;
  } finally {
    dialogue.close();
  }
}

/** The flags without which there is no starter. */
function missingIn(given: Answers): readonly string[] {
  const platform = HANDLED_PLATFORMS.find((each) => each === given["platform"]);
  const own = platform === undefined ? [] : (starterOf(platform)?.questions ?? []);
  return [
    ...["platform", "name", "base-domain"],
    ...own.filter(({ required }) => required).map(({ flag }) => flag),
  ].filter((flag) => given[flag] === undefined);
}

/** A file as a person names it: no shell has put in the home directory. */
const fileNamed = (path: string | undefined): string | undefined =>
  path?.startsWith("~/") === true ? join(homedir(), path.slice(2)) : path;

/** What is wrong with a file that an answer names, as one line. */
function firstFault(read: (report: Reporter["report"]) => unknown): string | undefined {
  const reporter = createReporter();
  read(reporter.report);
  const fault = reporter.diagnostics.find(isError);
  return fault === undefined
    ? undefined
    : fault.hint === ""
      ? fault.message
      : `${fault.message}; ${fault.hint}`;
}

async function compose(
  given: Answers,
  args: Arguments,
  cli: CliContext,
  release: Release,
  reporter: Reporter,
): Promise<Made | undefined> {
  const platform = HANDLED_PLATFORMS.find((each) => each === given["platform"]);
  const { name, "base-domain": baseDomain, "machine-network": machineNetwork } = given;
  const starter = platform === undefined ? undefined : starterOf(platform);
  const answers = Object.fromEntries(
    (starter?.questions ?? []).flatMap(({ flag }) => {
      const answer = given[flag];
      return answer === undefined ? [] : [[flag, answer] as const];
    }),
  );
  refuseForeign(args, platform, Object.keys(answers));
  if (platform === undefined || starter === undefined || name === undefined || baseDomain === undefined)
    return undefined;
  const pullSecret = readPullSecret(fileNamed(given[PULL_SECRET]), cli, reporter.report);
  const keys = readSshKey(fileNamed(given[SSH_KEY]), cli, reporter.report);
  const sshKey = keys?.text;
  if (reporter.failed) return undefined;
  const { publish } = PLATFORMS[platform].traits;
  const input = { platform, publish, starter, name, baseDomain, machineNetwork, answers, pullSecret, sshKey };
  // What the user has yet to fill in is no fault of the answers, and must not keep the rules from judging them.
  await judge(
    filledStarter(input),
    release,
    { withPullSecret: pullSecret !== undefined, keys },
    reporter.report,
  );
  const left = [
    ...(pullSecret === undefined ? ["pullSecret"] : []),
    ...(sshKey === undefined ? ["sshKey"] : []),
    ...(blanksOf(input).length === 0 ? [] : ["the values in angle brackets"]),
  ];
  return { data: textFile(FILE, starterText(input)).data, next: nextStep(args, left) };
}

function nextStep(args: Arguments, left: readonly string[]): string {
  const dir = args.get(common.dir);
  const fill = left.length === 0 ? "" : `Fill in ${listed(left)}, then run`;
  const release = args.get(common.release);
  const target = release === undefined ? "" : ` --release ${shellWord(release)}`;
  return `${fill === "" ? "Next:" : fill}\n  slipway create manifests --dir ${pathWord(dir)}${target}\n`;
}

const listed = (names: readonly string[]): string =>
  names.length < 3 ? names.join(" and ") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** Flags of another platform than the chosen one. */
function refuseForeign(args: Arguments, platform: PlatformName | undefined, own: readonly string[]): void {
  for (const [flag, each] of flags.PLATFORM_FLAGS)
    if (args.given(each) && !own.includes(flag))
      throw new UsageError(`--${flag} is not supported on platform ${platform}`);
}

/** The text of a pull secret file on one line; a fault is reported, the content never shown. */
function readPullSecret(
  file: string | undefined,
  cli: CliContext,
  report: Reporter["report"],
): string | undefined {
  const text = file === undefined ? undefined : readText(file, cli, report)?.trimEnd();
  if (file === undefined || text === undefined) return undefined;
  if (isSealed(file, encode(text)))
    return void report(
      problem(
        "SOPS002",
        "NotSupported",
        "",
        "the file is encrypted, and its content would be stored unencrypted in the install-config",
        { file, hint: "set the flag on each create command instead; create decrypts the file" },
      ),
    );
  const faults =
    text === ""
      ? [
          {
            severity: "error",
            message: "the file is empty",
            hint: "save the pull secret to the file",
          } as const,
        ]
      : pullSecretFaults(text, "file");
  for (const { at = 0, ...fault } of faults)
    report({
      code: "IC004",
      kind: "Invalid",
      file,
      ...placeAt(text, at),
      field: "pullSecret",
      ...fault,
    });
  if (faults.some(({ severity }) => severity === "error")) return undefined;
  const content = text.trimStart();
  return /[\n\r]/.test(content) ? JSON.stringify(JSON.parse(content)) : content;
}

interface GivenKeys {
  readonly file: string;
  /** The keys, one a line. */
  readonly text: string;
  /** Where each of them stands in the file, from 1. */
  readonly lines: readonly number[];
}

function readSshKey(
  file: string | undefined,
  cli: CliContext,
  report: Reporter["report"],
): GivenKeys | undefined {
  const text = file === undefined ? undefined : readText(file, cli, report);
  if (file === undefined || text === undefined) return undefined;
  const keys = text
    .split(/\r?\n/)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "" && !line.startsWith("#"));
  const refuse = (message: string, hint: string, at = 0): undefined =>
    void report(problem("IC013", "Invalid", "sshKey", message, { file, ...placeAt(text, at), hint }));
  const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.exec(text);
  if (privateKey !== null)
    return refuse(
      "contains a private key",
      "specify the public key file, which ends in .pub",
      privateKey.index,
    );
  if (keys.length === 0) return refuse("contains no SSH key", "specify a file that contains a public key");
  return {
    file,
    text: keys.map(({ line }) => line.trim()).join("\n"),
    lines: keys.map(({ number }) => number),
  };
}

function readText(file: string, cli: CliContext, report: Reporter["report"]): string | undefined {
  const named = readNamed(file, cli.cwd, report);
  if (named === undefined) return undefined;
  const { text, problem } = decodeText(named.data, file);
  if (problem !== undefined) report(problem);
  return text;
}

/** Reports what is wrong with the answers, by field, and with the keys in their file; the file made here is not there yet. */
async function judge(
  text: string,
  release: Release,
  { withPullSecret, keys }: { readonly withPullSecret: boolean; readonly keys: GivenKeys | undefined },
  report: Reporter["report"],
): Promise<void> {
  const tell = ({ line = 0, column: _column, file: _file, ...problem }: Problem): void => {
    if (problem.field === "pullSecret" && !withPullSecret) return;
    if ((problem.severity ?? "error") === "info") return;
    report(
      problem.field === "sshKey" && keys !== undefined
        ? { ...problem, file: keys.file, line: keys.lines[line - 1] ?? 0, column: line > 0 ? 1 : 0 }
        : problem,
    );
  };
  const read = readInstallConfig(text, FILE, { release, lenient: false }, tell);
  if (read === undefined) return;
  // A place in the keys is a place in their file, and none in the text around them.
  const given: ReadConfig =
    keys === undefined
      ? read
      : {
          ...read,
          isReplaced: (field) => field === "sshKey",
          position: (field) =>
            field === "sshKey" ? { file: keys.file, line: 0, column: 0 } : read.position(field),
        };
  compileInstallConfig(given, { release, platform: await loadPlatform(read.config) }, tell);
}
