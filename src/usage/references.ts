/** Places that only name an API: rules of roles, webhooks and policies, APIServices, targets, owners, quotas, records of kubectl. */
import type { KindReference } from "../compatibility/api-table.js";
import { isObject, type Json } from "../core/json.js";
import { formatMinor } from "../core/minor.js";
import { problem } from "../core/problem.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { child, type YamlNode } from "../text/yaml-read.js";
import { judgeKind } from "./kinds.js";
import { groupsKnown, isBuiltInGroup, isKnownVersion, type ServedRelease, versionsKnown } from "./served.js";
import { type Subject, textIn } from "./subject.js";

export function judgeReferences(subject: Subject, served: readonly ServedRelease[]): void {
  const target = served.at(-1);
  if (target === undefined) return;
  const { root, group, kind } = subject;
  const spec = child(root, "spec");
  const each = (
    node: YamlNode | undefined,
    path: string,
    visit: (item: YamlNode, path: string) => void,
  ): void => {
    if (node?.type === "sequence") for (const [i, item] of node.items.entries()) visit(item, `${path}[${i}]`);
  };
  if (group === "rbac.authorization.k8s.io")
    each(child(root, "rules"), "rules", (rule, path) => judgeRule(subject, rule, path, target, false));
  if (group === "admissionregistration.k8s.io") {
    each(child(root, "webhooks"), "webhooks", (hook, path) =>
      each(child(hook, "rules"), `${path}.rules`, (rule, at) => judgeRule(subject, rule, at, target, true)),
    );
    for (const name of ["matchConstraints", "matchResources"])
      for (const list of ["resourceRules", "excludeResourceRules"])
        each(child(child(spec, name), list), `spec.${name}.${list}`, (rule, path) =>
          judgeRule(subject, rule, path, target, true),
        );
  }
  if (group === "apiregistration.k8s.io") judgeService(subject, spec, target);
  if (group === "" && kind === "ResourceQuota") judgeQuota(subject, child(spec, "hard"), target);
  judgeLastApplied(subject, served);
  judgeNamed(subject, root, "", served, 0);
}

/** Below this depth nothing names a kind any more. */
const DEEPEST = 60;

/** Every mapping that names a kind and its version: scaleTargetRef, ownerReferences, paramKind and those of other kinds. */
function judgeNamed(
  subject: Subject,
  node: YamlNode,
  path: string,
  served: readonly ServedRelease[],
  depth: number,
): void {
  if (depth > DEEPEST) return;
  if (node.type === "sequence")
    for (const [i, item] of node.items.entries())
      judgeNamed(subject, item, `${path}[${i}]`, served, depth + 1);
  if (node.type !== "mapping") return;
  const [apiVersion, kind] = [textIn(node, "apiVersion"), textIn(node, "kind")];
  if (path !== "" && apiVersion !== "" && kind !== "") {
    const of: KindReference = { ...parseApiVersion(apiVersion), kind };
    const verdict = judgeKind(of, served);
    // What is only named is found by its kind and name in the version that is served, or not at all.
    if (verdict !== undefined && verdict.use.effect !== "later") {
      const { use, problem: found } = verdict;
      const isGone = found.severity === "error";
      subject.report(
        { ...use, effect: isGone ? "without-effect" : use.effect },
        problem("USE008", "NotSupported", path, `names ${use.what}: ${found.message}`, {
          severity: "warning",
          line: node.line,
          column: node.column,
          hint: found.hint ?? "",
        }),
      );
    }
  }
  for (const { name, value } of node.entries) {
    const at = path === "" ? name : `${path}.${name}`;
    if (at === "status" || at === "metadata.managedFields") continue;
    judgeNamed(subject, value, at, served, depth + 1);
  }
}

const textsIn = (node: YamlNode | undefined, key: string): readonly (readonly [string, YamlNode])[] => {
  const list = child(node, key);
  return list?.type === "sequence"
    ? list.items.flatMap((item) =>
        item.type === "scalar" && typeof item.value === "string" ? [[item.value, item] as const] : [],
      )
    : [];
};

/** A rule of a role, or of a webhook or policy, which names versions as well. */
function judgeRule(
  subject: Subject,
  rule: YamlNode,
  path: string,
  target: ServedRelease,
  hasVersions: boolean,
): void {
  const groups = textsIn(rule, "apiGroups");
  const resources = textsIn(rule, "resources");
  const versions = hasVersions ? textsIn(rule, "apiVersions") : [];
  const isPossible = (group: string, resource: string): boolean =>
    target.versionsOf(group, resource).length > 0 ||
    // A resource that can be enabled, and one that is answered without a kind of its own, is there.
    !isGone(group, resource, target);
  for (const [group, node] of groups) {
    if (group === "*" || !isBuiltInGroup(group)) continue;
    for (const [written] of resources) {
      const [resource = ""] = written.split("/");
      if (resource === "*" || resource === "" || versionsKnown(group, resource).length === 0) continue;
      const place = { line: node.line, column: node.column };
      const name = group === "" ? resource : `${resource}.${group}`;
      if (!isPossible(group, resource)) {
        const others = otherGroups(resource, target);
        subject.report(
          { effect: "without-effect", what: name, replacement: others[0] },
          problem(
            "USE008",
            "NotSupported",
            path,
            `names ${name}, which ${formatMinor(target.release)} does not serve`,
            {
              severity: groups.some(([other]) => others.includes(other)) ? "info" : "warning",
              ...place,
              hint:
                others.length === 0
                  ? "remove the resource from the rule"
                  : `use apiGroups: ${others.map((other) => JSON.stringify(other)).join(", ")}`,
            },
          ),
        );
        continue;
      }
      judgeVersions(subject, { group, resource, name, versions, path }, target);
    }
  }
}

function judgeVersions(
  subject: Subject,
  {
    group,
    resource,
    name,
    versions,
    path,
  }: {
    readonly group: string;
    readonly resource: string;
    readonly name: string;
    readonly versions: readonly (readonly [string, YamlNode])[];
    readonly path: string;
  },
  target: ServedRelease,
): void {
  const served = target.versionsOf(group, resource);
  if (versions.some(([version]) => version === "*" || served.includes(version))) return;
  const [first] = versions.filter(([version]) => isKnownVersion(group, version));
  if (first === undefined) return;
  const [version, node] = first;
  subject.report(
    { effect: "without-effect", what: `${name} ${version}`, replacement: served[0] },
    problem(
      "USE008",
      "NotSupported",
      path,
      `names ${name} in ${versions.map(([each]) => each).join(", ")}, which ${formatMinor(target.release)} does not serve; the rule matches no request for it`,
      {
        severity: "warning",
        line: node.line,
        column: node.column,
        hint: served.length === 0 ? "remove the version" : `use apiVersions: ${JSON.stringify(served[0])}`,
      },
    ),
  );
}

/** True where no version of the resource exists in the release any more, or yet. */
const isGone = (group: string, resource: string, target: ServedRelease): boolean =>
  VERSIONS.every((version) => target.resource(group, version, resource) === "no");

/** Versions that built-in groups have had. */
const VERSIONS: readonly string[] = [1, 2, 3].flatMap((n) => [
  `v${n}`,
  ...[1, 2, 3].flatMap((m) => [`v${n}beta${m}`, `v${n}alpha${m}`]),
]);

/** Groups of which the release serves the resource. */
const otherGroups = (resource: string, target: ServedRelease): readonly string[] =>
  groupsKnown(resource).filter((group) => target.versionsOf(group, resource).length > 0);

function judgeService(subject: Subject, spec: YamlNode | undefined, target: ServedRelease): void {
  const [group, version] = [textIn(spec, "group"), textIn(spec, "version")];
  // With a service the group is somebody else's.
  if (spec === undefined || version === "" || !isKnownVersion(group, version)) return;
  const service = child(spec, "service");
  if (service !== undefined && service.type === "mapping") return;
  if (target.versionsOf(group, "*").includes(version)) return;
  const name = group === "" ? version : `${group}/${version}`;
  subject.report(
    { effect: "without-effect", what: name },
    problem(
      "USE008",
      "NotSupported",
      "spec",
      `names ${name}, which ${formatMinor(target.release)} does not serve`,
      {
        severity: "warning",
        line: spec.line,
        column: spec.column,
        hint: "remove the object; the API server manages the APIServices of its own groups",
      },
    ),
  );
}

/** `count/ingresses.extensions` */
function judgeQuota(subject: Subject, hard: YamlNode | undefined, target: ServedRelease): void {
  if (hard?.type !== "mapping") return;
  for (const { key, name } of hard.entries) {
    const [, resource = "", group = ""] = /^count\/([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
    if (resource === "" || !isBuiltInGroup(group) || versionsKnown(group, resource).length === 0) continue;
    if (!isGone(group, resource, target)) continue;
    const [other] = otherGroups(resource, target);
    subject.report(
      { effect: "without-effect", what: name, replacement: other },
      problem(
        "USE008",
        "NotSupported",
        `spec.hard[${name}]`,
        `counts ${name.slice("count/".length)}, which ${formatMinor(target.release)} does not serve`,
        {
          severity: "warning",
          line: key.line,
          column: key.column,
          hint: other === undefined ? "remove the quota" : `use count/${resource}.${other}`,
        },
      ),
    );
  }
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The manifest that was applied last: whoever applies it again uses its version. */
function judgeLastApplied(subject: Subject, served: readonly ServedRelease[]): void {
  const node = child(child(child(subject.root, "metadata"), "annotations"), LAST_APPLIED);
  if (node?.type !== "scalar" || typeof node.value !== "string") return;
  const applied = parsed(node.value);
  if (!isObject(applied)) return;
  const { apiVersion, kind } = applied;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || apiVersion === subject.apiVersion) return;
  const verdict = judgeKind({ ...parseApiVersion(apiVersion), kind }, served);
  if (verdict === undefined) return;
  subject.report(
    { ...verdict.use, effect: "written" },
    problem(
      "USE009",
      "NotSupported",
      `metadata.annotations[${LAST_APPLIED}]`,
      `the manifest that was applied last uses ${verdict.use.what}: ${verdict.problem.message}`,
      {
        severity: "warning",
        line: node.line,
        column: node.column,
        hint: `${verdict.use.replacement === undefined ? "remove the object from the manifests" : `use ${verdict.use.replacement} in the manifest`}, then apply it again`,
      },
    ),
  );
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // kubectl writes what it can read; anything else is no record of it.
    return undefined;
  }
}

/** Who writes the object in a version that the target does not serve, as its managed fields say. */
export function judgeManagers(subject: Subject, served: readonly ServedRelease[]): void {
  const entries = child(child(subject.root, "metadata"), "managedFields");
  if (entries?.type !== "sequence") return;
  for (const [i, entry] of entries.items.entries()) {
    const apiVersion = textIn(entry, "apiVersion");
    const verdict =
      apiVersion === ""
        ? undefined
        : judgeKind({ ...parseApiVersion(apiVersion), kind: subject.kind }, served);
    if (verdict === undefined || apiVersion === subject.apiVersion) continue;
    const manager = textIn(entry, "manager") || "an unnamed manager";
    const time = textIn(entry, "time");
    subject.report(
      { ...verdict.use, effect: "written", manager },
      problem(
        "USE009",
        "NotSupported",
        `metadata.managedFields[${i}]`,
        `${manager} writes ${verdict.use.what}${time === "" ? "" : ` (last at ${time})`}: ${verdict.problem.message}`,
        {
          severity: "warning",
          line: entry.line,
          column: entry.column,
          hint: `update ${manager}, or its manifests, before the upgrade`,
        },
      ),
    );
  }
}
