/** Values that are valid and probably unintended: texts joined from several lines, null as a choice. */
import type { Problem } from "../../core/diagnostics.js";
import { problem, warning } from "../../core/problem.js";
import { firstSshKey } from "../../pki/ssh-public-key.js";
import type { ScalarNode, YamlNode } from "../../text/yaml-read.js";
import type { Written } from "./decode.js";
import { pullSecretFaults } from "./diagnose-pull-secret.js";

/** Everything to say of the written values of a document. */
export function diagnoseValues(root: Written, file: string): Problem[] {
  const problems: Problem[] = [];
  const visit = (written: Written, path: string): void => {
    const { node, form, notes } = written;
    const at = { file, line: node.line, column: node.column };
    if (node.type === "scalar" && (form.writeOnly === true || notes.placeholders !== undefined)) {
      const joined = joinedLines(node, path);
      if (joined !== undefined) problems.push({ ...joined, ...at });
    }
    for (const [name, member] of written.members) {
      const field = path === "" ? name : form.items === undefined ? `${path}.${name}` : `${path}[${name}]`;
      if (notes.selects === true && isNull(member.node))
        problems.push(
          warning("IC008", "Invalid", field, "null counts as unset, so nothing is selected", {
            file,
            line: (member.key ?? member.node).line,
            column: (member.key ?? member.node).column,
            hint: `use ${name}: {}`,
          }),
        );
      visit(member, field);
    }
  };
  visit(root, "");
  return problems;
}

const isNull = (node: YamlNode): boolean => node.type === "scalar" && node.kind === "null";

/** A key, certificate or password over several lines, which YAML joins by blanks: it is then another one. */
function joinedLines(node: ScalarNode, path: string): Problem | undefined {
  const { style, text, line, endLine } = node;
  if (style === "literal" || endLine <= line || isJsonText(text)) return undefined;
  // A folded block of one line is only a text with a line break at its end.
  if (style === "folded" && !/\S (?:ssh-|ecdsa-|sk-ssh)|-----BEGIN [A-Z ]+----- /.test(text))
    return undefined;
  const trailing = style !== "folded" && /\s$/.test(text);
  // Writers of YAML fold long texts so, and a key stays what it was where its comment alone is broken.
  if (!trailing && isOneKey(text)) return undefined;
  return warning(
    trailing
      ? problem(
          "IC005",
          "Invalid",
          path,
          `the closing quote is on line ${endLine}, so the value ends with a space`,
          "move the closing quote to the end of the text",
        )
      : problem(
          "IC005",
          "Invalid",
          path,
          "the value spans several lines, which are joined with spaces",
          "use one line, or a literal block: | and the text below, indented",
        ),
  );
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
  const { line, column } = node;
  const problems = faults.map(({ severity, message, hint }) =>
    problem("IC004", "Invalid", "pullSecret", message, { severity, file, line, column, hint }),
  );
  return { problems, fatal: faults.some(({ severity }) => severity === "error") };
}

/** What to say of a pull secret that is a mapping or a list: JSON that was not put in quotes. */
export function pullSecretMisfit(node: YamlNode, path: string): Problem | undefined {
  if (path !== "pullSecret" || node.type === "scalar") return undefined;
  const found = node.type === "mapping" ? "a mapping" : "a list";
  return problem("IC004", "Invalid", path, `invalid type: expected JSON text, found ${found}`, {
    line: node.line,
    column: node.column,
    hint: "put the whole JSON text in single quotes, or use --pull-secret FILE",
  });
}
