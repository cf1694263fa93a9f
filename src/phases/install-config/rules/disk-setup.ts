/**
 * Disks of a pool (docs/reference/install-config-and-manifests.md §1.5, §1.7). The fields have no index, as the
 * installer's.
 */
import { forbidden, problem, required, tooLong, unsupported, warning } from "../../../core/problem.js";
import type { DiskSetup } from "../../../generated/types/install-config.js";
import type { NormalPool } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";

const TYPES = ["etcd", "swap", "user-defined"];
/** Length of a file system label. */
const DISK_ID_LIMIT = 12;

export function validateDiskSetup(pool: NormalPool, poolField: string, { report }: RuleContext): void {
  const found = new Set<string>();
  for (const [i, disk] of (pool.diskSetup ?? []).entries()) {
    const field = (member: string) => `${poolField}.diskSetup.${member}`;
    const at = `${poolField}.diskSetup[${i}]`;
    const missing = (member: keyof DiskSetup) =>
      report(
        required("IC185", field(member), `a disk of type ${disk.type} requires it`, {
          kind: "Invalid",
          at,
          hint: `add ${member}`,
        }),
      );
    const repeated = (member: string) =>
      report(
        problem("IC185", "TooMany", field(member), `only one disk of type ${disk.type} is supported`, {
          at,
          hint: "remove the others",
        }),
      );
    if (disk.type === "user-defined") {
      if (disk.userDefined === undefined) missing("userDefined");
      else if (Buffer.byteLength(disk.userDefined.platformDiskID ?? "") > DISK_ID_LIMIT)
        report(
          tooLong("IC185", field("userDefined.platformDiskId"), DISK_ID_LIMIT, "bytes", {
            kind: "Invalid",
            at: `${at}.userDefined.platformDiskID`,
          }),
        );
    } else if (disk.type === "etcd") {
      if (found.has("etcd")) repeated("etcd");
      else if (disk.etcd === undefined) missing("etcd");
      else if (pool.name !== "master")
        report(
          forbidden("IC185", field("etcd"), "etcd runs only on the control plane", {
            kind: "Invalid",
            at,
            hint: "move the disk to controlPlane.diskSetup",
          }),
        );
      else found.add("etcd");
    } else if (disk.type === "swap") {
      if (found.has("swap")) repeated("swap");
      else if (disk.swap === undefined) missing("swap");
      else found.add("swap");
    } else report(warning(unsupported("IC185", `${at}.type`, disk.type ?? "", TYPES)));
  }
}
