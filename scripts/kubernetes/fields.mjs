// Which fields the messages of the API types have in each release, and the feature gates that the markers of the Go structs
// (+featureGate=) name for them. The messages are those of messages.mjs; the markers stand in the comment above a field.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageOf } from "./messages.mjs";
import { cutRows, holdsAt } from "./rows.mjs";

const MODULES = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

/** Gates of the structs of a folder: struct → name in JSON → gates. */
function gatesIn(folder) {
  const gates = new Map();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".go") || /^(?:zz_|generated)|_test\.go$/.test(file)) continue;
    let struct;
    let named = [];
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      const start = /^type (\w+) struct \{/.exec(line);
      if (start !== null) {
        struct = start[1];
        named = [];
      } else if (line === "}") struct = undefined;
      if (struct === undefined) continue;
      const marker = /^\s*\/\/ \+featureGate=([\w,]+)/.exec(line);
      if (marker !== null) named.push(...marker[1].split(","));
      if (/^\s*(?:\/\/|$)/.test(line)) continue;
      const json = /json:"([^",]+)/.exec(line)?.[1];
      if (json !== undefined && named.length > 0) {
        if (!gates.has(struct)) gates.set(struct, new Map());
        gates.get(struct).set(json, [...new Set(named)].sort());
      }
      named = [];
    }
  }
  return gates;
}

/** Messages of a release: full name → field → gates. Lists of objects are left out. */
function readFields(kubernetes) {
  const found = new Map();
  for (const module of MODULES) {
    const folder = kubernetes.place(`k8s.io/${module}`);
    for (const each of readdirSync(folder, { recursive: true }).sort()) {
      if (!each.endsWith("generated.proto")) continue;
      const { name, messages } = packageOf(join(folder, each));
      const gates = gatesIn(dirname(join(folder, each)));
      for (const [message, { fields, list }] of messages) {
        if (list || message.endsWith("List")) continue;
        const names = [...fields.values()].map((field) => field.name).filter(Boolean);
        found.set(
          `${name}.${message}`,
          new Map(names.map((field) => [field, gates.get(message)?.get(field) ?? []])),
        );
      }
    }
  }
  return found;
}

/** Fields of the table: full name → names. */
function fieldsIn({ messages }) {
  const all = new Map();
  for (const [home, own] of Object.entries(messages))
    for (const [message, text] of Object.entries(own))
      all.set(`${home}.${message}`, text === "" ? [] : text.split(" "));
  return all;
}

const sortedMessages = (all) => {
  const messages = {};
  for (const [full, names] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = full.lastIndexOf(".");
    messages[full.slice(0, at)] ??= {};
    messages[full.slice(0, at)][full.slice(at + 1)] = [...names].sort().join(" ");
  }
  return messages;
};

const keyOf = ({ message, field = "", gate = "", since = "" }) => `${message} ${field} ${gate} ${since}`;
const sortedRows = (rows) => [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const sameSubject = (a, b) => a.message === b.message && a.field === b.field && a.gate === b.gate;

/** Rows with the subjects that hold at a release, where until then others held; `isFirst` for the first release of all. */
function continued(rows, subjects, wasThere, release, isFirst) {
  const next = rows.map((row) => ({ ...row }));
  const open = (subject) => next.find((row) => sameSubject(row, subject) && row.before === undefined);
  for (const subject of subjects.now)
    if (!wasThere(subject) && open(subject) === undefined)
      next.push(isFirst ? subject : { ...subject, since: release });
  for (const subject of subjects.gone) {
    const row = open(subject);
    if (row === undefined) next.push({ ...subject, before: release });
    else row.before = release;
  }
  return next;
}

/** The table with a release, which follows its last one or is its first. */
export function addFields(table, kubernetes) {
  const { release } = kubernetes;
  const isFirst = table.releases.first === undefined;
  const now = readFields(kubernetes);
  const known = fieldsIn(table);
  const last = table.releases.last;
  const isThere = (message, field) => {
    const own = table.rows.filter((row) => row.message === message && (row.field ?? field) === field);
    const names = known.get(message);
    return (
      names !== undefined &&
      (field === undefined || names.includes(field)) &&
      [undefined, field].every((each) => {
        const rows = own.filter((row) => row.field === each);
        return rows.length === 0 || rows.some((row) => holdsAt(row, last));
      })
    );
  };
  const messages = [...new Set([...known.keys(), ...now.keys()])];
  const present = { now: [], gone: [] };
  for (const message of messages) {
    const [before, after] = [isThere(message), now.get(message)];
    if (after !== undefined && !before) present.now.push({ message });
    if (after === undefined && before) present.gone.push({ message });
    if (after === undefined || !known.has(message)) continue;
    for (const field of after.keys()) if (!isThere(message, field)) present.now.push({ message, field });
    for (const field of known.get(message))
      if (!after.has(field) && isThere(message, field)) present.gone.push({ message, field });
  }
  const rows = isFirst
    ? []
    : continued(table.rows, present, ({ message, field }) => isThere(message, field), release, false);
  const gated = [...now].flatMap(([message, fields]) =>
    [...fields].flatMap(([field, gates]) => gates.map((gate) => ({ message, field, gate }))),
  );
  const open = table.gates.filter(({ before }) => before === undefined);
  const gone = open
    .filter((row) => !gated.some((each) => sameSubject(each, row)))
    .map(({ message, field, gate }) => ({ message, field, gate }));
  const all = new Map(known);
  for (const [message, fields] of now)
    all.set(message, [...new Set([...(known.get(message) ?? []), ...fields.keys()])]);
  return {
    ...table,
    releases: { first: isFirst ? release : table.releases.first, last: release },
    messages: sortedMessages(all),
    rows: sortedRows(rows),
    gates: sortedRows(continued(table.gates, { now: gated, gone }, () => false, release, isFirst)),
  };
}

/** The table as it was at an older release. */
export function cutFields(table, last) {
  const rows = cutRows(table.rows, last);
  const isCut = (message, field) =>
    table.rows.some((row) => row.message === message && row.field === field) &&
    !rows.some((row) => row.message === message && row.field === field);
  const all = new Map();
  for (const [message, names] of fieldsIn(table))
    if (!isCut(message, undefined))
      all.set(
        message,
        names.filter((field) => !isCut(message, field)),
      );
  return {
    ...table,
    releases: { ...table.releases, last },
    messages: sortedMessages(all),
    // What never ended has no row.
    rows: rows.filter(({ since, before }) => since !== undefined || before !== undefined),
    gates: cutRows(table.gates, last),
  };
}
