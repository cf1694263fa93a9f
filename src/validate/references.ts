/** Every reference finds its object: kind, name, namespace and group or version, in the shape of either contract. */
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { type Problem, problem, warning } from "../core/problem.js";
import { CONTROL_PLANE_GROUP, CONTROL_PLANE_KIND } from "../crd/openshift-control-plane.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { isPlaceholder } from "../kubernetes/labels.js";
import {
  ASSISTED_CONTROL_PLANE_GROUP,
  ASSISTED_CONTROL_PLANE_KIND,
} from "../kubernetes/openshift-assisted.js";
import { at, type Check, type Context, dig, isKind, type Known } from "./context.js";
import { definitionOf } from "./crd-files.js";
import { CLUSTER_SCOPED } from "./provider-fields.js";

const INFRASTRUCTURE_GROUP = "infrastructure.cluster.x-k8s.io";

/** A reference that must be there and must find its object in the folder. */
interface OwnReference {
  readonly group: string;
  readonly kind: string;
  readonly path: readonly string[];
}

const OWN_REFERENCES: readonly OwnReference[] = [
  { group: "cluster.x-k8s.io", kind: "Cluster", path: ["spec", "infrastructureRef"] },
  { group: "cluster.x-k8s.io", kind: "Cluster", path: ["spec", "controlPlaneRef"] },
  {
    group: "cluster.x-k8s.io",
    kind: "MachineDeployment",
    path: ["spec", "template", "spec", "infrastructureRef"],
  },
  {
    group: CONTROL_PLANE_GROUP,
    kind: CONTROL_PLANE_KIND,
    path: ["spec", "machineTemplate", "infrastructureRef"],
  },
  {
    group: ASSISTED_CONTROL_PLANE_GROUP,
    kind: ASSISTED_CONTROL_PLANE_KIND,
    path: ["spec", "machineTemplate", "infrastructureRef"],
  },
  {
    group: "cluster.x-k8s.io",
    kind: "MachineDeployment",
    path: ["spec", "template", "spec", "bootstrap", "configRef"],
  },
  {
    group: "cluster.x-k8s.io",
    kind: "MachineDeployment",
    path: ["spec", "template", "spec", "infrastructureRef"],
  },
];

/** Versions of kinds whose references have the shape of the v1beta1 contract. */
const OBJECT_REFERENCES: ReadonlySet<string> = new Set([
  "Cluster v1beta1",
  "MachineDeployment v1beta1",
  `${CONTROL_PLANE_KIND} v1alpha1`,
  `${ASSISTED_CONTROL_PLANE_KIND} v1alpha2`,
]);

/**
 * References of providers to credentials, which may also be in the management cluster already. `to` is the kind where
 * the reference does not say it (docs/reference/cluster-api.md §5).
 */
const CREDENTIAL_REFERENCES: readonly {
  readonly kind: string;
  readonly path: readonly string[];
  readonly to?: string;
}[] = [
  { kind: "AWSCluster", path: ["spec", "identityRef"] },
  { kind: "AWSClusterStaticIdentity", path: ["spec", "secretRef"], to: "Secret" },
  {
    kind: "MachineDeployment",
    path: ["spec", "template", "spec", "bootstrap", "dataSecretName"],
    to: "Secret",
  },
  { kind: "AzureCluster", path: ["spec", "identityRef"] },
  { kind: "AzureClusterIdentity", path: ["spec", "clientSecret"], to: "Secret" },
  { kind: "GCPCluster", path: ["spec", "credentialsRef"], to: "Secret" },
  { kind: "NutanixCluster", path: ["spec", "prismCentral", "credentialRef"] },
  { kind: "OpenStackCluster", path: ["spec", "identityRef"], to: "Secret" },
  { kind: "OpenStackMachineTemplate", path: ["spec", "template", "spec", "identityRef"], to: "Secret" },
  { kind: "VSphereCluster", path: ["spec", "identityRef"] },
  { kind: "VSphereClusterIdentity", path: ["spec", "secretName"], to: "Secret" },
];

export const checkReferences: Check = (context) => [
  ...presence(context),
  ...OWN_REFERENCES.flatMap((reference) =>
    context.objects
      .filter((known) => isKind(known, reference.group, reference.kind))
      .flatMap((known) => ownProblems(known, reference.path, context)),
  ),
  ...context.objects
    .filter(({ identity }) => [INFRASTRUCTURE_GROUP, "cluster.x-k8s.io"].includes(identity.group))
    .flatMap((known) => credentialProblems(known, context)),
];

/** A folder without Cluster or control plane cannot become a cluster. */
function presence({ objects, cluster, controlPlane, assisted, unreadable }: Context): Problem[] {
  if (unreadable.size > 0) return [];
  const file = objects[0]?.file.replace(/\/[^/]*$/, "/") ?? "";
  const missing = [
    ...(cluster === undefined ? ["Cluster"] : []),
    ...(controlPlane === undefined && assisted === undefined ? [CONTROL_PLANE_KIND] : []),
  ];
  return missing.map((kind) =>
    problem("CAPI010", "NotFound", "", `the folder contains no ${kind}`, {
      file,
      hint: "restore its file, or write it again with slipway create infrastructure-manifests --theirs",
    }),
  );
}

const textOf = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === "string" ? value : "";
};

function ownProblems(known: Known, path: readonly string[], context: Context): Problem[] {
  const field = path.join(".");
  const reference = dig(known.object, path);
  if (!isObject(reference)) return [];
  const [kind, name] = [textOf(reference, "kind"), textOf(reference, "name")];
  // What is missing is said by the schema, and a placeholder by the check for placeholders.
  if (kind === "" || name === "" || isPlaceholder(kind) || isPlaceholder(name)) return [];
  const refuse = (member: string, message: string, hint: string): Problem =>
    at(known, problem("CAPI010", "NotFound", `${field}.${member}`, message, hint));
  const style = styleProblems(known, reference, field);
  if (style.length > 0) return style;
  const group =
    reference["apiGroup"] === undefined
      ? parseApiVersion(textOf(reference, "apiVersion")).group
      : textOf(reference, "apiGroup");
  const named = context.objects.filter(({ identity }) => identity.name === name && identity.kind === kind);
  const target = named.find(({ identity }) => identity.group === group);
  if (target === undefined)
    return context.unreadable.size > 0
      ? []
      : [unresolved(known, field, { group, kind, name }, named, context)];
  const problems: Problem[] = [];
  const namespace = reference["namespace"];
  if (namespace !== undefined && namespace !== known.identity.namespace)
    problems.push(
      refuse(
        "namespace",
        `references the namespace ${JSON.stringify(namespace)}, but the object is in ${JSON.stringify(known.identity.namespace)}`,
        "use the same namespace; references across namespaces are not supported",
      ),
    );
  const apiVersion = reference["apiVersion"];
  const served = definitionOf(target, context.options)?.versions.filter((each) => each.served) ?? [];
  // A reference of slipway's own names the version of the contract, in which the server gives the object as well.
  const isServed =
    context.history(known.file) === "untouched" ||
    served.some(({ name: version }) => apiVersion === `${group}/${version}`);
  if (apiVersion !== undefined && apiVersion !== target.object["apiVersion"] && !isServed)
    problems.push(
      refuse(
        "apiVersion",
        `references ${JSON.stringify(apiVersion)}, but ${kind} ${name} in ${target.file} has ${JSON.stringify(target.object["apiVersion"])}`,
        "use the apiVersion of the object",
      ),
    );
  return problems;
}

/** Each version of a kind has one shape of references. */
function styleProblems(known: Known, reference: JsonObject, field: string): Problem[] {
  const contract = !OBJECT_REFERENCES.has(`${known.identity.kind} ${known.identity.version}`);
  const foreign = contract ? ["apiVersion", "namespace"] : ["apiGroup"];
  return foreign
    .filter((member) => reference[member] !== undefined)
    .map((member) =>
      at(
        known,
        problem(
          "CAPI010",
          "Invalid",
          `${field}.${member}`,
          `unknown field ${member} in a reference of ${known.identity.kind} ${known.identity.version}`,
          contract ? "use apiGroup, kind and name" : "use apiVersion, kind, name and namespace",
        ),
      ),
    );
}

/** Says what comes nearest to what a reference looks for. */
function unresolved(
  known: Known,
  field: string,
  { group, kind, name }: { group: string; kind: string; name: string },
  named: readonly Known[],
  { objects }: Context,
): Problem {
  const ofKind = objects.filter(({ identity }) => identity.kind === kind && identity.group === group);
  const other = named[0];
  const hint =
    other !== undefined
      ? `${kind} ${name} in ${other.file} is in the group ${JSON.stringify(other.identity.group)}`
      : ofKind.length > 0
        ? `the folder contains ${ofKind.map(({ identity, file }) => `${kind} ${identity.name} (${file})`).join(", ")}`
        : `add the object to the folder, or correct the reference`;
  return at(
    known,
    problem(
      "CAPI010",
      "NotFound",
      `${field}.${other === undefined && ofKind.length === 0 ? "kind" : other !== undefined ? "kind" : "name"}`,
      `${kind} ${JSON.stringify(name)} in the group ${JSON.stringify(group)} is not in the folder`,
      hint,
    ),
  );
}

interface CredentialTarget {
  readonly path: readonly string[];
  readonly kind: string;
  readonly name: string;
}

function credentialTargets({ object, identity }: Known): CredentialTarget[] {
  return CREDENTIAL_REFERENCES.filter(({ kind }) => kind === identity.kind).flatMap(({ path, to = "" }) => {
    const reference: Json | undefined = dig(object, path);
    const target = isObject(reference)
      ? { kind: textOf(reference, "kind") || to, name: textOf(reference, "name") }
      : { kind: to, name: typeof reference === "string" ? reference : "" };
    return target.name === "" || target.kind === "" ? [] : [{ path, ...target }];
  });
}

/** True for a Secret that an object outside of namespaces reads: it lies in the namespace of the controller. */
export const isControllerSecret = (secret: Known, objects: readonly Known[]): boolean =>
  objects.some(
    (each) =>
      CLUSTER_SCOPED.has(each.identity.kind) &&
      credentialTargets(each).some(({ kind, name }) => kind === "Secret" && name === secret.identity.name),
  );

function credentialProblems(known: Known, { objects, unreadable }: Context): Problem[] {
  return credentialTargets(known).flatMap(({ path, ...target }): Problem[] => {
    if (isPlaceholder(target.name)) return [];
    if (unreadable.size > 0) return [];
    if (objects.some(({ identity }) => identity.kind === target.kind && identity.name === target.name))
      return [];
    return [
      at(
        known,
        warning(
          "CAPI010",
          "NotFound",
          path.join("."),
          `${target.kind} ${JSON.stringify(target.name)} is not in the folder`,
          "create it in the management cluster before you apply the folder; the provider gets its credentials from it",
        ),
      ),
    ];
  });
}
