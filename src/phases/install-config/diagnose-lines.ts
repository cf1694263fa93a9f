/**
 * What the lines of a text give away before it is parsed, or when it cannot be: the remains of a shell script or of
 * a Markdown block around the file, and the signs of a template (docs/reference/real-inputs.md §1 IC-23, IC-32, IC-65).
 */
import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import { withoutComment } from "../../text/line-comment.js";
import { isSecretName } from "../../text/redact.js";
import { FILL, isToken, type Placeholder, placeholderIn } from "./diagnose-placeholders.js";

export interface LineFinding {
  /** From 1. */
  readonly line: number;
  readonly problem: Problem;
}

const HEREDOC = /<<-?\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)\1/;
const SHELL_LINE =
  /^\s*(?:[$#>]\s+)?(?:sudo\s+)?(?:cat|tee|echo|printf|oc|kubectl|openshift-install)\s+\S.*$/;
const FENCE = /^\s*(?:```|~~~)[\w-]*\s*$/;
const END_MARKERS = new Set(["EOF", "EOL", "EOT", "END", "EOS", "_EOF_", "__EOF__"]);

const FENCE_FOUND = "the file contains a Markdown code fence";
const REMOVE_LINE = "remove the line";

/** A page with several code blocks, of which no line is worth a word of its own. A config that was copied with its block has two fences. */
export function markdownDocument(residue: readonly LineFinding[], file: string): Problem | undefined {
  const fences = residue.filter(({ problem }) => problem.message === FENCE_FOUND);
  if (fences.length <= 2) return undefined;
  return problem(
    "IC001",
    "Invalid",
    "",
    "expected an install-config, found a Markdown page with several code blocks",
    {
      file,
      line: fences[0]?.line ?? 1,
      column: 1,
      hint: "save the code block with the install-config as install-config.yaml",
    },
  );
}

/** Lines that belong to a script around the file, not to the file. */
export function findResidue(text: string): LineFinding[] {
  const lines = text.split(/\r\n|[\r\n]/);
  const markers = new Set(END_MARKERS);
  const findings: LineFinding[] = [];
  const add = (index: number, message: string): void => {
    const at = { line: index + 1, column: (lines[index]?.search(/\S/) ?? 0) + 1 };
    findings.push({
      line: at.line,
      problem: problem("IC003", "Invalid", "", message, { ...at, hint: REMOVE_LINE }),
    });
  };
  lines.forEach((line, index) => {
    const trimmed = line.trim();
    const heredoc = HEREDOC.exec(line);
    if (heredoc !== null && SHELL_LINE.test(line)) {
      markers.add(heredoc[2] ?? "");
      add(index, "the file contains a shell command that starts a here-document");
    } else if (line === trimmed && markers.has(trimmed)) {
      add(index, `the file contains the end marker ${trimmed} of a shell here-document`);
    } else if (FENCE.test(line)) {
      add(index, FENCE_FOUND);
    } else if (
      /^\s*[$#]\s+(?:cat|vi|vim|nano|openshift-install|oc|kubectl)\s/.test(line) &&
      !line.startsWith("#")
    ) {
      add(index, "the file contains a shell command");
    }
  });
  return findings;
}

/** The same text with the given lines emptied, so that all others keep their numbers. */
export function withoutLines(text: string, numbers: ReadonlySet<number>): string {
  if (numbers.size === 0) return text;
  return text
    .split("\n")
    .map((line, i) => (numbers.has(i + 1) ? "" : line))
    .join("\n");
}

/**
 * Signs of a template in a text that cannot be parsed: one finding for each line, comments left out. None when no
 * sign is there that could be why; the fault is elsewhere then.
 */
export function findTemplateSigns(text: string): LineFinding[] {
  const findings: LineFinding[] = [];
  const outline = new Outline();
  let breaking = false;
  text.split(/\r\n|[\r\n]/).forEach((line, index) => {
    const body = withoutComment(line);
    if (body.trim() === "") return;
    const field = outline.field(body);
    const value = ENTRY.exec(body)?.[1] ?? body.trim();
    const token = isToken(body.trim());
    const sign = token ? undefined : placeholderIn(value);
    if (!token && (sign === undefined || !isTemplateSign(sign, field.replace(/^.*\./, "")))) return;
    breaking ||= token || /^(?:\{\{|\{%|<%|[@%])|^[^"'].*\{\{/.test(value);
    findings.push({
      line: index + 1,
      problem: problem(
        "IC002",
        "Invalid",
        field,
        sign === undefined ? `the placeholder ${value} was not replaced` : `the line contains ${sign.what}`,
        {
          line: index + 1,
          column: body.indexOf(value) + 1,
          hint: sign?.hint ?? FILL,
        },
      ),
    });
  });
  return breaking ? findings : [];
}

const ENTRY = /^\s*(?:- +){0,50}["']?[A-Za-z_][\w.-]*["']?\s*:\s+(\S.*)$/;
const KEY = /^(\s*)((?:- +){0,50})["']?([A-Za-z_][\w.-]*)["']?\s*:(?:\s|$)/;

/** The fields of lines by their indentation, for a text that has no tree. */
class Outline {
  private readonly open: { readonly column: number; readonly name: string; items: number }[] = [];

  /** The field that a line sets, or stands in; empty at the top. */
  field(line: string): string {
    const [, lead = "", dashes = "", name] = KEY.exec(line) ?? [];
    if (name === undefined) return "";
    const column = lead.length + dashes.length;
    while ((this.open.at(-1)?.column ?? -1) >= column) this.open.pop();
    const holder = this.open.at(-1);
    if (holder !== undefined && dashes !== "") holder.items++;
    this.open.push({ column, name, items: -1 });
    return this.open.map((each) => each.name + (each.items < 0 ? "" : `[${each.items}]`)).join(".");
  }
}

/** What a tool would replace; words and variables in secrets may be meant. */
const isTemplateSign = ({ kind, certain }: Placeholder, field: string): boolean =>
  kind === "expression" || (certain && kind !== "dots" && !isSecretName(field));
