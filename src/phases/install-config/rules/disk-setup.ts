/**
 * Disks of a pool (docs/reference/install-config-and-manifests.md §1.5, §1.7). The fields have no index, as the
 * installer's.
 */
import type { DiskSetup } from "../../../generated/types/install-config.js";
import type { NormalPool } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { quote } from "../../../text/quote.js";

/** Length of a file system label. */
const DISK_ID_LIMIT = 12;

export function validateDiskSetup(pool: NormalPool, poolField: string, { report }: RuleContext): void {
  const found = new Set<string>();
  for (const [i, disk] of (pool.diskSetup ?? []).entries()) {
    const broken = (
      member: string,
      kind: "Invalid" | "TooMany",
      message: string,
      hint: string,
      at = `${poolField}.diskSetup[${i}]`,
    ) => report({ code: "IC185", kind, field: `${poolField}.diskSetup.${member}`, at, message, hint });
    const missing = (member: keyof DiskSetup) =>
      broken(
        member,
        "Invalid",
        `the disk of the type ${disk.type} has no section ${member}`,
        `add ${member}`,
      );
    const repeated = (member: string) =>
      broken(member, "TooMany", `there is more than one disk of the type ${disk.type}`, "keep one");
    if (disk.type === "user-defined") {
      if (disk.userDefined === undefined) missing("userDefined");
      else if (Buffer.byteLength(disk.userDefined.platformDiskID ?? "") > DISK_ID_LIMIT)
        broken(
          "userDefined.platformDiskId",
          "Invalid",
          `the name of the disk is longer than ${DISK_ID_LIMIT} characters`,
          "shorten it",
          `${poolField}.diskSetup[${i}].userDefined.platformDiskID`,
        );
    } else if (disk.type === "etcd") {
      if (found.has("etcd")) repeated("etcd");
      else if (disk.etcd === undefined) missing("etcd");
      else if (pool.name !== "master")
        broken(
          "etcd",
          "Invalid",
          "etcd runs on the control plane only",
          "move the disk to controlPlane.diskSetup",
        );
      else found.add("etcd");
    } else if (disk.type === "swap") {
      if (found.has("swap")) repeated("swap");
      else if (disk.swap === undefined) missing("swap");
      else found.add("swap");
    } else
      report({
        code: "IC185",
        severity: "warning",
        kind: "NotSupported",
        field: `${poolField}.diskSetup[${i}].type`,
        message: `a disk of the type ${quote(disk.type ?? "")} can be set up by no phase`,
        hint: "write etcd, swap or user-defined",
      });
  }
}
