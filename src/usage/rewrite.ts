/** Manifests with their objects in versions that every release of an upgrade serves. */
import { isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { convert } from "./conversions.js";
import { judgeKind } from "./kinds.js";
import { lifecycleOf, replacementAt, type ServedRelease } from "./served.js";

export interface Rewritten {
  readonly value: Json;
  /** `networking.k8s.io/v1beta1 Ingress shop/web` and its new version. */
  readonly changes: readonly { readonly object: string; readonly to: string }[];
  readonly kept: readonly { readonly object: string; readonly why: readonly string[] }[];
}

/** A document with what can be converted without loss; undefined changes nothing. */
export function rewrite(document: Json, served: readonly ServedRelease[]): Rewritten {
  const changes: Rewritten["changes"][number][] = [];
  const kept: Rewritten["kept"][number][] = [];
  const visit = (value: Json): Json => {
    if (isList(value)) return value.map(visit);
    if (!isObject(value)) return value;
    const { items } = value;
    if (textAt(value, "kind").endsWith("List") && isList(items)) return { ...value, items: items.map(visit) };
    return withTargets(object(value));
  };
  const object = (value: JsonObject): JsonObject => {
    const to = newVersion(value, served);
    if (to === undefined) return value;
    const name = titleOf(value);
    // What a cluster printed is no manifest: it has what the server filled in.
    if (isPrinted(value)) return value;
    const converted = convert(value, to);
    if (converted !== undefined && "value" in converted) {
      changes.push({ object: name, to });
      return converted.value;
    }
    kept.push({
      object: name,
      why: converted === undefined ? [`no rule converts it to ${to} without loss`] : converted.lost,
    });
    return value;
  };
  /** What only names a kind by its version, as the target of an autoscaler: the kind is the same in the other one. */
  const withTargets = (value: JsonObject): JsonObject => {
    const spec = value["spec"];
    const target = isObject(spec) ? spec["scaleTargetRef"] : undefined;
    if (!isObject(spec) || !isObject(target)) return value;
    const to = newVersion(target, served);
    if (to === undefined) return value;
    changes.push({ object: `spec.scaleTargetRef of ${titleOf(value)}`, to });
    return { ...value, spec: { ...spec, scaleTargetRef: { ...target, apiVersion: to } } };
  };
  return { value: visit(document), changes, kept };
}

/** The version that replaces one which is lost or deprecated, where every release serves it. */
function newVersion(object: JsonObject, served: readonly ServedRelease[]): string | undefined {
  const target = served.at(-1);
  const of = { ...parseApiVersion(textAt(object, "apiVersion")), kind: textAt(object, "kind") };
  const verdict = target && judgeKind(of, served);
  const lifecycle = target && lifecycleOf(of, target.release);
  if (target === undefined || verdict === undefined || lifecycle === undefined) return undefined;
  if (!["not-served", "deprecated", "off"].includes(verdict.use.effect)) return undefined;
  const next = replacementAt(lifecycle, target);
  if (next === undefined || next.kind !== of.kind || served.some((each) => each.kind(next) !== "yes"))
    return undefined;
  return next.group === "" ? next.version : `${next.group}/${next.version}`;
}

const isPrinted = (object: JsonObject): boolean => {
  const metadata = object["metadata"];
  return isObject(metadata) && (metadata["uid"] !== undefined || metadata["managedFields"] !== undefined);
};

function titleOf(object: JsonObject): string {
  const metadata = object["metadata"];
  const [namespace, name] = isObject(metadata)
    ? [textAt(metadata, "namespace"), textAt(metadata, "name")]
    : ["", ""];
  return `${textAt(object, "apiVersion")} ${textAt(object, "kind")}${name === "" ? "" : ` ${namespace === "" ? "" : `${namespace}/`}${name}`}`;
}
