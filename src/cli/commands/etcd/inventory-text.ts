/** The inventory for people. */

import { counted } from "../../../core/counted.js";
import type { Inventory } from "../../../etcd/inventory.js";
import { columns } from "../../text-table.js";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}

/** `v1 3, v1beta1 2` */
export const counts = (map: ReadonlyMap<string, number>): string =>
  [...map]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

const yes = (value: boolean): string => (value ? "yes" : "no");

export function inventoryText(inventory: Inventory): string {
  const { keys, bytes, resources, encryptionKeys, definitions, orphans, wrappedKeys } = inventory;
  const severalPrefixes =
    new Set(resources.map(({ prefix }) => prefix).filter((each) => each !== "")).size > 1;
  const parts = [
    `${keys} live keys, ${size(bytes)}\n`,
    columns(
      [
        ...(severalPrefixes ? ["prefix"] : []),
        "resource",
        "keys",
        "size",
        "stored as",
        "encrypted by",
        "stale",
        "unreadable",
      ],
      resources.map((row) => [
        ...(severalPrefixes ? [row.prefix] : []),
        row.family === "none"
          ? "(no object)"
          : row.group === ""
            ? row.resource
            : `${row.resource}.${row.group}`,
        String(row.keys),
        size(row.bytes),
        counts(row.storedVersions),
        counts(new Map([...row.providers].filter(([name]) => name !== "identity"))),
        row.stale === 0 ? "" : String(row.stale),
        row.unreadable === 0 ? "" : String(row.unreadable),
      ]),
    ),
  ];
  if (encryptionKeys.some(({ provider }) => provider !== "identity"))
    parts.push(
      columns(
        ["encryption key", "values", "stale", "unreadable", "safe to drop", "why"],
        encryptionKeys.map((row) => [
          row.keyName === "" ? row.provider : `${row.provider} ${row.keyName}`,
          String(row.values),
          row.stale === 0 ? "" : String(row.stale),
          row.unreadable === 0 ? "" : String(row.unreadable),
          yes(row.safeToDrop),
          row.why,
        ]),
      ),
    );
  if (wrappedKeys.length > 0)
    parts.push(
      `${counted(wrappedKeys.length, "wrapped key")}, ${wrappedKeys.filter(({ answered }) => !answered).length} of them unanswered\n`,
    );
  const odd = definitions.filter((row) => row.onlyListed.length + row.onlyFound.length > 0);
  if (odd.length > 0)
    parts.push(
      columns(
        ["definition", "storage version", "status.storedVersions", "actually stored"],
        odd.map((row) => [row.name, row.storageVersion, row.storedVersions.join(", "), counts(row.found)]),
      ),
    );
  if (orphans.length > 0)
    parts.push(
      columns(
        ["without CRD", "keys", "size"],
        orphans.map((row) => [`${row.resource}.${row.group}`, String(row.keys), size(row.bytes)]),
      ),
    );
  return parts.join("\n");
}
