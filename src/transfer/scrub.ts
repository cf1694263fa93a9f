/**
 * Which labels and annotations of a claim go along to another namespace (docs/reference/pvc-transfer.md §4). What is
 * dropped names the reason; everything else is copied.
 */
import type { JsonObject } from "../core/json.js";
import { OWN_PREFIX } from "./api.js";
import { stringsAt } from "./object.js";

interface DropRule {
  readonly where: "annotations" | "labels" | "both";
  /** A whole key, or the beginning of keys when it ends in `/` or `.`. */
  readonly key: string;
  readonly value?: string;
  readonly why: string;
}

const BINDING = "belongs to the binding of the old claim";
const DELIVERY = "a GitOps tool would adopt or prune the new claim";

/** Keys of binding and provisioning, of any claim that is made anew. */
const BINDING_RULES: readonly DropRule[] = [
  // bind-completed would make the new claim Lost (B1), bound-by-controller turns waiting into an error loop (B4).
  { where: "both", key: "pv.kubernetes.io/", why: BINDING },
  { where: "both", key: "volume.kubernetes.io/", why: BINDING },
  { where: "both", key: "volume.beta.kubernetes.io/", why: BINDING },
  { where: "both", key: "volume.alpha.kubernetes.io/", why: BINDING },
  {
    where: "annotations",
    key: "kubectl.kubernetes.io/last-applied-configuration",
    why: "describes the old claim",
  },
  { where: "both", key: OWN_PREFIX, why: "belongs to an earlier transfer" },
];

/** Keys that tie an object to the application that delivered it. */
const DELIVERY_RULES: readonly DropRule[] = [
  { where: "both", key: "argocd.argoproj.io/", why: DELIVERY },
  { where: "both", key: "kustomize.toolkit.fluxcd.io/", why: DELIVERY },
  { where: "both", key: "helm.toolkit.fluxcd.io/", why: DELIVERY },
  { where: "both", key: "meta.helm.sh/", why: DELIVERY },
  { where: "labels", key: "app.kubernetes.io/managed-by", value: "Helm", why: DELIVERY },
  { where: "both", key: "kapp.k14s.io/", why: DELIVERY },
  { where: "both", key: "objectset.rio.cattle.io/", why: DELIVERY },
  { where: "both", key: "config.k8s.io/owning-inventory", why: DELIVERY },
  { where: "labels", key: "applyset.kubernetes.io/part-of", why: DELIVERY },
];

/** Keys by which CDI and KubeVirt fill a claim. */
const POPULATION_RULES: readonly DropRule[] = [
  { where: "both", key: "cdi.kubevirt.io/", why: "would make CDI populate the volume again" },
  { where: "annotations", key: "k8s.io/CloneOf", why: "would make CDI populate the volume again" },
  { where: "annotations", key: "k8s.io/CloneRequest", why: "would make CDI populate the volume again" },
  { where: "annotations", key: "k8s.io/SmartCloneRequest", why: "would make CDI populate the volume again" },
  { where: "both", key: "kubevirt.io/created-by", why: "belongs to the virtual machine of the old claim" },
  {
    where: "labels",
    key: "app.kubernetes.io/managed-by",
    value: "cdi-controller",
    why: "CDI does not manage the new claim",
  },
  {
    where: "labels",
    key: "app",
    value: "containerized-data-importer",
    why: "would make CDI populate the volume again",
  },
];

const applies = (rule: DropRule, where: "annotations" | "labels", key: string, value: string): boolean => {
  if (rule.where !== "both" && rule.where !== where) return false;
  if (rule.value !== undefined && rule.value !== value) return false;
  return rule.key.endsWith("/")
    ? key.startsWith(rule.key) || key === rule.key.slice(0, -1)
    : key === rule.key;
};

export interface Dropped {
  readonly where: "annotations" | "labels";
  readonly key: string;
  readonly why: string;
}

export interface ScrubOptions {
  /** Drop what ties the claim to a delivery tool: for another namespace, not for a rollback. */
  readonly delivery: boolean;
  /** `app.kubernetes.io/instance` is Argo CD's tracking label here. */
  readonly argoInstance: boolean;
  /** Labels that may be copied; undefined for all. */
  readonly keepLabels: ReadonlySet<string> | undefined;
}

export interface Scrubbed {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly dropped: readonly Dropped[];
}

export const INSTANCE_LABEL = "app.kubernetes.io/instance";

export function scrubMetadata(claim: JsonObject, options: ScrubOptions): Scrubbed {
  const rules: DropRule[] = [...BINDING_RULES];
  if (options.delivery) rules.push(...DELIVERY_RULES, ...POPULATION_RULES);
  if (options.delivery && options.argoInstance)
    rules.push({ where: "labels", key: INSTANCE_LABEL, why: DELIVERY });
  const dropped: Dropped[] = [];
  const kept = (where: "annotations" | "labels"): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(stringsAt(claim, "metadata", where)).filter(([key, value]) => {
        const rule = rules.find((each) => applies(each, where, key, value));
        const why =
          rule?.why ??
          (where === "labels" && options.keepLabels !== undefined && !options.keepLabels.has(key)
            ? "is not listed in --keep-labels"
            : undefined);
        if (why !== undefined) dropped.push({ where, key, why });
        return why === undefined;
      }),
    );
  return { labels: kept("labels"), annotations: kept("annotations"), dropped };
}

/**
 * True when Argo CD tracks by the label `app.kubernetes.io/instance`: its own keys are on the claim, or one of the
 * applications that were seen has that name. Helm charts use the same label for something else.
 */
export function usesArgoInstance(claim: JsonObject, applications: ReadonlySet<string>): boolean {
  const labels = stringsAt(claim, "metadata", "labels");
  const instance = labels[INSTANCE_LABEL];
  if (instance === undefined) return false;
  const keys = [...Object.keys(labels), ...Object.keys(stringsAt(claim, "metadata", "annotations"))];
  return applications.has(instance) || keys.some((key) => key.startsWith("argocd.argoproj.io/"));
}

/** What delivers a claim, for people: the tool and the application; empty when no key of one is there. */
export function deliveryOf(claim: JsonObject, argoInstance: boolean): string {
  const labels = stringsAt(claim, "metadata", "labels");
  const annotations = stringsAt(claim, "metadata", "annotations");
  const first = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => labels[key] ?? annotations[key]).find((value) => value !== undefined && value !== "");
  const argo =
    first("argocd.argoproj.io/instance") ??
    annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0] ??
    (argoInstance ? labels[INSTANCE_LABEL] : undefined);
  const flux = first("kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name");
  const helm =
    first("meta.helm.sh/release-name") ??
    (labels["app.kubernetes.io/managed-by"] === "Helm" ? (labels[INSTANCE_LABEL] ?? "") : undefined);
  if (argo !== undefined) return `the Argo CD application ${argo}`;
  if (flux !== undefined) return `Flux (${flux})`;
  if (helm !== undefined) return helm === "" ? "a Helm release" : `the Helm release ${helm}`;
  return "";
}
