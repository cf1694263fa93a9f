/**
 * Plays a scenario on a store in memory. Servers answer reads as KEP-3166 says (an ignored version does not exist for
 * the API; one that the release does not know breaks the whole LIST, as today), write in the version that their release
 * prefers, and run the rewrite loop when they start.
 */

import type { Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { groupResource } from "./compatibility.js";
import { MemoryStore, type StoredObject } from "./memory-store.js";
import { existsIn, isDecodable, locationsOf, type StorageLocation } from "./model.js";
import { type RewriteResult, rewriteLoop } from "./rewrite-loop.js";
import { objectKey, type Scenario, type ScenarioStep } from "./scenario.js";
import { behaviorIn, CODEC, FAULT_TEXTS, preferredName, typeIn } from "./simulated-types.js";
import type { Change, LostObject, ReadAnswer, SimulationResult, StepResult } from "./simulation-result.js";

interface Server {
  readonly name: string;
  release: string;
  /** A server that crashed comes back; one that was stopped may be gone for good. */
  state: "running" | "stopped" | "crashed";
}

interface Outcome {
  readonly migration?: RewriteResult & { readonly seconds: number };
  readonly crashed?: boolean;
  readonly changes?: readonly Change[];
  readonly failures?: readonly { readonly of: string; readonly why: string }[];
  readonly fights?: number;
}

export async function simulate(scenario: Scenario, report: Report): Promise<SimulationResult> {
  return new Simulation(scenario, report).run();
}

const NOT_RUNNING = "the server is not running";

class Simulation {
  private readonly locations: readonly StorageLocation[];
  private readonly byName: ReadonlyMap<string, StorageLocation>;
  /** Resources that the scenario names; reads of the others would say nothing. */
  private readonly shown: readonly StorageLocation[];
  private readonly store: MemoryStore;
  private readonly servers = new Map<string, Server>();
  private readonly lost = new Map<string, Omit<LostObject, "recovered">>();
  private gate: boolean;
  /** Milliseconds of a clock that only the throttle moves. */
  private clock = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly report: Report,
  ) {
    this.locations = locationsOf(scenario.table);
    this.byName = new Map(this.locations.map((each) => [groupResource(each.group, each.resource), each]));
    const named = new Set([
      ...scenario.objects.map(({ resource }) => resource),
      ...scenario.steps.flatMap(({ object }) => object?.split("/")[0] ?? []),
    ]);
    this.shown = this.locations.filter(({ group, resource }) => named.has(groupResource(group, resource)));
    this.gate = scenario.gate;
    this.store = new MemoryStore(scenario.objects.map((each) => [objectKey(each), each.version, each.fault]));
    for (const { name, release } of scenario.servers)
      this.servers.set(name, { name, release, state: "running" });
  }

  async run(): Promise<SimulationResult> {
    const steps: StepResult[] = [this.snapshot(0, undefined, {})];
    for (const [i, step] of this.scenario.steps.entries())
      steps.push(this.snapshot(i + 1, step, await this.play(step)));
    return {
      steps,
      toMigrate: this.toMigrate().map(({ key, version }) => ({ object: key, storedVersion: version })),
      lost: [...this.lost.values()].map((each) => ({ ...each, recovered: this.isShown(each.object) })),
      stored: this.store.objects().map(({ key, version }) => ({ object: key, storedVersion: version })),
    };
  }

  private async play(step: ScenarioStep): Promise<Outcome> {
    switch (step.action) {
      case "start":
      case "upgrade":
      case "downgrade":
      case "restart":
        return this.startServer(step);
      case "stop": {
        const server = this.serverOf(step);
        if (server !== undefined) server.state = "stopped";
        return {};
      }
      case "write":
        return this.write(step);
      case "delete":
        return this.delete(step);
      case "repair":
        for (const { key } of this.matching(step)) this.store.repair(key);
        return {};
      case "gate":
        this.gate = step.on ?? true;
        return {};
      case "etcd":
        this.store.available = step.on ?? true;
        return {};
      case "list":
        if (step.on ?? true) this.store.failing.delete(step.object ?? "");
        else this.store.failing.add(step.object ?? "");
        return {};
      case "read":
        return {};
    }
  }

  private serverOf({ server }: ScenarioStep): Server | undefined {
    if (server !== undefined) return this.servers.get(server);
    const [only] = this.servers.values();
    return only;
  }

  private async startServer(step: ScenarioStep): Promise<Outcome> {
    let server = this.serverOf(step);
    if (step.action === "start" && step.server !== undefined && step.release !== undefined) {
      server = { name: step.server, release: step.release, state: "running" };
      this.servers.set(server.name, server);
    }
    if (server === undefined) return {};
    server.release = step.release ?? server.release;
    server.state = "running";
    const { crashAfter, places } = step;
    const outcome = this.gate ? await this.migrate(server, crashAfter) : {};
    if (crashAfter !== undefined && outcome.crashed !== true)
      problemList(
        this.report,
        `${places.path}.crashAfter`,
        places.members.get("crashAfter") ?? places.whole,
      ).warnings.report(
        "STO055",
        "Invalid",
        this.gate
          ? `S6 members: the startup migration ended after ${outcome.migration?.converted} rewritten objects, so the server was not killed`
          : "S6 members: no startup migration runs while the gate is off, so the server was not killed",
        this.gate ? "set crashAfter to a smaller number" : "enable the gate",
      );
    return outcome;
  }

  /** The startup migration, on a clock of its own that only the throttle moves. */
  private async migrate(server: Server, crashAfter: number | undefined): Promise<Outcome> {
    const began = this.clock;
    const changes: Change[] = [];
    let fights = 0;
    const result = await rewriteLoop<StoredObject>({
      store: this.store,
      codec: CODEC,
      types: this.locations.map((location) => typeIn(location, server.release)),
      pace: {
        perSecond: this.scenario.throttle,
        now: () => this.clock,
        sleep: async (milliseconds) => {
          this.clock += milliseconds;
        },
      },
      ...(crashAfter === undefined ? {} : { stop: ({ converted }) => converted >= crashAfter }),
    });
    for (const { key, from, to } of result.rewritten) {
      changes.push({ object: key, from, to, by: "migration" });
      if (this.noteChange(key, from, to, server)) fights++;
    }
    // The last object may have been the one at which the server is killed.
    const crashed = !result.finished || (crashAfter !== undefined && result.converted >= crashAfter);
    if (crashed) server.state = "crashed";
    return {
      migration: { ...result, seconds: (this.clock - began) / 1000 },
      crashed,
      changes,
      fights,
      failures: result.failures,
    };
  }

  private write(step: ScenarioStep): Outcome {
    const server = this.serverOf(step);
    const keys = this.matching(step).map(({ key }) => key);
    const object = step.object ?? "";
    if (keys.length === 0 && object.includes("/")) keys.push(object);
    const changes: Change[] = [];
    const failures: { of: string; why: string }[] = [];
    let fights = 0;
    for (const key of keys) {
      const location = this.locationOf(key);
      const present = this.store.at(key);
      const refusal = this.refuseWrite(server, location, present);
      if (refusal !== undefined || server === undefined || location === undefined) {
        failures.push({ of: key, why: refusal ?? "the resource does not exist" });
        continue;
      }
      const to = preferredName(location, server.release) ?? "";
      const from = present?.version ?? null;
      this.store.put(key, to);
      if (from === to) continue;
      changes.push({ object: key, from, to, by: "client" });
      if (from !== null && this.noteChange(key, from, to, server)) fights++;
    }
    return { changes, failures, fights };
  }

  /** A client deletes what it sees: one object by GET, or all that LIST returns. */
  private delete(step: ScenarioStep): Outcome {
    const { object = "" } = step;
    const server = this.serverOf(step);
    const location = this.locationOf(object);
    if (server?.state !== "running" || location === undefined)
      return { failures: [{ of: object, why: NOT_RUNNING }] };
    const [resource = ""] = object.split("/");
    const { list, error, get } = this.read(server, location);
    if (object === resource) {
      if (list === null) return { failures: [{ of: object, why: error ?? "" }] };
      for (const name of list) this.store.remove(`${resource}/${name}`);
      return {};
    }
    const state = get[object.slice(resource.length + 1)];
    if (state === "found") {
      this.store.remove(object);
      return {};
    }
    return {
      failures: [
        {
          of: object,
          why: state === "error" ? (error ?? "the object cannot be read") : "the object does not exist",
        },
      ],
    };
  }

  private refuseWrite(
    server: Server | undefined,
    location: StorageLocation | undefined,
    present: StoredObject | undefined,
  ): string | undefined {
    if (server?.state !== "running") return NOT_RUNNING;
    if (!this.store.available) return "etcd is not available";
    if (location === undefined || preferredName(location, server.release) === undefined)
      return `${server.release} does not serve the resource`;
    if (present === undefined) return undefined;
    if (present.fault !== undefined) return FAULT_TEXTS[present.fault];
    const behavior = behaviorIn(location, present.version, server.release);
    // A client sees no object there, and a create meets the key that is still in etcd.
    if (behavior === "ignored") return "the key exists in etcd in an ignored version";
    return behavior === undefined ? `${present.version} is unknown to ${server.release}` : undefined;
  }

  /**
   * Remembers who changed the version. A fight is a change that undoes what another running server of another release
   * did: the two would go on so at every start and every write.
   */
  private noteChange(key: string, from: string, to: string, server: Server): boolean {
    const present = this.store.at(key);
    if (present === undefined) return false;
    const before = present.changed;
    present.changed = { from, to, server: server.name };
    const other = before === undefined ? undefined : this.servers.get(before.server);
    return (
      before !== undefined &&
      before.from === to &&
      before.to === from &&
      other !== undefined &&
      other !== server &&
      other.state === "running" &&
      other.release !== server.release
    );
  }

  private matching({ object = "" }: ScenarioStep): StoredObject[] {
    return this.store
      .objects()
      .filter(({ key }) => key === object || (!object.includes("/") && key.startsWith(`${object}/`)));
  }

  private locationOf(key: string): StorageLocation | undefined {
    return this.byName.get(key.split("/")[0] ?? "");
  }

  private running(): Server[] {
    return [...this.servers.values()].filter(({ state }) => state === "running");
  }

  /** What a server would migrate at its next start; those that were stopped count while nothing else is left. */
  private toMigrate(): StoredObject[] {
    const all = [...this.servers.values()];
    const left = all.filter(({ state }) => state !== "stopped");
    const releases = (left.length > 0 ? left : all).map(({ release }) => release);
    return this.store.objects().filter(({ key, version }) => {
      const location = this.locationOf(key);
      if (location === undefined) return false;
      return releases.some((release) => behaviorIn(location, version, release) === "actively-migrated");
    });
  }

  /** True when every running server finds the object. */
  private isShown(key: string): boolean {
    const location = this.locationOf(key);
    const running = this.running();
    if (location === undefined || running.length === 0) return false;
    const [resource = ""] = key.split("/");
    return running.every(
      (server) => this.read(server, location).get[key.slice(resource.length + 1)] === "found",
    );
  }

  private snapshot(step: number, played: ScenarioStep | undefined, outcome: Outcome): StepResult {
    const { migration, crashed = false, changes = [], failures = [], fights = 0 } = outcome;
    const server = played === undefined ? undefined : this.serverOf(played);
    return {
      step,
      action: played?.action ?? "begin",
      ...(server === undefined || played?.on !== undefined
        ? {}
        : { server: server.name, release: server.release }),
      ...(played?.object === undefined ? {} : { object: played.object }),
      ...(played?.on === undefined ? {} : { on: played.on }),
      migrationSeconds: migration?.seconds ?? null,
      crashed,
      rewritten: changes,
      failures,
      converted: migration?.converted ?? 0,
      failedConversions: migration?.failedConversions ?? 0,
      failedReads: migration?.failedReads ?? 0,
      fights,
      toMigrate: this.toMigrate().length,
      lost: this.noteLost(step),
      reads: this.running().flatMap((each) => this.shown.map((location) => this.read(each, location))),
    };
  }

  /** Objects that some running server can no longer show although they are in etcd. */
  private noteLost(step: number): string[] {
    const gone = new Set<string>();
    for (const { key, version } of this.store.objects()) {
      const location = this.locationOf(key);
      if (location === undefined) continue;
      for (const { name, release } of this.running()) {
        const behavior = behaviorIn(location, version, release);
        if (!existsIn(location, release) || isDecodable(behavior)) continue;
        gone.add(key);
        if (!this.lost.has(key))
          this.lost.set(key, {
            object: key,
            storedVersion: version,
            behavior: behavior ?? null,
            step,
            server: name,
            release,
          });
      }
    }
    return [...gone];
  }

  private read({ name: server, release }: Server, location: StorageLocation): ReadAnswer {
    const resource = groupResource(location.group, location.resource);
    const objects = this.store.objects().filter(({ key }) => key.startsWith(`${resource}/`));
    const nameOf = (key: string): string => key.slice(resource.length + 1);
    const base = { server, release, resource };
    const all = (state: "not-found" | "error") =>
      Object.fromEntries(objects.map(({ key }) => [nameOf(key), state] as const));
    if (!this.store.available)
      return { ...base, list: null, error: "etcd is not available", get: all("error") };
    if (!existsIn(location, release))
      return { ...base, list: null, error: `${release} does not serve it`, get: all("not-found") };
    const get: [name: string, state: "found" | "not-found" | "error"][] = [];
    let error: string | undefined = this.store.failing.has(resource) ? "the LIST fails" : undefined;
    const list: string[] = [];
    for (const { key, version, fault } of objects) {
      const behavior = behaviorIn(location, version, release);
      const broken = fault === "read" || behavior === undefined;
      get.push([nameOf(key), broken ? "error" : behavior === "ignored" ? "not-found" : "found"]);
      if (broken)
        error ??=
          behavior === undefined
            ? `${nameOf(key)} is stored as ${version}, which is unknown to ${release}`
            : `${nameOf(key)} cannot be read`;
      else if (behavior !== "ignored") list.push(nameOf(key));
    }
    return {
      ...base,
      list: error === undefined ? list : null,
      error: error ?? null,
      get: Object.fromEntries(get),
    };
  }
}
