/** Values that can be read and hardly are what was meant: texts joined from several lines, null as a choice. */
import type { Problem } from "../../core/diagnostics.js";
import { firstSshKey } from "../../pki/ssh-public-key.js";
import type { ScalarNode, YamlNode } from "../../text/yaml-read.js";
import type { Written } from "./decode.js";
import { pullSecretFaults } from "./diagnose-pull-secret.js";

/** Everything to say of the written values of a document. */
export function diagnoseValues(root: Written, file: string): Problem[] {
  const problems: Problem[] = [];
  const visit = (written: Written, path: string): void => {
    const { node, form, notes } = written;
    const at = { file, line: node.line, column: node.column, field: path } as const;
    if (node.type === "scalar" && (form.writeOnly === true || notes.placeholders !== undefined)) {
      const joined = joinedLines(node);
      if (joined !== undefined) problems.push({ ...at, ...joined });
    }
    for (const [name, member] of written.members) {
      const field = path === "" ? name : form.items === undefined ? `${path}.${name}` : `${path}[${name}]`;
      if (notes.selects === true && isNull(member.node))
        problems.push({
          file,
          line: member.key?.line ?? member.node.line,
          column: member.key?.column ?? member.node.column,
          field,
          code: "IC008",
          kind: "Invalid",
          severity: "warning",
          message: "null counts as absent, so that nothing is chosen here",
          hint: `write ${name}: {}`,
        });
      visit(member, field);
    }
  };
  visit(root, "");
  return problems;
}

const isNull = (node: YamlNode): boolean => node.type === "scalar" && node.kind === "null";

/** A key, certificate or password over several lines, which YAML joins by blanks: it is then another one. */
function joinedLines(node: ScalarNode): Problem | undefined {
  const { style, text, line, endLine } = node;
  if (style === "literal" || endLine <= line || isJsonText(text)) return undefined;
  // A folded block of one line is only a text with a line break at its end.
  if (style === "folded" && !/\S (?:ssh-|ecdsa-|sk-ssh)|-----BEGIN [A-Z ]+----- /.test(text))
    return undefined;
  const trailing = style !== "folded" && /\s$/.test(text);
  // Writers of YAML fold long texts so, and a key stays what it was where its comment alone is broken.
  if (!trailing && isOneKey(text)) return undefined;
  return {
    code: "IC005",
    kind: "Invalid",
    severity: "warning",
    message: trailing
      ? `the closing quote is in line ${endLine}, so that the text ends with a blank`
      : "the text goes over several lines, which are joined by blanks",
    hint: trailing
      ? "move the quote to the end of the text"
      : "keep it on one line, or use a block: | and the text below, indented",
  };
}

const isOneKey = (text: string): boolean => {
  const key = firstSshKey(text);
  return key !== undefined && key.written === key.type && !key.hasAnother;
};

/** JSON may be broken over lines between its tokens. */
function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with the pull secret where it stands. */
export function diagnosePullSecret(root: Written, file: string): { problems: Problem[]; fatal: boolean } {
  const node = root.members.get("pullSecret")?.node;
  if (node?.type !== "scalar" || node.kind !== "string") return { problems: [], fatal: false };
  const faults = pullSecretFaults(node.text, "config");
  const problems = faults.map(
    ({ severity, message, hint }): Problem => ({
      code: "IC004",
      kind: "Invalid",
      severity,
      file,
      line: node.line,
      column: node.column,
      field: "pullSecret",
      message,
      hint,
    }),
  );
  return { problems, fatal: faults.some(({ severity }) => severity === "error") };
}

/** What to say of a pull secret that is a mapping or a list: JSON that was not put in quotes. */
export function pullSecretMisfit(node: YamlNode, path: string): Problem | undefined {
  if (path !== "pullSecret" || node.type === "scalar") return undefined;
  return {
    code: "IC004",
    kind: "Invalid",
    line: node.line,
    column: node.column,
    field: path,
    message: `the pull secret is ${node.type === "mapping" ? "a mapping" : "a list"}; the installer wants its JSON as text`,
    hint: "put the whole JSON in single quotes, or pass --pull-secret FILE",
  };
}
