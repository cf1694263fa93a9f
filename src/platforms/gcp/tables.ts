/** What the data tables of gcp say. */
import { factsAt, rowAt } from "../../core/by-release.js";
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
import features from "./data/features.json" with { type: "json" };
import families from "./data/machine-families.json" with { type: "json" };

/** True when the installer of the release does what the feature says (data/features.json). */
export const has = factsAt(features.features);

const SSD = "pd-ssd";
const HYPERDISK = "hyperdisk-balanced";
export const COMPUTE_DISKS: readonly string[] = [HYPERDISK, "pd-balanced", SSD, "pd-standard"];
export const CONTROL_PLANE_DISKS: readonly string[] = COMPUTE_DISKS.filter((type) => type !== "pd-standard");

/** What a machine type begins with, such as `n2`; custom types without a family are of n1. */
export function familyOf(machineType: string): string {
  const [family = ""] = machineType.split("-");
  return family === "custom" ? "n1" : family;
}

/** True when a disk's type follows from the machine type; else it is `pd-ssd`, and unknown families are refused. */
export const diskFollowsType = (release: Release): boolean =>
  rowAt(families.diskTypes, release)?.byType ?? false;

/** Disk types of a machine type; undefined for a family that the release does not know. */
export function diskTypesOf(machineType: string, release: Release): readonly string[] | undefined {
  const family = familyOf(machineType);
  // Of the A3 machines, the Ultra ones have one type of disk.
  if (diskFollowsType(release) && family === "a3" && machineType.includes("ultra")) return [HYPERDISK];
  const row: Readonly<Record<string, readonly string[]>> | undefined = rowAt(
    families.diskTypes,
    release,
  )?.families;
  return lookup(row, family);
}

interface Project {
  readonly projectID?: string | undefined;
}

/** True for a project of a sovereign cloud, at releases that know one by its domain. */
const isSovereign = ({ projectID = "" }: Project, release: Release): boolean =>
  has(release, "sovereignCloud") &&
  projectID.includes(":") &&
  families.sovereign.domains.includes(projectID.split(":")[0] ?? "");

/** The type of a disk when nobody chose one. */
export function defaultDisk(machineType: string, project: Project, release: Release): string {
  const types = diskFollowsType(release) ? (diskTypesOf(machineType, release) ?? [SSD]) : [SSD];
  const preferred = isSovereign(project, release) ? [HYPERDISK, SSD] : [SSD, HYPERDISK];
  return preferred.find((type) => types.includes(type)) ?? types[0] ?? SSD;
}

/** Families of arm64 that the installer takes. */
export const armFamilies = (release: Release): readonly string[] =>
  rowAt(families.armFamilies, release)?.families ?? [];

/** The architecture that the machine API reads from a machine type. */
export const architectureOf = (machineType: string): string =>
  families.armByName.includes(machineType.split("-")[0] ?? "") ? "arm64" : "amd64";

/** Families with a technology of confidential computing; undefined for one that does not exist. */
export const confidentialFamilies = (technology: string): readonly string[] | undefined =>
  lookup<readonly string[]>(
    families.confidential,
    technology === "Enabled" ? "AMDEncryptedVirtualization" : technology,
  );

export function defaultMachineType(architecture: string, project: Project, release: Release): string {
  if (isSovereign(project, release)) return families.sovereign.machineType;
  return architecture === "arm64" ? "t2a-standard-4" : "n2-standard-4";
}
