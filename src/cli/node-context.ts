/** The context of a real process. */
import { LARGEST_INPUT, systemCode, TooLarge } from "../directory/index.js";
import { systemInputs } from "../library/inputs.js";
import { terminalText } from "../text/terminal.js";
import type { CliContext, Log, LogLevel, Terminal } from "./cli-context.js";
import { UsageError } from "./exit.js";
import type { OutStream, Streams } from "./streams.js";

const LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];

export function nodeContext(
  streams: Streams,
  options: { logLevel: LogLevel; noColor: boolean },
  answer: CliContext["answer"],
): CliContext {
  const stderr = terminal(streams.stderr, options.noColor);
  return {
    stdout: terminal(streams.stdout, options.noColor),
    stderr,
    stdin: {
      isTerminal: process.stdin.isTTY === true,
      bytes: readStdin,
    },
    dialogue: mayAsk(streams.stderr)
      ? async () => (await import("./dialogue.js")).openDialogue(streams.stderr)
      : undefined,
    log: logger(stderr, options.logLevel),
    answer,
    cwd: process.cwd(),
    environment: {
      ageKey: process.env["SOPS_AGE_KEY"] || undefined,
      ageKeyFile: process.env["SOPS_AGE_KEY_FILE"] || undefined,
      keyPool: process.env["SLIPWAY_KEYS"] || undefined,
    },
    ...systemInputs(),
    clock: {
      now: clockOf(process.env["SOURCE_DATE_EPOCH"]),
      fixed: (process.env["SOURCE_DATE_EPOCH"] ?? "") !== "",
    },
  };
}

function terminal(stream: OutStream, noColor: boolean): Terminal {
  const { isTerminal } = stream;
  const colour =
    isTerminal && !noColor && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  return {
    isTerminal,
    get columns() {
      return stream.columns;
    },
    colour,
    write: (text) => stream.write(terminalText(text)),
    pass: (content) => stream.write(content),
  };
}

function logger(stderr: Terminal, level: LogLevel): Log {
  const threshold = LEVELS.indexOf(level);
  const at = (own: LogLevel) => (text: string) => {
    if (LEVELS.indexOf(own) <= threshold) stderr.write(`${text}\n`);
  };
  return { warn: at("warn"), info: at("info"), debug: at("debug") };
}

async function readStdin(): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of process.stdin) {
      parts.push(Buffer.from(part));
      size += part.length;
      if (size > LARGEST_INPUT) throw new TooLarge();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === "") throw error;
    const reason =
      error instanceof TooLarge ? "is endless or larger than 256 MiB" : `cannot be read (${code})`;
    throw new UsageError(`standard input ${reason}`);
  }
  return Buffer.concat(parts);
}

const mayAsk = (stderr: OutStream): boolean =>
  process.stdin.isTTY === true && stderr.isTerminal && (process.env["CI"] ?? "") === "";

/** `SOURCE_DATE_EPOCH` is a whole number of seconds since 1970 (reproducible-builds.org). */
function clockOf(epoch: string | undefined): () => Date {
  if (epoch === undefined || epoch === "") return () => new Date();
  const seconds = Number(epoch);
  if (!/^[0-9]{1,12}$/.test(epoch))
    throw new UsageError(
      `SOURCE_DATE_EPOCH: invalid value ${JSON.stringify(epoch)}: must be a whole number of seconds`,
    );
  return () => new Date(seconds * 1000);
}
