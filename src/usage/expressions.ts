/** Expressions in CEL that call what the environment of a release does not have. */

import { kubernetesApis } from "../compatibility/kubernetes.js";
import { addMinors, compareMinors, formatMinor, type Minor } from "../core/minor.js";
import { problem } from "../core/problem.js";
import { type CelExpression, dottedName } from "../crd/cel/expressions.js";
import { vocabularyOf } from "../crd/cel/functions.js";
import type { Parse } from "../crd/cel/parse.js";
import type { ScalarNode, YamlNode } from "../text/yaml-read.js";
import type { Path } from "./found.js";
import type { Subject } from "./subject.js";

/** Members that hold an expression, in the groups whose kinds have some. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  "admissionregistration.k8s.io": ["expression", "messageExpression", "valueExpression"],
  "apiextensions.k8s.io": ["rule", "messageExpression"],
  "resource.k8s.io": ["expression"],
};

interface Site {
  readonly node: ScalarNode;
  readonly path: string;
}

const DEEPEST = 200;

function* expressionsIn(
  node: YamlNode,
  members: readonly string[],
  path: string,
  depth = 0,
): Generator<Site> {
  if (depth > DEEPEST) return;
  if (node.type === "sequence")
    for (const [i, item] of node.items.entries())
      yield* expressionsIn(item, members, `${path}[${i}]`, depth + 1);
  if (node.type !== "mapping") return;
  for (const { name, value } of node.entries) {
    const at = path === "" ? name : `${path}.${name}`;
    if (value.type !== "scalar") yield* expressionsIn(value, members, at, depth + 1);
    else if (members.includes(name) && typeof value.value === "string") yield { node: value, path: at };
  }
}

/** True for an object whose kind may hold expressions. */
export const mayHoldExpressions = ({ group }: Pick<Subject, "group">): boolean =>
  Object.hasOwn(MEMBERS, group);

/** The environment of new expressions: that of the default minimum compatibility version. */
const environmentOf = (release: Minor): Minor => addMinors(release, -1);

export function judgeExpressions(subject: Subject, { releases, to }: Path, parse: Parse): void {
  const spec = subject.root;
  for (const { node, path } of expressionsIn(spec, MEMBERS[subject.group] ?? [], "")) {
    const missing = missingAt(node.text, to, parse);
    const early = releases.filter(
      (each) => compareMinors(each, to) < 0 && missingAt(node.text, each, parse).length > 0,
    );
    const lastEarly = early.at(-1);
    const names =
      missing.length > 0 ? missing : lastEarly === undefined ? [] : missingAt(node.text, lastEarly, parse);
    if (names.length === 0) continue;
    const since = newest(names.flatMap((name) => sinceOf(node.text, name, parse) ?? []));
    const known =
      since === undefined
        ? ""
        : `; new expressions can call ${names.length === 1 ? "it" : "them"} from ${formatMinor(since)} on`;
    subject.report(
      {
        effect: missing.length > 0 ? "refused" : "later",
        what: names.join(", "),
        since: since && formatMinor(since),
      },
      problem(
        "USE007",
        "NotSupported",
        path,
        `calls ${names.map((name) => `${name}()`).join(", ")}, which the CEL environment of ${formatMinor(missing.length > 0 ? to : (lastEarly ?? to))} does not have${known}`,
        {
          severity: missing.length > 0 ? "error" : "warning",
          line: node.line,
          column: node.column,
          hint:
            missing.length > 0
              ? "rewrite the expression without it"
              : `apply the object after the upgrade${since === undefined ? "" : ` to ${formatMinor(since)}`}`,
        },
      ),
    );
  }
}

const newest = (releases: readonly Minor[]): Minor | undefined => [...releases].sort(compareMinors).at(-1);

/** The names that an expression calls and the environment of a release lacks, though another release has them. */
function missingAt(text: string, release: Minor, parse: Parse): readonly string[] {
  const own = vocabularyOf(environmentOf(release));
  const all = vocabularyOf(undefined);
  const { tree } = parse(text, own.macros);
  if (tree === undefined) return [];
  const names = new Set<string>();
  for (const { name, full, count } of callsIn(tree)) {
    const has = (vocabulary: typeof own): boolean =>
      vocabulary.functions.has(name) ||
      (full !== undefined && vocabulary.functions.has(full)) ||
      vocabulary.macros.has(`${name}/${count}`) ||
      (full !== undefined && vocabulary.macros.has(`${full}/${count}`));
    if (!has(own) && has(all)) names.add(full !== undefined && all.functions.has(full) ? full : name);
  }
  return [...names];
}

/** The first release whose new expressions may call it. */
const sinceOf = (text: string, name: string, parse: Parse): Minor | undefined => {
  const { newest: last } = kubernetesApis();
  for (
    let at = FIRST;
    last !== undefined && compareMinors(at, addMinors(last, 1)) <= 0;
    at = addMinors(at, 1)
  )
    if (!missingAt(text, at, parse).includes(name)) return at;
  return undefined;
};
const FIRST: Minor = { major: 1, minor: 23 };

interface Call {
  readonly name: string;
  /** With the names before it, where there are only names. */
  readonly full: string | undefined;
  readonly count: number;
}

function* callsIn(tree: CelExpression): Generator<Call> {
  const waiting: CelExpression[] = [tree];
  const seen = new Set<CelExpression>();
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (seen.has(each)) continue;
    seen.add(each);
    switch (each.kind) {
      case "call": {
        const before = each.target === undefined ? undefined : dottedName(each.target);
        yield {
          name: each.name,
          full: before === undefined ? undefined : `${before}.${each.name}`,
          count: each.args.length,
        };
        waiting.push(...each.args, ...(each.target === undefined ? [] : [each.target]));
        break;
      }
      case "select":
        waiting.push(each.operand);
        break;
      case "list":
        waiting.push(...each.items);
        break;
      case "map":
        waiting.push(...each.entries.flat());
        break;
      case "fold":
        waiting.push(each.range, each.start, each.condition, each.step, each.result);
        break;
      default:
    }
  }
}
