/**
 * Kinds and versions that the API server of a cluster cannot have: those of Kubernetes' own groups are known for every
 * release (tables/kubernetes-apis.json), and nobody can add to a group without a dot, for the group of a
 * CustomResourceDefinition has one (apiextensions-apiserver, pkg/apis/apiextensions/validation: `spec.group`).
 */
import { holdsAt, type Span } from "../../core/by-release.js";
import type { Code } from "../../core/codes.js";
import { compareMinors, type Minor, release as minorOf } from "../../core/minor.js";
import { type Found, problem } from "../../core/problem.js";
import { kubernetesOf, type Release } from "../../core/release.js";
import { type ObjectIdentity, parseApiVersion } from "../../kubernetes/identity.js";
import { closest } from "../../text/closest.js";
import { quote } from "../../text/quote.js";
import { describedKinds } from "./definitions.js";

type Finding = Found & { readonly code: Code };

/** A version of a built-in kind, and whether the release serves it. */
interface Version {
  readonly kind: string;
  readonly group: string;
  readonly apiVersion: string;
  readonly served: boolean;
}

/** Groups of files that a program reads, which no API server serves. */
const OF_PROGRAMS: readonly { readonly group: string; readonly reader: string; readonly hint: string }[] = [
  {
    group: "kustomize.config.k8s.io",
    reader: "kustomize",
    hint: "replace it and its patches with the output of kubectl kustomize, one object per file",
  },
  {
    group: "kubelet.config.k8s.io",
    reader: "the kubelet",
    hint: "use a KubeletConfig of machineconfiguration.openshift.io/v1 with the settings in spec.kubeletConfig",
  },
  {
    group: "mirror.openshift.io",
    reader: "oc-mirror",
    hint: "replace it with the mirror sets that oc-mirror generates",
  },
  ...[
    ["apiserver.config.k8s.io", "the API server"],
    ["audit.k8s.io", "the API server"],
    ["kubeadm.k8s.io", "kubeadm"],
    ["kubecontrollermanager.config.k8s.io", "the controller manager"],
    ["kubeproxy.config.k8s.io", "kube-proxy"],
    ["kubescheduler.config.k8s.io", "the scheduler"],
    ["slipway.dev", "slipway"],
  ].map(([group = "", reader = ""]) => ({ group, reader, hint: "move it out of the folder" })),
];

/** Kinds whose objects nobody needs to look up: those that every folder has. */
const COMMON: ReadonlySet<string> = new Set(["ConfigMap", "Secret", "Namespace", "ServiceAccount"]);

/** Says why no cluster of the release has the kind of an object that no definition describes; undefined where one may. */
export async function unknownKind(identity: ObjectIdentity, release: Release): Promise<Finding | undefined> {
  const { group, version, kind } = identity;
  if (group === "" && version === "v1" && COMMON.has(kind)) return undefined;
  const program = OF_PROGRAMS.find((each) => each.group === group);
  if (program !== undefined)
    return problem(
      "BOOT022",
      "NotSupported",
      "kind",
      `${kind} is a configuration file of ${program.reader}, not a Kubernetes object; the bootstrap would wait for its kind and time out`,
      program.hint,
    );
  const described = await describedKinds(group);
  if (described !== undefined)
    return described.includes(kind) ? undefined : misspelt(identity, closest(kind, described));
  if (!/^[A-Za-z]*$|\.k8s\.io$/.test(group)) return undefined;
  const all = await builtInVersions(minorOf(kubernetesOf(release)));
  const own = all.filter((each) => each.group === group);
  const versions = own.filter((each) => each.kind === kind);
  const served = all.filter((each) => each.kind === kind && each.served).map((each) => each.apiVersion);
  if (versions.length > 0)
    return versions.some((each) => each.served && parseApiVersion(each.apiVersion).version === version)
      ? undefined
      : notServed(identity, release, served);
  const near = closest(
    kind,
    own.map((each) => each.kind),
  );
  // A List is told as one; other groups with a dot in their name may have kinds of others.
  if (group.includes(".") || (group === "" && kind.endsWith("List")))
    return near === undefined ? undefined : misspelt(identity, near);
  const [elsewhere] = served;
  if (near !== undefined || elsewhere !== undefined)
    return misspelt(identity, near ?? `apiVersion: ${elsewhere}`);
  const alive = all.filter((each) => each.served);
  const nearly = closest(
    kind,
    alive.map((each) => each.kind),
  );
  const other = alive.find((each) => each.kind === nearly);
  return misspelt(identity, other && `apiVersion: ${other.apiVersion}, kind: ${other.kind}`);
}

function misspelt({ group, kind }: ObjectIdentity, meant: string | undefined): Finding | undefined {
  // OpenShift's groups grow from release to release; the others are known in full.
  if (meant === undefined && group.includes(".")) return undefined;
  return problem(
    "BOOT022",
    "NotSupported",
    "kind",
    `unknown kind ${quote(kind)} in ${group === "" ? "the core group" : group}; the bootstrap would wait for it and time out`,
    meant === undefined
      ? "use the apiVersion that has the kind, or remove the object"
      : `did you mean ${meant}?`,
  );
}

const notServed = ({ kind, version }: ObjectIdentity, release: Release, served: readonly string[]): Finding =>
  problem(
    "KUB003",
    "NotSupported",
    "apiVersion",
    `version ${quote(version)} of ${kind} is not served by Kubernetes ${kubernetesOf(release)}`,
    served.length === 0
      ? "remove the object; no version of the kind is served in this release"
      : `use one of the served versions: ${served.join(", ")}`,
  );

/** Every version of every built-in kind. One that is off by default counts as served, since a cluster may turn it on. */
async function builtInVersions(kubernetes: Minor): Promise<readonly Version[]> {
  const { resources, others } = (await import("../../../tables/kubernetes-apis.json")).default;
  const rows: readonly Row[] = [...resources, ...others];
  return rows.flatMap(({ kind, versions }) =>
    versions.map(({ apiVersion, first, last, removed, endpoint }) => ({
      kind,
      group: parseApiVersion(apiVersion).group,
      apiVersion,
      served:
        holdsAt({ since: first, before: removed }, kubernetes) &&
        holdsAt(endpoint ?? {}, kubernetes) &&
        (last === undefined || compareMinors(kubernetes, minorOf(last)) <= 0),
    })),
  );
}

interface Row {
  readonly kind: string;
  readonly versions: readonly {
    readonly apiVersion: string;
    readonly first: string;
    readonly last?: string | undefined;
    readonly removed?: string | undefined;
    readonly endpoint?: Span | undefined;
  }[];
}
