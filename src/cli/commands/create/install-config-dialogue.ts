/**
 * The dialogue of `slipway create install-config`: each answer is checked by the rules of install-configs when it is given,
 * and asked for again with the reason. What was answered is kept in the directory, but for secrets, until the file is written.
 */
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Problem, Severity } from "../../../core/diagnostics.js";
import type { Release } from "../../../core/release.js";
import { ANSWERS_FILE, keepAnswers, readAnswers } from "../../../directory/answers.js";
import { compileInstallConfig } from "../../../phases/install-config/index.js";
import { readInstallConfig } from "../../../phases/install-config/read.js";
import {
  DEFAULT_MACHINE_NETWORK,
  filledStarter,
  type StarterInput,
} from "../../../phases/install-config/starter.js";
import type { PlatformName } from "../../../platforms/config.js";
import type { PlatformModule } from "../../../platforms/platform.js";
import { HANDLED_PLATFORMS, loadPlatform, PLATFORMS, starterOf } from "../../../platforms/registry.js";
import { isSecretName } from "../../../text/redact.js";
import { pathWord, wordIn } from "../../../text/shell.js";
import type { CliContext, Dialogue } from "../../cli-context.js";
import { InputEnded, Interrupted } from "../../exit.js";
import type { Flag } from "../../flags.js";

/** Answers by the name of the flag that gives the same. */
export type Answers = Readonly<Record<string, string>>;

/** What reads the files that answers name; a text is what is wrong with one. */
export interface FileChecks {
  pullSecret(path: string): string | undefined;
  sshKey(path: string): string | undefined;
}

interface Question {
  readonly flag: string;
  readonly message: string;
  readonly secret: boolean;
  /** What an empty answer means; undefined where an answer is required. */
  readonly empty: string | undefined;
  readonly options: readonly { readonly value: string; readonly label?: string; readonly hint?: string }[];
  /** Only the list counts. */
  readonly closed?: true;
  check(answer: string): string | undefined;
}

interface Fault {
  readonly severity: Severity;
  readonly key: string;
  /** Something else has to be there. */
  readonly isMissing: boolean;
  readonly text: string;
}

export const PULL_SECRET = "pull-secret";
export const SSH_KEY = "ssh-key";
/** Stands for an optional answer that is left empty. */
const NONE = "";

/** What a person reads who leaves the dialogue. */
export const keptText = (dir: string): string =>
  `\nYour answers, except secrets, are kept in ${wordIn(dir, ANSWERS_FILE)}. To continue, run:\n  slipway create install-config --dir ${pathWord(dir)}\n`;

export class InstallConfigDialogue {
  private readonly answers: Record<string, string> = {};
  private module: PlatformModule | undefined;

  constructor(
    private readonly dialogue: Dialogue,
    private readonly cli: CliContext,
    private readonly dir: string,
    private readonly release: Release,
    /** Flags of the command line, which are not asked for. */
    private readonly given: Answers,
    private readonly files: FileChecks,
  ) {}

  /** Asks all that the flags leave open, and shows it for a last look. Undefined where the person wants no file yet. */
  async run(): Promise<Answers | undefined> {
    const kept = readAnswers(this.dir);
    if (Object.keys(kept).length > 0)
      this.dialogue.note(
        "Continued",
        `Your answers of the last time are used: ${Object.keys(kept).join(", ")}.\nYou can change each before the file is written.`,
      );
    try {
      await this.askAll(kept);
      for (;;) {
        const next = await this.review();
        if (next === "write") {
          const faults = this.faults(this.all()).filter(({ severity }) => severity === "error");
          if (faults.length === 0) return this.all();
          this.dialogue.note("Not yet", faults.map(({ text }) => text).join("\n"));
          continue;
        }
        if (next === "quit") return void (await this.leave());
        await this.ask(next, undefined);
        if (next === "platform") await this.askAll(this.answers);
      }
    } catch (error) {
      if (error instanceof InputEnded || error instanceof Interrupted) await this.leave();
      throw error;
    }
  }

  private all(): Answers {
    const all = { ...this.answers, ...this.given };
    return Object.fromEntries(Object.entries(all).filter(([, answer]) => answer !== NONE));
  }

  private async askAll(kept: Answers): Promise<void> {
    // The questions of a platform follow from the first answer.
    for (const flag of ["platform"]) await this.ask(flag, kept[flag]);
    for (const { flag } of this.questions()) if (flag !== "platform") await this.ask(flag, kept[flag]);
  }

  private platform(): PlatformName | undefined {
    const name = this.given["platform"] ?? this.answers["platform"];
    return HANDLED_PLATFORMS.find((each) => each === name);
  }

  /** Asks one question, unless a flag or a kept answer that is still accepted has answered it. */
  private async ask(flag: string, kept: string | undefined): Promise<void> {
    if (flag === "platform" && this.given["platform"] !== undefined) await this.loadModule();
    const question = this.questions().find((each) => each.flag === flag);
    if (question === undefined || this.given[flag] !== undefined) return;
    const isAnswered =
      kept !== undefined &&
      !question.secret &&
      (kept === NONE ? question.empty !== undefined : question.check(kept) === undefined);
    this.answers[flag] = isAnswered ? kept : await this.answer(question, kept ?? this.answers[flag]);
    if (flag === "platform") await this.loadModule();
    const answer = this.answers[flag];
    const doubts =
      isAnswered || answer === NONE || answer === undefined || question.options.length > 0
        ? []
        : this.foundBy(flag, answer).filter(({ severity }) => severity === "warning");
    if (doubts.length > 0) this.dialogue.note("Warning", doubts.map(({ text }) => text).join("\n"));
    await keepAnswers(this.dir, this.open());
  }

  private async loadModule(): Promise<void> {
    const name = this.platform();
    this.module = name === undefined ? undefined : await loadPlatform({ platform: { [name]: {} } });
  }

  private async answer(question: Question, initial: string | undefined): Promise<string> {
    const { message, options, closed, empty, secret } = question;
    const check = (answer: string): string | undefined => {
      if (answer !== "") return question.check(answer);
      return empty === undefined ? "an answer is required" : undefined;
    };
    const full = empty === undefined || options.length > 0 ? message : `${message} (empty: ${empty})`;
    const edited = initial === undefined || secret ? {} : { initial };
    if (options.length === 0) return this.dialogue.text({ message: full, check, secret, ...edited });
    const none = empty === undefined ? [] : [{ value: NONE, label: `(${empty})` }];
    return this.dialogue.choose({
      message: full,
      options: [...options, ...none],
      check,
      ...(closed === true ? {} : { free: true }),
      ...edited,
    });
  }

  /** The questions of the platform that is chosen, and before that the first of all. */
  private questions(): readonly Question[] {
    const platform: Question = {
      flag: "platform",
      message: "Platform",
      secret: false,
      empty: undefined,
      options: HANDLED_PLATFORMS.map((name) => ({ value: name, hint: starterOf(name)?.about ?? "" })),
      closed: true,
      check: () => undefined,
    };
    const name = this.platform();
    const starter = name === undefined ? undefined : starterOf(name);
    if (name === undefined || starter === undefined) return [platform];
    const text = (flag: string, message: string, empty?: string): Question => ({
      flag,
      message,
      secret: isSecretName(flag),
      empty,
      options: [],
      check: (answer) => this.faultOf(flag, answer),
    });
    return [
      platform,
      text("name", "Name of the cluster"),
      text("base-domain", "Base domain"),
      text("machine-network", "Network of the machines", starter.machineNetwork ?? DEFAULT_MACHINE_NETWORK),
      ...starter.questions.map(({ flag, question, required, empty, choices }) => ({
        ...text(flag, question, required ? undefined : (empty ?? "none")),
        options: (choices?.(this.all()) ?? []).map((value) => ({ value })),
      })),
      {
        ...text(
          PULL_SECRET,
          "Pull secret: a file (https://console.redhat.com/openshift/install/pull-secret)",
        ),
        secret: false,
        empty: "later, with --pull-secret FILE",
        options: filesIn([this.cli.cwd, homedir(), join(homedir(), "Downloads")], /pull-?secret/i),
        check: (answer) => this.files.pullSecret(answer),
      },
      {
        ...text(SSH_KEY, "SSH public key: a file"),
        secret: false,
        empty: "later, with --ssh-key FILE",
        options: filesIn([join(homedir(), ".ssh")], /\.pub$/),
        check: (answer) => this.files.sshKey(answer),
      },
    ];
  }

  /** What the rules find once there is this answer, and did not before. */
  private foundBy(flag: string, answer: string): readonly Fault[] {
    const before = new Set(this.faults({ ...this.all(), [flag]: "" }).map(({ key }) => key));
    const found = this.faults({ ...this.all(), [flag]: answer }).filter(({ key }) => !before.has(key));
    const own = found.filter(({ isMissing }) => !isMissing);
    if (own.length === found.length) return own;
    // What another answer has to add is none of this one's faults, and must not hide them.
    return this.faults({ ...this.examples(), ...this.all(), [flag]: answer }).filter(
      ({ isMissing, text }) => !isMissing && text.includes(answer),
    );
  }

  private faultOf(flag: string, answer: string): string | undefined {
    return this.foundBy(flag, answer).find(({ severity }) => severity === "error")?.text;
  }

  /** Answers to the questions of the platform that are still open. */
  private examples(): Answers {
    const name = this.platform();
    const questions = name === undefined ? [] : (starterOf(name)?.questions ?? []);
    return Object.fromEntries(
      questions.flatMap(({ flag, example }) => (example === undefined ? [] : [[flag, example] as const])),
    );
  }

  private faults(answers: Answers): readonly Fault[] {
    const name = this.platform();
    const starter = name === undefined ? undefined : starterOf(name);
    if (name === undefined || starter === undefined) return [];
    const own = Object.fromEntries(
      starter.questions.flatMap(({ flag, required, example }) => {
        const answer = answers[flag] ?? "";
        if (answer !== "") return [[flag, answer] as const];
        return required ? [[flag, example ?? "example"] as const] : [];
      }),
    );
    const input: StarterInput = {
      platform: name,
      publish: PLATFORMS[name].traits.publish,
      starter,
      name: answers["name"] || "example",
      baseDomain: answers["base-domain"] || "example.com",
      machineNetwork: answers["machine-network"] || undefined,
      answers: own,
      pullSecret: '{"auths":{"registry.example.com":{"auth":"dXNlcjpwYXNz"}}}',
      sshKey: undefined,
    };
    const problems: Problem[] = [];
    const read = readInstallConfig(
      filledStarter(input),
      "install-config.yaml",
      { release: this.release, lenient: false },
      (each) => problems.push(each),
    );
    if (read !== undefined)
      compileInstallConfig(read, { release: this.release, platform: this.module }, (each) =>
        problems.push(each),
      );
    return problems.map(({ code, kind, severity = "error", field = "", message, hint = "" }) => ({
      severity,
      isMissing: kind === "Required",
      key: `${code} ${field} ${message}`,
      text: hint === "" ? message : `${message}; ${hint}`,
    }));
  }

  /** The answers on one screen. */
  private async review(): Promise<string> {
    const open = this.questions().filter(({ flag }) => this.given[flag] === undefined);
    const shown = ({ flag, secret, empty }: Question): string => {
      const answer = this.answers[flag] ?? NONE;
      if (answer === NONE) return `(${empty ?? ""})`;
      return secret ? "****" : answer;
    };
    const width = Math.max(...open.map(({ flag }) => flag.length));
    const lines = open.map((each) => `${each.flag.padEnd(width)}  ${shown(each)}`);
    this.dialogue.note("Review", lines.join("\n"));
    return this.dialogue.choose({
      message: "All right?",
      options: [
        { value: "write", label: `write ${wordIn(this.dir, "install-config.yaml")}` },
        ...open.map(({ flag }) => ({ value: flag, label: `change ${flag}` })),
        { value: "quit", label: "stop, and keep the answers" },
      ],
      check: () => undefined,
    });
  }

  /** What is kept: every answer but the secrets. */
  private open(): Answers {
    return Object.fromEntries(
      Object.entries(this.answers).filter(([flag]) => !isSecretName(flag) || flag === PULL_SECRET),
    );
  }

  private async leave(): Promise<void> {
    const kept = this.open();
    if (Object.keys(kept).length === 0 || !(await keepAnswers(this.dir, kept))) return;
    this.cli.stderr.write(keptText(this.dir));
  }
}

/** Files that a name suggests, for a list. */
function filesIn(folders: readonly string[], pattern: RegExp): readonly { readonly value: string }[] {
  return [...new Set(folders)].flatMap((folder) => {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((each) => each.isFile() && pattern.test(each.name))
        .map(({ name }) => ({ value: join(folder, name) }))
        .slice(0, 20);
    } catch {
      return [];
    }
  });
}

/** The flags that a person may be asked for, by name. */
export const answersOf = (
  flags: readonly Flag<string | undefined>[],
  get: (flag: Flag<string | undefined>) => string | undefined,
): Answers =>
  Object.fromEntries(
    flags.flatMap((flag) => {
      const value = get(flag);
      return value === undefined ? [] : [[flag.name, value] as const];
    }),
  );
