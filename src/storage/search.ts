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
  /**
   * `each`: every downgrade may go so far, again and again. `total`: no downgrade leads further below the newest release
   * that the cluster has run, for a rollback undoes an upgrade.
   */
  readonly downgrades: "each" | "total";
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
  const { releases } = behaviors;
  const { maxUpgrade, maxDowngrade } = moves;
  const total = moves.downgrades === "total";
  const space = new Space(behaviors.versions, total ? maxDowngrade + 1 : 1);
  const came = new Array<Came | undefined>(releases * space.perRelease);
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
    if (version !== undefined) visit(space.state(release, 0, version), -1, "write");
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] ?? 0;
    const { release, below, version } = space.parts(state);
    const behavior = behaviors.behavior(version, release);
    const preferred = behaviors.preferred(release);
    // Where the resource does not exist, nothing asks for the object: it waits in etcd.
    if (preferred !== undefined && !isDecodable(behavior)) {
      if (!behaviors.promised(version) || !behaviors.promised(preferred)) continue;
      return { states: queue.length, transitions, counterexample: wayTo(state, came, behaviors, space) };
    }
    if (preferred !== undefined && preferred !== version) {
      const migrated = behavior === "actively-migrated";
      visit(space.state(release, below, preferred), state, migrated ? "migrate" : "write");
      if (migrated && moves.migration === "complete") continue;
    }
    const highest = Math.min(releases - 1, release + maxUpgrade);
    for (let to = release + 1; to <= highest; to++)
      visit(space.state(to, Math.max(0, below - (to - release)), version), state, "upgrade");
    const lowest = Math.max(0, release - maxDowngrade + below);
    for (let to = release - 1; to >= lowest; to--)
      visit(space.state(to, total ? below + release - to : 0, version), state, "downgrade");
  }
  return { states: queue.length, transitions, counterexample: undefined };
}

/** States as numbers: release, how far it is below the newest one run, stored version. */
class Space {
  readonly perRelease: number;

  constructor(
    private readonly versions: number,
    depths: number,
  ) {
    this.perRelease = versions * depths;
  }

  state(release: number, below: number, version: number): number {
    return release * this.perRelease + below * this.versions + version;
  }

  parts(state: number): { release: number; below: number; version: number } {
    const version = state % this.versions;
    const rest = state % this.perRelease;
    return {
      release: (state - rest) / this.perRelease,
      below: (rest - version) / this.versions,
      version,
    };
  }
}

function wayTo(
  state: number,
  came: readonly (Came | undefined)[],
  behaviors: Behaviors,
  space: Space,
): Step[] {
  const steps: Step[] = [];
  for (let at = state; at >= 0; ) {
    const { release, version } = space.parts(at);
    const arrival = came[at];
    if (arrival === undefined) break;
    steps.push({ release, action: arrival.action, version, behavior: behaviors.behavior(version, release) });
    at = arrival.from;
  }
  return steps.reverse();
}
