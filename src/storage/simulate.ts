/**
 * Plays a scenario on a store in memory. Servers answer reads as KEP-3166 says (an ignored version does not exist for
 * the API; one that the release does not know breaks the whole LIST, as today), write in the version that their release
 * prefers, and run the rewrite loop when they start.
 */
import { groupResource, type Report } from "./compatibility.js";
import { MemoryStore, type StoredObject } from "./memory-store.js";
import { type Behavior, existsIn, isDecodable, locationsOf, type StorageLocation } from "./model.js";
import { type RewriteResult, rewriteLoop } from "./rewrite-loop.js";
import { objectKey, type Scenario, type ScenarioStep } from "./scenario.js";
import { behaviorIn, CODEC, preferredName, typeIn } from "./simulated-types.js";

export interface ReadAnswer {
  readonly server: string;
  readonly release: string;
  readonly resource: string;
  /** Names that LIST returns; null when it fails or the resource is not served. */
  readonly list: readonly string[] | null;
  readonly error: string | null;
  readonly get: Readonly<Record<string, "found" | "not-found" | "error">>;
}

export interface Change {
  readonly object: string;
  readonly from: string | null;
  readonly to: string;
  readonly by: "migration" | "client";
}

export interface StepResult {
  readonly step: number;
  readonly action: string;
  readonly server?: string;
  readonly release?: string;
  readonly object?: string;
  readonly on?: boolean;
  /** Seconds that the startup migration took under its throttle; null when none ran. */
  readonly migrationSeconds: number | null;
  readonly crashed: boolean;
  readonly rewritten: readonly Change[];
  readonly failures: readonly { readonly of: string; readonly why: string }[];
  readonly converted: number;
  readonly failedConversions: number;
  readonly failedReads: number;
  readonly fights: number;
  readonly toMigrate: number;
  readonly lost: readonly string[];
  readonly reads: readonly ReadAnswer[];
}

export interface LostObject {
  readonly object: string;
  readonly storedVersion: string;
  /** Null where the release does not know the version. */
  readonly behavior: Behavior | null;
  readonly step: number;
  readonly server: string;
  readonly release: string;
  /** True when the last step shows it again everywhere. */
  readonly recovered: boolean;
}

export interface SimulationResult {
  readonly steps: readonly StepResult[];
  readonly toMigrate: readonly { readonly object: string; readonly storedVersion: string }[];
  readonly lost: readonly LostObject[];
  readonly stored: readonly { readonly object: string; readonly storedVersion: string }[];
}

interface Server {
  readonly name: string;
  release: string;
  running: boolean;
}

interface Outcome {
  readonly migration?: RewriteResult & { readonly seconds: number };
  readonly changes?: readonly Change[];
  readonly failures?: readonly { readonly of: string; readonly why: string }[];
  readonly fights?: number;
}

export async function simulate(scenario: Scenario, report: Report): Promise<SimulationResult> {
  return new Simulation(scenario, report).run();
}

class Simulation {
  private readonly locations: readonly StorageLocation[];
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
    this.gate = scenario.gate;
    this.store = new MemoryStore(scenario.objects.map((each) => [objectKey(each), each.version, each.fault]));
    for (const { name, release } of scenario.servers)
      this.servers.set(name, { name, release, running: true });
  }

  async run(): Promise<SimulationResult> {
    const steps: StepResult[] = [this.snapshot(0, undefined, {})];
    for (const [i, step] of this.scenario.steps.entries())
      steps.push(this.snapshot(i + 1, step, await this.play(step)));
    const shown = new Set(steps.at(-1)?.lost ?? []);
    return {
      steps,
      toMigrate: this.toMigrate().map(({ key, version }) => ({ object: key, storedVersion: version })),
      lost: [...this.lost.values()].map((each) => ({ ...each, recovered: !shown.has(each.object) })),
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
        if (server !== undefined) server.running = false;
        return {};
      }
      case "write":
        return this.write(step);
      case "delete":
        for (const { key } of this.matching(step)) this.store.remove(key);
        return {};
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
      server = { name: step.server, release: step.release, running: true };
      this.servers.set(server.name, server);
    }
    if (server === undefined) return {};
    if (step.action !== "start") this.move(server, step);
    server.running = true;
    if (!this.gate) return {};
    return this.migrate(server, step.crashAfter);
  }

  private move(server: Server, { action, release, place }: ScenarioStep): void {
    if (release === undefined) return;
    const minor = (name: string): number => Number(name.split(".")[1]);
    const distance = minor(release) - minor(server.release);
    const { maxUpgrade, maxDowngrade } = this.scenario;
    const forward = action === "upgrade";
    if (action !== "restart" && (forward ? distance <= 0 : distance >= 0))
      this.report({
        code: "STO053",
        kind: "Invalid",
        ...place,
        field: "release",
        message: `S4 numbers: ${release} is no ${action} of ${server.release}`,
        hint: forward ? "name a newer release" : "name an older release",
      });
    else if (distance > maxUpgrade || -distance > maxDowngrade)
      this.report({
        code: "STO054",
        kind: "Forbidden",
        severity: "warning",
        ...place,
        field: "release",
        message: `S5 jumps: from ${server.release} to ${release} is further than the policy foresees`,
        hint: `upgrades of at most ${maxUpgrade}, downgrades of at most ${maxDowngrade}`,
      });
    server.release = release;
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
    if (!result.finished) server.running = false;
    return {
      migration: { ...result, seconds: (this.clock - began) / 1000 },
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
        failures.push({ of: key, why: refusal ?? "there is no such resource" });
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

  private refuseWrite(
    server: Server | undefined,
    location: StorageLocation | undefined,
    present: StoredObject | undefined,
  ): string | undefined {
    if (server === undefined || !server.running) return "the server is not running";
    if (!this.store.available) return "etcd is not available";
    if (location === undefined || preferredName(location, server.release) === undefined)
      return `${server.release} does not serve the resource`;
    if (present === undefined) return undefined;
    if (present.fault !== undefined) return "the object cannot be converted";
    const behavior = behaviorIn(location, present.version, server.release);
    // A client sees no object there, and a create meets the key that is still in etcd.
    if (behavior === "ignored") return "the key exists in etcd in an ignored version";
    return behavior === undefined ? `${server.release} does not know ${present.version}` : undefined;
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
      other.running &&
      other.release !== server.release
    );
  }

  private matching({ object = "" }: ScenarioStep): StoredObject[] {
    return this.store
      .objects()
      .filter(({ key }) => key === object || (!object.includes("/") && key.startsWith(`${object}/`)));
  }

  private locationOf(key: string): StorageLocation | undefined {
    const [name] = key.split("/");
    return this.locations.find(({ group, resource }) => groupResource(group, resource) === name);
  }

  private running(): Server[] {
    return [...this.servers.values()].filter(({ running }) => running);
  }

  private toMigrate(): StoredObject[] {
    return this.store.objects().filter(({ key, version }) => {
      const location = this.locationOf(key);
      if (location === undefined) return false;
      return this.running().some(
        ({ release }) => behaviorIn(location, version, release) === "actively-migrated",
      );
    });
  }

  private snapshot(step: number, played: ScenarioStep | undefined, outcome: Outcome): StepResult {
    const { migration, changes = [], failures = [], fights = 0 } = outcome;
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
      crashed: migration?.finished === false,
      rewritten: changes,
      failures,
      converted: migration?.converted ?? 0,
      failedConversions: migration?.failedConversions ?? 0,
      failedReads: migration?.failedReads ?? 0,
      fights,
      toMigrate: this.toMigrate().length,
      lost: this.noteLost(step),
      reads: this.running().flatMap((each) => this.locations.map((location) => this.read(each, location))),
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
      Object.fromEntries(objects.map(({ key }) => [nameOf(key), state]));
    if (!this.store.available)
      return { ...base, list: null, error: "etcd is not available", get: all("error") };
    if (!existsIn(location, release))
      return { ...base, list: null, error: `${release} does not serve it`, get: all("not-found") };
    const get: Record<string, "found" | "not-found" | "error"> = {};
    let error: string | undefined = this.store.failing.has(resource) ? "the LIST fails" : undefined;
    const list: string[] = [];
    for (const { key, version, fault } of objects) {
      const behavior = behaviorIn(location, version, release);
      const broken = fault === "read" || behavior === undefined;
      get[nameOf(key)] = broken ? "error" : behavior === "ignored" ? "not-found" : "found";
      if (broken)
        error ??=
          behavior === undefined
            ? `${nameOf(key)} is stored as ${version}, which ${release} does not know`
            : `${nameOf(key)} cannot be read`;
      else if (behavior !== "ignored") list.push(nameOf(key));
    }
    return { ...base, list: error === undefined ? list : null, error: error ?? null, get };
  }
}
