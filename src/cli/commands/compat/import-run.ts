import { basename } from "node:path";
import type { GateTable } from "../../../compatibility/gate-table.js";
import { registrationViolations } from "../../../compatibility/gate-table-check.js";
import { mergeTables, tableDocument, withDependencies } from "../../../compatibility/import.js";
import { namedGates, readCompleteTable } from "../../../compatibility/kubernetes-gates.js";
import { isKubernetes } from "../../../compatibility/kubernetes-name.js";
import { annotate, annotationsOf, isAnnotations } from "../../../compatibility/read/dependencies.js";
import { readDocument } from "../../../compatibility/read/document.js";
import { SHIPPED } from "../../../compatibility/rules.js";
import { createReporter, isError, type Report } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import { isJson, type JsonObject } from "../../../core/json.js";
import { problem } from "../../../core/problem.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import { API_VERSION, print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { STDOUT } from "../../stdout-file.js";
import { writeNamed } from "../../write-named.js";
import { importedComponent as component, FORMS, importFiles, out, sourceForm } from "./flags.js";
import { readAnnotations, readDependencyFile } from "./inputs.js";

type Annotations = ReturnType<typeof annotationsOf>;

export const run: Handler = async (args, cli) => {
  const given = args.get(sourceForm);
  if (given !== undefined && !FORMS.some((each) => each === given))
    throw new UsageError(
      `--from: unsupported value ${JSON.stringify(given)}: supported values: ${FORMS.join(", ")}`,
    );
  const reporter = createReporter();
  const { report } = reporter;
  const tables: GateTable[] = [];
  const notes: Annotations = [];
  const read = (path: string): void => {
    if (isKubernetes(path)) {
      tables.push(...namedGates(path, "newest", { field: "FILE" }, report));
      return;
    }
    const text = readTextFile(cli, path, report);
    if (text === undefined) return;
    const found = annotationsIn(text, path, report);
    if (found !== undefined) {
      notes.push(...found);
      return;
    }
    const table = readCompleteTable(text, path, report);
    if (table === undefined) return;
    // Without the flag the first file says what all of them are.
    const form = given ?? tables[0]?.form ?? table.form;
    if (table.form === form && form !== "own") tables.push(table);
    else
      report(
        problem(
          "TAB005",
          "Invalid",
          "",
          table.form === "own"
            ? "the file is already a FeatureGateTable"
            : `the file has the format ${table.form}, not ${form}`,
          {
            file: path,
            hint: table.form === "own" ? "use it as is; no import is required" : `--from ${table.form}`,
          },
        ),
      );
  };
  for (const path of args.get(importFiles)) read(path);
  notes.push(...readAnnotations(args, cli, report));
  const merged = mergeTables(tables, report);
  const noted = merged && annotated(merged, notes, report);
  const table = noted && withDependencies(noted, readDependencyFile(args, cli, report), report);
  if (table === undefined || reporter.failed) {
    print(args, cli, {
      kind: "FeatureGateTable",
      json: { gates: [] },
      text: "",
      diagnostics: reporter.diagnostics,
      outcome: args.get(out) === undefined ? undefined : { files: [] },
    });
    return EXIT.wrong;
  }
  const path = args.get(out) === STDOUT ? undefined : args.get(out);
  const named = { ...table, component: args.get(component) ?? table.component };
  warnOfLosses(named, report);
  const json = tableDocument(
    named,
    args.get(importFiles).map((path) => basename(path)),
  );
  const document = yamlOf(json);
  const status = path === undefined ? undefined : await writeNamed(cli, textFile(path, document), report);
  print(args, cli, {
    kind: "FeatureGateTable",
    json,
    text: path === undefined ? document : status === undefined ? "" : `${path}: ${status}`,
    diagnostics: reporter.diagnostics,
    outcome: path === undefined ? undefined : { files: status === undefined ? [] : [{ status }] },
  });
  return reporter.diagnostics.some(isError) ? EXIT.wrong : EXIT.done;
};

function annotationsIn(text: string, path: string, report: Report): Annotations | undefined {
  // Lists of gates are long, and have no such member: they are not read twice.
  if (!/\bindex["']?:/.test(text)) return undefined;
  const document = readDocument(text, path, report);
  return document !== undefined && isAnnotations(document.root) ? annotationsOf(document) : undefined;
}

function annotated(table: GateTable, notes: Annotations, report: Report): GateTable {
  const result = annotate(table, notes, report);
  return notes.length === 0
    ? result
    : { ...result, loses: result.loses.filter((each) => each !== "minCompatibilityVersion") };
}

/** The own form is judged strictly: what a list breaks only for what it loses must be mended before use. */
function warnOfLosses(table: GateTable, report: Report): void {
  const why = table.loses.includes("minCompatibilityVersion")
    ? "; the list does not contain minimum compatibility versions, so one may be missing"
    : "";
  for (const { rule, ...violation } of registrationViolations(table, SHIPPED))
    report({
      ...violation,
      severity: "warning",
      code: "TAB008",
      message: `${rule}: ${violation.message}${why}`,
      hint: "set minCompatibilityVersion, or import with --annotations",
    });
}

function yamlOf(json: JsonObject): string {
  const document = { apiVersion: API_VERSION, kind: "FeatureGateTable", ...json };
  if (!isJson(document)) throw new Error("the table contains more than plain data");
  return writeYaml(document);
}
