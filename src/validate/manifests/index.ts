/**
 * What a cluster would stumble over in manifests/ and openshift/ (docs/reference/ignition-configs.md §7b): text that is
 * no YAML, documents that are no objects, objects that appear twice, that the API server refuses, or that break the
 * rules of who reads them.
 */

import { release as minorOf } from "../../core/minor.js";
import { type Found, type Problem, problem, warning } from "../../core/problem.js";
import { kubernetesOf, type Release } from "../../core/release.js";
import { type CelChecker, type Crd, checkCustomResource, readCrd } from "../../crd/schema.js";
import { creationFindings } from "../../kubernetes/creation-rules.js";
import { formatIdentity, identityKey, identityOf } from "../../kubernetes/identity.js";
import { objectFindings } from "../../kubernetes/object-rules.js";
import { isEncrypted } from "../../kubernetes/secrets.js";
import { dig } from "../context.js";
import { type DiskText, problemAt, readObjects } from "../documents.js";
import { definitionOf } from "./definitions.js";
import { unknownKind } from "./known-kinds.js";
import type { Folders, Manifest } from "./manifest.js";
import { isDroppedWithoutHarm, versionNotServed, withWhereServed } from "./not-served.js";
import { placeholderProblems, withCauses } from "./placeholders.js";
import { poolsOf } from "./pools.js";
import { rulesOf } from "./rules.js";
import { type FeatureSet, featureSetNamed, type ServedBy } from "./served.js";

export interface ManifestOptions {
  readonly release: Release;
  /** Definitions of kinds (`--crds DIR`), which count before those that slipway has. */
  readonly crds?: readonly Crd[];
  readonly cel?: CelChecker;
}

/** @param files files of both folders with the endings that the installer takes */
export async function manifestProblems(
  files: readonly DiskText[],
  options: ManifestOptions,
): Promise<Problem[]> {
  const { documents, problems } = readObjects(files);
  const manifests = documents.map((each): Manifest => ({ ...each, identity: identityOf(each.object) }));
  const folders: Folders = { release: options.release, manifests, pools: poolsOf(manifests) };
  // Definitions that lie in the folders count for what lies beside them, as in the cluster.
  const crds = [...(options.crds ?? []), ...manifests.flatMap(({ object }) => readCrd(object) ?? [])];
  const cluster = { ...options, crds, featureSet: featureSetOf(manifests) };
  const found = await Promise.all(manifests.map((each) => objectProblems(each, folders, cluster)));
  const scopes = await Promise.all(manifests.map((each) => definitionFor(each, cluster)));
  const objects = manifests.map((each, i) =>
    // What is in no namespace is the same object whatever the file says.
    scopes[i]?.namespaced === false ? { ...each, identity: { ...each.identity, namespace: "" } } : each,
  );
  return [...problems, ...files.flatMap(leftOut), ...duplicates(objects), ...found.flat()];
}

/** What the checks of an object look at beside it. */
type Cluster = ManifestOptions & ServedBy & { readonly crds: readonly Crd[] };

/** The feature set that the bootstrap takes from the folders; the default one where no object says. */
function featureSetOf(manifests: readonly Manifest[]): FeatureSet {
  const gate = manifests.find(
    ({ identity: { group, kind, name } }) =>
      group === "config.openshift.io" && kind === "FeatureGate" && name === "cluster",
  );
  const name = gate === undefined ? undefined : dig(gate.object, ["spec", "featureSet"]);
  return featureSetNamed(typeof name === "string" ? name : "");
}

/** The bootstrap copies `openshift/*` and applies what it finds by name: the shell leaves hidden files out. */
function leftOut({ path }: DiskText): Problem[] {
  if (!path.slice(path.lastIndexOf("/") + 1).startsWith(".")) return [];
  return [
    warning(
      "BOOT017",
      "NotSupported",
      "",
      "the installer includes the file, but the bootstrap ignores names that start with a dot",
      { file: path, hint: "rename the file without the leading dot, or move it out of the folder" },
    ),
  ];
}

function duplicates(manifests: readonly Manifest[]): Problem[] {
  const seen = new Map<string, string>();
  return manifests.flatMap((manifest): Problem[] => {
    const key = identityKey(manifest.identity);
    // An object without a name is told as one, or gets one of its own from the API server.
    if (manifest.identity.name === "") return [];
    const first = seen.get(key);
    seen.set(key, first ?? manifest.file);
    if (first === undefined) return [];
    return [
      problemAt(
        manifest,
        problem(
          "CAPI017",
          "Duplicate",
          "metadata.name",
          `duplicate object ${formatIdentity(manifest.identity)}, also in ${first}`,
          "remove one of them; the bootstrap applies only the first one",
        ),
      ),
    ];
  });
}

async function objectProblems(
  manifest: Manifest,
  folders: Folders,
  cluster: Cluster,
): Promise<readonly Problem[]> {
  const { object, identity } = manifest;
  // The bootstrap creates what it finds, so that the API server may make a name.
  const general = objectFindings(object, { mayBeNamedByServer: true });
  if (isEncrypted(object)) return general.map((finding) => problemAt(manifest, finding));
  const crd = await definitionFor(manifest, cluster);
  const unknown = crd === undefined ? await unknownKind(manifest.identity, cluster.release) : undefined;
  if (unknown !== undefined) return [problemAt(manifest, unknown)];
  const own = (await (await rulesOf(identity))?.(manifest, folders)) ?? [];
  const said = [...general, ...creationFindings(object)];
  const ofOperator = crd !== undefined && cluster.crds.includes(crd);
  const shape = await (ofOperator
    ? checkCustomResource(crd, object, cluster.cel)
    : shapeOf(manifest, cluster, crd));
  const news = shape.filter(({ field }) => !said.some((each) => each.field === field));
  // The bootstrap sends objects without strict checking: what a kind does not have is dropped without a word.
  const told = [...said, ...news].map((finding) =>
    problemAt(manifest, finding.code === "KUB004" ? { ...finding, severity: "warning" } : finding),
  );
  const problems = withCauses(manifest, onceEach(told, own));
  if (crd === undefined) return problems;
  return [...problems, ...placeholderProblems(manifest, problems, { ofOperator })];
}

/** What the release serves otherwise, with the feature set of the folders. */
async function shapeOf(
  manifest: Manifest,
  cluster: Cluster,
  crd: Crd | undefined,
): Promise<readonly Found[]> {
  const notServed = await versionNotServed(manifest.identity, cluster);
  if (notServed !== undefined) return [notServed];
  if (crd === undefined) return builtIn(manifest, cluster);
  const findings: Found[] = [];
  for (const finding of checkCustomResource(crd, manifest.object))
    if (!(await isDroppedWithoutHarm(finding, manifest))) findings.push(finding);
  return withWhereServed(findings, manifest, cluster);
}

/** Loaded for kinds of Kubernetes alone, since the table of their members is large. */
async function builtIn({ object, identity }: Manifest, { release }: Cluster): Promise<readonly Found[]> {
  if (!isOfKubernetes(identity)) return [];
  const { builtInFindings } = await import("./built-in.js");
  return builtInFindings(object, minorOf(kubernetesOf(release)));
}

/** Groups of Kubernetes itself: without a dot, or below k8s.io. */
const isOfKubernetes = ({ group }: Manifest["identity"]): boolean => /^[a-z]*$|\.k8s\.io$/.test(group);

/** Where the rules of a kind refuse a value, the definition of the kind has nothing to add. */
function onceEach(told: readonly Problem[], own: readonly Problem[]): Problem[] {
  const refused = new Set(
    own.flatMap(({ severity = "error", field }) => (severity === "error" ? [field] : [])),
  );
  return [...told.filter(({ code, field }) => code !== "KUB003" || !refused.has(field)), ...own];
}

const definitionFor = async ({ identity }: Manifest, cluster: Cluster): Promise<Crd | undefined> =>
  cluster.crds.find(({ group, kind }) => group === identity.group && kind === identity.kind) ??
  definitionOf(identity, cluster);
