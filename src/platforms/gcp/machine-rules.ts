/**
 * Machine types against disks, confidential computing, architectures and, as far as facts tell, against what the cloud
 * offers (openshift/installer pkg/asset/installconfig/gcp/validation.go, validateInstanceTypes).
 */

import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { rejected } from "../fact-problems.js";
import { gcpOf, poolSection, poolsOfConfig } from "./config.js";
import { type GcpFacts, zonesOffering } from "./facts.js";
import {
  architectureOf,
  armFamilies,
  confidentialFamilies,
  defaultDisk,
  defaultMachineType,
  diskFollowsType,
  diskTypesOf,
  familyOf,
  has,
} from "./tables.js";

interface Least {
  readonly cpus: number;
  /** In MB. */
  readonly memory: number;
}
const CONTROL_PLANE: Least = { cpus: 4, memory: 15360 };
const COMPUTE: Least = { cpus: 2, memory: 7680 };

/** What a pool asks for, or the defaults of all pools. */
interface Wanted {
  readonly path: string;
  readonly machineType: string;
  /** Undefined where the machine type is unknown, so that no type of disk follows from it. */
  readonly diskType: string | undefined;
  /** Undefined for the defaults, which are of no architecture. */
  readonly architecture: string | undefined;
  readonly zones: readonly string[];
  readonly onHostMaintenance: string;
  readonly confidentialCompute: string;
  readonly least: Least;
}

export const machineProblems = (config: NormalConfig, facts: GcpFacts, release: Release): Problem[] =>
  wantedOf(config, release).flatMap((wanted) => problemsOf(wanted, facts, release));

function wantedOf(config: NormalConfig, release: Release): Wanted[] {
  const gcp = gcpOf(config);
  const fallback = gcp.defaultMachinePlatform;
  const type = fallback?.type ?? "";
  const follows = diskFollowsType(release);
  const defaults = {
    diskType:
      fallback?.osDisk?.diskType ||
      (fallback === undefined || !follows ? "pd-ssd" : defaultDisk(type, gcp, release)),
    zones: fallback?.zones ?? [],
    onHostMaintenance: fallback?.onHostMaintenance || "Migrate",
    confidentialCompute: fallback?.confidentialCompute || "Disabled",
  };
  const ownType = (poolSection(config.controlPlane)?.type ?? "") !== "";
  const pools = poolsOfConfig(config).map(({ pool, path }): Wanted => {
    const own = poolSection(pool);
    const machineType = own?.type || type || defaultMachineType(pool.architecture, gcp, release);
    const written = own?.osDisk?.diskType ?? "";
    const following =
      own === undefined || !follows
        ? defaults.diskType
        : diskTypesOf(machineType, release) === undefined
          ? undefined
          : defaultDisk(machineType, gcp, release);
    return {
      path: `${path}.platform.gcp`,
      machineType,
      diskType: written === "" ? following : written,
      architecture: pool.architecture,
      zones: (own?.zones ?? []).length > 0 ? (own?.zones ?? []) : defaults.zones,
      onHostMaintenance: own?.onHostMaintenance || defaults.onHostMaintenance,
      confidentialCompute: own?.confidentialCompute || defaults.confidentialCompute,
      least: pool === config.controlPlane ? CONTROL_PLANE : COMPUTE,
    };
  });
  return type === ""
    ? pools
    : [
        {
          path: "platform.gcp.defaultMachinePlatform",
          machineType: type,
          architecture: undefined,
          least: ownType ? COMPUTE : CONTROL_PLANE,
          ...defaults,
        },
        ...pools,
      ];
}

function problemsOf(wanted: Wanted, facts: GcpFacts, release: Release): Problem[] {
  const { path, machineType, diskType } = wanted;
  if (diskType === undefined)
    return [
      rejected(
        "Required",
        `${path}.osDisk.diskType`,
        `unknown machine type ${machineType}: no default disk type`,
        "set osDisk.diskType of the pool",
      ),
    ];
  const unfit = typeAndDisk(wanted, diskType, release);
  return unfit !== undefined
    ? [unfit]
    : [...confidential(wanted, release), ...offers(wanted, facts), ...architecture(wanted)];
}

function typeAndDisk(
  { path, machineType, architecture: wantedArchitecture }: Wanted,
  diskType: string,
  release: Release,
): Problem | undefined {
  const family = familyOf(machineType);
  const types = diskTypesOf(machineType, release);
  if (types === undefined && !diskFollowsType(release))
    return rejected(
      "NotFound",
      `${path}.type`,
      `machine family ${quote(family)} is not supported in this release`,
      "use a machine type of another family",
    );
  const arm = armFamilies(release);
  if (wantedArchitecture === "arm64" && !arm.includes(family))
    return rejected(
      "NotSupported",
      `${path}.type`,
      `${machineType} is not an arm64 machine type`,
      `use one of the families ${arm.join(", ")}`,
    );
  if (types === undefined || types.includes(diskType)) return undefined;
  return rejected(
    "Invalid",
    `${path}.osDisk.diskType`,
    `the machine type ${machineType} does not support ${diskType} disks`,
    `set osDisk.diskType to ${types.join(" or ")}, or use another machine type`,
  );
}

function confidential(
  { path, machineType, onHostMaintenance, confidentialCompute }: Wanted,
  release: Release,
): Problem[] {
  if (confidentialCompute === "Disabled" || has(release, "confidentialNeedsTerminate")) return [];
  const families = confidentialFamilies(confidentialCompute);
  const found: Problem[] = [];
  if (onHostMaintenance !== "Terminate")
    found.push(
      rejected(
        "Invalid",
        `${path}.onHostMaintenance`,
        "requires onHostMaintenance: Terminate: confidential VMs cannot be migrated",
        "set onHostMaintenance: Terminate",
      ),
    );
  if (families === undefined)
    found.push(
      rejected(
        "Invalid",
        `${path}.confidentialCompute`,
        `unsupported value ${quote(confidentialCompute)}`,
        "use Enabled, AMDEncryptedVirtualization, AMDEncryptedVirtualizationNestedPaging or IntelTrustedDomainExtensions",
      ),
    );
  else if (!families.includes(machineType.split("-")[0] ?? ""))
    found.push(
      rejected(
        "Invalid",
        `${path}.type`,
        `the machine type ${machineType} does not support ${confidentialCompute === "Enabled" ? "confidential computing" : confidentialCompute}`,
        `use a machine type of ${families.join(" or ")}`,
      ),
    );
  return found;
}

function architecture({ path, machineType, architecture: wanted }: Wanted): Problem[] {
  const own = architectureOf(machineType);
  return wanted === undefined || own === wanted
    ? []
    : [
        rejected(
          "Invalid",
          `${path}.type`,
          `the machine type ${machineType} has the architecture ${own}, but the pool has ${wanted}`,
          "set the architecture of the pool, or use another machine type",
        ),
      ];
}

/** What the facts say of a machine type. */
function offers({ path, machineType, zones, least }: Wanted, facts: GcpFacts): Problem[] {
  const wrong = (message: string, hint: string): Problem =>
    problem("FACT002", "Invalid", `${path}.type`, message, hint);
  const offering = zonesOffering(facts, machineType);
  const without = offering === undefined ? [] : zones.filter((zone) => !offering.has(zone));
  const known = facts.machineTypes?.find(({ name }) => name === machineType);
  return [
    ...(without.length > 0
      ? [
          wrong(
            `${machineType} is not available in ${without.join(", ")}`,
            "use zones that offer it, or another machine type",
          ),
        ]
      : []),
    ...((known?.guestCpus ?? least.cpus) < least.cpus
      ? [
          wrong(
            `${machineType} has ${known?.guestCpus} vCPUs, but at least ${least.cpus} are required`,
            "use a larger machine type",
          ),
        ]
      : []),
    ...((known?.memoryMb ?? least.memory) < least.memory
      ? [
          wrong(
            `${machineType} has ${known?.memoryMb} MB of memory, but at least ${least.memory} are required`,
            "use a larger machine type",
          ),
        ]
      : []),
  ];
}
