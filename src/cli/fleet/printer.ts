/** What `--fleet` prints: a line a cluster and a summary, or JSON lines. */
import { join } from "node:path";
import { API_VERSION } from "../../core/api-version.js";
import { counted } from "../../core/counted.js";
import { type Diagnostic, documented, formatDiagnostic, isError } from "../../core/diagnostics.js";
import type { FleetCluster } from "../../fleet/read.js";
import type { CliContext } from "../cli-context.js";
import { checkedFiles, closingLine } from "../closing.js";
import { excludeNotes } from "../exclude-notes.js";
import { EXIT, type ExitCode, lackSecrets } from "../exit.js";
import { printDiagnostics } from "../print.js";
import { progressBar } from "../progress.js";
import type { FleetAnswer, FleetCommand, FleetResult } from "./message.js";

/** What becomes of the answers, in the order of the fleet. */
export interface Printer {
  /** So many clusters will come. */
  begin(total: number): void;
  answer(cluster: FleetCluster, answer: FleetAnswer): void;
  /** Waits now and then, so that others get their turn. */
  pause(done: number): Promise<void>;
  /** The answers so far are all that there will be. */
  interrupted(exits: readonly ExitCode[]): void;
  /** The exit code of the whole. */
  end(exits: readonly ExitCode[], problems: readonly Diagnostic[]): ExitCode;
}

/** The worst of the answers: a bug, a wrong input or command line, then "no". */
const worst = (exits: readonly ExitCode[]): ExitCode =>
  [EXIT.bug, EXIT.usage, EXIT.wrong, EXIT.no].find((each) => exits.includes(each)) ?? EXIT.done;

interface Counts {
  readonly clusters: number;
  readonly done: number;
  readonly no: number;
  readonly failed: number;
}

const countsOf = (exits: readonly ExitCode[]): Counts => {
  const done = exits.filter((each) => each === EXIT.done).length;
  const no = exits.filter((each) => each === EXIT.no).length;
  return { clusters: exits.length, done, no, failed: exits.length - done - no };
};

/** Without the key of the table's file a compile ends as that of one cluster does without its keys. */
function exitOf(
  command: FleetCommand,
  exits: readonly ExitCode[],
  problems: readonly Diagnostic[],
): ExitCode {
  if (!problems.some(isError)) return worst(exits);
  return command.startsWith("create") && lackSecrets(problems) ? EXIT.no : EXIT.wrong;
}

export function jsonPrinter(cli: CliContext, command: FleetCommand): Printer {
  const line = (kind: string, members: object): void =>
    cli.stdout.write(`${JSON.stringify({ apiVersion: API_VERSION, kind, ...members })}\n`);
  const summary = (exits: readonly ExitCode[], exit: ExitCode, diagnostics: readonly Diagnostic[]): void =>
    line("FleetSummary", {
      ok: exit === EXIT.done,
      ...countsOf(exits),
      exit,
      diagnostics: diagnostics.map(documented),
    });
  return {
    begin: () => undefined,
    answer: ({ name, directory }, { exit, result }) =>
      line("FleetClusterResult", {
        cluster: name,
        directory,
        ok: exit === EXIT.done,
        exit,
        result: { ...result, diagnostics: result.diagnostics.map(documented) },
      }),
    pause: async () => undefined,
    interrupted: (exits) => summary(exits, EXIT.interrupted, []),
    end(exits, problems) {
      const exit = exitOf(command, exits, problems);
      summary(exits, exit, problems);
      return exit;
    },
  };
}

/** Prints nothing: the findings of all clusters are one report. */
export function reportPrinter(command: FleetCommand): Printer {
  return {
    begin: () => undefined,
    answer: () => undefined,
    pause: async () => undefined,
    interrupted: () => undefined,
    end: (exits, problems) => exitOf(command, exits, problems),
  };
}

/** @param writes whether the files that differ were written */
export function textPrinter(cli: CliContext, command: FleetCommand, writes: boolean): Printer {
  const { stdout, stderr } = cli;
  /** Of all clusters: what the closing line counts. */
  const all: Diagnostic[] = [];
  const files: { readonly status: string }[] = [];
  let total = 0;
  let finished = 0;
  const bar = progressBar(stderr, "clusters", () => finished / Math.max(1, total));
  /** What is no error comes once for all clusters that it is about. */
  const repeated = new Map<string, { readonly first: string; readonly each: Diagnostic; count: number }>();
  /** What changed in lists of what Git passes over, by list. */
  const excluded = new Map<string, { readonly added: Set<string>; readonly removed: Set<string> }>();
  return {
    begin: (count) => {
      total = count;
    },
    answer({ name, directory }, { exit, result }) {
      const { diagnostics, diff, gitExclude } = result;
      all.push(...diagnostics);
      // A run of create that fails puts back what it was given.
      if (exit === EXIT.done || !command.startsWith("create")) files.push(...(result.files ?? []));
      if (gitExclude !== undefined) {
        const file = join(directory, gitExclude.file);
        const known = excluded.get(file) ?? { added: new Set(), removed: new Set() };
        for (const line of gitExclude.added) known.added.add(line);
        for (const line of gitExclude.removed) known.removed.add(line);
        excluded.set(file, known);
      }
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      for (const each of diagnostics) {
        if (each.severity === "error") continue;
        const known = repeated.get(each.code);
        if (known === undefined) repeated.set(each.code, { first: name, each, count: 1 });
        else known.count++;
      }
      if (stderr.isTerminal && exit === EXIT.done) return;
      bar.done();
      for (const each of errors) printDiagnostics([inCluster(name, each)], stderr);
      if (diff !== undefined) stdout.write(diff);
      stdout.write(`${WORDS[exit].padEnd(7)} ${name}: ${told(result, errors.length, writes)}\n`);
    },
    async pause(done) {
      finished = done;
      await bar.pause();
    },
    interrupted: () => bar.done(),
    end(exits, problems) {
      bar.done();
      for (const { first, each, count } of repeated.values()) {
        const more = count === 1 ? "" : ` (${count - 1} more ${each.code})`;
        stderr.write(`${formatDiagnostic(inCluster(first, each))}${more}\n`);
      }
      printDiagnostics(problems, stderr);
      const exit = exitOf(command, exits, problems);
      const close = (): void => {
        const found = [...problems, ...all];
        const outcome = command.startsWith("create")
          ? { files, dry: !writes }
          : command === "check"
            ? checkedFiles({ files, clean: !exits.includes(EXIT.no) })
            : found.every(({ severity }) => severity === "info")
              ? "no problems found"
              : undefined;
        // Only a fault in writing may leave a cluster with some of its files.
        const line = closingLine(
          found,
          outcome,
          found.some(({ code }) => code === "DIR002"),
        );
        if (line !== "") cli.log.warn(line);
      };
      if (problems.some(isError)) {
        close();
        return exit;
      }
      for (const [file, { added, removed }] of excluded)
        for (const { note } of excludeNotes({ file, added: [...added], removed: [...removed] }, !writes))
          stdout.write(`${note}\n`);
      const { clusters, done, no, failed } = countsOf(exits);
      const parts = [
        `${done} ok`,
        ...(no > 0 ? [`${no} no`] : []),
        ...(failed > 0 ? [`${failed} failed`] : []),
      ];
      stdout.write(`${counted(clusters, "cluster")}: ${parts.join(", ")}\n`);
      close();
      return exit;
    },
  };
}

const WORDS: Readonly<Record<ExitCode, string>> = {
  0: "ok",
  1: "failed",
  2: "failed",
  3: "no",
  70: "failed",
  130: "failed",
};

const inCluster = (name: string, each: Diagnostic): Diagnostic => ({
  ...each,
  file: each.file === "" ? name : `${name}: ${each.file}`,
});

const SAME: readonly string[] = ["unchanged", "kept", "untouched", "unverifiable"];

/** What came out for one cluster, in a few words. */
function told({ files }: FleetResult, errors: number, writes: boolean): string {
  if (errors > 0) return counted(errors, "error");
  if (files === undefined) return "no errors";
  if (files.length === 0) return "no generated files";
  const differing = files.filter(({ status }) => !SAME.includes(status)).length;
  const verb = writes ? "changed" : differing === 1 ? "differs" : "differ";
  const unknown = files.filter(({ status }) => status === "unverifiable").length;
  const rest = unknown === 0 ? "" : `, ${unknown} cannot be verified without the secrets`;
  return `${differing} of ${counted(files.length, "file")} ${verb}${rest}`;
}
