/** Names of disks as hints of a host may give them (metal3-io/baremetal-operator: validateRootDeviceHints). */
import { quote } from "../text/quote.js";

/** Device names lie in /dev or in /dev/disk/by-path. */
export function deviceFaults(name: string): string[] {
  if (name === "") return [];
  const below = name.replace(/^\/dev\//, "");
  return [
    ...(below === name ? [`invalid value ${quote(name)}: must be a path below /dev/`] : []),
    ...(below.replace(/^disk\/by-path\//, "").includes("/")
      ? [`invalid value ${quote(name)}: must be in /dev/ or /dev/disk/by-path/`]
      : []),
  ];
}

export const DEVICE_HINT = "use a path such as /dev/sda or /dev/disk/by-path/pci-0000:00:1f.2-ata-1";
