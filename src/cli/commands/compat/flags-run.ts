import {
  FLAG_CHANGES,
  FLAG_RELEASES,
  type FlagChange,
  flagChanges,
  judgeFlags,
} from "../../../compatibility/component-flags.js";
import { readFlagsInUse } from "../../../compatibility/read/flags-in-use.js";
import { compareMinors, formatMinor, type Minor, minorsBetween } from "../../../compatibility/version.js";
import { counted } from "../../../core/counted.js";
import { createReporter, isError, type Report } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { columns } from "../../text-table.js";
import { FLAG_COMPONENTS, flagComponent, flagsFrom, from as fromFlag, to as toFlag } from "./flags.js";
import { releaseFlag } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  for (const flag of [fromFlag, toFlag])
    if (args.get(flag) === undefined) throw new UsageError(`--${flag.name} RELEASE is required`);
  const component = args.get(flagComponent);
  if (component !== undefined && !FLAG_COMPONENTS.some((each) => each === component))
    throw new UsageError(
      `unsupported component ${JSON.stringify(component)}: supported values: ${FLAG_COMPONENTS.join(", ")}`,
    );
  const [from, to] = [releaseOf(args, fromFlag, report), releaseOf(args, toFlag, report)];
  const releases = from === undefined || to === undefined ? [] : wayOf(from, to);
  const files = args.get(flagsFrom);
  const inUse = files.flatMap((path) => {
    const text = readTextFile(cli, path, report);
    return text === undefined ? [] : readFlagsInUse(text, path, report);
  });
  const own = inUse.filter((each) => component === undefined || each.component === component);
  const unread = reporter.failed;
  const changes = FLAG_COMPONENTS.filter((each) => component === undefined || each === component)
    .flatMap((each) => flagChanges(each, releases))
    .filter(
      ({ component: of, flag }) =>
        files.length === 0 || own.some((each) => each.component === of && each.flag === flag),
    )
    .sort((a, b) => order(a) - order(b));
  if (!unread) judgeFlags(own, releases, report);
  print(args, cli, {
    kind: "FlagChanges",
    json: {
      from: args.get(fromFlag),
      to: args.get(toFlag),
      inUse: own.length,
      changes: unread ? [] : changes.map((each) => ({ ...each, release: formatMinor(each.release) })),
    },
    text: unread ? "" : textOf(changes, files.length === 0 ? undefined : own.length),
    diagnostics: reporter.diagnostics,
    outcome: "none",
  });
  if (unread) return EXIT.wrong;
  return reporter.diagnostics.some(isError) ? EXIT.no : EXIT.done;
};

const order = ({ change }: FlagChange): number => FLAG_CHANGES.indexOf(change);

/** The releases from one to the other, as a cluster passes them. */
const wayOf = (from: Minor, to: Minor): readonly Minor[] =>
  compareMinors(from, to) <= 0 ? minorsBetween(from, to) : [...minorsBetween(to, from)].reverse();

function releaseOf(args: Arguments, flag: Flag<string | undefined>, report: Report): Minor | undefined {
  const [oldest] = FLAG_RELEASES;
  const newest = FLAG_RELEASES.at(-1);
  const found = releaseFlag(args, flag, [newest], report);
  if (found === undefined || oldest === undefined || newest === undefined) return found;
  if (compareMinors(found, oldest) >= 0 && compareMinors(found, newest) <= 0) return found;
  report(
    problem("VER011", "NotSupported", `--${flag.name}`, `no flags of ${formatMinor(found)} are known`, {
      file: `--${flag.name}`,
      line: 1,
      column: 1,
      hint: `use a release from ${formatMinor(oldest)} to ${formatMinor(newest)}`,
    }),
  );
  return undefined;
}

const NOTES: Readonly<Record<FlagChange["change"], (each: FlagChange) => string>> = {
  removed: ({ note = "" }) => note,
  added: ({ after = "" }) => (after === "" ? "" : `default ${after}`),
  deprecated: ({ note = "" }) => note,
  default: ({ before = "", after = "" }) => `${before || '""'} -> ${after || '""'}`,
};

function textOf(changes: readonly FlagChange[], inUse: number | undefined): string {
  const rows = changes.map((each) => [
    each.change,
    formatMinor(each.release),
    each.component,
    `--${each.flag}`,
    NOTES[each.change](each),
  ]);
  const table = rows.length === 0 ? "" : columns(["CHANGE", "IN", "COMPONENT", "FLAG", "NOTE"], rows);
  const sum =
    inUse === undefined
      ? counted(changes.length, "change")
      : `${counted(inUse, "flag")} in use, ${counted(changes.length, "change")} of them`;
  return [table.trimEnd(), sum].filter((part) => part !== "").join("\n");
}
