/**
 * What manifests and dumps use that the releases of an upgrade do not serve: kinds and versions, fields, functions of
 * expressions, and APIs that are only named. Kinds of definitions are left out, since no release knows them.
 */
import { minorsBetween } from "../compatibility/version.js";
import { createReporter, type Diagnostic } from "../core/diagnostics.js";
import { compareMinors, type Minor } from "../core/minor.js";
import { loadParse } from "../crd/cel/parse.js";
import { child, readYaml, rootsOf, type YamlNode } from "../text/yaml-read.js";
import { judgeRequests, requestsIn } from "./evidence.js";
import { judgeExpressions, mayHoldExpressions } from "./expressions.js";
import { judgeFields } from "./fields.js";
import type { Path, Use } from "./found.js";
import { judgeKind } from "./kinds.js";
import { judgeManagers, judgeReferences } from "./references.js";
import { lifecycleOf, type ServedRelease, type ServerSettings, servedRelease } from "./served.js";
import { type Subject, subjectOf } from "./subject.js";

export interface UsageQuestion {
  readonly from: Minor;
  readonly to: Minor;
  readonly settings: ServerSettings;
}

/** A text with manifests. */
export interface UsageText {
  readonly file: string;
  readonly text: string;
}

export interface UsageAnswer {
  readonly releases: readonly Minor[];
  readonly uses: readonly Use[];
  readonly objects: number;
  /** Objects of kinds that Kubernetes does not have. */
  readonly others: number;
  /** Dumps of metrics and audit logs. */
  readonly records: number;
  /** Files that are no YAML because they are templates. */
  readonly templates: readonly string[];
  /** What is wrong with the settings of the API servers in the target. */
  readonly settings: readonly Diagnostic[];
  /** Files that cannot be read. */
  readonly problems: ReturnType<typeof readYaml>["problems"];
}

/** What each release on the way serves. */
export const servedOf = ({ from, to, settings }: UsageQuestion): readonly ServedRelease[] =>
  releasesOf(from, to).map((release) => servedRelease(release, settings));

/** The releases from one to the other, in the order in which a cluster passes them. */
export function releasesOf(from: Minor, to: Minor): readonly Minor[] {
  return compareMinors(from, to) <= 0 ? minorsBetween(from, to) : [...minorsBetween(to, from)].reverse();
}

export async function judgeUsage(texts: readonly UsageText[], question: UsageQuestion): Promise<UsageAnswer> {
  const { from, to } = question;
  const releases = releasesOf(from, to);
  const path: Path = { releases, to };
  const served = servedOf(question);
  const judged = createReporter();
  servedRelease(to, question.settings, judged.report);
  const parse = await loadParse();
  const uses: Use[] = [];
  const problems: UsageAnswer["problems"][number][] = [];
  const templates: string[] = [];
  let [objects, others, records] = [0, 0, 0];
  for (const { file, text } of texts) {
    const requests = requestsIn(text);
    if (requests !== undefined) {
      uses.push(...judgeRequests(requests, file, served));
      records++;
      continue;
    }
    const read = readYaml(text, file);
    if (read.problems.length > 0 && isTemplate(text)) {
      templates.push(file);
      continue;
    }
    problems.push(...read.problems);
    for (const root of rootsOf(read.documents))
      for (const subject of subjectsIn(root, file, uses)) {
        objects++;
        if (!judgeObject(subject, served, path, parse)) others++;
      }
  }
  const faults = judged.diagnostics.filter(({ severity }) => severity !== "info");
  return { releases, uses, objects, others, records, templates, problems, settings: faults };
}

/** Text with actions of Go templates is the source of a chart. */
const isTemplate = (text: string): boolean => /\{\{[-\s]?[^{}]*\}\}/.test(text);

/** Lists are looked into, and what templates of other systems hold. */
const DEEPEST = 20;
const CONTAINERS = ["items", "objects"];

function* subjectsIn(root: YamlNode, file: string, uses: Use[], depth = 0): Generator<Subject> {
  if (depth > DEEPEST) return;
  if (root.type === "sequence") for (const item of root.items) yield* subjectsIn(item, file, uses, depth + 1);
  const subject = subjectOf(root, file, uses);
  const lists = CONTAINERS.flatMap((name) => {
    const list = child(root, name);
    return list?.type === "sequence" && (name === "items" ? subject?.kind.endsWith("List") !== false : true)
      ? [list]
      : [];
  });
  if (subject !== undefined && !(subject.kind.endsWith("List") && lists.length > 0)) yield subject;
  for (const list of lists) yield* subjectsIn(list, file, uses, depth + 1);
}

/** False for an object of a kind that Kubernetes does not have, of which only what it names is judged. */
function judgeObject(
  subject: Subject,
  served: readonly ServedRelease[],
  path: Path,
  parse: Awaited<ReturnType<typeof loadParse>>,
): boolean {
  const isOwn = lifecycleOf(subject, path.to) !== undefined;
  if (isOwn) {
    const verdict = judgeKind(subject, served);
    if (verdict !== undefined) subject.report(verdict.use, verdict.problem);
    // Of a version that is not served nobody looks at the fields.
    if (verdict?.problem.severity !== "error") judgeFields(subject, served);
    if (mayHoldExpressions(subject)) judgeExpressions(subject, path, parse);
    judgeManagers(subject, served);
  }
  judgeReferences(subject, served);
  return isOwn;
}
