/** What the rules of single kinds look at, and how they tell. */
import { type Found, type Problem, problem } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import type { ObjectIdentity } from "../../kubernetes/identity.js";
import type { LabelSelector } from "../../kubernetes/selectors.js";
import type { ObjectDocument } from "../documents.js";

export interface Manifest extends ObjectDocument {
  readonly identity: ObjectIdentity;
}

export interface Pool {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** What it takes of machine configs; undefined where it takes none. */
  readonly selector: LabelSelector | undefined;
  readonly isControlPlane: boolean;
}

export interface Folders {
  readonly release: Release;
  /** Every object of both folders. */
  readonly manifests: readonly Manifest[];
  /** The pools of the cluster: those that every one has, and those of the folders. */
  readonly pools: readonly Pool[];
}

export type KindRules = (
  manifest: Manifest,
  folders: Folders,
) => Promise<readonly Problem[]> | readonly Problem[];

/** Something that makes the machine config controller end, and the bootstrap with it. */
export const refused = (field: string, message: string, hint = "", kind: Found["kind"] = "Invalid"): Found =>
  problem("BOOT016", kind, field, message, hint);
