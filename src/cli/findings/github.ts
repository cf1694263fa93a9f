/** Findings as workflow commands of GitHub Actions, which show them as annotations of a pull request. */
import type { Severity } from "../../core/diagnostics.js";
import { terminalText } from "../../text/terminal.js";
import { textOfFinding } from "./finding.js";
import type { RunReport } from "./run.js";
import { isFile } from "./sarif.js";

const COMMANDS: Readonly<Record<Severity, "error" | "warning" | "notice">> = {
  error: "error",
  warning: "warning",
  info: "notice",
};

/** A line for each finding that counts; those that a baseline accepts are left out. */
export const githubAnnotations = ({ kept }: RunReport): string =>
  kept
    .map((finding) => {
      const { file, line, column, rule, severity } = finding;
      const place: readonly (readonly [string, string])[] = isFile(file)
        ? [
            ["file", file],
            ...(line > 0 ? [["line", String(line)] as const] : []),
            ...(column > 0 ? [["col", String(column)] as const] : []),
          ]
        : [];
      const properties = [...place, ["title", rule] as const].map(
        ([name, value]) => `${name}=${property(value)}`,
      );
      return `::${COMMANDS[severity]} ${properties.join(",")}::${data(textOfFinding(finding))}\n`;
    })
    .join("");

/** As actions/toolkit escapes what follows the second pair of colons. */
const data = (text: string): string =>
  terminalText(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
