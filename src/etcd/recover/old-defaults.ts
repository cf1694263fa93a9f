/**
 * What a server adds to an object of an old version when it reads it, and would not add in the new version: it fills in
 * the defaults of the version that it finds, and shows the result in the one that is asked for. What both versions
 * fill in alike is left out, as everything else that a server fills in.
 *
 * kubernetes/kubernetes v1.37.2, pkg/apis: extensions/v1beta1/defaults.go, apps/v1beta1/defaults.go (apps/v1beta2 has those
 * of apps/v1), apps/v1/conversion.go, networking/v1beta1/defaults.go and conversion.go, certificates/v1beta1/defaults.go,
 * policy/v1beta1/conversion.go; v1.21.0
 * pkg/apis/admissionregistration/v1beta1/defaults.go.
 */
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";

type Change = (object: JsonObject) => JsonObject;

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const inSpec =
  (how: Change): Change =>
  (object) => ({ ...object, spec: how(part(object["spec"])) });
const all =
  (...changes: readonly Change[]): Change =>
  (object) =>
    changes.reduce((made, change) => change(made), object);
/** Members that are missing. */
const filled =
  (members: JsonObject): Change =>
  (object) => ({ ...members, ...object });
const each =
  (member: string, how: Change): Change =>
  (object) => {
    const list = object[member];
    return isList(list)
      ? { ...object, [member]: list.map((item) => (isObject(item) ? how(item) : item)) }
      : object;
  };

const labelsOf = (object: Json | undefined): JsonObject => part(part(part(object)["metadata"])["labels"]);

/** The labels of the pods stand for a selector, and for labels of the object itself. */
const fromTemplate: Change = (object) => {
  const spec = part(object["spec"]);
  const labels = labelsOf(spec["template"]);
  if (Object.keys(labels).length === 0) return object;
  const metadata = part(object["metadata"]);
  return {
    ...object,
    ...(Object.keys(labelsOf(object)).length > 0 ? {} : { metadata: { ...metadata, labels } }),
    spec: isObject(spec["selector"]) ? spec : { ...spec, selector: { matchLabels: labels } },
  };
};

const updateOnDelete = inSpec((spec) => ({
  ...spec,
  updateStrategy: {
    ...part(spec["updateStrategy"]),
    type: part(spec["updateStrategy"])["type"] ?? "OnDelete",
  },
}));

const oneByOne = inSpec((spec) => {
  const strategy = part(spec["strategy"]);
  const type = strategy["type"] ?? "RollingUpdate";
  if (type !== "RollingUpdate" && strategy["rollingUpdate"] === undefined) return spec;
  const rollingUpdate = { maxUnavailable: 1, maxSurge: 1, ...part(strategy["rollingUpdate"]) };
  return { ...spec, strategy: { ...strategy, type, rollingUpdate } };
});

/** Means the same as no limit. */
const NO_LIMIT = 2 ** 31 - 1;

/** A field that became an annotation. */
const asAnnotation =
  (
    take: (spec: JsonObject) => { readonly value: Json | undefined; readonly rest: JsonObject },
    key: string,
  ): Change =>
  (object) => {
    const { value, rest } = take(part(object["spec"]));
    if (value === undefined) return object;
    const metadata = part(object["metadata"]);
    const annotations = { ...part(metadata["annotations"]), [key]: String(value) };
    return { ...object, metadata: { ...metadata, annotations }, spec: rest };
  };
const generation = asAnnotation(
  ({ templateGeneration, ...rest }) => ({ value: templateGeneration, rest }),
  "deprecated.daemonset.template.generation",
);
const rollbackTo = asAnnotation(
  ({ rollbackTo: to, ...rest }) => ({ value: to === undefined ? to : (part(to)["revision"] ?? 0), rest }),
  "deprecated.deployment.rollback.revision",
);

/** A service and its port, by name or number, in members of their own. */
const backend: Change = ({ serviceName, servicePort, ...rest }) => {
  const name = serviceName ?? "";
  const port = servicePort ?? 0;
  if (name === "" && port === 0) return rest;
  return {
    ...rest,
    service: {
      name,
      ...(port === 0 ? {} : { port: typeof port === "number" ? { number: port } : { name: port } }),
    },
  };
};
const member =
  (name: string, how: Change): Change =>
  (object) => {
    const value = object[name];
    return isObject(value) ? { ...object, [name]: how(value) } : object;
  };
const anyPath = inSpec(
  all(
    each(
      "rules",
      member(
        "http",
        each("paths", all(filled({ pathType: "ImplementationSpecific" }), member("backend", backend))),
      ),
    ),
    ({ backend: fallback, ...rest }) =>
      isObject(fallback) ? { ...rest, defaultBackend: backend(fallback) } : rest,
  ),
);

/** Who signs a request that names nobody is told by its content, which is not looked at here. */
const usages = inSpec(filled({ usages: ["digital signature", "key encipherment"] }));
const statusOfConditions = member("status", each("conditions", filled({ status: "True" })));

/** Stands in selectors of budgets: an empty one chose no pod, and chooses all in v1. */
const BUDGET_LABEL = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
const budgetSelector = inSpec((spec) => {
  const { selector } = spec;
  if (!isObject(selector)) return spec;
  const labels = part(selector["matchLabels"]);
  const expressions = isList(selector["matchExpressions"]) ? selector["matchExpressions"] : [];
  if (Object.keys(labels).length === 0 && expressions.length === 0)
    return { ...spec, selector: { matchExpressions: [{ key: BUDGET_LABEL, operator: "Exists" }] } };
  const { [BUDGET_LABEL]: _, ...otherLabels } = labels;
  const others = expressions.filter((item) => part(item)["key"] !== BUDGET_LABEL);
  return {
    ...spec,
    selector: {
      ...(Object.keys(otherLabels).length === 0 ? {} : { matchLabels: otherLabels }),
      ...(others.length === 0 ? {} : { matchExpressions: others }),
    },
  };
});

const webhooks = each(
  "webhooks",
  filled({
    failurePolicy: "Ignore",
    matchPolicy: "Exact",
    sideEffects: "Unknown",
    timeoutSeconds: 30,
    admissionReviewVersions: ["v1beta1"],
  }),
);

const CHANGES: ReadonlyMap<string, Change> = new Map([
  ["extensions/v1beta1 DaemonSet", all(fromTemplate, updateOnDelete, generation)],
  [
    "extensions/v1beta1 Deployment",
    all(
      fromTemplate,
      oneByOne,
      inSpec(filled({ progressDeadlineSeconds: NO_LIMIT, revisionHistoryLimit: NO_LIMIT })),
      rollbackTo,
    ),
  ],
  ["extensions/v1beta1 ReplicaSet", fromTemplate],
  ["apps/v1beta1 Deployment", all(fromTemplate, inSpec(filled({ revisionHistoryLimit: 2 })), rollbackTo)],
  ["apps/v1beta1 StatefulSet", all(fromTemplate, updateOnDelete)],
  ["extensions/v1beta1 Ingress", anyPath],
  ["networking.k8s.io/v1beta1 Ingress", anyPath],
  ["certificates.k8s.io/v1beta1 CertificateSigningRequest", all(usages, statusOfConditions)],
  ["policy/v1beta1 PodDisruptionBudget", budgetSelector],
  ["admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration", webhooks],
  ["admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration", webhooks],
]);

/** The object as a server reads it in its version, as far as the new version would read it otherwise. */
export function asServerReads(object: JsonObject): JsonObject {
  const { apiVersion, kind } = object;
  return CHANGES.get(`${String(apiVersion)} ${String(kind)}`)?.(object) ?? object;
}

/** What the newer version demands and the older one did not: servers keep such an object, and refuse it at a creation. */
export function refusedAnew({ kind, spec, webhooks: hooks }: JsonObject, apiVersion: string): string[] {
  const refused: string[] = [];
  if (apiVersion === "apps/v1" && !isObject(part(spec)["selector"]) && kind !== "ControllerRevision")
    refused.push("spec.selector is missing, and so are the pod labels that it would be derived from");
  if (kind === "CertificateSigningRequest" && part(spec)["signerName"] === undefined)
    refused.push("spec.signerName is missing");
  if (isList(hooks) && hooks.some((hook) => ["Unknown", "Some"].includes(String(part(hook)["sideEffects"]))))
    refused.push("a webhook has sideEffects other than None or NoneOnDryRun");
  return refused;
}
