/**
 * What an API server and the webhooks of providers refuse of an update, by kind, and what an update or a deletion does to
 * a cluster that runs. A table for each provider, with its source; docs/reference/cluster-api.md §7 has the contract.
 */
import shared from "../../tables/object-updates.json" with { type: "json" };
import type { Json } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import aws from "./aws/data/updates.json" with { type: "json" };
import azure from "./azure/data/updates.json" with { type: "json" };
import baremetalHosts from "./baremetal/data/host-updates.json" with { type: "json" };
import baremetal from "./baremetal/data/updates.json" with { type: "json" };
import gcp from "./gcp/data/updates.json" with { type: "json" };
import ibmcloud from "./ibmcloud/data/updates.json" with { type: "json" };
import nutanix from "./nutanix/data/updates.json" with { type: "json" };
import openstack from "./openstack/data/updates.json" with { type: "json" };
import powervs from "./powervs/data/updates.json" with { type: "json" };
import vsphere from "./vsphere/data/updates.json" with { type: "json" };

/** A field of the object as it is in the cluster, and the values that count; of an object, a member may have one. */
export interface UpdateCondition {
  readonly field: string;
  readonly values: readonly string[];
}

export interface UpdateRule {
  /** `a.b`; `a[].b` is b of every item, `a[name].b` that of the item with the same name. */
  readonly field: string;
  /** A name of `CHANGES` in src/validate/impact/refusals.ts. */
  readonly change: string;
  /** Paths below the field that may change. */
  readonly except?: readonly string[] | undefined;
  /** Paths below the field that may be set where they are absent. */
  readonly settable?: readonly string[] | undefined;
  /** The value of a field that is absent. */
  readonly initial?: Json | undefined;
  /** The rule holds only if the object in the cluster has this field. */
  readonly ifPresent?: string | undefined;
  /** The rule holds only if one of the conditions is met. */
  readonly onlyIf?: readonly UpdateCondition[] | undefined;
  /** The rule does not hold if one of the conditions is met. */
  readonly unless?: readonly UpdateCondition[] | undefined;
  readonly ignoresCase?: boolean | undefined;
}

export interface KindUpdates {
  readonly rules: readonly UpdateRule[];
  /** What an update in place does to a cluster that runs; absent: by the role of the object. */
  readonly update?: string | undefined;
  /** What a deletion costs; absent: by the role of the object. */
  readonly delete?: string | undefined;
}

interface UpdateTable {
  readonly group: string;
  readonly kinds: Readonly<Record<string, KindUpdates>>;
}

/** What an object is for, where its kind alone does not decide what a change does. */
export type ObjectRole = keyof typeof shared.roles;

export const ROLES: Readonly<Record<ObjectRole, { readonly update: string; readonly delete: string }>> =
  shared.roles;

const TABLES: readonly UpdateTable[] = [
  ...shared.tables,
  aws,
  azure,
  baremetal,
  baremetalHosts,
  gcp,
  ibmcloud,
  nutanix,
  openstack,
  powervs,
  vsphere,
];

/** Undefined where nobody has looked at the kind. */
export function updatesOf(group: string, kind: string): KindUpdates | undefined {
  for (const table of TABLES) {
    const found = table.group === group ? lookup(table.kinds, kind) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
