/** A StorageScenario document. Behaviours stand in it, or come from a table beside it. */

import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import { kubernetesMeant, meansNothing } from "../../kubernetes/releases.js";
import {
  type Fields,
  formatMinor,
  type Minor,
  ownFields,
  ownKind,
  placeIn,
  readDocument,
} from "../compatibility.js";
import type { BehaviorTable } from "../model.js";
import { LARGEST, presetPolicy, type StoragePolicy } from "../policy.js";
import {
  ACTIONS,
  FAULTS,
  type Places,
  type Scenario,
  type ScenarioAction,
  type ScenarioObject,
  type ScenarioServer,
  type ScenarioStep,
} from "../scenario.js";
import { tableFrom } from "./behaviors.js";
import { policyFrom } from "./policy.js";
import { checkScenario } from "./scenario-check.js";

/** A table beside the scenario; a function where it follows from lifecycles and the scenario's own policy. */
export type GivenTable = BehaviorTable | ((policy: StoragePolicy) => BehaviorTable);

export function readScenario(
  text: string,
  file: string,
  given: GivenTable | undefined,
  report: Report,
): Scenario | undefined {
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  const fields = ownKind(document.root) === "StorageScenario" ? ownFields(document) : undefined;
  if (fields === undefined) {
    problemList(report, "", placeIn(document.source, document.root)).report(
      "TAB005",
      "Invalid",
      "not a StorageScenario",
      "use apiVersion: slipway.dev/v1alpha1 and kind: StorageScenario",
    );
    return undefined;
  }
  const policyFields = fields.mapping("policy");
  const policy = policyFields ? policyFrom(policyFields, file) : presetPolicy("kep");
  policyFields?.done();
  const throttle = fields.integer("throttle");
  if (throttle !== undefined && (throttle.value < 1 || throttle.value > LARGEST * LARGEST))
    fields
      .at("throttle")
      .report(
        "STO053",
        "Invalid",
        `S4 numbers: invalid value ${throttle.value}: must be between 1 and ${LARGEST * LARGEST} rewrites per second`,
      );
  const table = given === undefined ? tableFrom(fields, file) : tableBeside(given, policy, fields);
  const scenario: Scenario = {
    file,
    name: fields.mapping("metadata")?.text("name")?.value ?? file,
    table,
    gate: fields.boolean("gate")?.value ?? true,
    throttle: throttle?.value ?? 10,
    maxUpgrade: policy.maxUpgrade,
    maxDowngrade: policy.maxDowngrade,
    servers: (fields.list("servers") ?? []).flatMap((each) => readServer(each, table) ?? []),
    objects: (fields.list("objects") ?? []).flatMap((each) => readObject(each) ?? []),
    steps: (fields.list("steps") ?? []).flatMap((each) => readStep(each, table) ?? []),
  };
  if (!fields.has("steps")) fields.missing("steps", "a list of events, in order");
  fields.done();
  checkScenario(scenario, report);
  return scenario;
}

function tableBeside(given: GivenTable, policy: StoragePolicy, fields: Fields): BehaviorTable {
  for (const key of ["resources", "releases", "unstored"])
    if (fields.has(key))
      fields
        .at(key)
        .report(
          "TAB012",
          "Forbidden",
          `forbidden: ${key} is set in both the scenario and --table`,
          "remove one of the two",
        );
  return typeof given === "function" ? given(policy) : given;
}

/** Places of all that stands in a mapping. */
const placesOf = ({ node, path, place, source }: Fields): Places => ({
  path,
  whole: place,
  members: new Map(node.entries.map(({ key, value }) => [key.text, placeIn(source, value)])),
});

/** The release that a server runs: one of OpenShift stands for its Kubernetes where the table does not count by it. */
function releaseIn(fields: Fields, { releases }: BehaviorTable): Minor | undefined {
  const named = fields.minor("release");
  const meant = named && kubernetesMeant(named.value, releases);
  if (named !== undefined && meant === undefined) fields.at("release").add(meansNothing(named.value));
  return meant;
}

function readServer(fields: Fields, table: BehaviorTable): ScenarioServer | undefined {
  const name = fields.required("name", "a unique name");
  const release = releaseIn(fields, table);
  if (!fields.has("release")) fields.missing("release", "the release that it runs");
  fields.done();
  if (name === undefined || release === undefined) return undefined;
  return { name: name.value, release: formatMinor(release), places: placesOf(fields) };
}

function readObject(fields: Fields): ScenarioObject | undefined {
  const resource = fields.required("resource", "resource.group, as in kubectl");
  const name = fields.required("name", "the name of the object");
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
    places: placesOf(fields),
  };
}

type StepMember = "server" | "release" | "crashAfter" | "object" | "on";
const SERVER_STARTS: readonly StepMember[] = ["server", "release", "crashAfter"];

/** Members that each action needs, and those that it takes. */
const MEMBERS: Readonly<
  Record<ScenarioAction, { readonly needs: readonly StepMember[]; readonly takes: readonly StepMember[] }>
> = {
  start: { needs: ["server", "release"], takes: SERVER_STARTS },
  upgrade: { needs: ["release"], takes: SERVER_STARTS },
  downgrade: { needs: ["release"], takes: SERVER_STARTS },
  restart: { needs: [], takes: SERVER_STARTS },
  stop: { needs: [], takes: ["server"] },
  write: { needs: ["object"], takes: ["server", "object"] },
  delete: { needs: ["object"], takes: ["server", "object"] },
  repair: { needs: ["object"], takes: ["object"] },
  gate: { needs: ["on"], takes: ["on"] },
  etcd: { needs: ["on"], takes: ["on"] },
  list: { needs: ["object", "on"], takes: ["object", "on"] },
  read: { needs: [], takes: [] },
};

function readStep(fields: Fields, table: BehaviorTable): ScenarioStep | undefined {
  const action = fields.choice("action", ACTIONS);
  if (!fields.has("action")) fields.missing("action", `one of ${ACTIONS.join(", ")}`);
  const release = releaseIn(fields, table);
  const crashAfter = fields.integer("crashAfter");
  if (crashAfter !== undefined && crashAfter.value < 0)
    fields
      .at("crashAfter")
      .report(
        "STO053",
        "Invalid",
        `S4 numbers: invalid value ${crashAfter.value}: must be 0 or more`,
        "set it to a number of objects",
      );
  const step = {
    server: fields.text("server")?.value,
    release: release && formatMinor(release),
    crashAfter: crashAfter?.value,
    object: fields.text("object")?.value,
    on: fields.boolean("on")?.value,
    places: placesOf(fields),
  };
  fields.done();
  if (action === undefined) return undefined;
  const { needs, takes } = MEMBERS[action.value];
  for (const need of needs)
    if (!fields.has(need)) fields.missing(need, `a value, which the action ${action.value} requires`);
  for (const member of SERVER_STARTS.concat("object", "on"))
    if (fields.has(member) && !takes.includes(member))
      fields
        .at(member)
        .warnings.report(
          "STO055",
          "NotSupported",
          `S6 members: ${member} has no effect on ${action.value}`,
          takes.length === 0 ? "remove it" : `use one of ${takes.join(", ")}`,
        );
  return { action: action.value, ...step };
}
