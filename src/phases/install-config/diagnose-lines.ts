/**
 * What the lines of a text give away before it is parsed, or when it cannot be: the remains of a shell script or of
 * a Markdown block around the file, and the signs of a template (facts/real-inputs.md, IC-23, IC-32, IC-65).
 */
import type { Problem } from "../../core/diagnostics.js";
import { isToken, placeholderIn } from "./diagnose-placeholders.js";

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

/** Lines that belong to a script around the file, not to the file. */
export function findResidue(text: string): LineFinding[] {
  const lines = text.split(/\r\n|[\r\n]/);
  const markers = new Set(END_MARKERS);
  const findings: LineFinding[] = [];
  const add = (index: number, message: string, hint: string): void => {
    const column = (lines[index]?.search(/\S/) ?? 0) + 1;
    findings.push({
      line: index + 1,
      problem: { code: "IC003", kind: "Invalid", line: index + 1, column, message, hint },
    });
  };
  lines.forEach((line, index) => {
    const trimmed = line.trim();
    const heredoc = HEREDOC.exec(line);
    if (heredoc !== null && SHELL_LINE.test(line)) {
      markers.add(heredoc[2] ?? "");
      add(index, "a shell command that begins a here-document stands in the file", "remove the line");
    } else if (line === trimmed && markers.has(trimmed)) {
      add(index, `the end marker ${trimmed} of a shell here-document stands in the file`, "remove the line");
    } else if (FENCE.test(line)) {
      add(index, "a fence of a Markdown code block stands in the file", "remove the line");
    } else if (
      /^\s*[$#]\s+(?:cat|vi|vim|nano|openshift-install|oc|kubectl)\s/.test(line) &&
      !line.startsWith("#")
    ) {
      add(index, "a shell command stands in the file", "remove the line");
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

/** Signs of a template in a text that cannot be parsed: one finding for each line, comments left out. */
export function findTemplateSigns(text: string): LineFinding[] {
  const findings: LineFinding[] = [];
  text.split(/\r\n|[\r\n]/).forEach((line, index) => {
    const body = withoutComment(line);
    const column = body.search(/\S/) + 1;
    if (column === 0) return;
    const at = { code: "IC002", kind: "Invalid", line: index + 1 } as const;
    const entry = /^\s*(?:- +)*["']?([A-Za-z_][\w.-]*)["']?\s*:\s+(\S.*)$/.exec(body);
    const value = entry?.[2] ?? body.trim();
    const sign = placeholderIn(value);
    if (isToken(body.trim())) {
      findings.push({
        line: index + 1,
        problem: {
          ...at,
          column,
          message: `this line is nothing but the word ${body.trim()}, as a script would replace it`,
          hint: "the file looks like a template: fill it in first",
        },
      });
    } else if (sign !== undefined && BREAKS_YAML.test(sign.sign)) {
      findings.push({
        line: index + 1,
        problem: {
          ...at,
          column: body.indexOf(value) + 1,
          field: entry?.[1] ?? "",
          message: `${sign.what} stands here`,
          hint: `the file looks like a template: ${sign.hint}`,
        },
      });
    }
  });
  return findings;
}

/** Signs that can keep a text from being YAML. */
const BREAKS_YAML = /^(?:\{\{|\{%|<%|\$|@|%|<)/;

/** A line up to its comment; a `#` inside quotes is none. */
function withoutComment(line: string): string {
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === "#" && (i === 0 || /\s/.test(line.charAt(i - 1)))) return line.slice(0, i);
    else if ((char === '"' || char === "'") && (i === 0 || /[\s:[{,-]/.test(line.charAt(i - 1))))
      quote = char;
  }
  return line;
}
