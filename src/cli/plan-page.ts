/**
 * A plan as text, whatever it plans: a summary that fits the first screen and says whether to go on, then the steps,
 * counted from 1, then what several steps have in common, once.
 */
import { hanging, widthOf, wrapped } from "./wrap.js";

export interface PlanPage {
  /** What is planned, with the number of steps. */
  readonly title: string;
  /** Whether to go on, in a sentence. */
  readonly verdict: string;
  /** What blocks, what cannot be undone, what changes, how long it stays safe; a fact is a line or two. */
  readonly summary: readonly (readonly [label: string, facts: readonly string[]])[];
  readonly steps: readonly StepText[];
  /** What steps refer to, or what all have in common. */
  readonly parts: readonly PlanPart[];
}

export interface StepText {
  readonly does: string;
  readonly notes: readonly string[];
  /** Commands and files, which are printed as they are so that they can be copied. */
  readonly verbatim?: readonly string[];
}

export interface PlanPart {
  readonly title: string;
  /** What stands before each line, such as `[3]`, and the line. */
  readonly rows: readonly (readonly [mark: string, text: string])[];
}

/** Lines of the first screen; the prompt of the shell takes one. */
const SCREEN = 23;
/** Lines of one fact of the summary; what is longer is in the steps. */
const FACT = 2;

export function planText(page: PlanPage, terminal: { readonly columns?: number | undefined }): string {
  const width = widthOf(terminal.columns);
  const marks = String(page.steps.length).length;
  const steps = page.steps.flatMap(({ does, notes, verbatim = [] }, i) => {
    const mark = `${String(i + 1).padStart(marks)}. `;
    const indent = " ".repeat(mark.length);
    return [
      ...hanging(mark, does, width),
      ...verbatim.map((line) => `${indent}  ${line}`.trimEnd()),
      ...notes.flatMap((note) => hanging(`${indent}- `, note, width)),
    ];
  });
  const parts = page.parts
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ title, rows }) => {
      const widest = Math.max(...rows.map(([mark]) => mark.length));
      return [
        "",
        `${title}:`,
        ...rows.flatMap(([mark, text]) =>
          hanging(widest === 0 ? "  " : `  ${mark.padEnd(widest + 1)}`, text, width),
        ),
      ];
    });
  const body = page.steps.length === 0 ? [] : ["", "Steps:", ...steps];
  return `${[...summaryLines(page, width), ...body, ...parts].join("\n")}\n`;
}

/** The summary, its longest rows cut so that it fits the screen. */
function summaryLines({ title, verdict, summary }: PlanPage, width: number): string[] {
  const head = [...wrapped(title, width), "", ...wrapped(verdict, width), ""];
  const rows = summary.filter(([, facts]) => facts.length > 0);
  const labels = Math.max(0, ...rows.map(([label]) => label.length)) + 2;
  const shown = rows.map(([label, facts]) => ({
    label,
    facts: facts.map((fact) => shortened(fact, width - labels, FACT)),
    left: 0,
  }));
  const height = (): number =>
    shown.reduce((sum, { facts, left }) => sum + facts.flat().length + (left > 0 ? 1 : 0), head.length);
  while (height() > SCREEN) {
    const longest = shown.reduce((a, b) => (b.facts.length > a.facts.length ? b : a));
    if (longest.facts.length < 2) break;
    longest.facts.pop();
    longest.left++;
  }
  return [
    ...head,
    ...shown.flatMap(({ label, facts, left }) =>
      [...facts.flat(), ...(left > 0 ? [`and ${left} more below`] : [])].map((line, i) =>
        `${(i === 0 ? label : "").padEnd(labels)}${line}`.trimEnd(),
      ),
    ),
  ];
}

const MORE = " …";

/** A text as at most so many lines, the mark of what is left out included. */
function shortened(text: string, width: number, most: number): string[] {
  const lines = wrapped(text, width);
  if (lines.length <= most) return lines;
  const [last = ""] = wrapped(lines[most - 1] ?? "", width - MORE.length);
  return [...lines.slice(0, most - 1), `${last}${MORE}`];
}

/** Lists that several steps share: each is kept once, and steps refer to it by its number. */
export class SharedLists {
  private readonly known = new Map<string, readonly [mark: string, text: string]>();

  /** The reference to a list, such as `[2]`. */
  refer(title: string, items: readonly string[]): string {
    const text = `${title} (${items.length}): ${items.join(", ")}`;
    const row = this.known.get(text) ?? [`[${this.known.size + 1}]`, text];
    this.known.set(text, row);
    return row[0];
  }

  get rows(): PlanPart["rows"] {
    return [...this.known.values()];
  }
}
