/** Fields of an object that a release does not have, or has only with a gate. */
import { compareMinors, formatMinor, type Minor } from "../core/minor.js";
import { problem } from "../core/problem.js";
import {
  FIELD_RELEASES,
  fieldsOf,
  gatesOf,
  hasField,
  type MessageField,
  messageOf,
  spansOf,
} from "../kubernetes/built-in-fields.js";
import type { YamlNode } from "../text/yaml-read.js";
import type { ServedRelease } from "./served.js";
import type { Subject } from "./subject.js";

/** What a server writes itself. */
const OF_SERVER = /^(?:status|metadata\.managedFields)$/;

interface FieldSite {
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  readonly node: YamlNode;
}

/** Reports the fields of an object that the releases lack or drop. */
export function judgeFields(subject: Subject, served: readonly ServedRelease[]): void {
  const message = messageOf(subject.apiVersion, subject.kind);
  if (message === undefined) return;
  // Releases before the data are not judged.
  const known = served.filter(
    ({ release }) =>
      compareMinors(release, FIELD_RELEASES.first) >= 0 && compareMinors(release, FIELD_RELEASES.last) <= 0,
  );
  if (known.length === 0 || known.at(-1) !== served.at(-1)) return;
  walk(subject.root, message, "", (site) => judgeField(subject, site, known));
}

/** Visits every field with a value; below a field that is missing in the target nothing more is visited. */
function walk(node: YamlNode, message: string, path: string, visit: (site: FieldSite) => boolean): void {
  if (node.type !== "mapping") return;
  const fields = fieldsOf(message);
  for (const { name, key, value } of node.entries) {
    const field = fields.get(name);
    const at = path === "" ? name : `${path}.${name}`;
    if (field === undefined || OF_SERVER.test(at) || isNull(value)) continue;
    if (!visit({ owner: field.owner, name, path: at, node: key })) continue;
    descend(value, field, at, visit);
  }
}

function descend(
  value: YamlNode,
  { message, shape }: MessageField,
  path: string,
  visit: (site: FieldSite) => boolean,
): void {
  if (message === undefined) return;
  if (shape === "one") walk(value, message, path, visit);
  else if (shape === "list" && value.type === "sequence")
    for (const [i, item] of value.items.entries()) walk(item, message, `${path}[${i}]`, visit);
  else if (shape === "map" && value.type === "mapping")
    for (const { name, value: item } of value.entries) walk(item, message, `${path}[${name}]`, visit);
}

const isNull = (node: YamlNode): boolean =>
  node.type === "scalar" && node.value === null && node.style === "plain";

/** True where what is below the field is to be judged as well. */
function judgeField(
  subject: Subject,
  { owner, name, path, node }: FieldSite,
  known: readonly ServedRelease[],
): boolean {
  const target = known.at(-1);
  if (target === undefined) return false;
  const spans = spansOf(owner, name);
  const isIn = ({ release }: ServedRelease): boolean => hasField(owner, name, release);
  const place = { line: node.line, column: node.column };
  if (!isIn(target)) {
    const ended = spans?.find(({ before }) => before !== undefined && !isLater(before, target.release));
    const coming = spans?.find(({ since }) => since !== undefined && isLater(since, target.release));
    const when = ended?.before !== undefined ? `from ${ended.before} on` : `before ${coming?.since ?? ""}`;
    subject.report(
      { effect: "dropped", what: path, since: coming?.since, before: ended?.before },
      problem("USE005", "NotSupported", path, `not a field ${when}; ${release(target)} drops it`, {
        ...place,
        hint: "remove the field; with server-side field validation the object is rejected",
      }),
    );
    return false;
  }
  const missing = known.filter((each) => !isIn(each));
  const first = missing.length === 0 ? undefined : known[known.indexOf(missing.at(-1) ?? target) + 1];
  if (first !== undefined)
    subject.report(
      { effect: "later", what: path, since: formatMinor(first.release) },
      problem(
        "USE005",
        "NotSupported",
        path,
        `not a field before ${formatMinor(first.release)}; older releases drop it`,
        {
          severity: "warning",
          ...place,
          hint: `set the field after the upgrade to ${formatMinor(first.release)}`,
        },
      ),
    );
  judgeGates(subject, { owner, name, path, node }, known);
  return true;
}

function judgeGates(
  subject: Subject,
  { owner, name, path, node }: FieldSite,
  known: readonly ServedRelease[],
): void {
  const offAt = (at: ServedRelease): readonly string[] =>
    gatesOf(owner, name, at.release).filter((gate) => at.gate?.(gate) === "off");
  const target = known.at(-1);
  if (target === undefined) return;
  const off = offAt(target);
  if (off.length === 0) return;
  // What is off all along was set by somebody, or was never in effect: nothing changes with the upgrade.
  const wasOn =
    known.length > 1 && known.some((each) => hasField(owner, name, each.release) && offAt(each).length === 0);
  subject.report(
    { effect: wasOn ? "dropped" : "off", what: path, gates: off },
    problem(
      "USE006",
      "NotSupported",
      path,
      `requires ${off.length === 1 ? "the feature gate" : "the feature gates"} ${off.join(" and ")}, off in ${formatMinor(target.release)}; the server drops the field`,
      {
        severity: wasOn ? "error" : "warning",
        line: node.line,
        column: node.column,
        hint: `set --feature-gates to the settings of the API server, such as ${off.map((gate) => `${gate}=true`).join(",")}, or remove the field`,
      },
    ),
  );
}

const isLater = (release: string, than: Minor): boolean => {
  const [major = 0, minor = 0] = release.split(".").map(Number);
  return compareMinors({ major, minor }, than) > 0;
};

const release = ({ release: at }: ServedRelease): string => formatMinor(at);
