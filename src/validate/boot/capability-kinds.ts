/**
 * Objects whose kind belongs to a capability that the install-config leaves out: the cluster version operator leaves out
 * its definition, and the bootstrap retries the object until it fails.
 */
import { type Problem, warning } from "../../core/problem.js";
import { identityOf } from "../../kubernetes/identity.js";
import { capabilityOf } from "../../platforms/capabilities.js";
import { type DiskText, readObjects } from "../documents.js";

/** @param files files of both folders with the endings that the installer takes */
export function capabilityKindProblems(enabled: ReadonlySet<string>, files: readonly DiskText[]): Problem[] {
  return readObjects(files).documents.flatMap(({ object, file, node }): Problem[] => {
    const { group, kind } = identityOf(object);
    const capability = capabilityOf(group, kind);
    if (capability === undefined || enabled.has(capability)) return [];
    return [
      warning(
        "BOOT023",
        "NotFound",
        "kind",
        `${kind} of ${group} requires the capability ${capability}, which the install-config does not enable; the bootstrap retries the object and fails`,
        {
          file,
          line: node.line,
          column: node.column,
          hint: `add ${capability} to capabilities.additionalEnabledCapabilities, or remove the object`,
        },
      ),
    ];
  });
}
