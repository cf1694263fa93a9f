/** Copies of etcd: what they hold, with which keys it can be read, and what the target release makes of it. */

import { counted } from "../../core/counted.js";
import { type Child, element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { badge, facts, table } from "../table.js";

export interface EtcdReport {
  readonly files: readonly string[];
  /** Release that is judged by. */
  readonly target: string;
  readonly keys: number;
  readonly size: string;
  readonly resources: readonly StoredResource[];
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly definitions: readonly StoredDefinition[];
  readonly orphans: readonly { readonly resource: string; readonly keys: number; readonly example: string }[];
  readonly verdicts: readonly { readonly name: string; readonly meaning: string; readonly objects: number }[];
  /** Values that were written with an older key or form. */
  readonly stale: number;
  readonly unreadable: number;
  /** Why objects cannot be read or used, each cause once. */
  readonly causes?: readonly CauseReport[];
  readonly failingLists: readonly {
    readonly request: string;
    readonly unreadable: number;
    readonly message: string;
  }[];
}

export interface CauseReport {
  readonly verdict: string;
  readonly error: string;
  readonly count: number;
  /** Such as `secrets 3, configmaps 1`. */
  readonly resources: string;
  readonly keys: readonly string[];
  readonly remedy: string;
}

export interface StoredResource {
  readonly name: string;
  readonly prefix: string;
  readonly keys: number;
  readonly size: string;
  /** Such as `v1 3, v1beta1 2`. */
  readonly storedVersions: string;
  readonly providers: string;
  readonly stale: number;
  readonly unreadable: number;
}

export interface EncryptionKey {
  readonly provider: string;
  readonly values: number;
  readonly unreadable: number;
  readonly configured: boolean;
  readonly safeToDrop: boolean;
  readonly why: string;
}

export interface StoredDefinition {
  readonly name: string;
  readonly storageVersion: string;
  readonly storedVersions: string;
  readonly found: string;
  /** Versions in which objects are, and that the definition does not have. */
  readonly gone: string;
}

export const etcdSection = (report: EtcdReport): Section => ({
  id: "etcd",
  title: `Copy of etcd ${report.files.join(", ")}`,
  body: [
    summary(report),
    causes(report),
    verdicts(report),
    lists(report),
    element("h3", {}, "Contents"),
    resources(report.resources),
    encryptionKeys(report.encryptionKeys),
    definitions(report.definitions),
    orphans(report),
  ],
});

const summary = ({ keys, size, stale, unreadable, target, failingLists }: EtcdReport): Markup =>
  facts([
    ["contains", `${counted(keys, "live key")}, ${size}`],
    ["evaluated for", `Kubernetes ${target}`],
    [
      "readable",
      unreadable > 0
        ? badge(`${counted(unreadable, "object")} cannot be read`, "bad")
        : failingLists.length > 0
          ? badge(`every object, but ${counted(failingLists.length, "LIST fails", "LISTs fail")}`, "bad")
          : badge("all objects", "good"),
    ],
    ["stale", stale === 0 ? "none" : `${counted(stale, "value")}, updated by the next write`],
  ]);

const verdicts = (report: EtcdReport): Markup =>
  table({
    caption: `Verdicts for Kubernetes ${report.target}`,
    head: ["Verdict", "Objects", "Meaning"],
    numeric: [1],
    rows: report.verdicts.map(({ name, objects, meaning }) => [name, objects, meaning]),
  });

const causes = ({ causes: all = [] }: EtcdReport): Child =>
  all.length === 0
    ? []
    : [
        element("h3", {}, "Causes and what helps"),
        table({
          caption: "Why objects cannot be read or used",
          head: ["Cause", "Objects", "Resources", "First keys", "What helps"],
          numeric: [1],
          rows: all.map(({ verdict, error, count, resources: which, keys, remedy }) => [
            `${verdict}: ${error}`,
            count,
            which,
            keys.join(", "),
            remedy,
          ]),
        }),
      ];

const lists = ({ failingLists }: EtcdReport): Child =>
  failingLists.length === 0
    ? []
    : table({
        caption: "Requests that fail",
        head: ["Request", "Unreadable objects", "Response"],
        numeric: [1],
        rows: failingLists.map(({ request, unreadable, message }) => [request, unreadable, message]),
      });

function resources(all: readonly StoredResource[]): Markup {
  const prefixes = new Set(all.map(({ prefix }) => prefix).filter((each) => each !== "")).size > 1;
  return table({
    caption: "Resources",
    head: [
      ...["Resource", ...(prefixes ? ["Prefix"] : []), "Keys", "Size", "Stored as", "Encrypted by"],
      ...["Stale", "Unreadable"],
    ],
    numeric: prefixes ? [2, 3, 6, 7] : [1, 2, 5, 6],
    rows: all.map((row) => [
      row.name,
      ...(prefixes ? [row.prefix] : []),
      row.keys,
      row.size,
      row.storedVersions,
      row.providers,
      row.stale,
      row.unreadable === 0 ? 0 : badge(String(row.unreadable), "bad"),
    ]),
  });
}

const encryptionKeys = (all: readonly EncryptionKey[]): Child =>
  all.length === 0
    ? []
    : table({
        caption: "Encryption keys in use",
        head: ["Key", "Values", "Unreadable", "Configured", "Safe to drop", "Why"],
        numeric: [1, 2],
        rows: all.map(({ provider, values, unreadable, configured, safeToDrop, why }) => [
          provider,
          values,
          unreadable,
          configured ? "yes" : "no",
          safeToDrop ? "yes" : "no",
          why,
        ]),
      });

const definitions = (all: readonly StoredDefinition[]): Child =>
  all.length === 0
    ? []
    : table({
        caption: "CustomResourceDefinitions",
        head: [
          "Definition",
          "Storage version",
          "status.storedVersions",
          "Stored versions",
          "Not in spec.versions",
        ],
        rows: all.map(({ name, storageVersion, storedVersions, found, gone }) => [
          name,
          storageVersion,
          storedVersions,
          found,
          gone === "" ? "" : badge(gone, "bad"),
        ]),
      });

const orphans = ({ orphans: all }: EtcdReport): Child =>
  all.length === 0
    ? []
    : table({
        caption: "Objects without a CustomResourceDefinition, which no API serves",
        head: ["Resource", "Keys", "Example"],
        numeric: [1],
        rows: all.map(({ resource, keys, example }) => [resource, keys, example]),
      });
