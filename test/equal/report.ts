/** What a comparison of many cases found, grouped by kind, as lines. */
import type { Difference } from "./compare.js";
import type { Exception } from "./exceptions.js";

export interface Outcome {
  readonly name: string;
  readonly fault: string | undefined;
  readonly accepted: { readonly installer: boolean; readonly slipway: boolean };
  readonly refusal: { readonly installer: string; readonly slipway: string };
  /** Fields and kinds of error that the installer names, without numbers of list elements. */
  readonly refused: readonly string[];
  /** The installer crashed, or there is a reason why the two answers differ. */
  readonly excused: string | undefined;
  readonly differences: readonly Difference[];
  readonly excepted: readonly Exception[];
  readonly compared: number;
}

export const isEqual = ({ accepted, differences, excused }: Outcome): boolean =>
  excused !== undefined || (accepted.installer === accepted.slipway && differences.length === 0);

/** The kind of a difference: numbers of files, machines and list elements do not count. */
export const kindOf = ({ file, field }: Difference): string =>
  `${file.replace(/(-)\d+(?=\.yaml$)/, "$1N")} ${field.replace(/\[\d+\]/g, "[]")}`.trim();

/** Configs that were meant to be valid and are refused by both: a sign of a narrow generator. */
export const refusedUnasked = (outcomes: readonly Outcome[]): string =>
  outcomes
    .filter(({ accepted, fault }) => fault === undefined && !accepted.installer && !accepted.slipway)
    .map(
      ({ name, refusal }) =>
        `refused by both: ${name}\n      ${lines(refusal.installer)}\n      ${lines(refusal.slipway)}\n`,
    )
    .join("");

const LONGEST = 300;
const short = (text = "missing"): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
const lines = (text: string): string => short(text.replaceAll("\n", "\n      "));

interface Group {
  readonly count: number;
  readonly example: string;
}

function grouped(entries: readonly (readonly [string, string])[]): [string, Group][] {
  const groups = new Map<string, Group>();
  for (const [kind, example] of entries) {
    const known = groups.get(kind);
    groups.set(kind, { count: (known?.count ?? 0) + 1, example: known?.example ?? example });
  }
  return [...groups].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
}

export function reportOf(outcomes: readonly Outcome[]): string {
  const differing = outcomes.flatMap(({ name, differences }) =>
    differences.map((each): [string, string] => [
      kindOf(each),
      `${name}: installer ${short(each.installer)}\n      slipway ${short(each.slipway)}`,
    ]),
  );
  const contrary = outcomes
    .filter((each) => each.accepted.installer !== each.accepted.slipway && each.excused === undefined)
    .map(({ name, accepted, refusal, fault }) => {
      const who = accepted.installer ? "only slipway refuses" : "only the installer refuses";
      const why = accepted.installer ? refusal.slipway : refusal.installer;
      return `${who} ${name}${fault === undefined ? "" : ` (${fault})`}\n      ${lines(why)}`;
    });
  const excused = grouped(
    outcomes.flatMap(({ excused: why, name }) => (why === undefined ? [] : [[why, name] as const])),
  );
  const excepted = grouped(
    outcomes.flatMap((each) => each.excepted.map(({ reason }) => [reason, each.name] as const)),
  );
  return [
    ...grouped(differing).map(([kind, { count, example }]) => `${count} ${kind}\n      ${example}`),
    ...contrary,
    ...[...excused, ...excepted].map(([why, { count }]) => `excepted in ${count} cases: ${why}`),
    figuresOf(outcomes),
    "",
  ].join("\n");
}

/** Pairs as they were meant: what the installer accepts, and what has a fault of a kind; each is equal or differs. */
export function figuresByIntent(outcomes: readonly Outcome[]): string {
  const line = (name: string, of: readonly Outcome[], more = ""): string => {
    const excused = of.filter((each) => each.excused !== undefined).length;
    const differ = of.filter((each) => !isEqual(each)).length;
    return `${name}: ${of.length} pairs${more}, ${of.length - differ - excused} equal, ${differ} differ${excused === 0 ? "" : `, ${excused} excused`}`;
  };
  const valid = outcomes.filter(({ fault }) => fault === undefined);
  const faulty = outcomes.filter(({ fault }) => fault !== undefined);
  const refused = faulty.filter(({ accepted }) => !accepted.installer).length;
  const kinds = new Set(faulty.map(({ fault = "" }) => fault.replace(/ = .*/s, "")));
  const fields = new Set(faulty.flatMap(({ refused: named }) => named));
  return [
    line(
      "valid",
      valid,
      ` (${valid.filter(({ accepted }) => accepted.installer).length} accepted by the installer)`,
    ),
    line(
      "with a fault",
      faulty,
      ` (faults at ${kinds.size} places, ${fields.size} fields and kinds of error; ${refused} refused by the installer)`,
    ),
    "",
  ].join("\n");
}

function figuresOf(outcomes: readonly Outcome[]): string {
  const count = (of: (each: Outcome) => boolean): number => outcomes.filter(of).length;
  const files = outcomes.reduce((sum, { compared }) => sum + compared, 0);
  return (
    `${outcomes.length} configs: ${count(({ accepted }) => accepted.installer && accepted.slipway)} accepted by both ` +
    `(${files} files compared), ${count(({ accepted }) => !accepted.installer && !accepted.slipway)} refused by both; ` +
    `${count((each) => !isEqual(each))} differ`
  );
}
