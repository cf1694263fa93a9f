/** How a table becomes a file: for every `generate` command that writes code from an input. */
import { basename, dirname } from "node:path";
import type { Reporter } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import { updateDeclaration } from "../../../generators/declaration.js";
import { type Declarations, type ModulePart, printModule } from "../../../generators/module.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { readNamed, textOf as textOfNamed } from "../../input-files.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import type { World } from "../../world.js";
import { generated } from "./files.js";
import { check, declaration, into, outFile } from "./flags.js";

/** What a generator makes of its input. */
export interface TableCode {
  /** Parts of the TypeScript module; undefined for another language. */
  readonly parts: readonly ModulePart[] | undefined;
  readonly declarations: Declarations;
  /** Whole source in another language. */
  readonly source: string | undefined;
}

/** Writes or checks `--out`, or updates `--into`. The compiler is loaded only when a TypeScript file has to change. */
export async function emitCode(
  args: Arguments,
  world: World,
  code: TableCode | undefined,
  reporter: Reporter,
): Promise<ExitCode> {
  const target = targetOf(args);
  const text =
    code === undefined || reporter.failed ? undefined : await textOf(code, target, world, reporter);
  if (text === undefined || reporter.failed) {
    print(args, world, {
      kind: "GenerateResult",
      json: { ok: false, files: [] },
      text: "",
      diagnostics: reporter.diagnostics,
    });
    return EXIT.wrong;
  }
  const file = textFile(basename(target.path), text);
  const folder = dirname(target.path);
  if (!args.get(check) && target.kind === "out" && code?.parts !== undefined)
    await verify(code.parts, target.path, text, world);
  return generated(args, world, {
    folder,
    files: [file],
    check: args.get(check),
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
  if (out !== undefined && file !== undefined) throw new UsageError("give --out or --into, not both");
  if (file !== undefined) {
    if (names.length === 0) throw new UsageError("--into needs --declaration NAME");
    return { kind: "into", path: file, names };
  }
  if (names.length > 0) throw new UsageError("--declaration needs --into FILE");
  if (out === undefined) throw new UsageError("--out FILE or --into FILE is missing");
  return { kind: "out", path: out, names };
}

async function textOf(
  { parts, declarations, source }: TableCode,
  { kind, path, names }: Target,
  world: World,
  reporter: Reporter,
): Promise<string | undefined> {
  if (kind === "out") return source ?? (parts === undefined ? undefined : printModule(parts));
  if (source !== undefined) throw new UsageError("--into works on TypeScript files only");
  let text = exactText(world, path, reporter);
  for (const name of names) {
    if (text === undefined) break;
    text = await updateDeclaration({ file: path, text, name, declarations }, reporter.report);
  }
  return text;
}

/** The text of a file with its byte order mark, which reading as text drops. */
function exactText(world: World, path: string, { report }: Reporter): string | undefined {
  const named = readNamed(path, world.cwd, report);
  if (named === undefined) return undefined;
  const text = textOfNamed(named, report);
  const marked = Buffer.from(named.data.subarray(0, 3)).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  return text !== undefined && marked && !text.startsWith("\ufeff") ? `\ufeff${text}` : text;
}

/** Before a module is written, the compiler must agree with what is printed; an unchanged file is not looked at. */
async function verify(parts: readonly ModulePart[], path: string, text: string, world: World): Promise<void> {
  const present = readTextFile(world, path, () => {});
  if (present === text) return;
  const { composeModule } = await import("../../../generators/compiler.js");
  if ((await composeModule(parts)) !== text) throw new Error("the compiler printed another module");
}
