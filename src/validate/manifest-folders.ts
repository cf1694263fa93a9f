/**
 * What a cluster would stumble over in manifests/ and openshift/: text that is no YAML, documents that are no objects,
 * objects that stand twice (facts/ignition-configs.md §7b).
 */
import type { Problem } from "../core/diagnostics.js";
import { formatIdentity, identityKey, identityOf } from "../kubernetes/identity.js";
import { type DiskText, problemAt, readObjects } from "./documents.js";

export function manifestProblems(files: readonly DiskText[]): Problem[] {
  const { documents, problems } = readObjects(files);
  const seen = new Map<string, string>();
  const twice = documents.flatMap((document): Problem[] => {
    const identity = identityOf(document.object);
    const key = identityKey(identity);
    const first = seen.get(key);
    seen.set(key, first ?? document.file);
    if (first === undefined) return [];
    return [
      problemAt(document, {
        code: "CAPI017",
        kind: "Duplicate",
        field: "metadata.name",
        message: `${formatIdentity(identity)} stands in ${first} too`,
        hint: "keep one of them; the bootstrap takes only the first that it meets",
      }),
    ];
  });
  return [...problems, ...twice];
}
