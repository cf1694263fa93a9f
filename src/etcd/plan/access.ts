/**
 * The least rights that the deletions need: in each namespace a Role with the names of its objects and the two verbs,
 * a ClusterRole for objects outside namespaces, each bound to the one subject.
 */
import type { OutputFile } from "../../core/files.js";
import type { Renderer } from "../../text/render.js";
import { UNSAFE_VERB } from "../cluster.js";
import type { Candidate } from "./candidates.js";
import type { RepairSubject } from "./subject.js";
import { WARNING_ANNOTATIONS } from "./warnings.js";

export const ROLE_NAME = "slipway-etcd-repair";
export const LABELS = { "app.kubernetes.io/managed-by": "slipway", "app.kubernetes.io/name": ROLE_NAME };
/** A role with more names is split: an object must stay far below etcd's limit for a request. */
const MOST_NAMES = 2000;

type AccessRule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
};

export interface AccessObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

export interface Access {
  readonly files: readonly OutputFile[];
  /** Everything that is to be removed again, last made first. */
  readonly removal: readonly AccessObject[];
}

const RBAC = "rbac.authorization.k8s.io/v1";

/** Roles and bindings for the candidates; `start` is the number in front of the file names. */
export function compileAccess(
  candidates: readonly Candidate[],
  subject: RepairSubject,
  digest: string,
  render: Renderer,
): Access {
  const files: OutputFile[] = [];
  const made: AccessObject[] = [];
  const annotations = { ...WARNING_ANNOTATIONS, "slipway.dev/plan-digest": digest };
  if (candidates.length === 0) return { files, removal: [] };
  if (subject.kind === "ServiceAccount" && subject.made) {
    const { namespace, name } = subject;
    const labels = { ...LABELS, "pod-security.kubernetes.io/enforce": "restricted" };
    files.push(render.file("etcd/namespace.yaml", { name: namespace, labels }, "30_namespace.yaml"));
    files.push(
      render.file(
        "etcd/serviceaccount.yaml",
        { name, namespace, labels: LABELS, annotations },
        "31_serviceaccount.yaml",
      ),
    );
    made.push({ apiVersion: "v1", kind: "Namespace", name: namespace, namespace: undefined });
    made.push({ apiVersion: "v1", kind: "ServiceAccount", name, namespace });
  }
  const subjects = [subjectView(subject)];
  for (const [namespace, inside] of byNamespace(candidates)) {
    const scoped = namespace !== undefined;
    const kinds = scoped
      ? { role: "Role", binding: "RoleBinding" }
      : { role: "ClusterRole", binding: "ClusterRoleBinding" };
    rulesOf(inside).forEach((rules, part, all) => {
      const name = all.length === 1 ? ROLE_NAME : `${ROLE_NAME}-${part + 1}`;
      const suffix = `${scoped ? `-${namespace}` : ""}${all.length === 1 ? "" : `-${part + 1}`}.yaml`;
      const view = { name, namespace, labels: LABELS, annotations };
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: kinds.role, name };
      files.push(
        scoped
          ? render.file("etcd/role.yaml", { ...view, rules }, `32_role${suffix}`)
          : render.file("etcd/clusterrole.yaml", { ...view, rules }, `34_clusterrole${suffix}`),
        scoped
          ? render.file("etcd/rolebinding.yaml", { ...view, roleRef, subjects }, `33_rolebinding${suffix}`)
          : render.file(
              "etcd/clusterrolebinding.yaml",
              { ...view, roleRef, subjects },
              `35_clusterrolebinding${suffix}`,
            ),
      );
      made.push({ apiVersion: RBAC, kind: kinds.role, name, namespace });
      made.push({ apiVersion: RBAC, kind: kinds.binding, name, namespace });
    });
  }
  return { files, removal: made.reverse() };
}

function subjectView(subject: RepairSubject): { [name: string]: string } {
  return subject.kind === "ServiceAccount"
    ? { kind: subject.kind, name: subject.name, namespace: subject.namespace }
    : { kind: subject.kind, name: subject.name, apiGroup: "rbac.authorization.k8s.io" };
}

/** Objects outside namespaces come last. */
function byNamespace(candidates: readonly Candidate[]): [string | undefined, Candidate[]][] {
  const groups = new Map<string | undefined, Candidate[]>();
  for (const each of candidates) {
    const group = groups.get(each.namespace);
    if (group === undefined) groups.set(each.namespace, [each]);
    else group.push(each);
  }
  return [...groups].sort(([a], [b]) => (a === undefined ? 1 : b === undefined ? -1 : a < b ? -1 : 1));
}

/** Rules, one for each resource, in as many lists as roles are needed. */
function rulesOf(candidates: readonly Candidate[]): AccessRule[][] {
  const names = new Map<string, { group: string; resource: string; names: string[] }>();
  for (const { served, name } of candidates) {
    const id = `${served.group}/${served.resource}`;
    const entry = names.get(id) ?? { group: served.group, resource: served.resource, names: [] };
    entry.names.push(name);
    names.set(id, entry);
  }
  const lists: AccessRule[][] = [[]];
  let room = MOST_NAMES;
  for (const [, { group, resource, names: all }] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = [...new Set(all)].sort();
    for (let at = 0; at < sorted.length; ) {
      if (room === 0) {
        lists.push([]);
        room = MOST_NAMES;
      }
      const part = sorted.slice(at, at + room);
      lists.at(-1)?.push({
        apiGroups: [group],
        resources: [resource],
        resourceNames: part,
        verbs: ["delete", UNSAFE_VERB],
      });
      at += part.length;
      room -= part.length;
    }
  }
  return lists;
}
