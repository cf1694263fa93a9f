/** What a command found, judged by a baseline and kept for the report that reviewers read. */
import { existsSync } from "node:fs";
import { isAbsolute, join, normalize, resolve } from "node:path";
import type { Diagnostic } from "../../core/diagnostics.js";
import { EXIT, type ExitCode } from "../exit.js";
import { type AcceptedFinding, type Baseline, hasFailing } from "./baseline.js";
import { type Finding, findingOf, isAtLeast } from "./finding.js";

/** The least severity by which a command fails. */
export type Failing = "error" | "warning";

export interface Reviewed {
  readonly kept: readonly Finding[];
  readonly accepted: readonly AcceptedFinding[];
  /** The exit code, where nothing that counts is left. */
  settle(code: ExitCode): ExitCode;
}

export class Review {
  private readonly keptFindings: Finding[] = [];
  private readonly acceptedFindings: AcceptedFinding[] = [];
  private fails: Failing = "error";
  /** The exit code that the command gives is settled already, as for a fleet. */
  isSettled = false;

  /** @param cwd the folder that relative paths start from */
  constructor(
    private readonly cwd: string,
    private readonly folder: string | undefined,
    private readonly baseline: Baseline | undefined,
  ) {}

  get hasBaseline(): boolean {
    return this.baseline !== undefined;
  }

  /** @param folder of what was found, where it is not the command's own */
  add(findings: readonly Finding[], fails: Failing = "error", folder = this.folder): Reviewed {
    const kept: Finding[] = [];
    const accepted: AcceptedFinding[] = [];
    for (const each of findings) {
      const path = this.pathOf(each.file, folder);
      const by = this.baseline?.accepting(each, path);
      const located = { ...each, file: path };
      if (by === undefined) {
        kept.push(each);
        this.keptFindings.push(located);
      } else {
        accepted.push({ finding: each, by });
        this.acceptedFindings.push({ finding: located, by });
      }
    }
    this.fails = fails;
    return { kept, accepted, settle: (code) => settled(code, kept, accepted, fails) };
  }

  /** What is to be said of the baseline after everything was added. */
  notes(): readonly Diagnostic[] {
    const notes = this.baseline?.notes ?? [];
    this.keptFindings.push(...notes.map(findingOf));
    return notes;
  }

  settle(code: ExitCode): ExitCode {
    return this.isSettled ? code : settled(code, this.keptFindings, this.acceptedFindings, this.fails);
  }

  get found(): {
    readonly kept: readonly Finding[];
    readonly accepted: readonly AcceptedFinding[];
    readonly fails: Failing;
  } {
    return { kept: this.keptFindings, accepted: this.acceptedFindings, fails: this.fails };
  }

  /** A file as it is named from the working folder: diagnostics name those of an asset directory from there. */
  private pathOf(file: string, folder: string | undefined): string {
    if (file === "" || file.startsWith("--") || file === "stdin" || isAbsolute(file)) return file;
    if (folder === undefined) return posix(normalize(file));
    const below = join(folder, file);
    const isBelow = existsSync(resolve(this.cwd, below)) || !existsSync(resolve(this.cwd, file));
    return posix(normalize(isBelow ? below : file));
  }
}

const posix = (path: string): string => path.replaceAll("\\", "/");

const settled = (
  code: ExitCode,
  kept: readonly Finding[],
  accepted: readonly AcceptedFinding[],
  fails: Failing,
): ExitCode =>
  (code === EXIT.wrong || code === EXIT.no) &&
  hasFailing(accepted, fails) &&
  // What a baseline says of itself is a warning, by which no command fails.
  !kept.some(({ severity, rule }) => isAtLeast(severity, fails) && !rule.startsWith("BASE"))
    ? EXIT.done
    : code;
