/** Timelines: a row for each thing, a bar for each stretch of releases in which it is in one state. */
import { CHARACTER, figure, label, line, shortened } from "./figure.js";
import { element, type Markup } from "./markup.js";

export interface Bar {
  /** Column of the first release, from 0, and of the last. */
  readonly first: number;
  readonly last: number;
  /** Class of its colour. */
  readonly kind: string;
  /** Shown in the bar as far as it fits. */
  readonly label: string;
  /** Everything about it, in words. */
  readonly title: string;
  /** Drawn with a lock. */
  readonly locked?: boolean;
}

export interface Row {
  readonly name: string;
  readonly bars: readonly Bar[];
}

export interface Timeline {
  readonly title: string;
  readonly description: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** A column that is marked, such as the current release. */
  readonly marked?: number | undefined;
}

const ROW = 22;
const HEAD = 24;
const COLUMN = 42;
const LONGEST_NAME = 44;
/** A picture with more rows would not fit on a printed page. */
const ROWS = 36;

/** Long timelines come in several pictures, each with the releases above. */
export function timeline(chart: Timeline): Markup[] {
  const { rows, title } = chart;
  const pictures = Math.ceil(rows.length / ROWS);
  return Array.from({ length: pictures }, (_, i) =>
    picture({
      ...chart,
      title: pictures === 1 ? title : `${title} (${i + 1} of ${pictures})`,
      rows: rows.slice(i * ROWS, (i + 1) * ROWS),
    }),
  );
}

function picture({ title, description, columns, rows, marked }: Timeline): Markup {
  const names = Math.max(...rows.map(({ name }) => Math.min([...name].length, LONGEST_NAME)), 8);
  const left = names * CHARACTER + 12;
  const width = left + columns.length * COLUMN + 8;
  const height = HEAD + rows.length * ROW + 4;
  return figure(
    { title, description, width, height },
    marked === undefined
      ? []
      : element("rect", {
          x: left + marked * COLUMN,
          y: 0,
          width: COLUMN,
          height,
          class: "marked",
        }),
    columns.map((name, i) => label(left + (i + 0.5) * COLUMN, 16, name, "middle")),
    columns.map((_, i) => line(left + i * COLUMN, HEAD, left + i * COLUMN, height, "grid")),
    rows.map((row, i) => rowOf(row, left, HEAD + i * ROW)),
  );
}

const rowOf = ({ name, bars }: Row, left: number, top: number): Markup =>
  element(
    "g",
    {},
    element(
      "text",
      { x: left - 8, y: top + 15, "text-anchor": "end" },
      shortened(name, LONGEST_NAME),
      element("title", {}, name),
    ),
    bars.map((bar) => barOf(bar, left, top)),
  );

function barOf(
  { first, last, kind, label: text, title, locked = false }: Bar,
  left: number,
  top: number,
): Markup {
  const x = left + first * COLUMN;
  const width = (last - first + 1) * COLUMN;
  const room = Math.floor((width - (locked ? 22 : 8)) / CHARACTER);
  return element(
    "g",
    { class: `bar ${kind}` },
    element("title", {}, title),
    element("rect", { x: x + 1, y: top + 2, width: width - 2, height: ROW - 4, rx: 3 }),
    room < 1 ? [] : label(x + 5, top + 15, shortened(text, room)),
    locked ? lock(x + width - 15, top + 4) : [],
  );
}

/** A padlock, 10 wide and 13 high. */
const lock = (x: number, y: number): Markup =>
  element(
    "g",
    { class: "lock", transform: `translate(${Math.round(x)} ${Math.round(y)})` },
    element("path", { d: "M2 6V4a3 3 0 0 1 6 0v2" }),
    element("rect", { x: 0.5, y: 6, width: 9, height: 7, rx: 1 }),
  );

/** What the colours mean, as text with swatches. */
export const legend = (entries: readonly (readonly [kind: string, meaning: string])[]): Markup =>
  element(
    "ul",
    { class: "legend" },
    entries.map(([kind, meaning]) =>
      element("li", {}, element("span", { class: `swatch ${kind}` }, ""), ` ${meaning}`),
    ),
  );
