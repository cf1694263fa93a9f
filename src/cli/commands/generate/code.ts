/** How a table becomes a file: for every `generate` command that writes code from an input. */
import { basename, dirname, extname } from "node:path";
import type { Reporter } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import { updateDeclaration } from "../../../generators/declaration.js";
import type { Declarations } from "../../../generators/declarations.js";
import type { CliContext } from "../../cli-context.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { refuseBeside } from "../../idle-flags.js";
import { readNamed, textOf as textOfNamed } from "../../input-files.js";
import { print } from "../../print.js";
import { printStream, refuseTwoOutputs, STDOUT } from "../../stdout-file.js";
import { TABLE_REQUIRED } from "../compat/flags.js";
import { generated } from "./files.js";
import { check, declaration, goPackage, input, into, lang, outFile } from "./flags.js";

/** What a generator makes of its input. */
export interface TableCode {
  /** The whole file, where one is written. */
  readonly module: () => string | Promise<string>;
  /** What declarations in hand-written TypeScript are given; Go has its variables from the whole file. */
  readonly declarations: Declarations | undefined;
}

/** Go source, which hand-written files take their variables from too. */
export const goCode = (source: string): TableCode => ({ module: () => source, declarations: undefined });

/** The name of the Go package; refuses what cannot be one. */
export async function packageOf(args: Arguments, initial: string): Promise<string> {
  const { isGoIdentifier } = await import("../../../generators/go.js");
  const name = args.get(goPackage) ?? initial;
  if (!isGoIdentifier(name))
    throw new UsageError(`--package: invalid value ${JSON.stringify(name)}: must be a Go package name`);
  return name;
}

/** The table that `--table` names. */
export function inputOf(args: Arguments): string {
  const path = args.get(input);
  if (path === undefined) throw new UsageError(TABLE_REQUIRED);
  return path;
}

export type Language = "ts" | "go" | "md";

const LANGUAGES: Readonly<Record<string, Language>> = {
  "": "ts",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "ts",
  ".go": "go",
  ".md": "md",
};

/** The language of `--lang`, otherwise that of the file's name; refuses a file of another language. */
export function languageOf(args: Arguments): Language {
  const given = args.get(lang);
  const flag = args.given(into) ? into : outFile;
  const path = args.get(flag);
  const ending = path === undefined || path === STDOUT ? "" : extname(path);
  const named = LANGUAGES[ending];
  if (given !== undefined && named !== undefined && ending !== "" && named !== given)
    throw new UsageError(`--lang ${given} and --${flag.name} ${path} are different languages; remove --lang`);
  if (given === undefined && named === undefined)
    throw new UsageError(
      `--${flag.name} ${path}: the language of ${ending} is unknown; set --lang to ts, go or md`,
    );
  const found = given ?? named ?? "ts";
  if (found === "md" && flag === into)
    throw new UsageError(`--into ${path}: a page has no declarations; use --out`);
  return found;
}

/** The same for a command that writes code only. */
export function codeLanguageOf(args: Arguments): "ts" | "go" {
  const language = languageOf(args);
  if (language === "md")
    throw new UsageError("only generate feature-gates writes a page; set --lang to ts or go");
  return language;
}

/** Writes or checks `--out`, or updates `--into`. */
export async function emitCode(
  args: Arguments,
  cli: CliContext,
  code: TableCode | undefined,
  reporter: Reporter,
): Promise<ExitCode> {
  const language = languageOf(args);
  if (language !== "go")
    refuseBeside(
      args,
      `--lang ${language}`,
      language === "ts" ? "TypeScript modules have no package" : "a page has no package",
      [goPackage],
    );
  refuseBeside(args, into, "the file already declares a package", [goPackage]);
  const target = targetOf(args);
  if (target.path === STDOUT) {
    if (args.get(check)) throw new UsageError("--check compares a file; set --out to a file");
    refuseTwoOutputs(args, "--out");
  }
  const text = code === undefined || reporter.failed ? undefined : await textOf(code, target, cli, reporter);
  if (text === undefined || reporter.failed) {
    print(args, cli, {
      kind: "GenerateResult",
      json: { files: [] },
      text: "",
      diagnostics: reporter.diagnostics,
      outcome: args.get(check) ? undefined : { files: [] },
    });
    return EXIT.wrong;
  }
  if (target.path === STDOUT) {
    printStream(args, cli, "--out", text, reporter.diagnostics);
    return EXIT.done;
  }
  const file = textFile(basename(target.path), text);
  const folder = dirname(target.path);
  return generated(args, cli, {
    folder,
    files: [file],
    check: args.get(check),
    replace: target.kind === "into",
    code: true,
    diagnostics: reporter.diagnostics,
  });
}

interface Target {
  readonly kind: "out" | "into";
  readonly path: string;
  readonly names: readonly string[];
}

function targetOf(args: Arguments): Target {
  const out = args.get(outFile);
  const file = args.get(into);
  const names = args.get(declaration);
  if (out !== undefined && file !== undefined)
    throw new UsageError("--out and --into are mutually exclusive");
  if (file !== undefined) {
    if (names.length === 0) throw new UsageError("--into requires --declaration NAME");
    return { kind: "into", path: file, names };
  }
  if (names.length > 0) throw new UsageError("--declaration requires --into FILE");
  if (out === undefined) throw new UsageError("--out FILE or --into FILE is required");
  return { kind: "out", path: out, names };
}

async function textOf(
  { module, declarations }: TableCode,
  { kind, path, names }: Target,
  cli: CliContext,
  reporter: Reporter,
): Promise<string | undefined> {
  if (kind === "out") return module();
  let text = exactText(cli, path, reporter);
  for (const name of names) {
    if (text === undefined) break;
    text =
      declarations === undefined
        ? (await import("../../../generators/declaration-go.js")).updateGoVariable(
            { file: path, text, name, source: await module() },
            reporter.report,
          )
        : await updateDeclaration({ file: path, text, name, declarations }, reporter.report);
  }
  return text;
}

/** The text of a file with its byte order mark, which reading as text drops. */
function exactText(cli: CliContext, path: string, { report }: Reporter): string | undefined {
  const named = readNamed(path, cli.cwd, report);
  if (named === undefined) return undefined;
  const text = textOfNamed(named, report);
  const marked = Buffer.from(named.data.subarray(0, 3)).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  return text !== undefined && marked && !text.startsWith("\ufeff") ? `\ufeff${text}` : text;
}
