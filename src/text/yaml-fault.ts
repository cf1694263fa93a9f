/** What to say of a text that cannot be read: a fault often shows far behind the place that is to blame. */
import { type Problem, problem } from "../core/problem.js";
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
      message: "non-ASCII space character, as copied from a web page or word processor",
      hint: "replace it with a regular space",
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
      message: `the quoted string that starts here ends on line ${token.endLine + 1}: ${message}`,
      hint: `add the closing quote on line ${token.line + 1} if it is missing`,
    };
  const touching = fault.reason === "no-colon" ? TOUCHING.exec(line)?.[0].length : undefined;
  if (touching !== undefined)
    return {
      ...shown,
      column: touching,
      message: 'missing space after ":"',
      hint: 'add a space after the ":", or indent the line if it continues the value above',
    };
  if (fault.reason === "no-colon" && token.endLine === fault.line - 1 && path !== "")
    return {
      ...blamed,
      message: `line ${fault.line + 1} is not a key (it has no ": ") and seems to continue this value`,
      hint: "keep the value on one line, or indent the following lines",
    };
  return shown;
}
