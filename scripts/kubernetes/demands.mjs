// The fixed values that the OpenAPI definitions of the API types give for members. Which members have to be there is not taken
// from the definitions, which servers do not check: a server is asked (test/validate/built-in-live.test.ts).
import { readFileSync } from "node:fs";
import { cutRows } from "./rows.mjs";

const DEFINITIONS = "k8s.io/kubernetes/pkg/generated/openapi/zz_generated.openapi.go";
const TYPES = /^(?:k8sio_api|pkg_apis)_(\w+_v\w+?)_([A-Z]\w*)$/;

/** Values of a release: full name → member → values. */
function readValues(kubernetes, isKnown) {
  const found = new Map();
  const text = readFileSync(kubernetes.place(DEFINITIONS), "utf8");
  for (const [body, name] of text.matchAll(/^func schema_(\w+)\(ref [\s\S]*?^}/gm)) {
    const [, home, message] = TYPES.exec(name) ?? [];
    const full = `${home?.replace("_", ".")}.${message}`;
    if (home === undefined || !isKnown(full)) continue;
    let member;
    for (const line of body.split("\n")) {
      member = /^\t{5}"([^"]+)": \{$/.exec(line)?.[1] ?? member;
      const list = /\bEnum:\s+\[\]interface\{\}\{(.*)\}/.exec(line)?.[1];
      if (list === undefined) continue;
      if (!found.has(full)) found.set(full, new Map());
      found.get(full).set(
        member,
        [...list.matchAll(/"([^"]*)"|`([^`]*)`/g)].map(([, a, b]) => a ?? b),
      );
    }
  }
  return found;
}

const keyOf = ({ message, member, since = "" }) => `${message} ${member} ${since}`;

/** The table with a release, which follows its last one or is its first. */
export function addDemands(table, kubernetes, messages) {
  const { release } = kubernetes;
  const { first = release } = table.releases;
  const isKnown = (full) => {
    const at = full.lastIndexOf(".");
    return messages[full.slice(0, at)]?.[full.slice(at + 1)] !== undefined;
  };
  const values = [...table.values];
  for (const [message, members] of readValues(kubernetes, isKnown))
    for (const [member, all] of members) {
      const known = values
        .filter((row) => row.message === message && row.member === member)
        .flatMap((row) => row.values);
      const more = all.filter((each) => !known.includes(each));
      if (more.length > 0)
        values.push({ message, member, values: more, ...(first === release ? {} : { since: release }) });
    }
  values.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { ...table, releases: { first, last: release }, values };
}

/** The table as it was at an older release. */
export const cutDemands = (table, last) => ({
  ...table,
  releases: { ...table.releases, last },
  values: cutRows(table.values, last),
});
