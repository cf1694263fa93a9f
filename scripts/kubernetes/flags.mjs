// Command-line flags of the components in each release. A release is given as JSON, which a Go program that imports the
// options packages of the components prints ({COMPONENT: [{Name, Default, Deprecated, Hidden}]}), or as the texts that the
// components print for --help, where hidden flags are missing.
import { cutRow, cutRows } from "./rows.mjs";

/** What a component prints for --help as flags. */
export function flagsOfHelp(text) {
  const flags = [];
  for (const line of text.split("\n")) {
    const found = /^ {2,6}(?:-\w, )? *--([a-z][a-z0-9-]*)(?: \S+)?(?: {2,}(.*))?$/.exec(line);
    if (found !== null)
      flags.push({ Name: found[1], Default: "", Deprecated: "", Hidden: false, text: found[2] ?? "" });
    else if (flags.length > 0) flags.at(-1).text += ` ${line.trim()}`;
  }
  return flags.map(({ text, ...flag }) => ({
    ...flag,
    Default: /\(default "?([^")]*)"?\)/.exec(text)?.[1] ?? "",
    Deprecated: /\(DEPRECATED: (.*?)\)(?:$| )/.exec(text)?.[1] ?? "",
  }));
}

/** Reads the JSON of all components, or the help of one: `{ "kube-proxy": "Usage: …" }`. */
export const readFlags = (text) =>
  Object.fromEntries(
    Object.entries(JSON.parse(text)).map(([component, flags]) => [
      component,
      typeof flags === "string" ? flagsOfHelp(flags) : flags,
    ]),
  );

/** Every component takes these, whether a set of flags lists them or not. */
const COMMON = new Set(["help"]);
/** Settings that follow from the machine on which the program ran. */
const OF_MACHINE = new Set(["hostname-override", "cert-dir", "root-dir"]);

const keyOf = ({ component, flag, since = "" }) => `${component} ${flag} ${since}`;
const sorted = (rows) => [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** Rows with a value for each flag: where it changes, the row ends and the next begins. */
function continued(rows, values, release, isFirst) {
  const next = rows.map((row) => ({ ...row }));
  for (const row of next) {
    if (row.before !== undefined) continue;
    const now = values.get(`${row.component} ${row.flag}`);
    if (now === undefined || now.value !== row.value) row.before = release;
  }
  for (const { component, flag, value } of values.values()) {
    if (next.some((row) => row.component === component && row.flag === flag && row.before === undefined))
      continue;
    next.push({ component, flag, value, ...(isFirst ? {} : { since: release }) });
  }
  return next;
}

/** The table with the flags of a release, which follows its last one or is its first. */
export function addFlags(table, release, flags) {
  const isFirst = table.releases.first === undefined;
  const all = Object.entries(flags).flatMap(([component, own]) =>
    own
      .filter(({ Name }) => !COMMON.has(Name))
      .map(({ Name, Default, Deprecated, Hidden }) => ({
        component,
        flag: Name,
        Default,
        Deprecated,
        Hidden,
      })),
  );
  const valuesOf = (textOf) =>
    new Map(
      all.flatMap(({ component, flag, ...rest }) => {
        const value = textOf({ flag, ...rest });
        return value === undefined ? [] : [[`${component} ${flag}`, { component, flag, value }]];
      }),
    );
  return {
    ...table,
    releases: { first: isFirst ? release : table.releases.first, last: release },
    flags: sorted(
      continued(
        table.flags,
        valuesOf(({ flag, Default }) => (OF_MACHINE.has(flag) ? "" : Default)),
        release,
        isFirst,
      ),
    ),
    deprecated: sorted(
      continued(
        table.deprecated,
        valuesOf(({ Deprecated }) => Deprecated || undefined),
        release,
        isFirst,
      ),
    ),
  };
}

/** The table as it was at an older release. */
export const cutFlags = (table, last) => ({
  ...table,
  releases: { ...table.releases, last },
  flags: cutRows(table.flags, last),
  deprecated: table.deprecated.flatMap((row) => cutRow(row, last) ?? []),
});
