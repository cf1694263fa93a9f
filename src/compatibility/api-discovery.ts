/** Served APIs as the aggregated discovery document that a server would answer (apidiscovery.k8s.io/v2). */
import type { JsonObject } from "../core/json.js";
import type { ServedResource, ServedVersion } from "./apis.js";
import { groupedBy } from "./apis.js";

/**
 * An APIGroupDiscoveryList. The core group stands in it with an empty name, as /api answers it; what the table does not
 * say (scope, verbs) is left out rather than guessed.
 */
export function discoveryDocument(served: readonly ServedVersion[]): JsonObject {
  const groups = groupedBy(served, ({ group }) => group);
  return {
    apiVersion: "apidiscovery.k8s.io/v2",
    kind: "APIGroupDiscoveryList",
    metadata: {},
    items: [...groups].map(([name, versions]) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(({ version, resources }) => ({
        version,
        freshness: "Current",
        resources: resources.map((each) => resourceDiscovery(each, name, version)),
      })),
    })),
  };
}

function resourceDiscovery(
  { resource, kind, subresources, namespaced, verbs }: ServedResource,
  group: string,
  version: string,
): JsonObject {
  return {
    resource,
    responseKind: { group, version, kind },
    ...(namespaced === undefined ? {} : { scope: namespaced ? "Namespaced" : "Cluster" }),
    singularResource: kind.toLowerCase(),
    ...(verbs === undefined ? {} : { verbs }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((subresource) => ({ subresource })) }),
  };
}
