/**
 * Gates: what must be seen before a transfer goes on (docs/reference/pvc-transfer.md §6, steps 2, 4, 5 and 7). A
 * condition is data; from it follow the query that people and scripts run, and the judgement of a dump.
 */
import { isObject, type JsonObject } from "../core/json.js";
import { APPROVAL_PLURAL, CLAIM_KIND, REQUEST_PLURAL } from "../crd/storage-transfer.js";
import { oneLine } from "../text/quote.js";
import { commandLine, shellWord } from "../text/shell.js";
import { ANNOTATIONS, type Name, nameText } from "./api.js";
import { type Busy, busyTemplate, busyWith } from "./busy.js";
import { goString } from "./go-template.js";
import { at, listAt, textAt } from "./object.js";
import { type StorageId, sameStorage, storageTemplate } from "./storage-id.js";

/** Kinds that conditions ask about, with the word that kubectl knows them by. */
const RESOURCES = {
  PersistentVolume: "persistentvolume",
  PersistentVolumeClaim: "persistentvolumeclaim",
  CronJob: "cronjob",
  DaemonSet: "daemonset",
  Deployment: "deployment",
  DeploymentConfig: "deploymentconfig",
  Job: "job",
  ReplicaSet: "replicaset",
  ReplicationController: "replicationcontroller",
  StatefulSet: "statefulset",
  StorageTransferApproval: APPROVAL_PLURAL,
  StorageTransferRequest: REQUEST_PLURAL,
  VirtualMachine: "virtualmachine",
} as const;

export interface ObjectRef {
  readonly kind: keyof typeof RESOURCES;
  /** Empty for a kind without namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Of kinds whose group is not fixed: kubectl is told it. */
  readonly group?: string;
}

export const claimRef = ({ namespace, name }: Name): ObjectRef => ({ kind: CLAIM_KIND, namespace, name });
export const volumeRef = (name: string): ObjectRef => ({ kind: "PersistentVolume", namespace: "", name });

export type Condition =
  /** A field has this text; the empty text stands for a missing field. */
  | {
      readonly type: "field";
      readonly object: ObjectRef;
      readonly path: readonly string[];
      readonly equals: string;
    }
  /** A number is not above this one. */
  | {
      readonly type: "at-most";
      readonly object: ObjectRef;
      readonly path: readonly string[];
      readonly limit: number;
    }
  | { readonly type: "absent"; readonly object: ObjectRef }
  /** It is suspended, or there is none. */
  | { readonly type: "suspended"; readonly object: ObjectRef }
  /** Two fields have the same text, which is not empty. */
  | {
      readonly type: "same";
      readonly object: ObjectRef;
      readonly path: readonly string[];
      readonly other: { readonly object: ObjectRef; readonly path: readonly string[] };
    }
  /** No pod of the namespace uses the claim, whatever its phase; generic ephemeral volumes count. */
  | { readonly type: "no-pods"; readonly claim: Name }
  | { readonly type: "no-attachments"; readonly volume: string }
  /** Nothing holds a claim or changes it: no finalizer but these, no resize, no change of attributes. */
  | { readonly type: "settled"; readonly claim: Name; readonly busy: Busy }
  /** No other volume stands for the same storage. */
  | { readonly type: "sole"; readonly volume: string; readonly storage: StorageId }
  /** The clock has not passed this moment, in milliseconds since 1970. */
  | { readonly type: "before"; readonly moment: number }
  /** For people: no query can answer it. */
  | { readonly type: "manual" };

export interface GateCondition {
  readonly says: string;
  readonly condition: Condition;
  /** What to do when it does not hold. */
  readonly otherwise: string;
}

const ANNOTATION = (key: string): readonly string[] => ["metadata", "annotations", key];

export const markedBy = (object: ObjectRef, id: string): GateCondition => ({
  says: `${object.kind} ${shown(object)} is annotated with this transfer`,
  condition: { type: "field", object, path: ANNOTATION(ANNOTATIONS.plan), equals: id },
  otherwise: "stop; run slipway transfer resume with a new dump",
});

const shown = ({ namespace, name }: ObjectRef): string => (namespace === "" ? name : `${namespace}/${name}`);

/** The words of a query, without `kubectl`. */
function queryWords(object: ObjectRef, output: string): string[] {
  return [
    "get",
    `${RESOURCES[object.kind]}${object.group === undefined ? "" : `.${object.group}`}`,
    object.name,
    ...(object.namespace === "" ? [] : ["--namespace", object.namespace]),
    "--ignore-not-found",
    "--output",
    output,
  ];
}

const jsonPath = (path: readonly string[]): string =>
  `jsonpath={${path.map((step) => `.${step.replaceAll(".", "\\.")}`).join("")}}`;

const POD_TEMPLATE = (claim: string): string =>
  `go-template={{range .items}}{{$pod := .metadata.name}}{{range .spec.volumes}}{{if .persistentVolumeClaim}}{{if eq .persistentVolumeClaim.claimName ${goString(claim)}}}{{$pod}}{{"\\n"}}{{end}}{{end}}{{if .ephemeral}}{{if eq (printf "%s-%s" $pod .name) ${goString(claim)}}}{{$pod}}{{"\\n"}}{{end}}{{end}}{{end}}{{end}}`;
const ATTACHMENT_TEMPLATE = (volume: string): string =>
  `go-template={{range .items}}{{if .spec.source.persistentVolumeName}}{{if eq .spec.source.persistentVolumeName ${goString(volume)}}}{{.metadata.name}}{{"\\n"}}{{end}}{{end}}{{end}}`;

const SUSPENDED_TEMPLATE = 'go-template={{if .spec.suspend}}{{else}}{{.metadata.name}}{{"\\n"}}{{end}}';

/** A command, and what it has to print. */
export type Query = {
  readonly run: readonly string[];
} & (
  | { readonly prints: string }
  /** Nothing counts as 0. */
  | { readonly printsAtMost: number }
  | { readonly printsTheSameAs: readonly string[]; readonly notEmpty: true }
);

/** A condition as a command and what it has to print; null where only people can tell. */
export function queryOf(condition: Condition): Query | null {
  switch (condition.type) {
    case "field":
      return {
        run: ["kubectl", ...queryWords(condition.object, jsonPath(condition.path))],
        prints: condition.equals,
      };
    case "at-most":
      return {
        run: ["kubectl", ...queryWords(condition.object, jsonPath(condition.path))],
        printsAtMost: condition.limit,
      };
    case "absent":
      return { run: ["kubectl", ...queryWords(condition.object, "name")], prints: "" };
    case "suspended":
      return { run: ["kubectl", ...queryWords(condition.object, SUSPENDED_TEMPLATE)], prints: "" };
    case "same":
      return {
        run: ["kubectl", ...queryWords(condition.object, jsonPath(condition.path))],
        printsTheSameAs: ["kubectl", ...queryWords(condition.other.object, jsonPath(condition.other.path))],
        notEmpty: true,
      };
    case "no-pods":
      return {
        run: [
          "kubectl",
          "get",
          "pods",
          "--namespace",
          condition.claim.namespace,
          "--output",
          POD_TEMPLATE(condition.claim.name),
        ],
        prints: "",
      };
    case "no-attachments":
      return {
        run: ["kubectl", "get", "volumeattachments", "--output", ATTACHMENT_TEMPLATE(condition.volume)],
        prints: "",
      };
    case "settled":
      return {
        run: ["kubectl", ...queryWords(claimRef(condition.claim), busyTemplate(condition.busy))],
        prints: "",
      };
    case "sole":
      return {
        run: [
          "kubectl",
          "get",
          "persistentvolumes",
          "--output",
          storageTemplate(condition.volume, condition.storage),
        ],
        prints: "",
      };
    case "before":
      return { run: ["date", "-u", "+%s"], printsAtMost: Math.floor(condition.moment / 1000) };
    case "manual":
      return null;
  }
}

/**
 * A condition as lines of a shell that end it when the condition does not hold, or when the question cannot be asked.
 * Empty where only people can tell.
 */
export function guardLines({ says, condition }: GateCondition): string[] {
  const query = queryOf(condition);
  if (query === null) return [];
  const stop = `|| stop ${shellWord(oneLine(says))}`;
  const ask = `seen=$(${commandLine(query.run)})`;
  if ("printsTheSameAs" in query)
    return [
      `${ask} && other=$(${commandLine(query.printsTheSameAs)}) && [ -n "$seen" ] && [ "$seen" = "$other" ] ${stop}`,
    ];
  if ("printsAtMost" in query) return [`${ask} && [ "\${seen:-0}" -le ${query.printsAtMost} ] ${stop}`];
  return [`${ask} && [ "$seen" = ${shellWord(query.prints)} ] ${stop}`];
}

/** The content of a gate's artefact. */
export const gateContent = (conditions: readonly GateCondition[]): JsonObject => ({
  apiVersion: "slipway.dev/v1alpha1",
  kind: "TransferGate",
  conditions: conditions.map(({ says, condition, otherwise }) => {
    const query = queryOf(condition);
    return { says, ...(query === null ? { answeredBy: "people" } : { query }), otherwise };
  }),
});

/** How a state is asked; the simulator and dumps answer. */
export interface GateWorld {
  find(object: ObjectRef): JsonObject | undefined;
  pods(namespace: string): readonly JsonObject[];
  attachments(): readonly JsonObject[];
  allVolumes(): readonly JsonObject[];
  /** Milliseconds since 1970. */
  now(): number;
}

/** Whether a condition holds; undefined where only people can tell. */
export function holds(condition: Condition, world: GateWorld): boolean | undefined {
  switch (condition.type) {
    case "field":
      return fieldText(condition.object, condition.path, world) === condition.equals;
    case "at-most": {
      const text = fieldText(condition.object, condition.path, world);
      return text === "" || Number(text) <= condition.limit;
    }
    case "absent":
      return world.find(condition.object) === undefined;
    case "suspended": {
      const object = world.find(condition.object);
      return object === undefined || at(object, "spec", "suspend") === true;
    }
    case "same": {
      const text = fieldText(condition.object, condition.path, world);
      return text !== "" && text === fieldText(condition.other.object, condition.other.path, world);
    }
    case "no-pods":
      return world.pods(condition.claim.namespace).every((pod) => !usesClaim(pod, condition.claim));
    case "no-attachments":
      return world
        .attachments()
        .every((each) => textAt(each, "spec", "source", "persistentVolumeName") !== condition.volume);
    case "settled": {
      const claim = world.find(claimRef(condition.claim));
      return claim === undefined || busyWith(claim, condition.busy).length === 0;
    }
    case "sole":
      return world
        .allVolumes()
        .every(
          (each) =>
            textAt(each, "metadata", "name") === condition.volume || !sameStorage(each, condition.storage),
        );
    case "before":
      return world.now() <= condition.moment;
    case "manual":
      return undefined;
  }
}

const fieldText = (object: ObjectRef, path: readonly string[], world: GateWorld): string =>
  textAt(world.find(object), ...path);

/** `namespace/name` of the claims that a pod uses, by name or through a generic ephemeral volume. */
export function claimsUsedBy(pod: JsonObject): readonly string[] {
  const namespace = textAt(pod, "metadata", "namespace");
  return listAt(pod, "spec", "volumes").flatMap((volume): string[] => {
    const name = isObject(at(volume, "ephemeral"))
      ? `${textAt(pod, "metadata", "name")}-${textAt(volume, "name")}`
      : textAt(volume, "persistentVolumeClaim", "claimName");
    return name === "" ? [] : [nameText({ namespace, name })];
  });
}

export const usesClaim = (pod: JsonObject, claim: Name): boolean =>
  claimsUsedBy(pod).includes(nameText(claim));

/** Conditions of the source claim's side, for the gate before the delete. */
export const claimIs = (claim: Name, path: readonly string[], equals: string): Condition => ({
  type: "field",
  object: claimRef(claim),
  path,
  equals,
});
