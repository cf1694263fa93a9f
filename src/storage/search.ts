/**
 * Whether objects can be lost: an exhaustive search over every state that a stored object can be in. Objects do not act
 * on each other, so one object stands for all; a state is the cluster's release and the version that the object is
 * stored in. The cluster may start in any release; every object is written in the version that its release prefers.
 */
import { type Behavior, isDecodable } from "./model.js";

export type MigrationMode = "complete" | "interrupted";

/** The behaviours of one place in etcd, by number of version and release. */
export interface Behaviors {
  readonly releases: number;
  readonly versions: number;
  behavior(version: number, release: number): Behavior | undefined;
  /** The version that a release writes; undefined where the resource does not exist. */
  preferred(release: number): number | undefined;
  /** False for a version without a promise: its objects, and those that meet it as the preferred one, may be lost. */
  promised(version: number): boolean;
}

export interface Moves {
  readonly maxUpgrade: number;
  readonly maxDowngrade: number;
  readonly migration: MigrationMode;
}

export type Action = "write" | "upgrade" | "downgrade" | "migrate";

export interface Step {
  readonly release: number;
  readonly action: Action;
  readonly version: number;
  readonly behavior: Behavior | undefined;
}

export interface SearchResult {
  readonly states: number;
  readonly transitions: number;
  /** A shortest way to a loss, from the writing of the object to the release that cannot read it. */
  readonly counterexample: readonly Step[] | undefined;
}

interface Came {
  readonly from: number;
  readonly action: Action;
}

/** Breadth first, so that the first loss found is one of the shortest. */
export function search(behaviors: Behaviors, moves: Moves): SearchResult {
  const { releases, versions } = behaviors;
  const came = new Array<Came | undefined>(releases * versions);
  const queue: number[] = [];
  let transitions = 0;
  const visit = (state: number, from: number, action: Action): void => {
    transitions++;
    if (came[state] !== undefined) return;
    came[state] = { from, action };
    queue.push(state);
  };
  for (let release = 0; release < releases; release++) {
    const version = behaviors.preferred(release);
    if (version !== undefined) visit(release * versions + version, -1, "write");
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] ?? 0;
    const version = state % versions;
    const release = (state - version) / versions;
    const behavior = behaviors.behavior(version, release);
    const preferred = behaviors.preferred(release);
    // Where the resource does not exist, nothing asks for the object: it waits in etcd.
    if (preferred !== undefined && !isDecodable(behavior)) {
      if (!behaviors.promised(version) || !behaviors.promised(preferred)) continue;
      return { states: queue.length, transitions, counterexample: wayTo(state, came, behaviors) };
    }
    if (preferred !== undefined && preferred !== version) {
      const migrated = behavior === "actively-migrated";
      visit(release * versions + preferred, state, migrated ? "migrate" : "write");
      if (migrated && moves.migration === "complete") continue;
    }
    const highest = Math.min(releases - 1, release + moves.maxUpgrade);
    for (let to = release + 1; to <= highest; to++) visit(to * versions + version, state, "upgrade");
    const lowest = Math.max(0, release - moves.maxDowngrade);
    for (let to = release - 1; to >= lowest; to--) visit(to * versions + version, state, "downgrade");
  }
  return { states: queue.length, transitions, counterexample: undefined };
}

function wayTo(state: number, came: readonly (Came | undefined)[], behaviors: Behaviors): Step[] {
  const steps: Step[] = [];
  for (let at = state; at >= 0; ) {
    const version = at % behaviors.versions;
    const release = (at - version) / behaviors.versions;
    const arrival = came[at];
    if (arrival === undefined) break;
    steps.push({
      release,
      action: arrival.action,
      version,
      behavior: behaviors.behavior(version, release),
    });
    at = arrival.from;
  }
  return steps.reverse();
}
