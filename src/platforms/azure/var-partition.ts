/** A partition for /var behind that of the system (openshift/installer pkg/asset/ignition/node.go, AppendVarPartition). */
import type { JsonObject } from "../../core/json.js";
import type { IgnitionUnit } from "../ignition.js";

/** Where the partition starts, in MiB. */
const START = 50000;
const DEVICE = "/dev/disk/by-partlabel/var";
const CHECK = "systemd-fsck@dev-disk-by\\x2dpartlabel-var.service";

const STORAGE: JsonObject = {
  disks: [
    {
      device: "/dev/disk/by-id/coreos-boot-disk",
      partitions: [{ label: "var", number: 5, sizeMiB: 0, startMiB: START }],
    },
  ],
  filesystems: [{ device: DEVICE, format: "xfs", mountOptions: ["defaults", "prjquota"], path: "/var" }],
};

/** The unit that mounts the partition. */
export const VAR_MOUNT: IgnitionUnit = {
  name: "var.mount",
  enabled: true,
  contents: `
[Unit]
Requires=${CHECK}
After=${CHECK}

[Mount]
Where=/var
What=${DEVICE}
Type=xfs
Options=defaults,prjquota

[Install]
RequiredBy=local-fs.target
`,
};

/** Members that the partition adds to a pointer config, as the types of Ignition order them. */
export const varPartition = (): JsonObject => ({
  storage: STORAGE,
  systemd: {
    units: [{ contents: VAR_MOUNT.contents ?? "", enabled: true, name: VAR_MOUNT.name }],
  },
});

/** Members that the partition adds to bootstrap.ign beside the unit. */
export const varStorage = (): JsonObject => ({ storage: STORAGE });
