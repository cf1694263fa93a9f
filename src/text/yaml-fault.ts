/** What to say of a text that cannot be read: a fault often shows far behind the place that is to blame. */
import type { Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import type { YamlFault } from "./yaml-cursor.js";
import type { Token } from "./yaml-token.js";

/** The scalar that was read last before the fault, and the field that it belongs to. */
export interface LastScalar {
  readonly token: Token;
  readonly path: string;
}

/** What looks like a space before a key, or behind a key or a dash, and is none to YAML, so that all is one text. */
const NOT_A_SPACE = /^(?: *(?:- +)*)(?:[\w./-]+:|-)?(?=[\u00a0\u2000-\u200b\u202f\u205f\u3000])/;

/** A key whose `:` touches what follows, so that the two are one text; not the address of a site. */
const TOUCHING = /^ *(?:- +)*[\w.-]+:(?=[^\s/:])/;

/** The fault as a problem; where a quote was not closed, or a text goes on, the scalar before it is named. */
export function explainFault(
  fault: YamlFault,
  line: string,
  file: string,
  field: string,
  last: LastScalar | undefined,
): Problem {
  const { message, hint } = fault;
  const code = fault.reason === "alias" ? "YAML003" : "YAML001";
  const shown: Problem = problem(code, "Parse", field, message, {
    file,
    line: fault.line + 1,
    column: fault.column + 1,
    hint,
  });
  const before = NOT_A_SPACE.exec(line)?.[0].length;
  if (before !== undefined)
    return {
      ...shown,
      column: before + 1,
      message:
        "a character that looks like a space and is none stands here, as web pages and word processors write it",
      hint: "replace it with an ordinary space",
    };
  if (last === undefined) return shown;
  const { token, path } = last;
  // On the line of the last scalar the fault is in its field, though the reader had left it.
  if (hint !== "" && fault.reason !== "indent")
    return token.endLine === fault.line && path.length > field.length ? { ...shown, field: path } : shown;
  const blamed = { ...shown, line: token.line + 1, column: token.column + 1, field: path };
  const quoted = token.style === "single" || token.style === "double";
  if (quoted && token.endLine > token.line && token.endLine >= fault.line - 1)
    return {
      ...blamed,
      message: `the quoted text that starts here ends only in line ${token.endLine + 1}, where ${message}`,
      hint: `is the closing quote of line ${token.line + 1} missing?`,
    };
  const touching = fault.reason === "no-colon" ? TOUCHING.exec(line)?.[0].length : undefined;
  if (touching !== undefined)
    return {
      ...shown,
      column: touching,
      message: "no blank follows this :, so that the line is not a key",
      hint: "write a blank behind the :, or indent the line where it belongs to the value above",
    };
  if (fault.reason === "no-colon" && token.endLine === fault.line - 1 && path !== "")
    return {
      ...blamed,
      message: `the value seems to go on in line ${fault.line + 1}, which has no : with a blank behind it and so is not a key`,
      hint: "keep the value on one line, or indent what follows",
    };
  return shown;
}
