/** The objects of a scenario as servers of a release see them. */
import { groupResource } from "./compatibility.js";
import type { StoredObject } from "./memory-store.js";
import { type Behavior, preferredIn, type StorageLocation } from "./model.js";
import type { Codec, RewriteType } from "./rewrite-loop.js";
import type { Fault } from "./scenario.js";

/** The version's name in a scenario: with the group only where it is not the location's own. */
export const versionNameIn = (location: StorageLocation, group: string, version: string): string =>
  group === location.group ? version : `${group}/${version}`;

export function behaviorIn(
  location: StorageLocation,
  version: string,
  release: string,
): Behavior | undefined {
  const row = location.versions.find((each) => versionNameIn(location, each.group, each.version) === version);
  return row?.behaviors.get(release);
}

export function preferredName(location: StorageLocation, release: string): string | undefined {
  const [row] = preferredIn(location, release);
  return row && versionNameIn(location, row.group, row.version);
}

export function typeIn(location: StorageLocation, release: string): RewriteType {
  const name = groupResource(location.group, location.resource);
  return {
    name,
    prefix: `${name}/`,
    behaviorOf: (version) => behaviorIn(location, version, release),
    preferred: preferredName(location, release),
  };
}

export const FAULT_TEXTS: Readonly<Record<Fault, string>> = {
  conversion: "the object cannot be converted",
  read: "the object cannot be read",
};

export const CODEC: Codec<StoredObject> = {
  versionOf: ({ version, fault }) => (fault === "read" ? undefined : version),
  convert: (object, version) =>
    object.fault === undefined ? { value: { ...object, version } } : { failed: FAULT_TEXTS[object.fault] },
};
