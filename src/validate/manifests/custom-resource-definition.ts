/** CustomResourceDefinition (apiextensions-apiserver `ValidateCustomResourceDefinition`). */
import { loadCompile } from "../../kubernetes/cel-compile.js";
import { crdFindings, hasRules } from "../../kubernetes/crd-validation.js";
import { problemAt } from "../documents.js";
import type { KindRules } from "./manifest.js";

export const rules: KindRules = async (manifest) => {
  const { object } = manifest;
  if (object["apiVersion"] !== "apiextensions.k8s.io/v1") return [];
  const compiler = hasRules(object) ? { compile: await loadCompile() } : undefined;
  return crdFindings(object, compiler).map((finding) => problemAt(manifest, finding));
};
