/**
 * What storage a volume stands for, so that two volumes of one storage are seen (docs/reference/pvc-transfer.md §3).
 */
import type { JsonObject } from "../core/json.js";
import { goString } from "./go-template.js";
import { at, textAt } from "./object.js";

/** Members of a volume source that name storage which only one volume may stand for. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  csi: ["driver", "volumeHandle"],
  awsElasticBlockStore: ["volumeID"],
  azureDisk: ["diskURI"],
  cinder: ["volumeID"],
  gcePersistentDisk: ["pdName"],
  vsphereVolume: ["volumePath"],
  rbd: ["pool", "image"],
  portworxVolume: ["volumeID"],
};

export interface StorageId {
  /** Member of the volume's spec. */
  readonly source: string;
  readonly members: readonly { readonly name: string; readonly value: string }[];
}

/** Undefined for storage that volumes may share, such as NFS. */
export function storageIdOf(volume: JsonObject): StorageId | undefined {
  const found = Object.entries(SOURCES).find(([source]) => at(volume, "spec", source) !== undefined);
  if (found === undefined) return undefined;
  const [source, names] = found;
  return { source, members: names.map((name) => ({ name, value: textAt(volume, "spec", source, name) })) };
}

export const storageKey = (id: StorageId): string =>
  JSON.stringify([id.source, ...id.members.map(({ value }) => value)]);

export function sameStorage(volume: JsonObject, id: StorageId): boolean {
  const own = storageIdOf(volume);
  return own !== undefined && storageKey(own) === storageKey(id);
}

/** Prints the names of other volumes for the same storage; a member that is left out counts as empty. */
export const storageTemplate = (volume: string, { source, members }: StorageId): string =>
  `go-template={{range .items}}{{if .spec.${source}}}{{if and (ne .metadata.name ${goString(volume)}) ${members
    .map(({ name, value }) => `(eq (or .spec.${source}.${name} "") ${goString(value)})`)
    .join(" ")}}}{{.metadata.name}}{{"\\n"}}{{end}}{{end}}{{end}}`;
