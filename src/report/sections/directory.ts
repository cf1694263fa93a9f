/** An asset directory: what it is of, what was run in it, what became of its files, how long its certificates last. */
import { counted } from "../../core/counted.js";
import { formatDuration, formatMoment } from "../../core/time.js";
import { figure, label, line, shortened } from "../figure.js";
import { type Child, element, Markup } from "../markup.js";
import type { Section } from "../page.js";
import { logarithmic } from "../scale.js";
import { badge, facts, type Tone, table } from "../table.js";

export interface DirectoryReport {
  /** As the user wrote it. */
  readonly path: string;
  readonly identity:
    | { readonly name: string; readonly infraID: string; readonly clusterID: string }
    | undefined;
  readonly phases: readonly PhaseReport[];
  /** Recorded flags and their values. */
  readonly options: readonly (readonly [name: string, value: string])[];
  /** True when a fresh compile would change nothing. */
  readonly clean: boolean;
  readonly files: readonly { readonly path: string; readonly status: string }[];
  /** Files that differ from a new compile. */
  readonly changes?: readonly FileChange[] | undefined;
  /** Undefined without the state, which holds them. */
  readonly certificates: readonly CertificateReport[] | undefined;
  /** The phase graph as Graphviz draws it: ours, not the user's. */
  readonly graph: string;
}

export interface FileChange {
  readonly path: string;
  readonly status: string;
  /** Kind and name; empty for what is no object. */
  readonly object: string;
  /** Fields with the values before and after, without secrets. */
  readonly changed: readonly string[];
  /** What takes the change in, or shows it. */
  readonly command: string;
}

export interface PhaseReport {
  readonly name: string;
  readonly tool: string;
  readonly consumed: boolean;
  readonly files: number;
}

export interface CertificateReport {
  readonly name: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const TONES: Readonly<Record<string, Tone>> = {
  untouched: "good",
  edited: "warn",
  added: "warn",
  removed: "warn",
  stale: "bad",
  conflict: "bad",
  missing: "bad",
};

export function directorySection(report: DirectoryReport): Section {
  return {
    id: "directory",
    title: `Asset directory ${report.path}`,
    body: [
      identity(report),
      changes(report),
      element("h3", {}, "Phases"),
      phases(report),
      options(report),
      element("h3", {}, "Phase graph"),
      graph(report.graph),
      element("h3", {}, "Certificates"),
      certificates(report.certificates),
      element("h3", {}, "Files"),
      files(report),
    ],
  };
}

const identity = ({ identity: known, clean, files: all }: DirectoryReport): Markup => {
  const unknown = all.filter(({ status }) => status === "unverifiable").length;
  return facts([
    ...(known === undefined
      ? ([["cluster", "unknown: nothing has been generated yet"]] as const)
      : ([
          ["cluster", known.name],
          ["infrastructure name", known.infraID],
          ["cluster ID", known.clusterID],
        ] as const)),
    ["compiling again", clean ? badge("changes nothing", "good") : badge("would change files", "bad")],
    ...(unknown === 0
      ? []
      : [["not verified", `${counted(unknown, "file")}: the secrets are not available`] as const]),
  ]);
};

const phases = ({ phases: all }: DirectoryReport): Markup =>
  all.length === 0
    ? element("p", {}, "No phase has been run.")
    : table({
        caption: "Completed phases, from the record",
        head: ["Phase", "Command", "Generated files"],
        numeric: [2],
        rows: all.map(({ name, tool, consumed, files: count }) => [
          name,
          tool,
          consumed ? "consumed by a later phase" : count,
        ]),
      });

const options = ({ options: all }: DirectoryReport): Child =>
  all.length === 0 ? [] : table({ caption: "Recorded options", head: ["Option", "Value"], rows: all });

const changes = ({ changes: all = [] }: DirectoryReport): Child =>
  all.length === 0
    ? []
    : table({
        caption: "What differs from a new compile",
        head: ["File", "Status", "Object", "Changes", "Command"],
        rows: all.map(({ path, status, object, changed, command }) => [
          path,
          badge(status, TONES[status] ?? "plain"),
          object,
          changed.map((each) => element("div", {}, each)),
          element("code", {}, command),
        ]),
      });

function files({ files: all }: DirectoryReport): Child {
  const counts = new Map<string, number>();
  for (const { status } of all) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [
    element(
      "p",
      {},
      all.length === 0
        ? "No files have been generated."
        : [...counts]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .flatMap(([status, count], i) => [
              i === 0 ? "" : ", ",
              `${count} `,
              badge(status, TONES[status] ?? "plain"),
            ]),
    ),
    all.length === 0
      ? []
      : table({
          caption: "Files, compared with a new compile",
          head: ["File", "Status"],
          rows: all.map(({ path, status }) => [path, badge(status, TONES[status] ?? "plain")]),
        }),
  ];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MARKS: readonly (readonly [length: number, name: string])[] = [
  [HOUR, "1 hour"],
  [DAY, "1 day"],
  [7 * DAY, "1 week"],
  [30 * DAY, "30 days"],
  [365 * DAY, "1 year"],
  [3650 * DAY, "10 years"],
];
const ROW = 22;
const LEFT = 250;
const WIDTH = 860;

function certificates(all: readonly CertificateReport[] | undefined): Child {
  if (all === undefined)
    return element("p", {}, "The state, which contains the certificates, is missing or encrypted.");
  const [first] = all;
  if (first === undefined) return element("p", {}, "The state does not contain certificates yet.");
  const sorted = [...all].sort((a, b) => a.notAfter.getTime() - b.notAfter.getTime());
  return [validity(sorted), certificateTable(sorted)];
}

/** From an hour to ten years: only equal factors of equal length show both. */
function validity(all: readonly CertificateReport[]): Markup {
  const start = Math.min(...all.map(({ notBefore }) => notBefore.getTime()));
  const end = Math.max(...all.map(({ notAfter }) => notAfter.getTime() - start), DAY);
  const x = logarithmic(HOUR, end, LEFT, WIDTH - 30);
  const bottom = all.length * ROW + 6;
  return figure(
    {
      title: `Validity of the certificates from ${formatMoment(start)}`,
      description: "One bar for each certificate, sorted by expiry; the scale is logarithmic.",
      width: WIDTH,
      height: bottom + 24,
    },
    MARKS.filter(([length]) => length <= end).map(([length, name]) => [
      line(x(length), 0, x(length), bottom, "grid"),
      label(x(length), bottom + 16, name, "middle"),
    ]),
    all.map(({ name, notBefore, notAfter }, i) => {
      const from = x(notBefore.getTime() - start);
      const to = Math.max(x(notAfter.getTime() - start), from + 1);
      const said = `${name}: ${formatMoment(notBefore.getTime())} to ${formatMoment(notAfter.getTime())}`;
      const kind = notAfter.getTime() - notBefore.getTime() <= 7 * DAY ? "warn" : "good";
      return element(
        "g",
        { class: `bar ${kind}` },
        element("title", {}, said),
        element("text", { x: LEFT - 8, y: i * ROW + 17, "text-anchor": "end" }, shortened(name, 36)),
        element("rect", { x: from, y: i * ROW + 4, width: to - from, height: ROW - 6, rx: 3 }),
      );
    }),
  );
}

const certificateTable = (all: readonly CertificateReport[]): Markup =>
  table({
    caption: "Certificates, sorted by expiry (UTC)",
    head: ["Certificate", "Valid from", "Valid until", "Lifetime"],
    rows: all.map(({ name, notBefore, notAfter }) => [
      name,
      formatMoment(notBefore.getTime()),
      formatMoment(notAfter.getTime()),
      formatDuration(notAfter.getTime() - notBefore.getTime()),
    ]),
  });

/** What Graphviz writes before the picture itself has no place in a page. */
const graph = (svg: string): Markup =>
  element(
    "figure",
    { class: "graph" },
    element(
      "div",
      { class: "scroll", role: "region", tabindex: 0, "aria-label": "Phase graph" },
      new Markup(
        svg
          .slice(svg.indexOf("<svg"))
          .replace(/<!--[\s\S]*?(?:-->\n?|$)/g, "")
          .trim(),
      ),
    ),
    element(
      "figcaption",
      {},
      "The phases with their inputs and outputs; completed phases have a thick frame.",
    ),
  );
