/**
 * What can be said of a scenario before it is played: every name it uses exists, and every server goes where its step
 * says. All of it is known beforehand, so one run shows all that is wrong.
 */

import type { Report } from "../../core/diagnostics.js";
import { type ProblemList, problemList } from "../../core/problem.js";
import { closest } from "../../text/closest.js";
import { checkPreferred } from "../check.js";
import { formatMinor, groupResource, type Minor, parseMinor } from "../compatibility.js";
import { locationsOf, type StorageLocation } from "../model.js";
import {
  objectKey,
  type Places,
  type Scenario,
  type ScenarioObject,
  type ScenarioStep,
} from "../scenario.js";
import { versionNameIn } from "../simulated-types.js";

export function checkScenario(scenario: Scenario, report: Report): void {
  new Check(scenario, report).run();
}

class Check {
  private readonly locations: ReadonlyMap<string, StorageLocation>;
  private readonly releases: ReadonlySet<string>;
  /** Release of every server that was there, by its name, and whether it runs. */
  private readonly servers = new Map<string, { release: string; running: boolean }>();
  private readonly objects = new Set<string>();

  constructor(
    private readonly scenario: Scenario,
    private readonly report: Report,
  ) {
    this.locations = new Map(
      locationsOf(scenario.table).map((each) => [groupResource(each.group, each.resource), each]),
    );
    this.releases = new Set(scenario.table.releases.map(formatMinor));
  }

  run(): void {
    const { table, servers, objects, steps } = this.scenario;
    for (const location of this.locations.values()) checkPreferred(location, table.releases, this.report);
    for (const { name, release, places } of servers) {
      if (this.servers.has(name)) this.duplicate(name, places);
      this.checkRelease(release, places);
      this.servers.set(name, { release, running: true });
    }
    for (const object of objects) this.checkObject(object);
    for (const step of steps) {
      if (step.release !== undefined) this.checkRelease(step.release, step.places);
      if (step.action === "start") this.checkStart(step);
      else this.checkServer(step);
      this.checkNamed(step);
    }
  }

  private at({ path, whole, members }: Places, member: string): ProblemList {
    return problemList(this.report, `${path}.${member}`, members.get(member) ?? whole);
  }

  private duplicate(name: string, places: Places): void {
    this.at(places, "name").report("TAB006", "Duplicate", `${name} is listed twice`, "use unique names");
  }

  private checkRelease(release: string, places: Places): void {
    if (this.releases.has(release)) return;
    this.at(places, "release").report(
      "STO052",
      "NotFound",
      `S3 releases: the behaviors do not contain ${release}`,
      `use one of ${[...this.releases].join(", ") || "the releases of the behaviors"}`,
    );
  }

  private checkObject(object: ScenarioObject): void {
    const { resource, namespace, name, version, places } = object;
    for (const [member, text] of [
      ["namespace", namespace],
      ["name", name],
    ] as const)
      if (text !== undefined && (text === "" || text.includes("/")))
        this.at(places, member).report(
          "STO051",
          "Invalid",
          `S2 objects: invalid ${member} ${JSON.stringify(text)}`,
          member === "namespace" ? "omit it for a cluster-scoped object" : "use a name without a slash",
        );
    const key = objectKey(object);
    if (this.objects.has(key)) this.duplicate(key, places);
    this.objects.add(key);
    const location = this.locations.get(resource);
    if (location === undefined) {
      this.noResource(resource, places, "resource");
      return;
    }
    const versions = location.versions.map((row) => versionNameIn(location, row.group, row.version));
    if (versions.includes(version)) return;
    this.at(places, "version").report(
      "STO051",
      "NotFound",
      `S2 objects: ${resource} has no version ${version}`,
      suggestion(version, versions),
    );
  }

  private noResource(resource: string, places: Places, member: string): void {
    this.at(places, member).report(
      "STO051",
      "NotFound",
      `S2 objects: the behaviors do not contain resource ${resource}`,
      suggestion(resource, [...this.locations.keys()]),
    );
  }

  /** The object of a step: one that exists or, to be written, could; or all of a resource. */
  private checkNamed({ action, object, places }: ScenarioStep): void {
    if (object === undefined || !["write", "delete", "repair", "list"].includes(action)) return;
    const [resource = "", ...rest] = object.split("/");
    if (!this.locations.has(resource)) this.noResource(resource, places, "object");
    else if (rest.length > 0 && action === "list")
      this.at(places, "object").report(
        "STO051",
        "Invalid",
        `S2 objects: ${object} is an object, but LIST requires a resource`,
        `use ${resource}`,
      );
    else if (rest.length > 2 || rest.includes(""))
      this.at(places, "object").report("STO051", "Invalid", `S2 objects: ${object} is not an object`, FORM);
    else if (action === "write") this.objects.add(object);
    else if (rest.length > 0 && !this.objects.has(object))
      this.at(places, "object").report(
        "STO051",
        "NotFound",
        `S2 objects: ${object} does not exist`,
        nearOr(object, [...this.objects], FORM),
      );
  }

  private checkServer(step: ScenarioStep): void {
    const { action } = step;
    if (!["upgrade", "downgrade", "restart", "stop", "write", "delete"].includes(action)) return;
    const server = this.serverOf(step);
    if (server === undefined) return;
    if (action === "stop") server.running = false;
    if (action === "upgrade" || action === "downgrade" || action === "restart") {
      server.running = true;
      this.checkMove(step, server.release);
      server.release = step.release ?? server.release;
    }
  }

  private serverOf({
    server: name,
    places,
  }: ScenarioStep): { release: string; running: boolean } | undefined {
    const names = [...this.servers.keys()];
    const server = this.servers.get(name ?? (names.length === 1 ? names.join() : ""));
    if (server !== undefined) return server;
    return void this.at(places, "server").report(
      "STO050",
      name === undefined ? "Required" : "NotFound",
      name === undefined
        ? `S1 servers: the server is missing; it must be one of ${names.join(", ") || "the servers that were started"}`
        : `S1 servers: ${name} was never started`,
      nearOr(name ?? "", names, "use a server from servers, or start it first"),
    );
  }

  /** A new server comes to the storage of those that run, or ran last. */
  private checkStart({ server: name, release, places }: ScenarioStep): void {
    if (name === undefined || release === undefined) return;
    const own = this.servers.get(name);
    const all = [...this.servers.values()];
    const running = all.filter((each) => each.running);
    const before = own !== undefined ? [own] : running.length > 0 ? running : all.slice(-1);
    const far = before.find((each) => this.isTooFar(each.release, release));
    if (far !== undefined) this.tooFar(far.release, release, places);
    this.servers.set(name, { release, running: true });
  }

  private checkMove({ action, release, places }: ScenarioStep, before: string): void {
    if (release === undefined) return;
    const distance = minorsFrom(before, release);
    const forward = action === "upgrade";
    if (action !== "restart" && (forward ? distance <= 0 : distance >= 0))
      this.at(places, "release").report(
        "STO053",
        "Invalid",
        `S4 numbers: ${release} is not ${forward ? "later" : "earlier"} than ${before}`,
        forward ? "use a later release" : "use an earlier release",
      );
    else if (this.isTooFar(before, release)) this.tooFar(before, release, places);
  }

  private isTooFar(before: string, release: string): boolean {
    // What is said of an unknown release is said already.
    if (!this.releases.has(before) || !this.releases.has(release)) return false;
    const distance = minorsFrom(before, release);
    return distance > this.scenario.maxUpgrade || -distance > this.scenario.maxDowngrade;
  }

  private tooFar(before: string, release: string, places: Places): void {
    const { maxUpgrade, maxDowngrade } = this.scenario;
    this.at(places, "release").warnings.report(
      "STO054",
      "Forbidden",
      `S5 jumps: the step from ${before} to ${release} exceeds the policy`,
      `upgrade by at most ${maxUpgrade} and downgrade by at most ${maxDowngrade} releases`,
    );
  }
}

const FORM = "use resource.group/namespace/name, or resource.group for all of its objects";

const nearOr = (word: string, words: readonly string[], otherwise: string): string => {
  const near = closest(word, words);
  return near === undefined ? otherwise : `did you mean ${near}?`;
};

/** The nearest word, or what there is: a real table has too many to list them all. */
const suggestion = (word: string, words: readonly string[]): string =>
  nearOr(
    word,
    words,
    words.length > 12
      ? `use one of the ${words.length} names, such as ${words.slice(0, 3).join(", ")}`
      : `use one of ${words.join(", ")}`,
  );

const NONE: Minor = { major: 0, minor: 0 };

function minorsFrom(before: string, release: string): number {
  const [from, to] = [parseMinor(before) ?? NONE, parseMinor(release) ?? NONE];
  return from.major === to.major ? to.minor - from.minor : (to.major - from.major) * Number.POSITIVE_INFINITY;
}
