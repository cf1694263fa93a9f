/** What `storage simulate` plays: behaviours, objects, servers and steps. */
import type { Position } from "../core/diagnostics.js";
import type { BehaviorTable } from "./model.js";

/** `conversion`: reads, but cannot be written back. `read`: cannot even be read. */
export const FAULTS = ["conversion", "read"] as const;
export type Fault = (typeof FAULTS)[number];

/** Where the members of a step, object or server stand. */
export interface Places {
  /** Such as `steps[2]`. */
  readonly path: string;
  readonly whole: Position;
  readonly members: ReadonlyMap<string, Position>;
}

export interface ScenarioObject {
  /** `resource.group`; the bare resource in the core group. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** With the group where resources of several groups share the objects. */
  readonly version: string;
  readonly fault: Fault | undefined;
  readonly places: Places;
}

export const ACTIONS = [
  "start",
  "upgrade",
  "downgrade",
  "restart",
  "stop",
  "write",
  "delete",
  "repair",
  "gate",
  "etcd",
  "list",
  "read",
] as const;
export type ScenarioAction = (typeof ACTIONS)[number];

export interface ScenarioStep {
  readonly action: ScenarioAction;
  readonly server: string | undefined;
  /** Release that a server starts in or moves to. */
  readonly release: string | undefined;
  /** The startup migration is killed after so many rewritten objects, and the server with it. */
  readonly crashAfter: number | undefined;
  /** `resource.group/namespace/name`, or `resource.group` for all its objects. */
  readonly object: string | undefined;
  /** Of `gate` (on), `etcd` (up) and `list` (works). */
  readonly on: boolean | undefined;
  readonly places: Places;
}

export interface ScenarioServer {
  readonly name: string;
  readonly release: string;
  readonly places: Places;
}

export interface Scenario {
  readonly file: string;
  readonly name: string;
  readonly table: BehaviorTable;
  /** MigrateStorageOnStartup, the design's gate. */
  readonly gate: boolean;
  /** Rewrites a second. */
  readonly throttle: number;
  readonly maxUpgrade: number;
  readonly maxDowngrade: number;
  readonly servers: readonly ScenarioServer[];
  readonly objects: readonly ScenarioObject[];
  readonly steps: readonly ScenarioStep[];
}

/** `widgets.example.com/default/w1`; without namespace for an object of the cluster. */
export const objectKey = (object: Pick<ScenarioObject, "resource" | "namespace" | "name">): string =>
  [object.resource, ...(object.namespace === undefined ? [] : [object.namespace]), object.name].join("/");
