/** Findings as SARIF 2.1.0 (OASIS, sarif-schema-2.1.0.json), as code scanning reads it. */
import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Severity } from "../../core/diagnostics.js";
import type { AcceptedFinding } from "./baseline.js";
import { type Finding, textOfFinding } from "./finding.js";
import type { RunReport } from "./run.js";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
};

/** What is known about a rule. */
export interface RuleText {
  readonly meaning: string;
  readonly remedy?: string | undefined;
}

export function sarif(run: RunReport, ruleText: (rule: string) => RuleText | undefined): string {
  const all = [...run.kept.map((finding) => ({ finding })), ...run.accepted];
  const rules = [...new Set(all.map(({ finding }) => finding.rule))].sort();
  const document = {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "slipway",
            version: run.version,
            rules: rules.map((id) => ruleOf(id, ruleText(id))),
          },
        },
        automationDetails: { id: `slipway ${run.command}/` },
        invocations: [{ executionSuccessful: run.exit < 2 || run.exit === 3, exitCode: run.exit }],
        columnKind: "utf16CodeUnits",
        results: all.map((each) => resultOf(each, rules, run.fallback)),
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const ruleOf = (id: string, text: RuleText | undefined): object => ({
  id,
  ...(text === undefined
    ? {}
    : {
        shortDescription: { text: text.meaning },
        ...(text.remedy === undefined ? {} : { help: { text: text.remedy } }),
      }),
});

function resultOf(
  { finding, by }: { readonly finding: Finding; readonly by?: AcceptedFinding["by"] },
  rules: readonly string[],
  fallback: string,
): object {
  const { rule, severity, file, line, column, field, message } = finding;
  const uri = uriOf(isFile(file) ? file : fallback);
  return {
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level: LEVELS[severity],
    message: { text: textOfFinding(finding) },
    locations: [
      {
        ...(uri === ""
          ? {}
          : {
              physicalLocation: {
                artifactLocation: { uri },
                // Code scanning shows nothing without a line.
                region: { startLine: Math.max(1, line), ...(column > 0 ? { startColumn: column } : {}) },
              },
            }),
        ...(field === "" ? {} : { logicalLocations: [{ fullyQualifiedName: field }] }),
      },
    ],
    // Lines move; the rest tells whether it is the same finding as before.
    partialFingerprints: { "slipway/v1": fingerprint([rule, file, field, message]) },
    ...(by === undefined
      ? {}
      : {
          suppressions: [
            { kind: "external", status: "accepted", justification: `${by.reason} (until ${by.until})` },
          ],
        }),
  };
}

/** A flag or standard input has no place that a reviewer could open. */
export const isFile = (file: string): boolean => file !== "" && file !== "stdin" && !file.startsWith("--");

const uriOf = (file: string): string =>
  isAbsolute(file)
    ? pathToFileURL(file).href
    : file.split("/").map(encodeURIComponent).join("/").replaceAll("%40", "@");

const fingerprint = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
