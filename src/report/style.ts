/** How the page looks: light and dark by what the reader's system prefers, and on paper. */

/** Colours by name, for light and for dark. */
const COLOURS: readonly (readonly [name: string, light: string, dark: string])[] = [
  ["page", "#ffffff", "#15181c"],
  ["text", "#1b1f24", "#e4e7eb"],
  ["quiet", "#59626d", "#a3acb8"],
  ["rule", "#d5dae0", "#3a414a"],
  ["panel", "#f5f7f9", "#1e2329"],
  ["link", "#0b57a4", "#7cb8f2"],
  ["good", "#d3efd9", "#1e4d2b"],
  ["warn", "#fbe9b7", "#574512"],
  ["bad", "#fbd5d5", "#6b2226"],
  ["plain", "#e4e8ec", "#343b44"],
  ["alpha", "#fbe0b8", "#6b4a12"],
  ["beta", "#cfe2f8", "#1f4570"],
  ["ga", "#d3efd9", "#1e4d2b"],
  ["deprecated", "#f3d2e2", "#642b48"],
  ["removed", "#e4e8ec", "#343b44"],
  ["l0", "#0b62ba", "#6cb2f7"],
  ["l1", "#b3440c", "#f5a26f"],
  ["l2", "#1d7a3c", "#74d294"],
  ["l3", "#8a2f86", "#dd8fd9"],
  ["l4", "#6d5a00", "#d8c14c"],
  ["l5", "#4d545c", "#b4bcc6"],
];

const variables = (value: 1 | 2): string =>
  COLOURS.map((colour) => `--${colour[0]}:${colour[value]}`).join(";");

/** Classes of bars, swatches, badges and cells, with the colour that each has. */
const FILLS: readonly (readonly [classes: readonly string[], colour: string])[] = [
  [["alpha"], "alpha"],
  [["beta"], "beta"],
  [["ga", "stable", "preferred"], "ga"],
  [["deprecated"], "deprecated"],
  [["removed", "ignored", "plain"], "removed"],
  [["supported"], "beta"],
  [["actively-migrated", "warn"], "warn"],
  [["good"], "good"],
  [["bad"], "bad"],
];

const fills = FILLS.flatMap(([classes, colour]) => [
  `${classes.map((each) => `.bar.${each}>rect`).join(",")}{fill:var(--${colour})}`,
  `${classes.flatMap((each) => [`.swatch.${each}`, `.badge.${each}`, `td.${each}`]).join(",")}{background:var(--${colour})}`,
]);

const lines = Array.from(
  { length: 6 },
  (_, i) =>
    `.s${i}{color:var(--l${i})}.s${i} polyline{stroke-dasharray:${["none", "7 3", "2 3", "9 3 2 3", "12 4", "1 4"][i] ?? "none"}}`,
);

export const STYLE = [
  `:root{color-scheme:light dark;${variables(1)}}`,
  `@media (prefers-color-scheme:dark){:root{${variables(2)}}}`,
  `@page{size:landscape;margin:12mm}@media print{:root{font-size:11px;color-scheme:light;${variables(1)}}nav{display:none}body{max-width:none}figure,tr,dl{break-inside:avoid}h2,h3{break-after:avoid}.scroll{overflow:visible}.matrix{font-size:.58rem}.matrix th,.matrix td{padding:.1rem .15rem}svg{max-width:100%;height:auto}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}`,
  "*{box-sizing:border-box}",
  "body{margin:0 auto;padding:1rem 1.5rem 4rem;max-width:76rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}",
  "h1{font-size:1.7rem;margin:.5rem 0}h2{font-size:1.35rem;margin:2.5rem 0 .5rem;border-bottom:1px solid var(--rule)}h3{font-size:1.1rem;margin:1.6rem 0 .4rem}",
  "h1,h2,h3,p,nav,figcaption,.legend{overflow-wrap:anywhere}nav li,.legend li{min-width:0}p{max-width:60rem}a{color:var(--link)}.quiet,figcaption{color:var(--quiet);font-size:.9rem}",
  "nav ul,ul.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}",
  "dl{display:grid;grid-template-columns:fit-content(40%) 1fr;gap:.2rem 1rem;margin:.6rem 0;overflow-wrap:anywhere}dt{color:var(--quiet)}dd{margin:0}",
  ".scroll{overflow-x:auto;margin:.6rem 0}.scroll:focus-visible{outline:2px solid var(--link)}",
  ".attention{list-style:none;padding:0}.attention li{margin:.5rem 0;overflow-wrap:anywhere}.attention pre{margin:.2rem 0 .2rem 1.5rem;padding:.3rem .6rem;background:var(--panel);border:1px solid var(--rule);white-space:pre-wrap;overflow-wrap:anywhere}code{font-family:ui-monospace,monospace}",
  ".steps>li{margin:.6rem 0;padding:.1rem 0 .1rem .7rem;border-inline-start:3px solid var(--quiet)}.steps>li.gate{border-inline-start-style:dashed}.steps pre{margin:.2rem 0;padding:.3rem .6rem;background:var(--panel);border:1px solid var(--rule);white-space:pre-wrap;overflow-wrap:anywhere}.steps ul{margin:.1rem 0;padding-inline-start:1.2rem}.steps{overflow-wrap:anywhere}",
  ".filter input{font:inherit;max-width:100%;color:inherit;background:var(--page);border:1px solid var(--quiet);border-radius:.3rem;padding:.15rem .4rem}.filter input:focus-visible{outline:2px solid var(--link)}@media print{.filter{display:none}}",
  "table{border-collapse:collapse;font-size:.92rem}caption{text-align:start;color:var(--quiet);padding-bottom:.3rem}",
  "th,td{text-align:start;vertical-align:top;padding:.25rem .6rem;border:1px solid var(--rule)}thead th{background:var(--panel)}tbody th{font-weight:600;overflow-wrap:break-word}.number{text-align:end;font-variant-numeric:tabular-nums}",
  ".badge,.swatch{border-radius:.3rem;padding:0 .45rem;border:1px solid var(--rule)}.swatch{display:inline-block;width:1.2em;height:1em;padding:0;vertical-align:-.1em}",
  "td.here{outline:3px solid var(--text);outline-offset:-3px;font-weight:700}",
  "figure{margin:1rem 0}svg text{font:12px system-ui,sans-serif;fill:currentColor}svg{color:var(--text)}",
  ".grid{stroke:var(--rule)}.axis{stroke:var(--quiet)}.marked{fill:var(--panel)}.bar>rect{stroke:var(--quiet);stroke-width:.7}",
  ".lock path{fill:none;stroke:currentColor;stroke-width:1.6}.lock rect{fill:currentColor}",
  ".series polyline{fill:none;stroke:currentColor;stroke-width:2}.series circle,.series rect,.series path{fill:currentColor}.series text{fill:var(--text)}",
  ".graph a{color:inherit}.graph svg{max-width:100%;min-width:60rem;height:auto}.graph text{fill:currentColor}.graph ellipse,.graph path,.graph polyline,.graph .node polygon{stroke:currentColor}.graph .edge polygon{fill:currentColor;stroke:currentColor}",
  ...fills,
  ...lines,
].join("\n");
