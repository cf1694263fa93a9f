/** What awaits the volume in the target namespace (docs/reference/pvc-transfer.md §3). */

import type { Problem } from "../../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { nameText } from "../api.js";
import {
  annotationOf,
  at,
  isBeingDeleted,
  listAt,
  objectAt,
  stringsAt,
  textAt,
  textsAt,
  uidOf,
} from "../object.js";
import { about, type Check, carriesMark } from "../transfer-context.js";

/** Missing or Terminating namespaces refuse creation or deletion. */
export const namespaces: Check = (transferContext, { state }) => {
  if (state.namespaces.size === 0) return [];
  const { source, target, request } = transferContext;
  return [...new Set([source.namespace, target.namespace])].flatMap((name): Problem[] => {
    const found = state.namespaces.get(name);
    const refuse = (message: string, hint: string): Problem[] => [
      problem(
        "TRF050",
        "NotFound",
        name === target.namespace ? "metadata.namespace" : "spec.source.namespace",
        message,
        {
          ...(found === undefined
            ? request.place(name === target.namespace ? "namespace" : "sourceNamespace")
            : { file: found.file, line: found.line, column: found.column }),
          hint,
        },
      ),
    ];
    if (found === undefined)
      return refuse(
        `the dump does not contain namespace ${name}`,
        "create it, or add all namespaces to the dump",
      );
    return isBeingDeleted(found.object) || textAt(found.object, "status", "phase") === "Terminating"
      ? refuse(
          `namespace ${name} is being deleted`,
          "use another namespace; no object can be created in this one",
        )
      : [];
  });
};

/** Somebody else's claim under the target's name, or a half-done run of this transfer. */
export const target: Check = (transferContext, { state, transferContexts }) => {
  const found = state.claims.get(nameText(transferContext.target));
  if (found === undefined) return [];
  if (
    transferContexts.some(({ claim }) => claim !== undefined && uidOf(claim.object) === uidOf(found.object))
  )
    return [];
  const volume = textAt(found.object, "spec", "volumeName");
  const wanted = textAt(transferContext.volume?.object, "metadata", "name");
  const half = carriesMark(found.object, transferContext) && volume === wanted;
  return [
    half
      ? about(found, transferContext).info(
          "TRF049",
          "Invalid",
          "metadata.name",
          `claim ${nameText(transferContext.target)} was created by an earlier run of this transfer`,
          "the plan continues from there",
        )
      : about(found, transferContext).error(
          "TRF049",
          "Duplicate",
          "metadata.name",
          `claim ${nameText(transferContext.target)} already exists${volume === "" ? "" : `, for volume ${volume}`}`,
          "use another targetName; the existing claim may contain data",
        ),
  ];
};

const RANGES = [
  "openshift.io/sa.scc.uid-range",
  "openshift.io/sa.scc.supplemental-groups",
  "openshift.io/sa.scc.mcs",
] as const;

/** Files that belong to the old range of users, groups or SELinux levels cannot be read by restricted pods of the new. */
export const ranges: Check = (transferContext, { state }) => {
  const from = state.namespaces.get(transferContext.source.namespace);
  const to = state.namespaces.get(transferContext.target.namespace);
  if (from === undefined || to === undefined || from === to) return [];
  return RANGES.flatMap((key): Problem[] => {
    const [old, fresh] = [annotationOf(from.object, key), annotationOf(to.object, key)];
    if (old === fresh) return [];
    return [
      about(to, transferContext).warning(
        "TRF041",
        "Invalid",
        `metadata.annotations[${key}]`,
        `${key} is ${old ?? "(none)"} in ${transferContext.source.namespace} and ${fresh ?? "(none)"} in ${transferContext.target.namespace}; files of the volume may be unreadable there`,
        "set fsGroup and seLinuxOptions of the pod to the old values with an SCC that allows them, or change the owner of the files once",
      ),
    ];
  });
};

const PROJECT_SELECTOR = "openshift.io/node-selector";
const POD_NODE_SELECTOR = "scheduler.alpha.kubernetes.io/node-selector";

/** Labels that every pod of the namespace asks of its node. */
function nodeSelector(namespace: JsonObject, schedulers: readonly JsonObject[]): ReadonlyMap<string, string> {
  const project =
    annotationOf(namespace, PROJECT_SELECTOR) ??
    schedulers.map((each) => textAt(each, "spec", "defaultNodeSelector")).find((text) => text !== "") ??
    "";
  const texts = [project, annotationOf(namespace, POD_NODE_SELECTOR) ?? ""];
  return new Map(
    texts
      .flatMap((text) => text.split(","))
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map((part): [string, string] => {
        const equals = part.indexOf("=");
        return equals < 0
          ? [part, ""]
          : [
              part.slice(0, equals).trim(),
              part
                .slice(equals + 1)
                .replace(/^=/, "")
                .trim(),
            ];
      }),
  );
}

/** Whether labels of a node satisfy one requirement of an affinity; a label that is not known is undefined. */
function satisfies(requirement: Json, labels: ReadonlyMap<string, string>): boolean {
  const value = labels.get(textAt(requirement, "key"));
  const values = textsAt(requirement, "values");
  switch (textAt(requirement, "operator")) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** The selector of the target namespace and the affinity of the volume leave no node. */
export const nodes: Check = (transferContext, { state }) => {
  const { volume, target: wanted } = transferContext;
  const namespace = state.namespaces.get(wanted.namespace);
  if (volume === undefined || namespace === undefined) return [];
  const selector = nodeSelector(
    namespace.object,
    [...state.schedulers.values()].map(({ object }) => object),
  );
  const terms = listAt(volume.object, "spec", "nodeAffinity", "required", "nodeSelectorTerms");
  if (selector.size === 0 || terms.length === 0) return [];
  const known = [...state.nodes.values()].map(({ object }) => object);
  const usable =
    known.length > 0
      ? known.some((node) => fitsNode(node, selector, terms))
      : terms.some((term) => !contradicts(term, selector));
  if (usable) return [];
  return [
    about(volume, transferContext).warning(
      "TRF042",
      "Invalid",
      "spec.nodeAffinity",
      `pods of ${wanted.namespace} run on nodes with ${[...selector].map(([key, value]) => `${key}=${value}`).join(",")}, but volume ${textAt(volume.object, "metadata", "name")} is only accessible from ${terms.map(termText).join(" or ")}; no node matches both`,
      "change the node selector of the namespace, or keep the claim in its namespace",
    ),
  ];
};

function fitsNode(node: JsonObject, selector: ReadonlyMap<string, string>, terms: readonly Json[]): boolean {
  const labels = new Map(Object.entries(stringsAt(node, "metadata", "labels")));
  const fields = new Map([["metadata.name", textAt(node, "metadata", "name")]]);
  return (
    [...selector].every(([key, value]) => labels.get(key) === value) &&
    terms.some(
      (term) =>
        listAt(term, "matchExpressions").every((each) => satisfies(each, labels)) &&
        listAt(term, "matchFields").every((each) => satisfies(each, fields)),
    )
  );
}

/** Without nodes in the dump only a label that both speak of can tell. */
const contradicts = (term: Json, selector: ReadonlyMap<string, string>): boolean =>
  listAt(term, "matchExpressions").some(
    (each) => selector.has(textAt(each, "key")) && !satisfies(each, selector),
  );

const termText = (term: Json): string =>
  [...listAt(term, "matchExpressions"), ...listAt(term, "matchFields")]
    .map((each) =>
      `${textAt(each, "key")} ${textAt(each, "operator")} ${textsAt(each, "values").join("|")}`.trim(),
    )
    .join(" and ");

/** Members of in-tree sources that name a Secret, and the member that names its namespace. */
const SECRET_SOURCES = ["azureFile", "cephfs", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"] as const;
const DELETION_SECRET = {
  name: "volume.kubernetes.io/provisioner-deletion-secret-name",
  namespace: "volume.kubernetes.io/provisioner-deletion-secret-namespace",
} as const;

/** Every Secret that a volume refers to; the namespace is empty where the one of the claim is meant. */
function secretsOf(volume: JsonObject): { where: string; namespace: string; name: string }[] {
  const csi = Object.entries(objectAt(volume, "spec", "csi"))
    .filter(([member, value]) => member.endsWith("SecretRef") && isObject(value))
    .map(([member, value]) => ({
      where: `spec.csi.${member}`,
      namespace: textAt(value, "namespace"),
      name: textAt(value, "name"),
    }));
  const inTree = SECRET_SOURCES.flatMap((source) => {
    const azure = textAt(volume, "spec", source, "secretName");
    const reference = at(volume, "spec", source, "secretRef");
    if (azure !== "")
      return [
        {
          where: `spec.${source}.secretName`,
          namespace: textAt(volume, "spec", source, "secretNamespace"),
          name: azure,
        },
      ];
    if (!isObject(reference)) return [];
    return [
      {
        where: `spec.${source}.secretRef`,
        namespace: textAt(reference, "namespace"),
        name: textAt(reference, "name"),
      },
    ];
  });
  const deletion = annotationOf(volume, DELETION_SECRET.name) ?? "";
  return [
    ...csi,
    ...inTree,
    ...(deletion === ""
      ? []
      : [
          {
            where: `metadata.annotations[${DELETION_SECRET.name}]`,
            namespace: annotationOf(volume, DELETION_SECRET.namespace) ?? "",
            name: deletion,
          },
        ]),
  ].filter(({ name }) => name !== "");
}

/** The source of a volume is immutable: it goes on using Secrets of the old namespace, or looks for them in the new. */
export const secrets: Check = (transferContext) => {
  const { volume, source, target: wanted } = transferContext;
  if (volume === undefined || source.namespace === wanted.namespace) return [];
  return secretsOf(volume.object)
    .filter(({ namespace }) => namespace === "" || namespace === source.namespace)
    .map(({ where, namespace, name }) =>
      about(volume, transferContext).warning(
        "TRF043",
        "Invalid",
        where,
        namespace === ""
          ? `volume ${textAt(volume.object, "metadata", "name")} uses Secret ${name} in the namespace of its claim`
          : `volume ${textAt(volume.object, "metadata", "name")} uses Secret ${namespace}/${name}`,
        namespace === ""
          ? `create the Secret in ${wanted.namespace} too`
          : `keep the Secret as long as the volume exists; it is required to mount, expand or delete the volume`,
      ),
    );
};
