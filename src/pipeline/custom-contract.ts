/**
 * What Cluster API wants of the definition of a kind that it follows a reference to
 * (kubernetes-sigs/cluster-api docs/book/src/developer/providers/contracts/infra-cluster.md).
 */
import type { Problem } from "../core/diagnostics.js";
import type { Crd } from "../crd/schema.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import type { InfrastructureOptions } from "../phases/assets.js";
import type { Referent } from "../platforms/platform.js";
import { at, type Known, type ValidationOptions } from "../validate/context.js";
import { definitionOf } from "../validate/crd-files.js";

type Contract = Pick<InfrastructureOptions, "contract">;

/** A label that says which versions of a kind keep a contract, such as `cluster.x-k8s.io/v1beta1: v1beta1_v1beta2`. */
export const CONTRACT_LABEL = /^cluster\.x-k8s\.io\/(v\d+(?:(?:alpha|beta)\d+)?)$/;

/** The versions that keep a contract, by the labels of the definition: the wanted contract first. */
function contractVersions(
  { labels }: Crd,
  contract: string,
): { readonly contract: string; readonly versions: string[] }[] {
  return [...labels]
    .flatMap(([key, value]) => {
      const found = CONTRACT_LABEL.exec(key)?.[1];
      return found === undefined ? [] : [{ contract: found, versions: value.split("_") }];
    })
    .sort(
      (a, b) =>
        Number(b.contract === contract) - Number(a.contract === contract) ||
        compareKubeVersions(b.contract, a.contract),
    );
}

/** What keeps Cluster API from following a reference to the kind. */
export function contractProblems(
  known: Known,
  { contract }: Contract,
  options: ValidationOptions,
): Problem[] {
  const crd = definitionOf(known, options);
  if (crd === undefined) return [];
  const { kind, group } = known.identity;
  const refuse = (problem: Pick<Problem, "message" | "hint" | "severity">): Problem =>
    at(known, { code: "CAPI032", kind: "Invalid", field: "kind", ...problem });
  const name = `${kind.toLowerCase()}s.${group}`;
  const label = `cluster.x-k8s.io/${contract}`;
  const [first] = contractVersions(crd, contract);
  const served = crd.versions.filter((each) => each.served).map((each) => each.name);
  const unserved = (first?.versions ?? []).filter((each) => !served.includes(each));
  return [
    ...(crd.namespaced
      ? []
      : [
          refuse({
            message: `${kind} is cluster-scoped; Cluster API requires a namespaced kind`,
            hint: "use the provider's namespaced kind",
          }),
        ]),
    ...(crd.name === name
      ? []
      : [
          refuse({
            message: `the CustomResourceDefinition is named ${JSON.stringify(crd.name)}; Cluster API expects ${name}`,
            hint: "use PLURAL.GROUP as the name",
          }),
        ]),
    ...(first === undefined
      ? [
          refuse({
            severity: "warning",
            message: `the CustomResourceDefinition of ${kind} lacks the label ${label}, which Cluster API uses to find the version`,
            hint: "check the CustomResourceDefinition in the cluster; providers install it with the label",
          }),
        ]
      : []),
    ...(first !== undefined &&
    first.contract !== contract &&
    compareKubeVersions(first.contract, contract) > 0
      ? [
          refuse({
            severity: "warning",
            message: `the CustomResourceDefinition of ${kind} lacks the label ${label} and has only the label for ${first.contract}; Cluster API before 1.11 cannot find it`,
            hint: `set --contract ${first.contract === "v1beta2" ? "v1beta2" : "v1beta1"}`,
          }),
        ]
      : []),
    ...unserved.map((version) =>
      refuse({
        message: `the label cluster.x-k8s.io/${first?.contract} lists ${version}, which the CustomResourceDefinition does not serve`,
        hint: `use one of the served versions: ${served.join(", ")}`,
      }),
    ),
  ];
}

/** Cluster API rewrites a reference to the newest version of the contract, so that one is named from the start. */
export function referentOf(known: Known, { contract }: Contract, options: ValidationOptions): Referent {
  const { group, version, kind, name } = known.identity;
  const crd = definitionOf(known, options);
  const newest =
    crd === undefined
      ? undefined
      : contractVersions(crd, contract)[0]?.versions.sort(compareKubeVersions).at(-1);
  return { apiVersion: `${group}/${newest ?? version}`, kind, name, placeholder: false };
}
