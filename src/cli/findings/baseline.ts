/** A baseline: findings that are accepted for a time, each with the reason and the last day. */
import { ownFields, ownKind, readDocument } from "../../compatibility/read/document.js";
import { type Fields, placeIn } from "../../compatibility/read/fields.js";
import { createReporter, type Diagnostic, type Position, type Report } from "../../core/diagnostics.js";
import { problem, problemList, warning } from "../../core/problem.js";
import { type Finding, isAtLeast } from "./finding.js";

/** A finding that is accepted; what is left out fits everything. */
export interface Acceptance {
  readonly rule: string;
  readonly file?: string | undefined;
  readonly field?: string | undefined;
  readonly message?: string | undefined;
  /** The command that finds it, such as `compat lint`. */
  readonly command?: string | undefined;
  readonly reason: string;
  /** The last day, such as 2027-03-31, in UTC. */
  readonly until: string;
  readonly place: Position;
}

export interface AcceptedFinding {
  readonly finding: Finding;
  readonly by: Acceptance;
}

/** Reads a baseline; undefined where something is wrong with it, which is reported. */
export function readBaseline(text: string, file: string, report: Report): readonly Acceptance[] | undefined {
  const reporter = createReporter();
  const document = readDocument(text, file, reporter.report);
  const found = document === undefined ? undefined : acceptancesIn(document, reporter.report);
  reporter.diagnostics.forEach(report);
  return reporter.failed ? undefined : found;
}

function acceptancesIn(
  document: NonNullable<ReturnType<typeof readDocument>>,
  report: Report,
): readonly Acceptance[] | undefined {
  const { root, source } = document;
  const fields = ownKind(root) === "Baseline" ? ownFields(document) : undefined;
  if (fields === undefined) {
    problemList(report, "", placeIn(source, root)).report(
      "TAB005",
      "Invalid",
      "not a Baseline",
      "use apiVersion: slipway.dev/v1alpha1 and kind: Baseline",
    );
    return undefined;
  }
  if (!fields.has("accepted")) fields.missing("accepted", "a list of {rule, file, reason, until}");
  const accepted = (fields.list("accepted") ?? []).flatMap((each) => acceptanceOf(each) ?? []);
  fields.done();
  return accepted;
}

function acceptanceOf(fields: Fields): Acceptance | undefined {
  const rule = fields.required("rule", "the code or rule of the finding, such as IC349");
  const reason = fields.required("reason", "why the finding is accepted");
  const until = fields.child("until");
  if (until === undefined) fields.missing("until", "the last day, such as 2027-03-31");
  const day = until?.type === "scalar" ? until.text : "";
  if (until !== undefined && !isDay(day))
    fields
      .at("until")
      .invalid("BASE001", day, "must be a day", "write the last day as YEAR-MONTH-DAY, such as 2027-03-31");
  const text = (key: string): string | undefined => fields.text(key)?.value;
  const more = {
    file: text("file"),
    field: text("field"),
    message: text("message"),
    command: text("command"),
  };
  fields.done();
  if (rule === undefined || reason === undefined || !isDay(day)) return undefined;
  if (reason.value.trim() === "") return fields.missing("reason", "why the finding is accepted");
  return { rule: rule.value, ...more, reason: reason.value, until: day, place: fields.place };
}

/** True for a day that the calendar has. */
const isDay = (text: string): boolean => {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

/** Errors after which a command has not looked at everything, so that nobody can accept what it has not seen. */
const UNFINISHED = /^(?:YAML|TEXT|DIR|CLI|FLAG|FLEET|BASE|TAB)[0-9]/;

const mayBeAccepted = ({ rule, severity, diagnostic }: Finding): boolean =>
  severity !== "error" ||
  (!UNFINISHED.test(rule) && diagnostic?.kind !== "Parse" && diagnostic?.kind !== "InternalError");

/** `./` at the start says nothing. */
const plain = (path: string): string => path.replace(/^(?:\.\/)+/, "");

/** The baseline of a run: it knows afterwards which entries it needed. */
export class Baseline {
  private readonly used = new Set<Acceptance>();
  private readonly expired = new Map<Acceptance, number>();
  private readonly refused = new Map<Acceptance, Finding>();

  /**
   * @param today the day in UTC, such as 2027-03-31
   * @param command the words after `slipway`
   */
  constructor(
    private readonly entries: readonly Acceptance[],
    private readonly today: string,
    private readonly command: string,
  ) {}

  /** The entry that accepts a finding, if one does; `path` is the file as reports name it. */
  accepting(finding: Finding, path: string): Acceptance | undefined {
    for (const entry of this.entries) {
      if (!this.concerns(entry) || !fits(entry, finding, path)) continue;
      if (!mayBeAccepted(finding)) this.refused.set(entry, finding);
      else if (entry.until < this.today) this.expired.set(entry, (this.expired.get(entry) ?? 0) + 1);
      else {
        this.used.add(entry);
        return entry;
      }
    }
    return undefined;
  }

  /** What is to be said of the entries, once everything was found. */
  get notes(): readonly Diagnostic[] {
    const { report, diagnostics } = createReporter();
    for (const entry of this.entries) {
      if (!this.concerns(entry) || this.used.has(entry)) continue;
      const refused = this.refused.get(entry);
      const count = this.expired.get(entry);
      const what = `${entry.rule}${entry.file === undefined ? "" : ` in ${entry.file}`}`;
      const found =
        refused !== undefined
          ? problem(
              "BASE004",
              "Forbidden",
              "",
              `${what} cannot be accepted: the rest was not checked because of it`,
              {
                ...entry.place,
                hint: "correct the input, and remove the entry",
              },
            )
          : count !== undefined
            ? problem(
                "BASE002",
                "Invalid",
                "",
                `the acceptance of ${what} expired on ${entry.until}; the finding counts again`,
                { ...entry.place, hint: "fix the finding, or set until to a later day" },
              )
            : problem("BASE003", "NotFound", "", `no finding matches ${what}`, {
                ...entry.place,
                hint: "remove the entry; set command where another command finds it",
              });
      report(warning(found));
    }
    return diagnostics;
  }

  private concerns({ command }: Acceptance): boolean {
    return command === undefined || command === this.command;
  }
}

const fits = ({ rule, file, field, message }: Acceptance, finding: Finding, path: string): boolean =>
  rule === finding.rule &&
  (file === undefined || [path, finding.file].some((each) => plain(each) === plain(file))) &&
  (field === undefined || field === finding.field) &&
  (message === undefined || message === finding.message);

/** True where something that was accepted would have made the command fail. */
export const hasFailing = (accepted: readonly AcceptedFinding[], fails: "error" | "warning"): boolean =>
  accepted.some(({ finding }) => isAtLeast(finding.severity, fails));
