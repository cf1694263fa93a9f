/**
 * All claims of a StatefulSet, to the names that another StatefulSet will look for. A set that finds one of its claims
 * missing makes it anew, empty; so all ordinals move together, and a gap is an error (docs/reference/pvc-transfer.md
 * §3).
 */

import type { Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import type { Name } from "./api.js";
import { nameText } from "./api.js";
import { nameOf, textAt } from "./object.js";
import { type ClusterState, inNamespace } from "./state.js";
import { ordinalOf, parseOrdinal, templatesOf } from "./statefulset.js";
import type { TransferSpec } from "./write.js";

export interface StatefulSetMove {
  readonly from: Name;
  readonly to: Name;
}

/** What the command line says in place of a dump. */
export interface GivenShape {
  readonly templates: readonly string[];
  readonly replicas: number | undefined;
}

/** One spec for each template and ordinal; nothing when something is missing, which is reported. */
export function statefulSetSpecs(
  { from, to }: StatefulSetMove,
  state: ClusterState | undefined,
  given: GivenShape,
  report: Report,
): TransferSpec[] {
  const shape = state === undefined ? shapeGiven(given) : shapeOf(from, state, given, report);
  if (shape === undefined) return [];
  return shape.templates.flatMap((template) =>
    shape.ordinals.map((ordinal) => ({
      source: { namespace: from.namespace, name: `${template}-${from.name}-${ordinal}` },
      target: { namespace: to.namespace, name: `${template}-${to.name}-${ordinal}` },
    })),
  );
}

interface Shape {
  readonly templates: readonly string[];
  readonly ordinals: readonly number[];
}

const range = (first: number, after: number): number[] =>
  Array.from({ length: Math.max(0, after - first) }, (_, index) => first + index);

const shapeGiven = ({ templates, replicas = 0 }: GivenShape): Shape => ({
  templates: [...new Set(templates)].sort(),
  ordinals: range(0, replicas),
});

function shapeOf(from: Name, state: ClusterState, given: GivenShape, report: Report): Shape | undefined {
  const set = state.statefulSets.get(nameText(from))?.object;
  const claims = claimsOf(from, state, set === undefined ? given.templates : templatesOf(set));
  const file = state.files[0] ?? "";
  if (claims.length === 0) {
    problemList(report, "--statefulset", { file }).report(
      "TRF070",
      "NotFound",
      `the dump contains no claims of StatefulSet ${nameText(from)}`,
      "add statefulsets and persistentvolumeclaims to the dump, or use --claim-template and --replicas instead of --state",
    );
    return undefined;
  }
  const templates = [...new Set(claims.map(({ template }) => template))].sort();
  const start = Number(textAt(set, "spec", "ordinals", "start") || 0);
  const wanted = set === undefined ? (given.replicas ?? 0) : Number(textAt(set, "spec", "replicas") || 1);
  const present = claims.map(({ ordinal }) => ordinal);
  const ordinals = range(Math.min(start, ...present), Math.max(start + wanted, Math.max(...present) + 1));
  if (set === undefined && given.templates.length === 0)
    problemList(report, "--statefulset", { file }).warnings.report(
      "TRF070",
      "Required",
      `the dump does not contain StatefulSet ${nameText(from)}; its claim templates are derived from the names of claims: ${templates.join(", ")}`,
      "add statefulsets to the dump, or set --claim-template",
    );
  const known = new Set(claims.map(({ name }) => name));
  const missing = templates
    .flatMap((template) => ordinals.map((ordinal) => `${template}-${from.name}-${ordinal}`))
    .filter((name) => !known.has(name));
  for (const name of missing)
    problemList(report, "--statefulset", { file }).report(
      "TRF070",
      "NotFound",
      `the dump does not contain claim ${from.namespace}/${name}, although StatefulSet ${nameText(from)} has claims with ordinals up to ${ordinals.at(-1) ?? 0}`,
      "restore the claim, or transfer the claims one by one with --source and --target; the new StatefulSet would create it empty",
    );
  return missing.length > 0 ? undefined : { templates, ordinals };
}

interface SetClaim {
  readonly name: string;
  readonly template: string;
  readonly ordinal: number;
}

/** Claims whose names say that they are of the set and of no other set of the dump. */
function claimsOf(set: Name, state: ClusterState, templates: readonly string[]): SetClaim[] {
  const others = inNamespace(state.statefulSets, set.namespace)
    .map(({ object }) => object)
    .filter((object) => nameOf(object).name !== set.name);
  const pattern = `-${set.name}-`;
  return inNamespace(state.claims, set.namespace).flatMap(({ object }): SetClaim[] => {
    const { name } = nameOf(object);
    const at = name.lastIndexOf(pattern);
    const ordinal = at <= 0 ? undefined : parseOrdinal(name.slice(at + pattern.length));
    if (ordinal === undefined) return [];
    const template = name.slice(0, at);
    if (
      templates.length > 0
        ? !templates.includes(template)
        : others.some((other) => ordinalOf(other, name) !== undefined)
    )
      return [];
    return [{ name, template, ordinal }];
  });
}
