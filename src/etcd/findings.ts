/** What a pass over the copies brings to light besides the objects themselves, as diagnostics. */

import type { Code } from "../core/codes.js";
import { counted } from "../core/counted.js";
import type { ErrorKind, Problem } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
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
  const problems = problemList(report, "", { file: copies[0]?.file.name ?? "" });
  if (survey.table.length === 0)
    problems.report(
      "ETC010",
      "NotFound",
      "the copy contains no keys",
      "check the endpoint, the prefix and the revision that the copy was taken with",
    );
  else
    problems.report(
      "ETC010",
      "NotFound",
      "no key is below a storage prefix of an API server",
      "set --prefix to the --etcd-prefix of the API server",
    );
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
  const problems = problemList(report);
  const { warnings } = problems;
  const say = (
    code: Code,
    kind: ErrorKind,
    examples: Examples,
    one: string,
    many: string,
    hint: string,
    list = warnings,
  ): void => {
    if (examples.count > 0)
      list.report(code, kind, `${counted(examples.count, one, many)}: ${examples}`, hint);
  };
  say(
    "ETC024",
    "Required",
    found.encrypted,
    "encrypted value is reported as unreadable because no configuration is specified",
    "encrypted values are reported as unreadable because no configuration is specified",
    "set --encryption-config to the file of the API server",
  );
  say(
    "ETC027",
    "Invalid",
    found.misconfigured,
    "value is unreadable although a configuration contains its key, in another place or under another name",
    "values are unreadable although a configuration contains their keys, in another place or under another name",
    `in ${change?.file}, ${change?.change}; nothing needs to be deleted`,
  );
  say(
    "ETC038",
    "Invalid",
    found.mangled,
    "value was corrupted by a terminal or text tool",
    "values were corrupted by a terminal or text tool",
    "make the copy again as a snapshot, or redirect the output of etcdctl get -w json into a file",
  );
  say(
    "ETC059",
    "Invalid",
    found.unwritable,
    "object decodes but cannot be written as JSON, so kubectl cannot list its resource",
    "objects decode but cannot be written as JSON, so kubectl cannot list their resources",
    "extract the content first; then restore the last good revision, or send an ordinary DELETE, which removes the object and its content",
  );
  say(
    "ETC022",
    "Invalid",
    found.split,
    "value is read differently by the API servers",
    "values are read differently by the API servers",
    "use the same configuration on every API server, then rewrite the values",
  );
  say(
    "ETC031",
    "Invalid",
    found.wrong,
    "value decrypts to something other than an object, probably because the key is wrong",
    "values decrypt to something other than an object, probably because the key is wrong",
    "compare the key with the one that was in use; AES-CBC accepts a wrong key once in 256 values",
  );
  say(
    "ETC032",
    "Invalid",
    found.name,
    "object has a metadata.name or namespace that differs from its etcd key",
    "objects have a metadata.name or namespace that differs from their etcd key",
    "check whether the value was copied from another key",
  );
  say(
    "ETC033",
    "Invalid",
    found.kind,
    "value has no kind and is read as an empty object",
    "values have no kind and are read as empty objects",
    "write the object again, or send an ordinary DELETE, which removes the key and its content",
  );
  say(
    "ETC037",
    "NotFound",
    found.unknown,
    "key belongs to no known resource",
    "keys belong to no known resource",
    "check whether an aggregated API server or an unknown release owns them",
    problems.infos,
  );
  say(
    "ETC057",
    "NotFound",
    found.undefined,
    "object of a custom resource is ignored because the copies do not show whether its definition is stored",
    "objects of custom resources are ignored because the copies do not show whether their definitions are stored",
    "use a snapshot of the whole store, or add a dump of all definitions: etcdctl get --prefix /registry/apiextensions.k8s.io/ -w json",
  );
  say(
    "ETC057",
    "Invalid",
    found.unread,
    "object is of a custom resource whose definition cannot be read",
    "objects are of custom resources whose definitions cannot be read",
    "repair the definition first",
  );
  unanswered(survey, report);
}

function unanswered({ wrapped }: Survey, report: (problem: Problem) => void): void {
  const missing = wrapped.list.filter(({ answered }) => !answered);
  if (missing.length === 0) return;
  const values = missing.reduce((sum, each) => sum + each.values, 0);
  const plugins = [...new Set(missing.map(({ provider }) => provider))].sort();
  problemList(report).warnings.report(
    "ETC025",
    "Required",
    `${counted(missing.length, "wrapped key has", "wrapped keys have")} no answer from ${plugins.join(", ")}, which ${counted(values, "value needs", "values need")}`,
    "list the keys with slipway etcd inventory --kms-requests-out FILE, have them unwrapped, and set --kms-answers to the answers",
  );
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
