/** CustomResourceDefinition (apiextensions-apiserver `ValidateCustomResourceDefinition`). */
import { crdFindings } from "../../kubernetes/crd-validation.js";
import { problemAt } from "../documents.js";
import type { KindRules } from "./manifest.js";

export const rules: KindRules = (manifest) =>
  manifest.object["apiVersion"] === "apiextensions.k8s.io/v1"
    ? crdFindings(manifest.object).map((finding) => problemAt(manifest, finding))
    : [];
