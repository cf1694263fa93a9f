import { statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { createReporter, isError, type Problem } from "../../../core/diagnostics.js";
import { equalBytes, type OutputFile } from "../../../core/files.js";
import { info, problem } from "../../../core/problem.js";
import { formatMoment } from "../../../core/time.js";
import { acquireLock, INSTALL_CONFIG, type Lock, summed, writeFiles } from "../../../directory/index.js";
import { entriesOf, lookAt } from "../../../directory/look.js";
import { isTemporaryName } from "../../../directory/temporary.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { isSealed, isTorn, open, tornProblem } from "../../../sops/file.js";
import { type KeyUpdate, updateKeys } from "../../../sops/update-keys.js";
import { pathWord, shellWord } from "../../../text/shell.js";
import { identitiesOf, sealingFor } from "../../age.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { clustersOf, inputsOf } from "../../fleet/table.js";
import { readNamed } from "../../input-files.js";
import { print } from "../../print.js";
import { fleet } from "../init/flags.js";

interface Updated {
  /** From where the user is. */
  readonly path: string;
  readonly update: KeyUpdate & { readonly data: Uint8Array };
}

/**
 * `slipway secrets update-keys`: every file is computed first; nothing is written if one of them cannot be updated. All
 * are staged before the first is replaced, and no other run works in a directory meanwhile.
 */
export const runUpdateKeys: Handler = async (args, cli) => {
  const locks: Lock[] = [];
  try {
    return await updateAll(args, cli, locks);
  } finally {
    for (const lock of locks) lock.release();
  }
};

async function updateAll(args: Arguments, cli: CliContext, locks: Lock[]): Promise<ExitCode> {
  const reporter = createReporter();
  const { report } = reporter;
  const identities = identitiesOf(args, cli, report);
  const list = args.get(fleet);
  if (list === undefined && args.given(fleet)) throw new UsageError("--fleet requires a file");
  const clusters =
    list === undefined
      ? [{ directory: args.get(FLAGS.dir), flags: {} }]
      : ((await clustersOf(args, cli, report)) ?? []);
  const paths = new Set(list === undefined ? [] : [list]);
  for (const { directory } of clusters) {
    const folder = resolve(cli.cwd, directory);
    if (lookAt(folder)?.isDirectory() !== true) continue;
    const lock = await acquireLock(folder);
    if (lock.ok) locks.push(lock.value);
    else report(lock.problem);
  }
  for (const cluster of clusters) {
    for (const path of filesBelow(resolve(cli.cwd, cluster.directory))) paths.add(relative(cli.cwd, path));
    for (const path of (await inputsOf(cluster, cli)) ?? [])
      paths.add(relative(cli.cwd, resolve(cli.cwd, path)));
  }
  const updated: Updated[] = [];
  let same = 0;
  const closed: Problem[] = [];
  for (const path of paths) {
    if (lookAt(resolve(cli.cwd, path))?.isFile() !== true) continue;
    const file = readNamed(path, cli.cwd, report);
    if (file === undefined) continue;
    if (!isSealed(path, file.data)) {
      // Skipped, it would keep the former recipients without a word.
      if (Buffer.from(file.data).includes("ENC[") && isTorn(path, file.data))
        report(tornProblem({ path, word: pathWord(path), isInput: basename(path) === INSTALL_CONFIG }));
      continue;
    }
    const opened = await open(path, file.data, identities, (each) => void closed.push(each));
    const target = sealingFor(dirname(path), args.get(FLAGS.ageRecipients), cli).recipientsOf(basename(path));
    if (!("recipients" in target)) report(target);
    if (opened === undefined || !("recipients" in target)) continue;
    const update = await updateKeys({
      path,
      data: file.data,
      opened,
      recipients: target.recipients,
      now: formatMoment(cli.clock.now().getTime()),
      random: cli.random,
    });
    if (update === undefined) same++;
    else if (update.data === undefined) report(refusedProblem(path, update));
    else updated.push({ path, update: { ...update, data: update.data } });
  }
  summed(closed).forEach(report);
  if (paths.size > 0 && !reporter.failed && updated.length + same === 0)
    report(info("SOPS004", "NotFound", "", "no encrypted files", { file: list ?? args.get(FLAGS.dir) }));
  const failed = reporter.failed || updated.length === 0 ? undefined : await writeAll(updated, cli.cwd);
  if (failed !== undefined) report(failed);
  const written =
    failed === undefined
      ? reporter.failed
        ? []
        : updated
      : updated.filter(({ path, update }) => {
          const file = readNamed(path, cli.cwd, () => undefined);
          return file !== undefined && equalBytes(file.data, update.data);
        });
  const removed = [...new Set(written.flatMap(({ update }) => update.removed))];
  if (removed.length > 0) report(removedNote(removed));
  const ok = !reporter.diagnostics.some(isError);
  const files = written.map(({ path, update: { added, removed: gone } }) => ({
    path,
    status: "updated",
    added,
    removed: gone,
  }));
  print(args, cli, {
    kind: "UpdateKeysResult",
    json: { files, unchanged: same },
    text: files.map(line).join("\n"),
    diagnostics: reporter.diagnostics,
    outcome: { files: [...files, ...Array.from({ length: same }, () => ({ status: "unchanged" }))] },
  });
  return ok ? EXIT.done : EXIT.wrong;
}

/** All files in one write: what cannot be staged leaves every file as it is. */
async function writeAll(updated: readonly Updated[], cwd: string): Promise<Problem | undefined> {
  const paths = updated.map(({ path }) => resolve(cwd, path));
  const root = commonFolder(paths);
  const files = updated.map(({ update }, i): OutputFile => {
    const path = paths[i] ?? "";
    const secret = (statSync(path).mode & 0o077) === 0;
    return { path: relative(root, path).split(sep).join("/"), data: update.data, secret };
  });
  const done = await writeFiles(root, files, { replace: true });
  return done.ok ? undefined : done.problem;
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? ".");
  const isBelow = (path: string): boolean =>
    path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
  while (dirname(folder) !== folder && !paths.every(isBelow)) folder = dirname(folder);
  return folder;
}

const line = ({
  path,
  added,
  removed,
}: {
  readonly path: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}): string =>
  [
    `updated  ${path}:`,
    ...added.map((each) => `added ${each}`),
    ...removed.map((each) => `removed ${each}`),
  ].join(" ");

/** What no command can undo. */
const removedNote = (removed: readonly string[]): Problem =>
  info(
    "SOPS004",
    "Invalid",
    "",
    `${removed.join(", ")} had access to the old values, and Git keeps them; new values are safe, old ones are not`,
    {
      hint: "replace the pull secret and the cloud credentials, change the kubeadmin password of installed clusters, and rotate their certificates",
    },
  );

/** A file that cannot be updated, with the command of sops that can. */
export function refusedProblem(path: string, { refused, added, removed }: KeyUpdate): Problem {
  const rotate = [
    "sops rotate --in-place",
    ...added.map((each) => `--add-age ${shellWord(each)}`),
    ...removed.map((each) => `--rm-age ${shellWord(each)}`),
    pathWord(path),
  ].join(" ");
  const why = {
    keys: "keys of other kinds also decrypt the file, and slipway cannot encrypt a new data key for them",
    recipient: "a recipient is invalid",
    layout: "the file is not laid out as sops writes it",
  }[refused ?? "recipient"];
  return problem("SOPS004", "NotSupported", "", `the recipients cannot be updated: ${why}`, {
    file: path,
    hint: refused === "recipient" ? "use the output of age-keygen -y: age1…" : `run: ${rotate}`,
  });
}

/** Every regular file of an asset directory; links and repositories are left out. */
const filesBelow = (folder: string): readonly string[] =>
  entriesOf(folder)
    .filter(({ name }) => name !== ".git" && !isTemporaryName(name))
    .flatMap((each) => {
      const path = join(folder, each.name);
      return each.isDirectory() ? filesBelow(path) : each.isFile() ? [path] : [];
    });
