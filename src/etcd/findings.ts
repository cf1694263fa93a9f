/** What a pass over the copies brings to light besides the objects themselves, as diagnostics. */

import { counted } from "../core/counted.js";
import type { Problem } from "../core/diagnostics.js";
import { changesFor, differs, rowKey } from "./audit.js";
import { MISPLACED, ODDITY } from "./object-table.js";
import type { Copy } from "./read/copies.js";
import type { Survey } from "./scan.js";

const EXAMPLES = 3;

/** Findings about the copies. An error, since "everything reads" of nothing would pass for a good answer. */
export function copyFindings(
  copies: readonly Copy[],
  survey: Survey,
  report: (problem: Problem) => void,
): void {
  if (survey.prefixes.length > 0) return;
  const isEmpty = survey.table.length === 0;
  report({
    code: "ETC010",
    kind: "NotFound",
    file: copies[0]?.file.name ?? "",
    message: isEmpty ? "the copy contains no keys" : "no key is below a storage prefix of an API server",
    hint: isEmpty
      ? "check the endpoint, the prefix and the revision that the copy was taken with"
      : "give the prefix with --prefix, as --etcd-prefix of the API server has it",
  });
}

/** Findings about values and configurations. */
export function surveyFindings(
  survey: Survey,
  configured: boolean,
  report: (problem: Problem) => void,
): void {
  const { table, cluster } = survey;
  const found = {
    encrypted: new Examples(),
    split: new Examples(),
    name: new Examples(),
    kind: new Examples(),
    wrong: new Examples(),
    unknown: new Examples(),
    undefined: new Examples(),
    unread: new Examples(),
    mangled: new Examples(),
    unwritable: new Examples(),
    misconfigured: new Examples(),
  };
  let change: ReturnType<typeof changesFor>[number] | undefined;
  for (const row of survey.rows()) {
    const oddity = table.oddity(row);
    const key = (): string => rowKey(table, row);
    if ((oddity & MISPLACED) !== 0) found.name.add(key);
    if ((oddity & ODDITY.noKind) !== 0) found.kind.add(key);
    if ((oddity & ODDITY.probablyWrongKey) !== 0) found.wrong.add(key);
    if (!configured && table.provider(row) !== undefined) found.encrypted.add(key);
    if (table.unwritable.has(row)) found.unwritable.add(key);
    if (table.mangled.has(row)) found.mangled.add(key);
    if (table.found.has(row)) {
      found.misconfigured.add(key);
      change ??= changesFor(survey, row)[0];
    }
    if (differs(table, row)) found.split.add(key);
    const resource = table.resourceOf(row);
    if (resource.family === "unknown") found.unknown.add(key);
    if (resource.family !== "custom" || cluster.definition(resource.group, resource.resource) !== undefined)
      continue;
    const why = cluster.withoutDefinition(resource);
    if (why === "unknown") found.undefined.add(key);
    if (why === "unread") found.unread.add(key);
  }
  const say = (
    examples: Examples,
    problem: Omit<Problem, "message">,
    text: (count: number) => string,
  ): void => {
    if (examples.count > 0) report({ ...problem, message: `${text(examples.count)}: ${examples}` });
  };
  say(
    found.encrypted,
    {
      code: "ETC024",
      kind: "Required",
      severity: "warning",
      hint: "give the server's file with --encryption-config",
    },
    (n) =>
      `${counted(n, "value is encrypted, and counts", "values are encrypted, and count")} as unreadable without a configuration`,
  );
  say(
    found.misconfigured,
    {
      code: "ETC027",
      kind: "Invalid",
      severity: "warning",
      hint: `in ${change?.file} ${change?.change}; nothing has to be deleted`,
    },
    (n) =>
      `a given configuration has the key of ${counted(n, "value that is not read", "values that are not read")}, in another place or under another name`,
  );
  say(
    found.mangled,
    {
      code: "ETC038",
      kind: "Invalid",
      severity: "warning",
      hint: "take the copy anew, as a snapshot or with etcdctl -w json, and pass it through no terminal and no text tool",
    },
    (n) => `${counted(n, "value was", "values were")} mangled by a terminal or a text tool`,
  );
  say(
    found.unwritable,
    {
      code: "ETC059",
      kind: "Invalid",
      severity: "warning",
      hint: "put back the last good revision, or send an ordinary DELETE, which removes the object and its content; extract what is left of it first",
    },
    (n) =>
      `${counted(n, "object decodes, but cannot", "objects decode, but cannot")} be written as JSON, so that every LIST of the resource by kubectl fails`,
  );
  say(
    found.split,
    {
      code: "ETC022",
      kind: "Invalid",
      severity: "warning",
      hint: "give every API server the same configuration, then rewrite the values",
    },
    (n) => `the servers do not agree about ${counted(n, "value", "values")}`,
  );
  say(
    found.wrong,
    {
      code: "ETC031",
      kind: "Invalid",
      severity: "warning",
      hint: "AES-CBC does not notice a wrong key once in 256 values; compare the key with the one that was in use",
    },
    (n) =>
      `${counted(n, "value decrypts", "values decrypt")} to nothing that is an object, probably with the wrong key`,
  );
  say(
    found.name,
    {
      code: "ETC032",
      kind: "Invalid",
      severity: "warning",
      hint: "the value may have been copied from another key",
    },
    (n) =>
      `${counted(n, "object has another name than its key", "objects have another name than their key")}`,
  );
  say(
    found.kind,
    {
      code: "ETC033",
      kind: "Invalid",
      severity: "warning",
      hint: "delete the key's object with an ordinary DELETE, or write it anew",
    },
    (n) =>
      `${counted(n, "value names no kind, and is read as an empty object", "values name no kind, and are read as empty objects")}`,
  );
  say(
    found.unknown,
    {
      code: "ETC037",
      kind: "NotFound",
      severity: "info",
      hint: "an aggregated API server or a release that slipway does not know may keep them",
    },
    (n) => `${counted(n, "key belongs", "keys belong")} to no resource that is known`,
  );
  say(
    found.undefined,
    {
      code: "ETC057",
      kind: "NotFound",
      severity: "warning",
      hint: "give a snapshot of the whole store, or beside this copy a dump of all definitions: etcdctl get --prefix /registry/apiextensions.k8s.io/ -w json",
    },
    (n) =>
      `${counted(n, "object is of a custom resource", "objects are of custom resources")} whose definition is not in the copies, which do not show whether one is stored; nothing is said or planned about them`,
  );
  say(
    found.unread,
    {
      code: "ETC057",
      kind: "Invalid",
      severity: "warning",
      hint: "repair the definition first: what becomes of its objects depends on it",
    },
    (n) =>
      `${counted(n, "object is of a custom resource", "objects are of custom resources")} whose definition is stored and cannot be read`,
  );
  unanswered(survey, report);
}

function unanswered({ wrapped }: Survey, report: (problem: Problem) => void): void {
  const missing = wrapped.list.filter(({ answered }) => !answered);
  if (missing.length === 0) return;
  const values = missing.reduce((sum, each) => sum + each.values, 0);
  const plugins = [...new Set(missing.map(({ provider }) => provider))].sort();
  report({
    code: "ETC025",
    kind: "Required",
    severity: "warning",
    message: `${counted(missing.length, "wrapped key", "wrapped keys")} of ${plugins.join(", ")} without an answer, needed by ${counted(values, "value", "values")}`,
    hint: "slipway etcd inventory --kms-requests-out FILE lists them; have them unwrapped and give the file with --kms-answers",
  });
}

/** A count with the first few names. */
class Examples {
  count = 0;
  private readonly names: string[] = [];

  add(name: () => string): void {
    if (++this.count <= EXAMPLES) this.names.push(name());
  }

  toString(): string {
    return `${this.names.join(", ")}${this.count > EXAMPLES ? ", …" : ""}`;
  }
}
