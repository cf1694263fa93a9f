// What the OpenAPI definitions of the API types demand: members that must be there, and members with a fixed set of values.
// A server does not check these definitions: which of the demands it enforces is told by a server
// (test/validate/demands-live.test.ts), and stands in the table.
import { readFileSync } from "node:fs";
import { cutRows } from "./rows.mjs";

const DEFINITIONS = "k8s.io/kubernetes/pkg/generated/openapi/zz_generated.openapi.go";
const TYPES = /^(?:k8sio_api|pkg_apis)_(\w+_v\w+?)_([A-Z]\w*)$/;

/** Definitions of a release: full name → { required: names, values: name → values }. */
function readDemands(kubernetes, isKnown) {
  const found = new Map();
  const text = readFileSync(kubernetes.place(DEFINITIONS), "utf8");
  for (const [body, name] of text.matchAll(/^func schema_(\w+)\(ref [\s\S]*?^}/gm)) {
    const [, home, message] = TYPES.exec(name) ?? [];
    const full = `${home?.replace("_", ".")}.${message}`;
    if (home === undefined || !isKnown(full)) continue;
    const required = /^\t{4}Required: \[\]string\{(.*)\},$/m.exec(body)?.[1] ?? "";
    const values = new Map();
    let member;
    for (const line of body.split("\n")) {
      member = /^\t{5}"([^"]+)": \{$/.exec(line)?.[1] ?? member;
      const list = /\bEnum:\s+\[\]interface\{\}\{(.*)\}/.exec(line)?.[1];
      if (list !== undefined) values.set(member, textsIn(list));
    }
    found.set(full, { required: textsIn(required), values });
  }
  return found;
}

const textsIn = (list) => [...list.matchAll(/"([^"]*)"|`([^`]*)`/g)].map(([, a, b]) => a ?? b);

const keyOf = ({ message, member, since = "" }) => `${message} ${member} ${since}`;
const sorted = (rows) => [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** The table with a release, which follows its last one or is its first. */
export function addDemands(table, kubernetes, messages) {
  const { release } = kubernetes;
  const since = table.releases.first === undefined ? {} : { since: release };
  const isKnown = (full) => {
    const at = full.lastIndexOf(".");
    return messages[full.slice(0, at)]?.[full.slice(at + 1)] !== undefined;
  };
  const required = [...table.required];
  const values = [...table.values];
  for (const [message, demands] of readDemands(kubernetes, isKnown)) {
    const rowsOf = (rows, member) => rows.filter((row) => row.message === message && row.member === member);
    for (const member of demands.required)
      if (rowsOf(required, member).length === 0) required.push({ message, member, ...since });
    for (const [member, all] of demands.values) {
      const known = rowsOf(values, member).flatMap((row) => row.values);
      const more = all.filter((each) => !known.includes(each));
      if (more.length > 0) values.push({ message, member, values: more, ...since });
    }
  }
  return {
    ...table,
    releases: { first: table.releases.first ?? release, last: release },
    required: sorted(required),
    values: sorted(values),
  };
}

/** The table as it was at an older release. */
export function cutDemands(table, last) {
  return {
    ...table,
    releases: { ...table.releases, last },
    required: cutRows(table.required, last),
    values: cutRows(table.values, last),
  };
}
