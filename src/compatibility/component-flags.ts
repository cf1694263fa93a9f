/** Command-line flags of the components by release: what is new, deprecated, gone, or has another default. */
import table from "../../tables/kubernetes-flags.json" with { type: "json" };
import { rowsAt, type Span } from "../core/by-release.js";
import type { Problem, Report } from "../core/diagnostics.js";
import { problem, warning } from "../core/problem.js";
import { closest } from "../text/closest.js";
import type { FlagInUse } from "./read/flags-in-use.js";
import { compareMinors, formatMinor, type Minor, minorsBetween, release } from "./version.js";

/** The releases whose flags are known, oldest first. */
export const FLAG_RELEASES: readonly Minor[] = minorsBetween(
  release(table.releases.first),
  release(table.releases.last),
);

interface Row extends Span {
  readonly component: string;
  readonly flag: string;
  readonly value: string;
}
const FLAGS: readonly Row[] = table.flags;
const DEPRECATED: readonly Row[] = table.deprecated;

/** Components with flags. */
export const FLAG_COMPONENTS: readonly string[] = [...new Set(FLAGS.map(({ component }) => component))];

/** Every component takes it, and no list of flags has it. */
const HELP = "help";

interface FlagState {
  readonly initial: string;
  /** What the component prints for it. */
  readonly deprecated: string | undefined;
}

/** The flags of a component in a release. */
export function flagsAt(component: string, at: Minor): ReadonlyMap<string, FlagState> {
  const own = (rows: readonly Row[]): readonly Row[] =>
    rowsAt(
      rows.filter((row) => row.component === component),
      at,
    );
  const notes = new Map(own(DEPRECATED).map(({ flag, value }) => [flag, value]));
  return new Map(
    own(FLAGS).map(({ flag, value }) => [flag, { initial: value, deprecated: notes.get(flag) }]),
  );
}

export const FLAG_CHANGES = ["removed", "added", "deprecated", "default"] as const;

export interface FlagChange {
  readonly component: string;
  readonly flag: string;
  readonly change: (typeof FLAG_CHANGES)[number];
  /** First release on the way with the change. */
  readonly release: Minor;
  readonly before?: string;
  readonly after?: string;
  readonly note?: string;
}

/** What changes from release to release, along a way of neighbors in either direction. */
export function flagChanges(component: string, releases: readonly Minor[]): readonly FlagChange[] {
  return releases.slice(1).flatMap((at, i): FlagChange[] => {
    const [old, now] = [flagsAt(component, releases[i] ?? at), flagsAt(component, at)];
    const of = (flag: string, change: FlagChange["change"], more: Partial<FlagChange> = {}): FlagChange => ({
      component,
      flag,
      change,
      release: at,
      ...more,
    });
    const names = [...new Set([...old.keys(), ...now.keys()])].sort();
    return names.flatMap((flag) => {
      const [a, b] = [old.get(flag), now.get(flag)];
      if (b === undefined)
        return [of(flag, "removed", a?.deprecated === undefined ? {} : { note: a.deprecated })];
      if (a === undefined) return [of(flag, "added", { after: b.initial })];
      return [
        ...(a.deprecated === undefined && b.deprecated !== undefined
          ? [of(flag, "deprecated", { note: b.deprecated })]
          : []),
        ...(a.initial === b.initial ? [] : [of(flag, "default", { before: a.initial, after: b.initial })]),
      ];
    });
  });
}

/** True where the release has flags in the table. */
export const knowsFlagsOf = (component: string, at: Minor): boolean =>
  FLAG_COMPONENTS.includes(component) && FLAG_RELEASES.some((each) => compareMinors(each, at) === 0);

/** Components take `_` for `-`, and one dash for two. */
const isKnown = (flags: ReadonlyMap<string, FlagState>, flag: string): boolean =>
  flag === HELP || flags.has(flag);

/** The flags in use that a release refuses to start with; of those that the release before has too, none. */
export function refusedFlags(
  inUse: readonly FlagInUse[],
  component: string,
  before: Minor,
  after: Minor,
): readonly Problem[] {
  if (!knowsFlagsOf(component, after)) return [];
  const now = flagsAt(component, after);
  const old = knowsFlagsOf(component, before) ? flagsAt(component, before) : now;
  return inUse
    .filter((each) => each.component === component && !isKnown(now, each.flag) && isKnown(old, each.flag))
    .map(({ flag, place }) => {
      const note = old.get(flag)?.deprecated;
      return problem(
        "CMP001",
        "NotSupported",
        `--${flag}`,
        `${component} ${formatMinor(after)} does not have --${flag} and exits with "unknown flag: --${flag}"`,
        {
          ...place,
          hint: `remove the flag before the upgrade${note === undefined ? "" : `; ${component} ${formatMinor(before)} says: ${note}`}`,
        },
      );
    });
}

/** Judges the flags in use along a way: what a release refuses, deprecates or sets differently, and what none has. */
export function judgeFlags(inUse: readonly FlagInUse[], releases: readonly Minor[], report: Report): void {
  const [from] = releases;
  const to = releases.at(-1);
  if (from === undefined || to === undefined) return;
  for (const { component, flag, place } of inUse) {
    if (!FLAG_COMPONENTS.includes(component)) continue;
    const states = releases.map((at) => flagsAt(component, at));
    const [first, last] = [states[0], states.at(-1)];
    if (first === undefined || last === undefined) continue;
    if (!isKnown(last, flag)) {
      const gone = releases[states.findLastIndex((each) => isKnown(each, flag)) + 1];
      if (isKnown(first, flag) && gone !== undefined)
        refusedFlags([{ component, flag, value: "", place }], component, from, to).forEach(report);
      else {
        const near = closest(flag, [...last.keys()]);
        report(
          problem(
            "CMP002",
            "NotFound",
            `--${flag}`,
            `${component} has no flag --${flag} in ${formatMinor(from)}${releases.length === 1 ? "" : ` or ${formatMinor(to)}`}`,
            { ...place, hint: near === undefined ? "remove the flag" : `did you mean --${near}?` },
          ),
        );
      }
      continue;
    }
    if (!isKnown(first, flag)) {
      const since = releases[states.findLastIndex((each) => !isKnown(each, flag)) + 1] ?? to;
      report(
        warning(
          "CMP002",
          "NotFound",
          `--${flag}`,
          `${component} has no flag --${flag} before ${formatMinor(since)}`,
          { ...place, hint: `set the flag after the upgrade to ${formatMinor(since)}` },
        ),
      );
    }
    const note = last.get(flag)?.deprecated;
    if (note !== undefined)
      report(
        warning("CMP003", "Invalid", `--${flag}`, `deprecated in ${component} ${formatMinor(to)}: ${note}`, {
          ...place,
          hint: "remove the flag, or move the setting to where the message says",
        }),
      );
  }
}
