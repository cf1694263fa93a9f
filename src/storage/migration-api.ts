/** In which API a release takes storage migrations (facts/storage-and-encryption.md §4.1), and how they are named. */
import data from "../../schemas/data/storage-migration-apis.json" with { type: "json" };
import { compareMinors, formatMinor, groupResource, type Minor, parseMinor } from "./compatibility.js";
import type { GroupResource } from "./model.js";

export interface MigrationApi {
  readonly apiVersion: string;
  /** True where spec.resource names a version too. */
  readonly versioned: boolean;
  readonly standalone: boolean;
  /** Stage of the gate that the API needs; undefined where it needs none. */
  readonly gate: "alpha" | "beta" | undefined;
  /** True where a finished migration of custom resources trims status.storedVersions by itself. */
  readonly trims: boolean;
}

export const GATE = data.gate;

/** The newest release whose API server is known; what is newer is not guessed. */
export const NEWEST_TARGET: Minor = data.inTree.reduce<Minor>(
  (newest, { since }) => {
    const release = parseMinor(since);
    return release !== undefined && compareMinors(release, newest) > 0 ? release : newest;
  },
  { major: 1, minor: 0 },
);

const STANDALONE: MigrationApi = {
  ...data.standalone,
  standalone: true,
  gate: undefined,
  trims: false,
};

/** The API of the release; before the first in-tree one, and when asked for, the standalone migrator's. */
export function migrationApi(target: Minor, standalone: boolean): MigrationApi {
  const fitting = data.inTree.filter(({ since }) => {
    const from = parseMinor(since);
    return from !== undefined && compareMinors(from, target) <= 0;
  });
  const found = fitting.at(-1);
  if (standalone || found === undefined) return STANDALONE;
  const gate = found.gate === "alpha" || found.gate === "beta" ? found.gate : undefined;
  return {
    apiVersion: found.apiVersion,
    versioned: found.versioned,
    standalone: false,
    gate,
    trims: found.trimsStoredVersions,
  };
}

/** What a user must switch on for the API; empty for none. */
export function needsOf({ apiVersion, gate, standalone }: MigrationApi, target: Minor): string[] {
  if (standalone) return [`the migrator that serves ${apiVersion}`];
  if (gate === undefined) return [];
  return [
    `the gate ${GATE} (${gate}, off by default in ${formatMinor(target)}) on kube-apiserver and kube-controller-manager`,
    `--runtime-config=${apiVersion}=true on kube-apiserver`,
  ];
}

/**
 * The platform's triggers name a migration after the group-resource and let the server add a random suffix; for the
 * same bytes every time, the storage version that is reached stands there instead.
 */
export const migrationName = ({ group, resource }: GroupResource, version: string): string =>
  `${groupResource(group, resource)}-${version}`;

export const isShortLived = ({ group, resource }: GroupResource): boolean =>
  data.shortLived.some((each) => each.group === group && each.resource === resource);

/** Definitions before what they define. */
export const orderOf = ({ group, resource }: GroupResource): number =>
  data.first.some((each) => each.group === group && each.resource === resource) ? 0 : 1;

export interface MigrationView {
  readonly name: string;
  readonly group: string;
  readonly resource: string;
  /** Absent where the API takes none. */
  readonly version: string | undefined;
}

export const migrationView = (api: MigrationApi, target: GroupResource, version: string): MigrationView => ({
  name: migrationName(target, version),
  group: target.group,
  resource: target.resource,
  version: api.versioned ? version : undefined,
});
