// tables/kubernetes-cel-costs.json is written by hand: what a call costs is code of the estimator. Here is which of
// the sources that it was compared with are other ones in a release.
import { createHash } from "node:crypto";
import { constantExpression, tokensOf } from "./go-source.mjs";

const FILES = [
  "k8s.io/apiserver/pkg/cel/library/cost.go",
  "k8s.io/apiserver/pkg/cel/common/schemas.go",
  "k8s.io/apiserver/pkg/cel/limits.go",
  "k8s.io/apiserver/pkg/apis/cel/config.go",
  "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model/schemas.go",
];
/** Where the limits stand. */
const LIMITS = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go";
/** What cel-go itself estimates is as good as its version. */
const LIBRARY = "k8s.io/apiserver/go.mod";

/** A digest of a Go file without its comments and layout. */
export const digestOf = (text) =>
  createHash("sha256")
    .update(
      JSON.stringify(tokensOf(text).flatMap(({ kind, text: each }) => (kind === "newline" ? [] : [each]))),
    )
    .digest("hex")
    .slice(0, 16);

/** The sources of a release that costs depend on: name → digest, the version of cel-go, and the limits. */
export const readCosts = (kubernetes) => ({
  "google/cel-go": /google\/cel-go (v\S+)/.exec(kubernetes.text(LIBRARY))?.[1],
  ...Object.fromEntries(
    ["StaticEstimatedCostLimit", "StaticEstimatedCRDCostLimit"].map((name) => [
      name,
      constantExpression(kubernetes.tokens(LIMITS), name).number,
    ]),
  ),
  ...Object.fromEntries(FILES.map((file) => [file, digestOf(kubernetes.text(file))])),
});

/** The sources that are not those that the table was compared with. */
export const changedCosts = (table, kubernetes) =>
  Object.entries(readCosts(kubernetes)).flatMap(([name, digest]) =>
    table.compared[name] === digest ? [] : [name],
  );
