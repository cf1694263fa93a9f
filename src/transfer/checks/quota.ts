/**
 * Quotas and limit ranges. A target that is made before its source is deleted counts twice where one quota covers
 * both; if that is all that is missing, it is made late (docs/reference/pvc-transfer.md §3, §6).
 */
import type { Problem } from "../../core/diagnostics.js";
import type { JsonObject } from "../../core/json.js";
import { formatQuantity, type Nano, parseQuantity } from "../../kubernetes/quantities.js";
import { matchesSelector, readSelector } from "../../kubernetes/selectors.js";
import { nameText } from "../api.js";
import { at, listAt, objectAt, stringsAt, textAt, textsAt } from "../object.js";
import { inNamespace, type Observed } from "../state.js";
import { requestOf, storageClassOf } from "../target-claim.js";
import { about, type Check, type Context, carriesMark, type TransferContext } from "../transfer-context.js";

const ONE: Nano = 1_000_000_000n;

/** What a claim adds to a resource of a quota; undefined when the resource does not count it. */
function costOf(resource: string, claim: JsonObject, storageClass: string): Nano | undefined {
  const storage = parseQuantity(requestOf(claim)) ?? 0n;
  switch (resource) {
    case "persistentvolumeclaims":
    case "count/persistentvolumeclaims":
      return ONE;
    case "requests.storage":
      return storage;
    case `${storageClass}.storageclass.storage.k8s.io/requests.storage`:
      return storage;
    case `${storageClass}.storageclass.storage.k8s.io/persistentvolumeclaims`:
      return ONE;
    default:
      return undefined;
  }
}

interface Quota {
  readonly observed: Observed;
  readonly label: string;
  readonly namespaces: ReadonlySet<string>;
  readonly hard: Readonly<Record<string, string>>;
  /** Undefined where the quota's status does not say it. */
  used(resource: string): string | undefined;
  /** Whether its scopes take a claim. */
  counts(claim: JsonObject): boolean;
}

function quotasOf({ state }: Context): Quota[] {
  const own = [...state.quotas.values()].flatMap((observed): Quota[] => {
    const { object } = observed;
    const counts = scopeOf(objectAt(object, "spec"));
    if (counts === undefined) return [];
    const hard = stringsAt(object, "status", "hard");
    return [
      {
        observed,
        label: `ResourceQuota ${textAt(object, "metadata", "namespace")}/${textAt(object, "metadata", "name")}`,
        namespaces: new Set([textAt(object, "metadata", "namespace")]),
        hard:
          Object.keys(hard).length > 0
            ? quantities(object, "status", "hard")
            : quantities(object, "spec", "hard"),
        used: (resource) => textAt(object, "status", "used", resource) || undefined,
        counts,
      },
    ];
  });
  const shared = [...state.clusterQuotas.values()].flatMap((observed): Quota[] => {
    const { object } = observed;
    const counts = scopeOf(objectAt(object, "spec", "quota"));
    if (counts === undefined) return [];
    return [
      {
        observed,
        label: `ClusterResourceQuota ${textAt(object, "metadata", "name")}`,
        namespaces: coveredBy(object, state.namespaces.values()),
        hard: quantities(object, "spec", "quota", "hard"),
        used: (resource) => textAt(object, "status", "total", "used", resource) || undefined,
        counts,
      },
    ];
  });
  return [...own, ...shared];
}

/** A count may be written as a number. */
const quantities = (object: JsonObject, ...path: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(objectAt(object, ...path)).map((key) => [key, textAt(object, ...path, key)]),
  );

/** Of the scopes of quotas only this one is about claims; a quota with any other counts pods. */
const CLASS_SCOPE = "VolumeAttributesClass";

/** Which claims a quota counts, by its scopes; undefined when it counts none. */
function scopeOf(spec: JsonObject): ((claim: JsonObject) => boolean) | undefined {
  const expressions = [
    ...textsAt(spec, "scopes").map((scopeName): JsonObject => ({ scopeName, operator: "Exists" })),
    ...listAt(spec, "scopeSelector", "matchExpressions"),
  ];
  if (expressions.some((each) => textAt(each, "scopeName") !== CLASS_SCOPE)) return undefined;
  return (claim) => {
    const attributesClass = textAt(claim, "spec", "volumeAttributesClassName");
    return expressions.every((each) => {
      const listed = textsAt(each, "values").includes(attributesClass);
      switch (textAt(each, "operator")) {
        case "Exists":
          return attributesClass !== "";
        case "DoesNotExist":
          return attributesClass === "";
        case "In":
          return attributesClass !== "" && listed;
        case "NotIn":
          return attributesClass === "" || !listed;
        default:
          return false;
      }
    });
  };
}

/** Namespaces that a ClusterResourceQuota selects by labels or annotations, and those that its status names. */
function coveredBy(quota: JsonObject, namespaces: Iterable<Observed>): ReadonlySet<string> {
  const covered = new Set(listAt(quota, "status", "namespaces").map((each) => textAt(each, "namespace")));
  const labels = at(quota, "spec", "selector", "labels");
  const annotations = stringsAt(quota, "spec", "selector", "annotations");
  const selector =
    labels === undefined ? undefined : readSelector(objectAt(quota, "spec", "selector", "labels"));
  if (selector === undefined && Object.keys(annotations).length === 0) return covered;
  for (const { object } of namespaces) {
    const own = stringsAt(object, "metadata", "annotations");
    const byAnnotation = Object.entries(annotations).every(([key, value]) => own[key] === value);
    const byLabel =
      selector === undefined ||
      matchesSelector(selector, new Map(Object.entries(stringsAt(object, "metadata", "labels"))));
    if (byAnnotation && byLabel) covered.add(textAt(object, "metadata", "name"));
  }
  return covered;
}

/** How the transfers of a plan have to be ordered so that quotas hold. */
export interface QuotaDecision {
  readonly problems: readonly Problem[];
  /** Transfers whose target is made late. */
  readonly late: ReadonlySet<TransferContext>;
  /** Transfers that have to delete all their sources before the late ones of the set make their targets. */
  readonly together: readonly (readonly TransferContext[])[];
}

/** Weighs every quota for all transfers together; targets that exist already are counted in its usage. */
export function decideQuotas(context: Context): QuotaDecision {
  const problems: Problem[] = [];
  const late = new Set<TransferContext>();
  const together: TransferContext[][] = [];
  for (const quota of quotasOf(context))
    for (const [resource, hardText] of Object.entries(quota.hard)) {
      const hard = parseQuantity(hardText);
      if (hard === undefined) continue;
      weigh(quota, resource, hard, context, { problems, late, together });
    }
  return { problems, late, together };
}

interface Outcome {
  readonly problems: Problem[];
  readonly late: Set<TransferContext>;
  readonly together: TransferContext[][];
}

function weigh(quota: Quota, resource: string, hard: Nano, context: Context, outcome: Outcome): void {
  const cost = (transferContext: TransferContext): Nano => {
    const object = transferContext.claim?.object;
    if (object === undefined || !quota.counts(object)) return 0n;
    const storageClass = storageClassOf(object) ?? storageClassOf(transferContext.volume?.object ?? {}) ?? "";
    return costOf(resource, object, storageClass) ?? 0n;
  };
  const covers = (namespace: string): boolean => quota.namespaces.has(namespace);
  const relevant = context.transferContexts.filter((each) => cost(each) > 0n);
  // What an earlier run has made is counted in the usage; another claim under the name goes before.
  const exists = (each: TransferContext): boolean => {
    const found = context.state.claims.get(nameText(each.target));
    return found !== undefined && carriesMark(found.object, each);
  };
  const entering = relevant.filter((each) => covers(each.target.namespace) && !exists(each));
  if (entering.length === 0) return;
  // A claim that is gone gives no room back.
  const leaving = relevant.filter((each) => covers(each.source.namespace) && !each.vacant);
  const inside = entering.filter((each) => leaving.includes(each));
  const sum = (transferContexts: readonly TransferContext[]): Nano =>
    transferContexts.reduce((total, each) => total + cost(each), 0n);
  const used = parseQuantity(quota.used(resource) ?? "") ?? usage(quota, resource, context);
  const room = hard - used;
  if (sum(entering) <= room) return;
  const fromOutside = sum(entering) - sum(inside);
  const [first] = entering;
  if (first === undefined) return;
  const words = `${quota.label}: ${resource} uses ${formatQuantity(used)} of ${formatQuantity(hard)}`;
  const balance = room - fromOutside;
  if (balance >= 0n || fromOutside - (sum(leaving) - sum(inside)) <= room) {
    const lateOnes = balance >= 0n ? inside : entering;
    for (const each of lateOnes) outcome.late.add(each);
    if (balance < 0n) outcome.together.push([...new Set([...entering, ...leaving])]);
    outcome.problems.push(
      about(quota.observed, first).warning(
        "TRF040",
        "Forbidden",
        `spec.hard[${resource}]`,
        `${words}, which is not enough for the ${formatQuantity(sum(entering))} of the targets in addition to their sources: ${lateOnes.map((each) => nameText(each.target)).join(", ")} will be created after the source is deleted`,
        "raise the quota to avoid downtime; the data are kept, but the application is down if the target is rejected",
      ),
    );
    return;
  }
  const short = fromOutside - (sum(leaving) - sum(inside)) - room;
  outcome.problems.push(
    about(quota.observed, first).error(
      "TRF039",
      "Forbidden",
      `spec.hard[${resource}]`,
      `${words}; the targets ${entering.map((each) => nameText(each.target)).join(", ")} require ${formatQuantity(sum(entering))}: ${formatQuantity(short)} too little`,
      `raise the quota by ${formatQuantity(short)} or free the same amount`,
    ),
  );
}

/** Usage counted from the claims of the dump, for a quota without a status. */
function usage(quota: Quota, resource: string, { state }: Context): Nano {
  let sum = 0n;
  for (const { object } of state.claims.values())
    if (quota.namespaces.has(textAt(object, "metadata", "namespace")) && quota.counts(object))
      sum += costOf(resource, object, storageClassOf(object) ?? "") ?? 0n;
  return sum;
}

/** Limit ranges of the target namespace: least and most storage of a claim. */
export const limits: Check = (transferContext, { state }) => {
  const { claim, target } = transferContext;
  const request = claim === undefined ? "" : requestOf(claim.object);
  const amount = parseQuantity(request);
  if (amount === undefined) return [];
  return inNamespace(state.limitRanges, target.namespace).flatMap((range): Problem[] =>
    listAt(range.object, "spec", "limits")
      .filter((limit) => textAt(limit, "type") === "PersistentVolumeClaim")
      .flatMap((limit): Problem[] => {
        const name = `LimitRange ${target.namespace}/${textAt(range.object, "metadata", "name")}`;
        const [least, most] = [textAt(limit, "min", "storage"), textAt(limit, "max", "storage")];
        const refuse = (message: string): Problem =>
          about(range, transferContext).error(
            "TRF039",
            "Forbidden",
            "spec.limits",
            `${name} ${message}`,
            "change the LimitRange, or keep the claim in its namespace",
          );
        const low = parseQuantity(least);
        const high = parseQuantity(most);
        return [
          ...(low !== undefined && amount < low
            ? [refuse(`requires at least ${least}; claim ${nameText(target)} requests ${request}`)]
            : []),
          ...(high !== undefined && amount > high
            ? [refuse(`allows at most ${most}; claim ${nameText(target)} requests ${request}`)]
            : []),
        ];
      }),
  );
};
