/** Line charts. Lines are told apart by colour, dashes and the shape of their points, so that print shows them too. */
import { CHARACTER, figure, label, line } from "./figure.js";
import { element, formatNumber, type Markup } from "./markup.js";
import { linear, ticks } from "./scale.js";

export interface Series {
  readonly name: string;
  /** One for each place of the x axis. */
  readonly values: readonly number[];
}

export interface LineChart {
  readonly title: string;
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Places of the x axis: numbers stand where they belong, texts one after the other. */
  readonly x: readonly number[] | readonly string[];
  readonly series: readonly Series[];
}

const WIDTH = 760;
const HEIGHT = 320;
const LEFT = 70;
const RIGHT = 20;
const TOP = 14;
const BOTTOM = 46;
const LEGEND_LINE = 18;
/** Labels of the x axis stand no closer than this. */
const LABEL_GAP = 44;

export function lineChart(chart: LineChart): Markup {
  const { title, description, series } = chart;
  const places = chart.x.map((each, i) => (typeof each === "number" ? each : i));
  const first = Math.min(...places);
  const last = Math.max(...places);
  const values = series.flatMap((each) => each.values);
  const yTicks = ticks(Math.max(0, ...values), 5);
  const x = linear(first, last, LEFT, WIDTH - RIGHT);
  const y = linear(0, yTicks.at(-1) ?? 1, HEIGHT - BOTTOM, TOP);
  const legend = legendOf(series, HEIGHT + 4);
  return figure(
    { title, description, width: WIDTH, height: HEIGHT + legend.height },
    yTicks.map((each) => [
      line(LEFT, y(each), WIDTH - RIGHT, y(each), each === 0 ? "axis" : "grid"),
      label(LEFT - 8, y(each) + 4, formatNumber(each), "end"),
    ]),
    xLabels(chart.x, places, x),
    label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, chart.xLabel, "middle"),
    element(
      "text",
      {
        x: 0,
        y: 0,
        "text-anchor": "middle",
        transform: `translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`,
      },
      chart.yLabel,
    ),
    series.map(({ name, values: own }, i) =>
      element(
        "g",
        { class: `series s${i % KINDS}` },
        element("polyline", {
          points: own
            .map((value, at) => `${formatNumber(x(places[at] ?? 0))},${formatNumber(y(value))}`)
            .join(" "),
        }),
        own.map((value, at) =>
          point(
            i,
            x(places[at] ?? 0),
            y(value),
            `${name}, ${chart.xLabel} ${chart.x[at] ?? ""}: ${formatNumber(value)}`,
          ),
        ),
      ),
    ),
    legend.shapes,
  );
}

function xLabels(
  names: readonly (number | string)[],
  places: readonly number[],
  x: (at: number) => number,
): Markup[] {
  const shown: Markup[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const [i, place] of places.entries()) {
    const at = x(place);
    if (at - end < LABEL_GAP) continue;
    shown.push(label(at, HEIGHT - BOTTOM + 18, String(names[i] ?? ""), "middle"));
    end = at;
  }
  return shown;
}

const KINDS = 6;

function point(series: number, x: number, y: number, title: string): Markup {
  const said = element("title", {}, title);
  switch (series % 3) {
    case 0:
      return element("circle", { cx: x, cy: y, r: 3.5 }, said);
    case 1:
      return element("rect", { x: x - 3, y: y - 3, width: 6, height: 6 }, said);
    default:
      return element("path", { d: `M${formatNumber(x)} ${formatNumber(y - 4)}l4 7h-8z` }, said);
  }
}

/** Names of the lines below the chart, as many in a row as fit. */
function legendOf(
  series: readonly Series[],
  top: number,
): { readonly shapes: Markup[]; readonly height: number } {
  const shapes: Markup[] = [];
  let left = LEFT;
  let row = 0;
  for (const [i, { name }] of series.entries()) {
    const width = 44 + name.length * CHARACTER + 16;
    if (left + width > WIDTH && left > LEFT) {
      left = LEFT;
      row++;
    }
    const y = top + row * LEGEND_LINE + 8;
    shapes.push(
      element(
        "g",
        { class: `series s${i % KINDS}` },
        element("polyline", { points: `${formatNumber(left)},${y} ${formatNumber(left + 34)},${y}` }),
        point(i, left + 17, y, name),
        label(left + 42, y + 4, name),
      ),
    );
    left += width;
  }
  return { shapes, height: (row + 1) * LEGEND_LINE + 8 };
}
