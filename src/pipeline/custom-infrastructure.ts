/**
 * `--custom-infrastructure`: the files of the user read, told apart by their kinds, and held against definitions,
 * names, namespaces and the contract of Cluster API (kubernetes-sigs/cluster-api
 * docs/book/src/developer/providers/contracts/infra-cluster.md).
 */
import { createHash } from "node:crypto";
import type { Problem, Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { isObject, type Json, textAt } from "../core/json.js";
import { info, problem, warning } from "../core/problem.js";
import { CONTROL_PLANE_KIND } from "../crd/openshift-control-plane.js";
import { type Crd, loadCel, readCrd } from "../crd/schema.js";
import { identityOf, type ObjectIdentity } from "../kubernetes/identity.js";
import { CLUSTER_NAME_LABEL, labelsOf, POOL_LABEL } from "../kubernetes/labels.js";
import type { InfrastructureOptions } from "../phases/assets.js";
import type { CustomInfrastructure, CustomObject } from "../phases/infrastructure-manifests/custom.js";
import {
  INFRASTRUCTURE_CLUSTER_FILE,
  MACHINE_TEMPLATE_FILE,
} from "../phases/infrastructure-manifests/layout.js";
import { holdsSecret, secretFields } from "../text/redact.js";
import { valuesOf } from "../text/yaml-content.js";
import { at, contextOf, isSecret, type Known, type ValidationOptions } from "../validate/context.js";
import { definitionOf, type NamedDefinitions, readDefinitions } from "../validate/crd-files.js";
import { readObjects } from "../validate/documents.js";
import { checkDuplicates, checkNamespaces, emittedValidators, objectProblems } from "../validate/objects.js";
import { CONTRACT_LABEL, contractProblems, referentOf } from "./custom-contract.js";
import { type CustomSource, watched } from "./request.js";

export interface CustomContext
  extends Pick<InfrastructureOptions, "namespace" | "controllerNamespace" | "contract"> {
  readonly infraID: string;
  /** Names of the compute pools. */
  readonly pools: readonly string[];
  /** The texts of `--crds`; undefined where it is not given. */
  readonly definitions: readonly NamedDefinitions[] | undefined;
  report(problem: Problem): void;
}

const KUSTOMIZATION = /(?:^|[/\\])kustomization\.ya?ml$/i;
const GROUP = "infrastructure.cluster.x-k8s.io";
const CORE_GROUP = "cluster.x-k8s.io";
const PROVIDER_LABEL = "cluster.x-k8s.io/provider";

/** The two objects that Cluster and control plane refer to, by the ends of their kinds. */
const ROLES = [
  { ending: /Cluster$/, what: "infrastructure cluster", name: INFRASTRUCTURE_CLUSTER_FILE },
  { ending: /MachineTemplate$/, what: "machine template", name: MACHINE_TEMPLATE_FILE },
] as const;
type Role = (typeof ROLES)[number];

/** The user's infrastructure as the phase writes it. Undefined when an error was reported. */
export async function customInfrastructure(
  { folder, files }: CustomSource,
  context: CustomContext,
): Promise<CustomInfrastructure | undefined> {
  const { failed, report } = watched(context.report);
  const objects = readFiles(files, report);
  const { own, crds } = await apart(objects, context.definitions, report);
  const options: ValidationOptions =
    crds === undefined ? { emitted: await emittedValidators() } : { crds, cel: await loadCel() };
  const roles = ROLES.map((role) => ({
    role,
    known: own.filter((each) => roleOf(each, options) === role && poolOf(each, options) === undefined),
  }));
  const forPools = own.filter((each) => poolOf(each, options) !== undefined);
  for (const each of roles) countProblems(each, own, folder).forEach(report);
  for (const each of forPools) poolProblems(each, forPools, context, options).forEach(report);
  for (const known of own) problemsOf(known, context, options).forEach(report);
  folderProblems(own, context, options).forEach(report);
  own.flatMap(openSecrets).forEach(report);
  if (crds === undefined) reportUnchecked(own, folder, report);
  else {
    const { kubernetesApis } = await import("../compatibility/kubernetes.js");
    const builtIn = new Set(kubernetesApis().kinds.map(({ group, kind }) => `${group}/${kind}`));
    for (const known of own)
      if (
        definitionOf(known, options) === undefined &&
        !builtIn.has(`${known.identity.group}/${known.identity.kind}`)
      )
        report(undefinedKind(known));
    for (const { known } of [...roles, { known: forPools }])
      for (const each of known) contractProblems(each, context, options).forEach(report);
  }
  const [cluster, machineTemplate] = roles.map(({ known: [first] }) => first);
  if (failed() || cluster === undefined || machineTemplate === undefined) return undefined;
  return {
    cluster: referentOf(cluster, context, options),
    machineTemplate: referentOf(machineTemplate, context, options),
    poolTemplates: new Map(
      forPools.map((each) => [poolOf(each, options) ?? "", referentOf(each, context, options)]),
    ),
    objects: placed(own, context.namespace, options),
  };
}

/** Every object of the files; what would not come out as it went in is refused. */
function readFiles(files: CustomSource["files"], report: Report): Known[] {
  const manifests = files.filter(({ file }) => {
    if (!KUSTOMIZATION.test(file)) return true;
    report(
      warning(
        "CAPI030",
        "NotSupported",
        "",
        "the kustomization is not applied; slipway reads the other files in the folder unchanged",
        { file, hint: "specify a folder with the output of kubectl kustomize instead" },
      ),
    );
    return false;
  });
  const read = readObjects(manifests.map(({ file, data }) => ({ path: file, data })));
  read.problems.forEach(report);
  const broken = new Set(read.problems.map(({ file }) => file));
  for (const { file, data } of manifests)
    if (!broken.has(file) && valuesOf(data) === undefined)
      report(
        problem(
          "CAPI031",
          "Invalid",
          "",
          "the object contains a number that is too large to be represented exactly",
          { file, hint: "quote the number if the field is a string" },
        ),
      );
  return read.documents.map((each) => ({ ...each, identity: identityOf(each.object) }));
}

/** Definitions of kinds that lie among the objects are read and not taken along: the provider brings them. */
async function apart(
  objects: readonly Known[],
  given: readonly NamedDefinitions[] | undefined,
  report: Report,
): Promise<{ readonly own: readonly Known[]; readonly crds: readonly Crd[] | undefined }> {
  const definitions = objects.flatMap((known) => {
    const crd = readCrd(known.object);
    return crd === undefined ? [] : [{ known, crd }];
  });
  for (const { known } of definitions)
    report(
      at(
        known,
        warning(
          "CAPI031",
          "Forbidden",
          "kind",
          "the CustomResourceDefinition is not included; installing the provider creates it",
          "keep CustomResourceDefinitions in a separate folder and specify it with --crds",
        ),
      ),
    );
  const own = objects.filter((each) => definitions.every(({ known }) => known !== each));
  if (given === undefined && definitions.length === 0) return { own, crds: undefined };
  return {
    own,
    crds: [...(await readDefinitions(given ?? [], report)), ...definitions.map(({ crd }) => crd)],
  };
}

/**
 * Cluster API finds both by the references of Cluster and control plane, whatever they are called. What tells them
 * here: the group that infrastructure providers share, or a definition that says of its kind that it keeps a contract
 * and is of an infrastructure provider; and the ends of kinds that all providers keep to.
 */
function roleOf(known: Known, options: ValidationOptions): Role | undefined {
  const { group, kind } = known.identity;
  const labels = definitionOf(known, options)?.labels ?? new Map<string, string>();
  const provider = labels.get(PROVIDER_LABEL) ?? "infrastructure-";
  const isLabelled =
    group !== CORE_GROUP &&
    provider.startsWith("infrastructure-") &&
    [...labels.keys()].some((key) => CONTRACT_LABEL.test(key));
  return group === GROUP || isLabelled ? ROLES.find(({ ending }) => ending.test(kind)) : undefined;
}

/** The compute pool that a machine template is labelled for; the one without the label is the control plane's. */
const poolOf = (known: Known, options: ValidationOptions): string | undefined =>
  roleOf(known, options)?.name === MACHINE_TEMPLATE_FILE ? labelsOf(known.object).get(POOL_LABEL) : undefined;

/** What is wrong with the pool that a template names. */
function poolProblems(
  known: Known,
  all: readonly Known[],
  { pools }: CustomContext,
  options: ValidationOptions,
): Problem[] {
  const pool = poolOf(known, options) ?? "";
  const refuse = (kind: Problem["kind"], message: string, hint: string): Problem[] => [
    at(known, problem("CAPI030", kind, `metadata.labels[${POOL_LABEL}]`, message, hint)),
  ];
  const first = all.find((each) => poolOf(each, options) === pool);
  if (!pools.includes(pool))
    return refuse(
      "NotFound",
      `the machine template is for the compute pool ${JSON.stringify(pool)}, which is not in the install-config`,
      pools.length === 0
        ? "remove the object from the folder; the install-config has no compute pools"
        : `use one of its compute pools: ${pools.join(", ")}; the template without the label is for the control plane`,
    );
  if (first !== undefined && first !== known)
    return refuse(
      "Duplicate",
      `the pool ${pool} already has a machine template: ${first.identity.name} in ${first.file}:${first.node.line}`,
      "remove one of them from the folder",
    );
  return [];
}

/** Exactly one of either. */
function countProblems(
  { role: { what, ending }, known }: { readonly role: Role; readonly known: readonly Known[] },
  all: readonly Known[],
  folder: string,
): Problem[] {
  const [first, ...more] = known;
  const ends = ending.source.replace("$", "");
  if (first === undefined) {
    const near = all.filter(({ identity }) => ending.test(identity.kind));
    const pool = near[0] === undefined ? undefined : labelsOf(near[0].object).get(POOL_LABEL);
    return [
      problem(
        "CAPI030",
        "Required",
        "",
        `no ${what} found: an object in ${GROUP} whose kind ends with ${ends}`,
        {
          file: near[0]?.file ?? folder,
          ...(near[0] === undefined ? {} : { line: near[0].node.line, column: near[0].node.column }),
          hint:
            near[0] === undefined
              ? `add the ${what} of your provider to the folder`
              : pool !== undefined
                ? `${near[0].identity.kind} ${near[0].identity.name} is for the compute pool ${pool}; add one without the label ${POOL_LABEL} for the control plane`
                : `${near[0].identity.kind} is in the group ${JSON.stringify(near[0].identity.group)}; if that is a provider's group, specify its installed CustomResourceDefinitions with --crds DIR`,
        },
      ),
    ];
  }
  return more.map((each) =>
    at(
      each,
      problem(
        "CAPI030",
        "TooMany",
        "kind",
        `more than one ${what}: ${each.identity.kind} ${each.identity.name}, and ${first.identity.kind} ${first.identity.name} in ${first.file}:${first.node.line}`,
        what === "machine template"
          ? `remove one of them, or label it with its compute pool, such as ${POOL_LABEL}: worker`
          : "remove one of them from the folder",
      ),
    ),
  );
}

/** What a server or a controller writes into metadata, and no other server takes. */
const SERVER_FIELDS = [
  "uid",
  "resourceVersion",
  "managedFields",
  "ownerReferences",
  "deletionTimestamp",
] as const;

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** What the object is not allowed to bring along. */
function problemsOf(known: Known, { infraID }: CustomContext, options: ValidationOptions): Problem[] {
  const { object, identity } = known;
  const refuse = (field: string, message: string, hint: string): Problem =>
    at(known, problem("CAPI031", "Forbidden", field, message, hint));
  if ((identity.group === CORE_GROUP && identity.kind === "Cluster") || identity.kind === CONTROL_PLANE_KIND)
    return [refuse("kind", `slipway generates the ${identity.kind}`, "remove it from the folder")];
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  // What is made from a template belongs to a Cluster as well.
  const template = isObject(spec["template"]) ? spec["template"] : {};
  const others = [object, template].flatMap((each, index) => {
    const prefix = index === 0 ? "" : "spec.template.";
    const inner = isObject(each["spec"]) ? each["spec"] : {};
    return [
      [`${prefix}metadata.labels`, labelsOf(each).get(CLUSTER_NAME_LABEL)],
      [`${prefix}spec.clusterName`, textAt(inner, "clusterName") || undefined],
    ] as const;
  });
  return [
    // That nothing was compared is said once for all, and what slipway would write is not what the user has to.
    ...objectProblems(known, options).filter(
      ({ code, severity = "error" }) => severity === "error" || code === "KUB006",
    ),
    ...SERVER_FIELDS.filter((member) => !isEmpty(metadata[member])).map((member) =>
      refuse(
        `metadata.${member}`,
        member === "ownerReferences"
          ? "the object was exported from a server; it would be garbage-collected because its owner does not exist"
          : "the object was exported from a server, which rejects or ignores this field on creation",
        `remove metadata.${SERVER_FIELDS.join(", ")}, generation and creationTimestamp`,
      ),
    ),
    ...(isObject(object["status"]) && Object.keys(object["status"]).length > 0 && identity.group !== ""
      ? [
          {
            ...refuse(
              "status",
              "the API server ignores the status of applied objects",
              "remove it; the provider's controller sets it",
            ),
            severity: "warning" as const,
          },
        ]
      : []),
    ...others.flatMap(([field, name]) =>
      name === undefined || name === infraID
        ? []
        : [
            refuse(
              field,
              `the object belongs to the Cluster ${JSON.stringify(name)}, but this Cluster is ${infraID}`,
              `use ${infraID} or remove the field; --infra-id sets the name of a new cluster`,
            ),
          ],
    ),
  ];
}

/** Secrets in fields of objects that are none: whoever may read the object in the cluster has them. */
const openSecrets = (known: Known): Problem[] =>
  isSecret(known)
    ? []
    : secretFields(known.object).map((field) =>
        at(
          known,
          warning(
            "CAPI035",
            "Invalid",
            field,
            `the field looks like a secret, which everyone with read access to ${known.identity.kind} objects can see; the file is stored with the Secrets`,
            "move it to a Secret if the provider supports a reference",
          ),
        ),
      );

/** Nothing twice, and everything in the namespace of the cluster. */
function folderProblems(
  objects: readonly Known[],
  { namespace, controllerNamespace }: CustomContext,
  options: ValidationOptions,
): Problem[] {
  const folder = contextOf({ files: new Map(), controllerNamespace }, options, {
    documents: objects,
    problems: [],
  });
  const hintOf = ({ field }: Problem): string =>
    field === "metadata.name"
      ? "remove it from the folder; slipway generates the Namespace, and --namespace NAME sets its name"
      : `set namespace: ${namespace}, or set --namespace to the namespace in your files`;
  return [
    ...checkDuplicates(folder),
    ...checkNamespaces({ ...folder, namespace, objects }).map((problem) => ({
      ...problem,
      hint: hintOf(problem),
    })),
  ];
}

/** Without definitions, of kinds that slipway writes itself something is known, and of others nothing. */
function reportUnchecked(objects: readonly Known[], folder: string, report: Report): void {
  const kinds = [
    ...new Set(objects.filter(({ identity }) => identity.group !== "").map(({ identity }) => identity.kind)),
  ];
  report(
    info(
      "CAPI030",
      "Invalid",
      "",
      `the fields of ${kinds.sort(byCodeUnit).join(", ")} cannot be validated without CustomResourceDefinitions`,
      { file: folder, hint: "set --crds DIR to the provider's CustomResourceDefinitions" },
    ),
  );
}

const undefinedKind = (known: Known): Problem =>
  at(
    known,
    problem(
      "CAPI032",
      "NotFound",
      "kind",
      `no CustomResourceDefinition in --crds serves ${known.identity.kind} in the group ${JSON.stringify(known.identity.group)}`,
      "add its CustomResourceDefinition to the folder, or correct apiVersion and kind",
    ),
  );

/** The files of the objects: the two under their names, a Namespace before everything else in it. */
function placed(objects: readonly Known[], namespace: string, options: ValidationOptions): CustomObject[] {
  return objects.map((known) => {
    const { object, identity, file, node } = known;
    const pool = poolOf(known, options);
    const name = pool === undefined ? roleOf(known, options)?.name : `51_machine-template-${pool}.yaml`;
    const number = identity.group === "" && identity.kind === "Namespace" ? "11" : "12";
    return {
      name: name ?? `${number}_${fileName(identity, namespace)}.yaml`,
      object,
      secret: isSecret(known) || holdsSecret(object) || secretFields(object).length > 0,
      source: `${file}:${node.line}`,
    };
  });
}

/** Kind and name; with a digest where these are no plain name of a file, or others may have the same. */
function fileName({ group, kind, namespace, name }: ObjectIdentity, home: string): string {
  const plain = `${kind.toLowerCase()}-${name}`;
  if (
    (group === "" || group === GROUP) &&
    ["", home].includes(namespace) &&
    /^[a-z0-9.-]{1,100}$/.test(plain)
  )
    return plain;
  const whole = [group, kind, namespace, name].join("/");
  const digest = createHash("sha256").update(whole).digest("hex").slice(0, 12);
  return `${plain.replaceAll(/[^a-z0-9.-]+/g, "-").slice(0, 100)}-${digest}`;
}
