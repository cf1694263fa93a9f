/**
 * The route of an upgrade: which component takes which versions in which order. Binary first, then the emulated version
 * one minor at a time, the minimum compatibility version last (docs/reference/source-designs.md §2.7). A binary at a time
 * as Kubernetes' policy asks, or as few as the ranges of emulation allow.
 */
import { canSetMinimum, defaultMinCompatibility, kubeFloor, kubeMinimumFloor } from "./effective.js";
import type { Rules } from "./rules.js";
import { API_SERVER, canEmulate, skewRanges } from "./skew.js";
import {
  addMinors,
  compareMinors,
  equalMinors,
  type Minor,
  maxMinor,
  minMinor,
  minorsBetween,
  ofMinor,
} from "./version.js";

/** In the order in which the skew policy upgrades them. */
export const CONTROL_PLANE = [
  API_SERVER,
  "kube-controller-manager",
  "kube-scheduler",
  "cloud-controller-manager",
] as const;
export const NODE_COMPONENTS = ["kubelet", "kube-proxy"] as const;
export const PLAN_COMPONENTS: readonly string[] = [...CONTROL_PLANE, ...NODE_COMPONENTS];

export const isNode = (component: string): boolean => NODE_COMPONENTS.some((each) => each === component);

const CLOUD: readonly string[] = CONTROL_PLANE.filter((component) => !canEmulate(component));

/** What moves together, and by its binary alone. */
const WITHOUT_EMULATION = [CLOUD, NODE_COMPONENTS];

export interface ComponentState {
  readonly binary: Minor;
  /** Of a component that cannot emulate it is the binary's, and so is the next. */
  readonly emulation: Minor;
  readonly minCompatibility: Minor;
}

export type PlanMove = "binary" | "emulated-version" | "min-compatibility-version" | "node";

export interface RouteStep {
  readonly component: string;
  readonly move: PlanMove;
  readonly before: ComponentState;
  readonly after: ComponentState;
  /** The state of every component after the step. */
  readonly cluster: ReadonlyMap<string, ComponentState>;
  /** False for a hop that no emulation can bridge. */
  readonly emulated: boolean;
  /** True on the way back to an older release. */
  readonly back: boolean;
}

/** A cluster of one release with its defaults. */
export const defaultState = (release: Minor, rules: Rules): ComponentState => ({
  binary: release,
  emulation: release,
  minCompatibility: defaultMinCompatibility(release, kubeMinimumFloor(release, rules)),
});

/** `minor`: each minor release; `fewest`: as few binaries as the ranges of emulation allow. */
export type Hops = "minor" | "fewest";

/** The binaries to pass through; with `fewest` each as far as the next one can still emulate. */
export function binaryHops(from: Minor, to: Minor, rules: Rules, which: Hops): Minor[] {
  if (which === "minor") return minorsBetween(addMinors(from, 1), to);
  const hops: Minor[] = [];
  for (let at = from; compareMinors(at, to) < 0; ) {
    const reachable = minorsBetween(addMinors(at, 1), to).filter(
      (next) => compareMinors(kubeFloor(next, rules), at) <= 0,
    );
    at = reachable.at(-1) ?? addMinors(at, 1);
    hops.push(at);
  }
  return hops;
}

/**
 * Every step from one release to another for the components of a cluster. To an older release the same steps lead the
 * other way round: the minimum first, nodes, the emulated version, the binary last, and kube-apiserver behind the others.
 */
export function planRoute(
  from: Minor,
  to: Minor,
  components: readonly string[],
  rules: Rules,
  hops: Hops,
): RouteStep[] {
  if (compareMinors(from, to) <= 0) return upgradeRoute(from, to, components, rules, hops);
  return upgradeRoute(to, from, components, rules, hops)
    .reverse()
    .map((step) => ({
      ...step,
      before: step.after,
      after: step.before,
      cluster: new Map(step.cluster).set(step.component, step.before),
      back: true,
    }));
}

function upgradeRoute(
  from: Minor,
  to: Minor,
  components: readonly string[],
  rules: Rules,
  which: Hops,
): RouteStep[] {
  const cluster = new Map(components.map((name) => [name, defaultState(from, rules)]));
  const steps: RouteStep[] = [];
  const go = (component: string, move: PlanMove, change: Partial<ComponentState>, emulated = true): void => {
    const before = cluster.get(component);
    if (before === undefined) return;
    const after = { ...before, ...change };
    const same =
      equalMinors(before.binary, after.binary) &&
      equalMinors(before.emulation, after.emulation) &&
      equalMinors(before.minCompatibility, after.minCompatibility);
    if (same) return;
    cluster.set(component, after);
    steps.push({ component, move, before, after, cluster: new Map(cluster), emulated, back: false });
  };
  const each = (
    move: PlanMove,
    change: (state: ComponentState) => Partial<ComponentState>,
    emulated = true,
  ): void => {
    for (const component of CONTROL_PLANE.filter(canEmulate)) {
      const state = cluster.get(component);
      if (state !== undefined) go(component, move, change(state), emulated);
    }
  };
  /** Components without emulation take a binary that is as old as what the servers behave as. */
  const bring = (components: readonly string[], binary: Minor): void => {
    for (const component of components)
      go(component, isNode(component) ? "node" : "binary", {
        binary,
        emulation: binary,
        minCompatibility: binary,
      });
  };
  const tooOld = (emulation: Minor, minCompatibility: Minor): (readonly string[])[] =>
    WITHOUT_EMULATION.filter((group) => leavesBehind(group, cluster, emulation, minCompatibility));
  for (const component of WITHOUT_EMULATION.flat()) {
    const state = cluster.get(component);
    if (state !== undefined) cluster.set(component, { ...state, minCompatibility: state.binary });
  }
  let at = from;
  const hops = binaryHops(from, to, rules, which);
  for (const [i, binary] of hops.entries()) {
    const floor = kubeFloor(binary, rules);
    if (compareMinors(floor, at) > 0) {
      each("binary", () => defaultState(binary, rules), false);
      bring(CLOUD, binary);
    } else {
      const own = canSetMinimum(binary, rules);
      const following = (emulation: Minor) => ({
        minCompatibility: defaultMinCompatibility(emulation, kubeMinimumFloor(binary, rules)),
      });
      each("binary", ({ minCompatibility }) => ({
        binary,
        ...(own ? { minCompatibility: minMinor(maxMinor(minCompatibility, floor), at) } : following(at)),
      }));
      for (const emulation of minorsBetween(addMinors(at, 1), binary)) {
        const change = own ? { emulation } : { emulation, ...following(emulation) };
        if ("minCompatibility" in change)
          for (const group of tooOld(emulation, change.minCompatibility))
            bring(group, addMinors(emulation, -1));
        each("emulated-version", () => change);
      }
    }
    const { minCompatibility } = defaultState(binary, rules);
    // The next binary cannot go as low: nodes must be within reach of the minimum that it begins with.
    const next = hops[i + 1];
    const ahead = next === undefined ? binary : maxMinor(minCompatibility, kubeMinimumFloor(next, rules));
    const behind = next === undefined ? WITHOUT_EMULATION : tooOld(binary, ahead);
    for (const group of WITHOUT_EMULATION)
      if (
        behind.includes(group) ||
        (next !== undefined && which === "minor" && leavesPolicy(group, cluster, next))
      )
        bring(group, binary);
    each("min-compatibility-version", () => ({ minCompatibility }));
    at = binary;
  }
  return steps;
}

/** True when one of these components would be older than the published policy allows beside the next binary. */
function leavesPolicy(
  components: readonly string[],
  cluster: ReadonlyMap<string, ComponentState>,
  next: Minor,
): boolean {
  const ranges = skewRanges([{ binary: ofMinor(next), emulation: next, minCompatibility: next }]);
  return components.some((component) => {
    const state = cluster.get(component);
    const range = ranges.find((each) => each.component === component);
    return state !== undefined && range !== undefined && compareMinors(state.binary, range.published.min) < 0;
  });
}

/** True when raising the minimum compatibility version would leave one of these components behind. */
function leavesBehind(
  components: readonly string[],
  cluster: ReadonlyMap<string, ComponentState>,
  emulation: Minor,
  minCompatibility: Minor,
): boolean {
  const ranges = skewRanges([{ binary: ofMinor(emulation), emulation, minCompatibility }]);
  return components.some((component) => {
    const state = cluster.get(component);
    const range = ranges.find((each) => each.component === component);
    return state !== undefined && range !== undefined && compareMinors(state.binary, range.min) < 0;
  });
}
