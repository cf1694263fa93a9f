/** `spec.machineTemplate` of OpenShiftControlPlane is immutable: once applied, the API server refuses any change. */
import { equalJson, isObject, type Json } from "../core/json.js";
import { invalid, type Problem, warning } from "../core/problem.js";
import { isGoDuration } from "../crd/formats.js";
import { CONTROL_PLANE_GROUP, CONTROL_PLANE_KIND } from "../crd/openshift-control-plane.js";
import { identityOf } from "../kubernetes/identity.js";
import { isPlaceholder } from "../kubernetes/labels.js";
import { metadataFindings } from "../kubernetes/metadata-rules.js";
import { isImmutableKind } from "../phases/infrastructure-manifests/immutable.js";
import { at, type Check, dig } from "./context.js";
import { type DiskText, readObjects } from "./documents.js";

const FIELD = ["spec", "machineTemplate"];

/** What is never advised is to replace a control plane that runs. */
const IF_APPLIED =
  "if the control plane was applied, revert the change: the API server rejects it, and replacing the control plane would delete its machines and the cluster's etcd data; a running cluster is upgraded by its own ClusterVersion; to see what the changes do to it, run: slipway upgrade-impact --cluster-state DUMP";

/** Disk against what slipway generates: one of the two was applied if anything was. */
export const checkMachineTemplate: Check = ({ controlPlane, directory, history }) => {
  const generated = machineTemplateOf(directory.compiled ?? []);
  if (controlPlane === undefined || generated === undefined || isPlaceholderReference(generated)) return [];
  if (equalJson(generated, dig(controlPlane.object, FIELD))) return [];
  const edited = history(controlPlane.file) === "edited";
  return [
    at(
      controlPlane,
      warning(
        "CAPI015",
        "Forbidden",
        FIELD.join("."),
        edited
          ? "the machine template was edited, but it is immutable"
          : "slipway would now write a different machine template, but it is immutable",
        IF_APPLIED,
      ),
    ),
  ];
};

const DURATIONS = ["nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout"];

/**
 * Values that the definition takes as texts, and controllers do not: durations are read as Go does (apimachinery
 * pkg/apis/meta/v1/duration.go), and labels and annotations go to Machines, which the API server then rejects.
 */
export const checkTemplateValues: Check = ({ controlPlane }) => {
  if (controlPlane === undefined) return [];
  const template = dig(controlPlane.object, FIELD);
  if (!isObject(template)) return [];
  const durations = DURATIONS.flatMap((member): Problem[] => {
    const value = template[member];
    if (typeof value !== "string" || isGoDuration(value)) return [];
    const field = [...FIELD, member].join(".");
    return [
      at(
        controlPlane,
        invalid("CAPI050", field, value, "must be a duration of Go, such as 10m0s or 1h30m", {
          hint: "correct it: controllers cannot read the object, and the API server does not reject it",
        }),
      ),
    ];
  });
  const metadata: Problem[] = [];
  const own = template["metadata"];
  const named = isObject(own) ? own : {};
  metadataFindings({ metadata: { ...named, name: "machine" } }, (each) => void metadata.push(each));
  return [
    ...durations,
    ...metadata.map((each) =>
      at(controlPlane, { ...each, field: `${FIELD.join(".")}.${each.field ?? "metadata"}` }),
    ),
  ];
};

/** A template with another spec than the one that its name stands for: the provider refuses to change it in place. */
export const checkTemplateNames: Check = ({ objects, directory }) => {
  const generated = readObjects(directory.compiled ?? []).documents.map(({ object }) => object);
  return objects.flatMap((each) => {
    const { kind, name } = each.identity;
    if (!isImmutableKind(kind)) return [];
    const own = generated.find((object) => {
      const other = identityOf(object);
      return other.kind === kind && other.name === name;
    });
    if (own === undefined || equalJson(own["spec"], each.object["spec"])) return [];
    return [
      at(
        each,
        warning(
          "CAPI023",
          "Forbidden",
          "spec",
          `the spec does not match the name ${name}, and the API server rejects changes to an applied object`,
          "if the object has been applied, use another name, here and in all references",
        ),
      ),
    ];
  });
};

/** Warns when a run replaces the machine template of a file that may have been applied already. */
export function machineTemplateProblems(before: DiskText, after: DiskText): Problem[] {
  const [old, fresh] = [machineTemplateOf([before]), machineTemplateOf([after])];
  if (old === undefined || fresh === undefined || isPlaceholderReference(old) || equalJson(old, fresh))
    return [];
  return [
    warning(
      "CAPI015",
      "Forbidden",
      FIELD.join("."),
      "the machine template would change, but it is immutable",
      {
        file: after.path,
        hint: IF_APPLIED,
      },
    ),
  ];
}

/** Warns when a run replaces the spec of a template that goes on under the same name. */
export function changedTemplateProblems(before: DiskText, after: DiskText): Problem[] {
  const [old] = readObjects([before]).documents;
  const [fresh] = readObjects([after]).documents;
  if (old === undefined || fresh === undefined) return [];
  const [a, b] = [identityOf(old.object), identityOf(fresh.object)];
  if (a.kind !== b.kind || a.name !== b.name || equalJson(old.object["spec"], fresh.object["spec"]))
    return [];
  return [
    warning(
      "CAPI023",
      "Forbidden",
      "spec",
      `the spec of ${b.kind} ${b.name} would change under the same name, which many providers reject, and which changes no existing machine`,
      { file: after.path, hint: "if the object has been applied, use another name" },
    ),
  ];
}

function machineTemplateOf(files: readonly DiskText[]): Json | undefined {
  const { documents } = readObjects(
    files.filter(({ path }) => {
      const at = path.lastIndexOf("/");
      return at >= 0 && path.includes("control-plane", at) && path.endsWith(".yaml");
    }),
  );
  const found = documents.find(({ object }) => {
    const { group, kind } = identityOf(object);
    return group === CONTROL_PLANE_GROUP && kind === CONTROL_PLANE_KIND;
  });
  return found === undefined ? undefined : dig(found.object, FIELD);
}

const isPlaceholderReference = (template: Json): boolean => isPlaceholder(JSON.stringify(template));
