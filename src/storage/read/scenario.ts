/** A StorageScenario document. Behaviours stand in it, or come from a table beside it. */
import {
  type Fields,
  formatMinor,
  groupResource,
  ownFields,
  ownKind,
  type Place,
  placeIn,
  type Report,
  readDocument,
} from "../compatibility.js";
import { type BehaviorTable, locationsOf, type StorageLocation } from "../model.js";
import { LARGEST, presetPolicy } from "../policy.js";
import {
  ACTIONS,
  FAULTS,
  objectKey,
  type Scenario,
  type ScenarioAction,
  type ScenarioObject,
  type ScenarioStep,
} from "../scenario.js";
import { tableFrom } from "./behaviors.js";
import { policyFrom } from "./policy.js";

export function readScenario(
  text: string,
  file: string,
  given: BehaviorTable | undefined,
  report: Report,
): Scenario | undefined {
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  const fields = ownKind(document.root) === "StorageScenario" ? ownFields(document) : undefined;
  if (fields === undefined) {
    report({
      code: "TAB005",
      kind: "Invalid",
      ...placeIn(document.source, document.root),
      message: "this is no StorageScenario",
      hint: "apiVersion: slipway.dev/v1alpha1, kind: StorageScenario",
    });
    return undefined;
  }
  const policyFields = fields.mapping("policy");
  const policy = policyFields ? policyFrom(policyFields, file) : presetPolicy("kep");
  policyFields?.done();
  const table = given ?? tableFrom(fields, file);
  const throttle = fields.integer("throttle");
  if (throttle !== undefined && (throttle.value < 1 || throttle.value > LARGEST * LARGEST))
    fields.problem("throttle", {
      code: "STO053",
      kind: "Invalid",
      message: `S4 numbers: ${throttle.value} rewrites a second`,
      hint: "1 or more",
    });
  const scenario: Scenario = {
    file,
    name: fields.mapping("metadata")?.text("name")?.value ?? file,
    table,
    gate: fields.boolean("gate")?.value ?? true,
    throttle: throttle?.value ?? 10,
    maxUpgrade: policy.maxUpgrade,
    maxDowngrade: policy.maxDowngrade,
    servers: (fields.list("servers") ?? []).flatMap(readServer),
    objects: (fields.list("objects") ?? []).flatMap((each) => readObject(each) ?? []),
    steps: (fields.list("steps") ?? []).flatMap((each) => readStep(each) ?? []),
  };
  fields.done();
  checkNames(scenario, report);
  return scenario;
}

function readServer(fields: Fields): Scenario["servers"][number][] {
  const name = fields.required("name", "a name of your choice");
  const release = fields.minor("release");
  if (!fields.has("release")) fields.missing("release", "the release that it runs");
  fields.done();
  if (name === undefined || release === undefined) return [];
  return [{ name: name.value, release: formatMinor(release.value), place: fields.place }];
}

function readObject(fields: Fields): ScenarioObject | undefined {
  const resource = fields.required("resource", "resource.group, as in kubectl");
  const name = fields.required("name", "the object's name");
  const namespace = fields.text("namespace")?.value;
  const version = fields.required("version", "the version that it is stored in");
  const fault = fields.choice("fault", FAULTS)?.value;
  fields.done();
  if (resource === undefined || name === undefined || version === undefined) return undefined;
  return {
    resource: resource.value,
    namespace,
    name: name.value,
    version: version.value,
    fault,
    place: fields.place,
  };
}

/** Members that each action needs, beside those that it may have. */
const NEEDS: Readonly<Record<ScenarioAction, readonly ("server" | "release" | "object" | "on")[]>> = {
  start: ["server", "release"],
  upgrade: ["release"],
  downgrade: ["release"],
  restart: [],
  stop: [],
  write: ["object"],
  delete: ["object"],
  repair: ["object"],
  gate: ["on"],
  etcd: ["on"],
  list: ["object", "on"],
  read: [],
};

function readStep(fields: Fields): ScenarioStep | undefined {
  const action = fields.choice("action", ACTIONS);
  if (!fields.has("action")) fields.missing("action", `one of ${ACTIONS.join(", ")}`);
  const release = fields.minor("release");
  const crashAfter = fields.integer("crashAfter");
  if (crashAfter !== undefined && crashAfter.value < 0)
    fields.problem("crashAfter", {
      code: "STO053",
      kind: "Invalid",
      message: `S4 numbers: ${crashAfter.value} objects`,
      hint: "0 or more",
    });
  const step = {
    server: fields.text("server")?.value,
    release: release && formatMinor(release.value),
    crashAfter: crashAfter?.value,
    object: fields.text("object")?.value,
    on: fields.boolean("on")?.value,
    place: fields.place,
  };
  fields.done();
  if (action === undefined) return undefined;
  for (const need of NEEDS[action.value])
    if (!fields.has(need)) fields.missing(need, `${action.value} needs it`);
  return { action: action.value, ...step };
}

/** Every name that a scenario uses must exist: servers, releases, resources, objects, versions. */
function checkNames(scenario: Scenario, report: Report): void {
  const { table, servers, objects, steps } = scenario;
  const releases = new Set(table.releases.map(formatMinor));
  const names = new Set<string>();
  const release = (name: string | undefined, place: Place): void => {
    if (name === undefined || releases.has(name)) return;
    report({
      code: "STO052",
      kind: "NotFound",
      ...place,
      field: "release",
      message: `S3 releases: the behaviours say nothing about ${name}`,
      hint: `they know ${[...releases].join(", ") || "no release"}`,
    });
  };
  for (const { name, release: own, place } of servers) {
    if (names.has(name)) duplicate(name, place, report);
    names.add(name);
    release(own, place);
  }
  const known = checkObjects(objects, table, report);
  for (const { action, server, release: to, object, place } of steps) {
    release(to, place);
    if (server !== undefined && action === "start") names.add(server);
    else if (server === undefined ? needsServer(action) && names.size !== 1 : !names.has(server))
      report({
        code: "STO050",
        kind: server === undefined ? "Required" : "NotFound",
        ...place,
        field: "server",
        message:
          server === undefined
            ? `S1 servers: which of ${[...names].join(", ") || "no servers"}?`
            : `S1 servers: ${server} was never started`,
        hint: "name a server of servers, or start it first",
      });
    if (object !== undefined && action === "write" && object.includes("/")) known.add(object);
    if (object !== undefined && !known.has(object) && !locationNames(table).has(object))
      report({
        code: "STO051",
        kind: "NotFound",
        ...place,
        field: "object",
        message: `S2 objects: there is no ${object}`,
        hint: "write resource.group/namespace/name, or resource.group for all its objects",
      });
    else if (
      object !== undefined &&
      action === "write" &&
      !locationNames(table).has(object.split("/")[0] ?? "")
    )
      report({
        code: "STO051",
        kind: "NotFound",
        ...place,
        field: "object",
        message: `S2 objects: the behaviours have no resource ${object.split("/")[0]}`,
        hint: `they have ${[...locationNames(table)].join(", ")}`,
      });
  }
}

const needsServer = (action: ScenarioAction): boolean =>
  ["upgrade", "downgrade", "restart", "stop", "write", "delete"].includes(action);

const duplicate = (name: string, place: Place, report: Report): void =>
  report({
    code: "TAB006",
    kind: "Duplicate",
    ...place,
    field: name,
    message: `${name} stands twice`,
    hint: "give each a name of its own",
  });

const locationNames = (table: BehaviorTable): Set<string> =>
  new Set(locationsOf(table).map(({ group, resource }) => groupResource(group, resource)));

function checkObjects(objects: readonly ScenarioObject[], table: BehaviorTable, report: Report): Set<string> {
  const locations = new Map<string, StorageLocation>(
    locationsOf(table).map((each) => [groupResource(each.group, each.resource), each]),
  );
  const keys = new Set<string>();
  for (const object of objects) {
    const key = objectKey(object);
    if (keys.has(key)) duplicate(key, object.place, report);
    keys.add(key);
    const location = locations.get(object.resource);
    const versions = location?.versions.map((row) => versionNameIn(location, row.group, row.version)) ?? [];
    if (location !== undefined && versions.includes(object.version)) continue;
    report({
      code: "STO051",
      kind: "NotFound",
      ...object.place,
      field: key,
      message:
        location === undefined
          ? `S2 objects: the behaviours have no resource ${object.resource}`
          : `S2 objects: ${object.resource} has no version ${object.version}`,
      hint: `there are ${(location === undefined ? [...locations.keys()] : versions).join(", ")}`,
    });
  }
  return keys;
}

/** The version's name in a scenario: with the group only where it is not the location's own. */
export const versionNameIn = (location: StorageLocation, group: string, version: string): string =>
  group === location.group ? version : `${group}/${version}`;
