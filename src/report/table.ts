/** Tables that a screen reader can read: a caption, heads with their direction, and a frame that scrolls by keyboard. */
import { type Child, element, type Markup } from "./markup.js";

export interface Table {
  readonly caption: string;
  readonly head: readonly string[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly Child[])[];
  /** Columns that hold numbers, from 0. */
  readonly numeric?: readonly number[];
  /** A field above it filters its rows. */
  readonly filterable?: boolean;
}

export function table({ caption, head, rows, numeric = [], filterable = false }: Table): Markup {
  const kind = (column: number): string | undefined => (numeric.includes(column) ? "number" : undefined);
  return framed(caption, filterable ? "filterable" : undefined, [
    element("caption", {}, caption),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        head.map((each, i) => element("th", { scope: "col", class: kind(i) }, each)),
      ),
    ),
    element(
      "tbody",
      {},
      rows.map((cells) =>
        element(
          "tr",
          {},
          cells.map((cell, i) =>
            i === 0
              ? element("th", { scope: "row", class: kind(i) }, cell)
              : element("td", { class: kind(i) }, cell),
          ),
        ),
      ),
    ),
  ]);
}

/** A table whose parts are given. */
export const frame = (label: string, ...parts: readonly Child[]): Markup => framed(label, undefined, parts);

/** A table with many narrow columns, which is set small on paper. */
export const matrix = (label: string, ...parts: readonly Child[]): Markup => framed(label, "matrix", parts);

const framed = (label: string, kind: string | undefined, parts: readonly Child[]): Markup =>
  element(
    "div",
    { class: "scroll", role: "region", tabindex: 0, "aria-label": label },
    element("table", { class: kind }, ...parts),
  );

/** Pairs of a name and what it is. */
export const facts = (pairs: readonly (readonly [name: string, value: Child])[]): Markup =>
  element(
    "dl",
    {},
    pairs.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );

/** A word with a colour: the word says it, the colour only helps. */
export const badge = (word: string, tone: Tone): Markup => element("span", { class: `badge ${tone}` }, word);

export type Tone = "good" | "bad" | "warn" | "plain";
