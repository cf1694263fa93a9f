/** API kinds: in which releases each version is served, from when on it is deprecated, and when it goes. */

import { counted } from "../../core/counted.js";
import { element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { table } from "../table.js";
import { type Bar, legend, type Row, timeline } from "../timeline.js";

export interface ApisReport {
  readonly file: string;
  readonly columns: readonly string[];
  readonly kinds: readonly KindReport[];
}

export interface KindReport {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly stability: "stable" | "beta" | "alpha";
  readonly introduced: ReleaseReport | undefined;
  readonly deprecated: ReleaseReport | undefined;
  readonly removed: ReleaseReport | undefined;
  readonly replacement: string;
}

/** A release, and its column from 0; columns may lie on either side of those that are shown. */
export interface ReleaseReport {
  readonly release: string;
  readonly column: number;
}

const LEGEND = [
  ["alpha", "alpha"],
  ["beta", "beta"],
  ["stable", "stable"],
  ["deprecated", "deprecated, still served"],
] as const;

export const apisSection = ({ file, columns, kinds }: ApisReport): Section => ({
  id: "apis",
  title: `API lifecycle ${file}`,
  body: [
    element(
      "p",
      {},
      `${counted(kinds.length, "API version")}. Each bar spans the releases that have the version.`,
    ),
    legend(LEGEND),
    timeline({
      title: "API versions by release",
      description:
        "One row for each API version in these releases; each bar spans the first to the last release that has the version.",
      columns,
      rows: kinds.map((kind) => rowOf(kind, columns.length)).filter(({ bars }) => bars.length > 0),
    }),
    goingTable(kinds),
  ],
});

/** The kind first: where room is short, the group is what can be spared. */
const nameOf = ({ group, version, kind }: KindReport): string =>
  `${kind} ${version}${group === "" ? "" : ` (${group})`}`;

function rowOf(kind: KindReport, columns: number): Row {
  const { introduced, deprecated, removed, stability, replacement } = kind;
  const end = Math.min(removed?.column ?? columns, columns);
  const change = Math.min(deprecated?.column ?? end, end);
  const title = [
    `${nameOf(kind)}: ${stability}`,
    introduced === undefined ? "" : `since ${introduced.release}`,
    deprecated === undefined ? "" : `deprecated in ${deprecated.release}`,
    removed === undefined ? "" : `removed in ${removed.release}`,
    replacement === "" ? "" : `use ${replacement}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
  const bar = (from: number, to: number, is: string): Bar[] =>
    to <= from ? [] : [{ first: from, last: to - 1, kind: is, label: is, title }];
  const start = Math.max(introduced?.column ?? 0, 0);
  return {
    name: nameOf(kind),
    bars: [...bar(start, change, stability), ...bar(Math.max(change, start), end, "deprecated")],
  };
}

function goingTable(kinds: readonly KindReport[]): Markup {
  const going = kinds.filter(({ deprecated, removed }) => deprecated !== undefined || removed !== undefined);
  if (going.length === 0) return element("p", {}, "No version is deprecated or removed.");
  return table({
    caption: "Versions that are deprecated or removed",
    head: ["API", "Introduced", "Deprecated", "Removed", "Replacement"],
    rows: going.map((kind) => [
      nameOf(kind),
      kind.introduced?.release ?? "",
      kind.deprecated?.release ?? "",
      kind.removed?.release ?? "",
      kind.replacement,
    ]),
  });
}
