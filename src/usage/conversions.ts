/**
 * Objects in a version that goes, written in the one that replaces it, where nothing is lost: by the conversions and
 * defaults of kubernetes/kubernetes pkg/apis/<group>/<version> (conversion.go, defaults.go). A default that the two
 * versions set differently is written out.
 */
import { isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { fieldsOf, messageOf } from "../kubernetes/built-in-fields.js";

/** The object in its new version, or what would be lost. */
export type Converted = { readonly value: JsonObject } | { readonly lost: readonly string[] };

interface Rule {
  readonly from: readonly string[];
  readonly kinds: readonly string[];
  readonly to: string;
  /** Changes besides the version; what cannot be kept comes as a text. */
  readonly change?: (object: JsonObject, from: string) => JsonObject | string;
}

const specOf = (object: JsonObject): JsonObject => (isObject(object["spec"]) ? object["spec"] : {});
const withSpec = (object: JsonObject, spec: JsonObject): JsonObject => ({ ...object, spec });
const listAt = (object: JsonObject, name: string): readonly Json[] => {
  const value = object[name];
  return isList(value) ? value : [];
};

/** The object without a member, and with others. */
const replaced = (object: JsonObject, name: string, more: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (key === name ? Object.entries(more) : [[key, value]])),
  );

const RULES: readonly Rule[] = [
  { from: ["apps/v1beta2"], to: "apps/v1", kinds: ["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"] },
  { from: ["batch/v1beta1"], to: "batch/v1", kinds: ["CronJob"] },
  { from: ["autoscaling/v2beta2"], to: "autoscaling/v2", kinds: ["HorizontalPodAutoscaler"] },
  {
    from: ["rbac.authorization.k8s.io/v1beta1"],
    to: "rbac.authorization.k8s.io/v1",
    kinds: ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
  },
  {
    from: ["storage.k8s.io/v1beta1"],
    to: "storage.k8s.io/v1",
    kinds: [
      "StorageClass",
      "VolumeAttachment",
      "CSIDriver",
      "CSINode",
      "CSIStorageCapacity",
      "VolumeAttributesClass",
    ],
  },
  { from: ["scheduling.k8s.io/v1beta1"], to: "scheduling.k8s.io/v1", kinds: ["PriorityClass"] },
  { from: ["coordination.k8s.io/v1beta1"], to: "coordination.k8s.io/v1", kinds: ["Lease"] },
  { from: ["node.k8s.io/v1beta1"], to: "node.k8s.io/v1", kinds: ["RuntimeClass"] },
  {
    from: ["networking.k8s.io/v1beta1"],
    to: "networking.k8s.io/v1",
    kinds: ["IngressClass", "IPAddress", "ServiceCIDR"],
  },
  { from: ["extensions/v1beta1"], to: "networking.k8s.io/v1", kinds: ["NetworkPolicy"] },
  {
    from: ["extensions/v1beta1", "networking.k8s.io/v1beta1"],
    to: "networking.k8s.io/v1",
    kinds: ["Ingress"],
    change: ingress,
  },
  { from: ["policy/v1beta1"], to: "policy/v1", kinds: ["PodDisruptionBudget"], change: budget },
  { from: ["discovery.k8s.io/v1beta1"], to: "discovery.k8s.io/v1", kinds: ["EndpointSlice"] },
  { from: ["apiregistration.k8s.io/v1beta1"], to: "apiregistration.k8s.io/v1", kinds: ["APIService"] },
  {
    from: ["admissionregistration.k8s.io/v1beta1"],
    to: "admissionregistration.k8s.io/v1",
    kinds: [
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "MutatingAdmissionPolicy",
      "MutatingAdmissionPolicyBinding",
    ],
  },
  {
    from: ["admissionregistration.k8s.io/v1beta1"],
    to: "admissionregistration.k8s.io/v1",
    kinds: ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
    change: webhooks,
  },
  {
    from: ["v1beta1", "v1beta2", "v1beta3"].map((version) => `flowcontrol.apiserver.k8s.io/${version}`),
    to: "flowcontrol.apiserver.k8s.io/v1",
    kinds: ["FlowSchema"],
  },
  {
    from: ["v1beta1", "v1beta2", "v1beta3"].map((version) => `flowcontrol.apiserver.k8s.io/${version}`),
    to: "flowcontrol.apiserver.k8s.io/v1",
    kinds: ["PriorityLevelConfiguration"],
    change: priorityLevel,
  },
  {
    from: ["resource.k8s.io/v1beta2"],
    to: "resource.k8s.io/v1",
    kinds: ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
  },
];

/** True where a rule brings the kind from a version to another one. */
const ruleFor = (object: JsonObject, to: string): Rule | undefined =>
  RULES.find(
    (rule) =>
      rule.to === to &&
      rule.from.includes(textAt(object, "apiVersion")) &&
      rule.kinds.includes(textAt(object, "kind")),
  );

/** The object in version `to`; undefined where no rule is known. */
export function convert(object: JsonObject, to: string): Converted | undefined {
  const rule = ruleFor(object, to);
  if (rule === undefined) return undefined;
  const changed = rule.change === undefined ? object : rule.change(object, textAt(object, "apiVersion"));
  if (typeof changed === "string") return { lost: [changed] };
  const value = Object.fromEntries(
    Object.entries(changed).map(([name, own]) => [name, name === "apiVersion" ? to : own]),
  );
  const message = messageOf(to, textAt(object, "kind"));
  const unknown = message === undefined ? [] : [...unknownFields(value, message, "")];
  return unknown.length === 0 ? { value } : { lost: unknown.map((path) => `${path} has no place in ${to}`) };
}

/** Members of a value that its message does not have: they would be dropped. */
function* unknownFields(value: Json, message: string, path: string): Generator<string> {
  if (!isObject(value)) return;
  const fields = fieldsOf(message);
  if (fields.size === 0) return;
  for (const [name, own] of Object.entries(value)) {
    if (path === "" && (name === "apiVersion" || name === "kind" || name === "status")) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const field = fields.get(name);
    if (field === undefined) yield at;
    else if (field.message !== undefined) {
      const below = field.message;
      if (field.shape === "one") yield* unknownFields(own, below, at);
      else if (field.shape === "list" && isList(own))
        for (const [i, item] of own.entries()) yield* unknownFields(item, below, `${at}[${i}]`);
      else if (field.shape === "map" && isObject(own))
        for (const [key, item] of Object.entries(own)) yield* unknownFields(item, below, `${at}[${key}]`);
    }
  }
}

/** Backends have another form, and the type of a path is no longer set by the server (networking/v1beta1/defaults.go). */
function ingress(object: JsonObject): JsonObject | string {
  const spec = specOf(object);
  const rules = listAt(spec, "rules").map((rule) => {
    if (!isObject(rule) || !isObject(rule["http"])) return rule;
    const paths = listAt(rule["http"], "paths").map((path): Json => {
      if (!isObject(path)) return path;
      const { backend, ...rest } = path;
      return {
        ...rest,
        ...(rest["pathType"] === undefined ? { pathType: "ImplementationSpecific" } : {}),
        ...(backend === undefined ? {} : { backend: backendOf(backend) }),
      };
    });
    return { ...rule, http: { ...rule["http"], paths } };
  });
  const withRules = spec["rules"] === undefined ? spec : { ...spec, rules };
  const { backend } = spec;
  return withSpec(
    object,
    backend === undefined
      ? withRules
      : replaced(withRules, "backend", { defaultBackend: backendOf(backend) }),
  );
}

function backendOf(backend: Json): Json {
  if (!isObject(backend) || backend["serviceName"] === undefined) return backend;
  const { serviceName, servicePort, ...rest } = backend;
  const port = typeof servicePort === "number" ? { number: servicePort } : { name: servicePort ?? "" };
  return { ...rest, service: { name: serviceName, ...(servicePort === undefined ? {} : { port }) } };
}

/** In v1beta1 an empty selector selects no pods, in v1 all of the namespace. */
function budget(object: JsonObject): JsonObject | string {
  const { selector } = specOf(object);
  const isEmpty =
    !isObject(selector) ||
    (Object.keys(isObject(selector["matchLabels"]) ? selector["matchLabels"] : {}).length === 0 &&
      listAt(selector, "matchExpressions").length === 0);
  return isEmpty
    ? "spec.selector is empty: it selects no pods in policy/v1beta1, and all pods in policy/v1"
    : object;
}

/** What v1 sets differently where it is left out. */
const OLD_WEBHOOK_DEFAULTS: JsonObject = {
  failurePolicy: "Ignore",
  matchPolicy: "Exact",
  timeoutSeconds: 30,
};

function webhooks(object: JsonObject): JsonObject | string {
  const hooks = listAt(object, "webhooks");
  for (const hook of hooks)
    if (isObject(hook) && !["None", "NoneOnDryRun"].includes(textAt(hook, "sideEffects")))
      return `webhooks[${hooks.indexOf(hook)}].sideEffects must be None or NoneOnDryRun in v1; only the webhook's author knows which`;
  return {
    ...object,
    webhooks: hooks.map((hook) =>
      isObject(hook)
        ? {
            ...hook,
            ...Object.fromEntries(
              Object.entries(OLD_WEBHOOK_DEFAULTS).filter(([name]) => hook[name] === undefined),
            ),
            ...(listAt(hook, "admissionReviewVersions").length === 0
              ? { admissionReviewVersions: ["v1beta1"] }
              : {}),
          }
        : hook,
    ),
  };
}

/** Shares have another name since v1beta3; 0 means the default before v1, and none in v1. */
function priorityLevel(object: JsonObject, from: string): JsonObject | string {
  const spec = specOf(object);
  const { limited } = spec;
  if (!isObject(limited)) return object;
  const old = from.endsWith("/v1beta3") ? "nominalConcurrencyShares" : "assuredConcurrencyShares";
  const shares = limited[old];
  const kept = replaced(
    limited,
    old,
    shares === undefined || shares === 0 ? {} : { nominalConcurrencyShares: shares },
  );
  return withSpec(object, { ...spec, limited: kept });
}
