/**
 * The dialogue with a person, by @clack/prompts: on stderr, so that results stay apart. What is typed is shown only while a
 * question is open whose answer is no secret, and what was typed ahead waits for its question: a line that is pasted may
 * be the password of a later one. So the terminal is raw all along, and each question gets its own line of what arrives.
 */
import { PassThrough, Writable } from "node:stream";
import { closest } from "../text/closest.js";
import { terminalText } from "../text/terminal.js";
import type { ChoiceQuestion, Dialogue, TextQuestion } from "./cli-context.js";
import { InputEnded, Interrupted } from "./exit.js";
import type { OutStream } from "./streams.js";

/** Standard error as prompts draw on it. */
class Screen extends Writable {
  readonly isTTY = true;

  constructor(private readonly stderr: OutStream) {
    super();
  }

  get columns(): number {
    return this.stderr.columns || 80;
  }

  get rows(): number {
    return process.stderr.rows || 24;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.stderr.write(String(chunk));
    done();
  }
}

const INTERRUPT = "\u0003";
const END = "\u0004";
const ERASE_LINE = "\u0015";
/** Keys that end a line, or all of it. */
const ENDS: ReadonlySet<string> = new Set(["\r", "\n", INTERRUPT, END]);

/** The keys of a terminal, a line for each question. */
class Keys {
  private waiting = "";
  private open: PassThrough | undefined;
  /** What the open question has of its line. */
  private line = "";
  private onEnd: () => void = () => undefined;
  ended = false;

  constructor() {
    process.stdin.setEncoding("utf8");
    process.stdin.setRawMode(true);
    process.stdin.on("data", this.take);
    process.stdin.on("end", this.finish);
    process.stdin.resume();
  }

  /** The input of a question. */
  forQuestion(onEnd: () => void): PassThrough {
    this.open = new PassThrough({ encoding: "utf8" });
    this.line = "";
    this.onEnd = onEnd;
    const { open } = this;
    // Not before the question listens.
    setImmediate(() => {
      if (this.ended) onEnd();
      else if (open === this.open) this.feed();
    });
    return open;
  }

  close(): void {
    process.stdin.off("data", this.take);
    process.stdin.off("end", this.finish);
    process.stdin.setRawMode(false);
    process.stdin.pause();
  }

  private readonly take = (text: unknown): void => {
    this.waiting += String(text);
    this.feed();
  };

  private readonly finish = (): void => {
    this.ended = true;
    this.onEnd();
  };

  /** Gives the open question what waits, up to the key that ends its line. */
  private feed(): void {
    if (this.open === undefined || this.waiting === "") return;
    const { open } = this;
    const at = [...this.waiting].findIndex((key) => ENDS.has(key));
    const piece = at < 0 ? this.waiting : this.waiting.slice(0, at + 1);
    this.waiting = this.waiting.slice(piece.length);
    const last = at < 0 ? "" : piece.slice(-1);
    const line = this.line + (at < 0 ? piece : piece.slice(0, -1));
    this.line = line.slice(line.lastIndexOf(ERASE_LINE) + 1);
    // At the start of a line it ends the input; elsewhere it deletes, as in a shell.
    if (last === END && this.line === "") this.finish();
    else if (last === "" || last === END) {
      open.write(piece);
      if (last === END) this.feed();
    } else {
      this.open = undefined;
      open.write(last === "\n" ? `${piece.slice(0, -1)}\r` : piece);
      // An answer that is refused is asked for again, by the same question, with the answer to be edited.
      setImmediate(() => {
        if (open.listenerCount("keypress") === 0 || this.open !== undefined) return;
        this.open = open;
        this.feed();
      });
    }
  }
}

export async function openDialogue(stderr: OutStream): Promise<Dialogue> {
  const clack = await import("@clack/prompts");
  // A stray Escape must not throw answers away.
  clack.settings.aliases.delete("escape");
  const output = new Screen(stderr);
  const keys = new Keys();
  const asked = async (
    ask: (input: PassThrough, signal: AbortSignal) => Promise<string | symbol>,
  ): Promise<string> => {
    if (keys.ended) throw new InputEnded();
    const ending = new AbortController();
    const input = keys.forQuestion(() => ending.abort());
    const answer = await ask(input, ending.signal);
    if (typeof answer !== "symbol") return answer;
    if (ending.signal.aborted) throw new InputEnded();
    throw new Interrupted();
  };
  return {
    text: ({ message, check, secret = false, initial }: TextQuestion) =>
      asked((input, signal) => {
        const common = {
          message: terminalText(message),
          input,
          output,
          signal,
          validate: (value: string | undefined) => check((value ?? "").trim()),
        };
        return secret
          ? clack.password({ ...common, mask: "*" })
          : clack.text({ ...common, ...(initial === undefined ? {} : { initialValue: initial }) });
      }).then((answer) => answer.trim()),
    choose: ({ message, options, check, free = false, initial }: ChoiceQuestion) =>
      asked((input, signal) =>
        clack.autocomplete<string>({
          message: terminalText(message),
          input,
          output,
          signal,
          maxItems: 8,
          filter: () => true,
          options() {
            return offered(options, this.userInput ?? "", free);
          },
          ...(initial === undefined ? {} : { initialValue: initial }),
          validate: (value) => (typeof value === "string" ? check(value) : "choose one of the list"),
        }),
      ),
    note: (title, text) => clack.note(terminalText(text), terminalText(title), { output }),
    close: () => keys.close(),
  };
}

interface Option {
  readonly value: string;
  readonly label?: string;
  readonly hint?: string;
}

/** What of a list fits what is typed; what it resembles, where nothing does; and, where any text may be, the text. */
function offered(options: readonly Option[], typed: string, free: boolean): Option[] {
  const word = typed.trim().toLowerCase();
  if (word === "") return [...options];
  const rank = ({ value, label = "" }: Option): number => {
    const name = value.toLowerCase();
    if (name === word) return 0;
    if (name.startsWith(word)) return 1;
    return name.includes(word) || label.toLowerCase().includes(word) ? 2 : 3;
  };
  const fitting = options.filter((each) => rank(each) < 3).sort((a, b) => rank(a) - rank(b));
  const exact = fitting[0] !== undefined && rank(fitting[0]) === 0;
  const own = free && !exact ? [{ value: typed.trim(), hint: "as typed" }] : [];
  if (fitting.length > 0) return [...fitting, ...own];
  const like = closest(
    typed.trim(),
    options.map(({ value }) => value),
  );
  const meant = options
    .filter(({ value }) => value === like)
    .map((each) => ({ ...each, label: `${each.label ?? each.value} (did you mean this?)` }));
  return free ? [...own, ...meant] : meant;
}
