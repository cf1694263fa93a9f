/** CustomResourceDefinition (apiextensions-apiserver `ValidateCustomResourceDefinition`). */
import { release } from "../../core/minor.js";
import { kubernetesOf } from "../../core/release.js";
import { loadCompile } from "../../crd/cel/compile.js";
import { compilerOf } from "../../crd/rules.js";
import { crdFindings, hasRules } from "../../crd/validation.js";
import { problemAt } from "../documents.js";
import type { KindRules } from "./manifest.js";

export const rules: KindRules = async (manifest, folders) => {
  const { object } = manifest;
  if (object["apiVersion"] !== "apiextensions.k8s.io/v1") return [];
  const compiler = hasRules(object)
    ? compilerOf(await loadCompile(), release(kubernetesOf(folders.release)))
    : undefined;
  return crdFindings(object, compiler).map((finding) => problemAt(manifest, finding));
};
