/** The OpenShiftControlPlane that is reconstructed: which one, and what it refers to. */

import type { Problem } from "../core/diagnostics.js";
import { isObject } from "../core/json.js";
import { problem } from "../core/problem.js";
import { CONTROL_PLANE_KIND, CONTROL_PLANE_VERSION } from "../crd/openshift-control-plane.js";
import {
  annotationsOf,
  CLUSTER_NAME_LABEL,
  labelsOf,
  RELEASE_IMAGE_ANNOTATION,
} from "../kubernetes/labels.js";
import { subdomainFault } from "../kubernetes/names.js";
import { type LabelSelector, readSelector } from "../kubernetes/selectors.js";
import { at, placeOf, type SourceObject } from "./documents.js";

export interface Choice {
  /** `NAME` or `NAMESPACE/NAME`; undefined where there is only one. */
  readonly controlPlane?: string | undefined;
  /** Namespace of the control plane; objects that name none are in it. */
  readonly namespace?: string | undefined;
}

export interface ControlPlane {
  readonly source: SourceObject;
  /** Empty where nothing tells it. */
  readonly namespace: string;
  /** Name of the Secret with the state. */
  readonly installState: string;
  /** Undefined where nothing is selected, so that the default manifests count. */
  readonly selector: LabelSelector | undefined;
  /** The Cluster that it belongs to, as its label says. */
  readonly cluster: string | undefined;
  readonly releaseImage: string | undefined;
}

export const SELECTOR_FIELD = "spec.manifestsSelector";
export const REFERENCE_FIELD = "spec.installStateSecretRef.name";

/** The namespace of an object: its own, else the given one. */
export const namespaceOf = ({ identity }: SourceObject, { namespace }: Choice): string =>
  identity.namespace === "" ? (namespace ?? "") : identity.namespace;

const nameOf = (source: SourceObject, choice: Choice): string => {
  const namespace = namespaceOf(source, choice);
  return `${namespace === "" ? "" : `${namespace}/`}${source.identity.name}`;
};

/** The one control plane that is meant; undefined when that cannot be told or it cannot be used, which is reported. */
export function chooseControlPlane(
  sources: readonly SourceObject[],
  choice: Choice,
  report: (problem: Problem) => void,
): ControlPlane | undefined {
  const { controlPlane: wanted, namespace } = choice;
  const candidates = sources.filter(
    (each) =>
      (namespace === undefined || namespaceOf(each, choice) === namespace) &&
      (wanted === undefined || wanted === each.identity.name || wanted === nameOf(each, choice)),
  );
  const [source] = candidates;
  if (source === undefined) return void report(noControlPlane(sources, choice));
  if (candidates.length > 1) {
    for (const each of candidates)
      report(
        at(
          each,
          problem(
            "REC003",
            "TooMany",
            "metadata.name",
            `${nameOf(each, choice)} is one of ${candidates.length} ${CONTROL_PLANE_KIND} objects; only one can be reconstructed`,
            `select one with --control-plane NAME or NAMESPACE/NAME, or with --namespace`,
          ),
        ),
      );
    return undefined;
  }
  return readControlPlane(source, choice, report);
}

function noControlPlane(sources: readonly SourceObject[], choice: Choice): Problem {
  const { controlPlane: wanted, namespace } = choice;
  const what = [
    wanted === undefined ? "" : ` ${JSON.stringify(wanted)}`,
    namespace === undefined ? "" : ` in namespace ${namespace}`,
  ].join("");
  return problem(
    "REC002",
    "NotFound",
    "--from",
    `no ${CONTROL_PLANE_KIND}${what} found`,
    sources.length === 0
      ? "specify the file that contains it, such as infrastructure-manifests/60_openshift-control-plane.yaml"
      : `use ${sources.map((each) => `${nameOf(each, choice)} (${placeOf(each)})`).join(" or ")}`,
  );
}

function readControlPlane(
  source: SourceObject,
  choice: Choice,
  report: (problem: Problem) => void,
): ControlPlane | undefined {
  let failed = false;
  const refuse = (kind: Problem["kind"], field: string, message: string, hint = ""): void => {
    failed = true;
    report(at(source, problem("REC004", kind, field, message, hint)));
  };
  const { object, identity } = source;
  if (identity.version !== CONTROL_PLANE_VERSION)
    refuse(
      "NotSupported",
      "apiVersion",
      `unsupported version ${JSON.stringify(identity.version)} of ${CONTROL_PLANE_KIND}`,
      `use ${CONTROL_PLANE_VERSION}`,
    );
  const spec = object["spec"];
  const reference = isObject(spec) ? spec["installStateSecretRef"] : undefined;
  const name = isObject(reference) ? (reference["name"] ?? "") : "";
  const fault = typeof name === "string" ? subdomainFault(name) : "must be a string";
  if (name === "")
    refuse("Required", REFERENCE_FIELD, "the reference to the install-state Secret is missing");
  else if (fault !== undefined) refuse("Invalid", REFERENCE_FIELD, `invalid name of a Secret: ${fault}`);
  const given = (isObject(spec) ? spec["manifestsSelector"] : undefined) ?? undefined;
  const selector = isObject(given) ? readSelector(given) : undefined;
  if (given !== undefined && selector === undefined)
    refuse("Invalid", SELECTOR_FIELD, "must be a label selector");
  for (const { field, message } of selector?.problems ?? [])
    report(
      at(
        source,
        problem(
          "REC007",
          "Invalid",
          field === "" ? SELECTOR_FIELD : `${SELECTOR_FIELD}.${field}`,
          message,
          "correct the selector; the API server rejects it",
        ),
      ),
    );
  if (failed || typeof name !== "string" || (selector?.problems.length ?? 0) > 0) return undefined;
  return {
    source,
    namespace: namespaceOf(source, choice),
    installState: name,
    selector,
    cluster: labelsOf(object).get(CLUSTER_NAME_LABEL),
    releaseImage: annotationsOf(object).get(RELEASE_IMAGE_ANNOTATION),
  };
}
