import { reportWithoutVersions } from "../../../compatibility/feature-sets.js";
import { type GateTable, newestRelease } from "../../../compatibility/gate-table.js";
import { asListed } from "../../../compatibility/kubernetes-gates.js";
import { BLOCKING, type LintFinding, lint } from "../../../compatibility/lint.js";
import { readGateTable } from "../../../compatibility/read/gate-table.js";
import { headerOf, versionedList } from "../../../compatibility/versioned-list.js";
import { counted } from "../../../core/counted.js";
import { createReporter, isError } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { writeNamed } from "../../write-named.js";
import { base, checkedIn, current, update } from "./flags.js";
import {
  gateTables,
  readDependencyFile,
  readPolicy,
  readTables,
  releaseFlag,
  versionRules,
} from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const rules = versionRules(args);
  const [table, ...more] = await readTables(
    args,
    cli,
    report,
    releaseFlag(args, current, [], () => {}),
  );
  if (more.length > 0) throw new UsageError("lint accepts one --table");
  const dependencies = readDependencyFile(args, cli, report);
  const policy = readPolicy(args, cli, rules.set, report);
  const basePath = args.get(base);
  const [baseTable] = basePath === undefined ? [] : await gateTables(basePath, cli, report);
  for (const each of [table, baseTable]) if (each !== undefined) reportWithoutVersions(each, report);
  const at =
    releaseFlag(args, current, [table && newestRelease(table)], report) ?? (table && newestRelease(table));
  const listPath = args.get(checkedIn);
  if (args.get(update) && listPath === undefined) throw new UsageError("--update requires --list FILE");
  const listText = listPath === undefined ? undefined : readTextFile(cli, listPath, report);
  const unreadable = reporter.diagnostics.filter(
    ({ severity, code }) => severity === "error" && code !== "TAB006",
  );
  const listed = listText === undefined ? undefined : soundList(listText);
  const seen = table && asListed(table, listed);
  const header = headerOf(listText ?? "");
  const generated = seen === undefined ? "" : versionedList(seen, header);
  const list =
    listPath === undefined || listText === undefined
      ? undefined
      : {
          file: listPath,
          text: listText,
          generated,
          compared: seen?.unruled === true && listed !== undefined ? versionedList(listed, header) : listText,
        };
  const findings =
    seen === undefined || at === undefined || unreadable.length > 0
      ? []
      : lint({ table: seen, dependencies, base: baseTable, list, current: at, policy, rules });
  let written: string | undefined;
  if (args.get(update) && list !== undefined && unreadable.length === 0) {
    const blocked = findings.filter(({ rule, severity }) => BLOCKING.includes(rule) && severity === "error");
    if (blocked.length > 0)
      findings.push({
        rule: "L12",
        gate: "",
        severity: "error",
        file: list.file,
        line: 1,
        column: 1,
        message: `the list is not updated because of ${counted(blocked.length, "finding")}`,
        hint: "fix them first",
      });
    else written = await writeNamed(cli, textFile(list.file, generated), report, { replace: true });
  }
  const shown = findings
    .filter(({ rule }) => written === undefined || rule !== "L5")
    .map((each) => ({ ...each, hint: args.complete(each.hint) }));
  // What could not be read is an error of the table too: an answer of 1 never says "0 errors".
  const unread = reporter.diagnostics.filter(isError).length;
  const errors = shown.filter(({ severity }) => severity === "error").length;
  const noted = reporter.diagnostics.filter(({ severity }) => severity === "warning").length;
  const warnings = shown.length - errors + noted;
  print(args, cli, {
    kind: "LintResult",
    json: {
      findings: shown,
      errors: errors + unread,
      warnings,
      ...(written === undefined ? {} : { written }),
    },
    text: `${shown.map(textOf).join("")}${written === undefined ? "" : `${list?.file}: ${written}\n`}${counted(errors + unread, "error")}, ${counted(warnings, "warning")}\n`,
    diagnostics: reporter.diagnostics,
    findings: shown.map(({ rule, gate, severity, file, line, column, message, hint }) => ({
      rule,
      severity,
      file,
      line,
      column,
      field: gate,
      message,
      hint,
    })),
    // The answer ends with the counts.
    outcome: "none",
  });
  return reporter.failed || errors > 0 ? EXIT.wrong : EXIT.done;
};

/** What a list says, where all of it can be read. */
function soundList(text: string): GateTable | undefined {
  const { report, diagnostics } = createReporter();
  const list = readGateTable(text, "", report);
  return diagnostics.some(isError) ? undefined : list;
}

const textOf = ({ file, line, column, severity, rule, gate, message, hint }: LintFinding): string =>
  `${line === 0 ? file : `${file}:${line}:${column}`}: ${severity} ${rule}: ${gate === "" ? "" : `${gate}: `}${message}${hint === "" ? "" : `; ${hint}`}\n`;
