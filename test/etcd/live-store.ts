/** What tests put into the etcd of a running API server, and the definitions that they serve it by. */
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import type { KubeServers } from "../helpers/kube-servers.js";

/** Writes a value past the API server. */
export async function put(kube: KubeServers, key: string, value: Buffer): Promise<void> {
  const body = { key: Buffer.from(key).toString("base64"), value: value.toString("base64") };
  const answer = await fetch(`${kube.etcdUrl}/v3/kv/put`, { method: "POST", body: JSON.stringify(body) });
  assert.ok(answer.ok);
}

export interface Names {
  readonly plural: string;
  readonly kind: string;
  readonly singular: string;
  readonly listKind: string;
}

/** A namespaced definition of example.com that keeps every field; the first version is the one that it stores. */
export const looseDefinition = (names: Names, versions: readonly string[]): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${names.plural}.example.com` },
  spec: {
    group: "example.com",
    names: { ...names },
    scope: "Namespaced",
    versions: versions.map((name, i) => ({
      name,
      served: true,
      storage: i === 0,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    })),
  },
});
