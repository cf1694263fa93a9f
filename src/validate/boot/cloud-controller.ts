/**
 * With a cloud controller manager of the user's, every node starts tainted until it runs: without a manifest for it no
 * pod gets a place, and the installation stalls (kubelet `--cloud-provider=external`).
 */
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { type Problem, warning } from "../../core/problem.js";
import { dig } from "../context.js";
import { type DiskText, readObjects } from "../documents.js";

const TAINT = "node.cloudprovider.kubernetes.io/uninitialized";

/** Where kinds of workloads have the spec of their pods. */
const POD_SPECS = [
  ["spec"],
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
];

/**
 * @param why the setting that makes nodes wait
 * @param files files of both folders with the endings that the installer takes
 */
export function cloudControllerProblems(why: string, files: readonly DiskText[]): Problem[] {
  if (readObjects(files).documents.some(({ object }) => POD_SPECS.some((path) => tolerates(object, path))))
    return [];
  return [
    warning(
      "BOOT018",
      "NotFound",
      "",
      `${why}, but no workload in manifests/ and openshift/ tolerates ${TAINT}; every node stays tainted and the installation cannot complete`,
      {
        file: "manifests/",
        hint: "add the manifests of your cloud controller manager, including its Namespace and RBAC",
      },
    ),
  ];
}

function tolerates(object: JsonObject, path: readonly string[]): boolean {
  const tolerations = dig(object, [...path, "tolerations"]);
  return isList(tolerations) && tolerations.some(fits);
}

/** A toleration without a key and with the operator Exists is one of everything. */
const fits = (each: Json): boolean =>
  isObject(each) && (each["key"] === TAINT || (each["operator"] === "Exists" && (each["key"] ?? "") === ""));
