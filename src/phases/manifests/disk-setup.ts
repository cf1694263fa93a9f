/**
 * MachineConfigs 01-disk-setup-LABEL-ROLE: one partition over a whole data disk, formatted and mounted, or used as swap
 * (docs/reference/install-config-and-manifests.md §1.5, §3.6). Which device a data disk becomes is the platform's
 * business; most have no data disks.
 */

import type { JsonObject } from "../../core/json.js";
import { problem, warning } from "../../core/problem.js";
import { withoutEnd } from "../../core/trim.js";
import { gateEnabled } from "../../platforms/enabled-gates.js";
import { inForce } from "../../platforms/release-changes.js";
import { quote } from "../../text/quote.js";
import type { ManifestInput } from "./input.js";
import type { MachineConfig, Pool, Role } from "./machine-config.js";

const MOUNT_OPTIONS = ["defaults", "prjquota"];
const SWAP_PARTITION = "0657FD6D-A4AB-43C4-84E5-0933C84B4F4F";

export function diskSetups(input: ManifestInput, role: Role, pool: Pool, field: string): MachineConfig[] {
  const { config, platform, release, report } = input;
  const disks = pool.diskSetup ?? [];
  if (!inForce(release, "diskSetup") || !gateEnabled(release, config, "MultiDiskSetup")) return [];
  if (role === "arbiter") {
    // The installer reads no disk of an arbiter (openshift/installer pkg/asset/machines/arbiter.go).
    if (disks.length > 0)
      report(
        warning(
          "MAN002",
          "NotSupported",
          `${field}.diskSetup`,
          "diskSetup is ignored for arbiter machines",
          "remove diskSetup and add your own MachineConfig to openshift/",
        ),
      );
    return [];
  }
  const deviceOf = platform.manifests.diskDevice;
  if (disks.length > 0 && deviceOf === undefined) {
    report(
      problem(
        "MAN002",
        "NotSupported",
        `${field}.diskSetup`,
        `diskSetup is not supported on platform ${platform.name}`,
        "remove diskSetup and add your own MachineConfig to openshift/",
      ),
    );
    return [];
  }
  return disks.flatMap((disk, index) => {
    if (disk.type !== "etcd" && disk.type !== "swap" && disk.type !== "user-defined") {
      report(
        problem(
          "MAN002",
          "NotSupported",
          `${field}.diskSetup[${index}].type`,
          `unsupported disk type ${quote(disk.type ?? "")}`,
          "use etcd, swap or user-defined",
        ),
      );
      return [];
    }
    const device = deviceOf?.(input, pool, disk, index);
    if (device === undefined) return [];
    const label = (
      disk.type === "user-defined" ? (disk.userDefined?.platformDiskID ?? "") : (disk.type ?? "")
    ).replace(/[^a-zA-Z0-9]+/g, "");
    const name = `01-disk-setup-${label.toLowerCase()}-${role}`;
    if (disk.type === "swap") return [{ name, ignition: swap(device, label) }];
    const path = disk.type === "etcd" ? "/var/lib/etcd" : (disk.userDefined?.mountPath ?? "");
    return [{ name, ignition: mounted(device, label, path) }];
  });
}

const partitionOf = (label: string): string => `/dev/disk/by-partlabel/${label}`;

function mounted(device: string, label: string, path: string): JsonObject {
  const check = `systemd-fsck@dev-disk-by\\x2dpartlabel-${label}.service`;
  return {
    storage: {
      disks: [{ device, partitions: [{ label, sizeMiB: 0, startMiB: 0 }], wipeTable: true }],
      filesystems: [
        {
          device: partitionOf(label),
          format: "xfs",
          label,
          mountOptions: MOUNT_OPTIONS,
          path,
          wipeFilesystem: true,
        },
      ],
    },
    systemd: {
      units: [
        {
          name: `${withoutEnd(path.replace(/^\/+/, ""), "/").replaceAll("/", "-")}.mount`,
          enabled: true,
          contents: unit({
            Unit: { Requires: check, After: check },
            Mount: {
              Where: path,
              What: partitionOf(label),
              Type: "xfs",
              Options: MOUNT_OPTIONS.join(","),
            },
            Install: { RequiredBy: "local-fs.target" },
          }),
        },
      ],
    },
  };
}

function swap(device: string, label: string): JsonObject {
  return {
    storage: {
      disks: [
        {
          device,
          partitions: [{ guid: SWAP_PARTITION, label, sizeMiB: 0, startMiB: 0 }],
          wipeTable: true,
        },
      ],
      filesystems: [{ device: partitionOf(label), format: "swap", label }],
    },
    systemd: {
      units: [
        {
          name: "dev-disk-by\\x2dpartlabel-swap.swap",
          enabled: true,
          contents: unit({ Swap: { What: partitionOf(label) }, Install: { WantedBy: "swap.target" } }),
        },
      ],
    },
  };
}

/** A systemd unit: each section begins after an empty line. */
const unit = (sections: { readonly [section: string]: { readonly [key: string]: string } }): string =>
  Object.entries(sections)
    .map(
      ([section, settings]) =>
        `\n[${section}]\n${Object.entries(settings)
          .map(([key, value]) => `${key}=${value}\n`)
          .join("")}`,
    )
    .join("");
