/** A StorageBehaviors document: explicit behaviours, also as `storage behaviors --output json` prints them. */

import { STABILITIES, type Stability } from "../../compatibility/api-table.js";
import type { Position, Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import {
  compareMinors,
  type Document,
  type Fields,
  formatMinor,
  groupResource,
  type Minor,
  ownFields,
  ownKind,
  parseMinor,
  placeIn,
  readDocument,
  stabilityOf,
} from "../compatibility.js";
import {
  BEHAVIORS,
  type Behavior,
  type BehaviorTable,
  type GroupResource,
  type ResourceRows,
  type VersionRow,
} from "../model.js";
import type { StoragePolicy } from "../policy.js";
import { policyFrom } from "./policy.js";

export interface BehaviorsDocument {
  readonly table: BehaviorTable;
  /** The policy that the document carries. */
  readonly policy: StoragePolicy | undefined;
}

export function readBehaviors(text: string, file: string, report: Report): BehaviorsDocument | undefined {
  const document = readDocument(text, file, report);
  return document && behaviorsOf(document);
}

export function behaviorsOf(document: Document): BehaviorsDocument | undefined {
  const { root, source } = document;
  const fields = ownKind(root) === "StorageBehaviors" ? ownFields(document) : undefined;
  if (fields === undefined) {
    problemList(source.report, "", placeIn(source, root)).report(
      "TAB005",
      "Invalid",
      "not a table of storage behaviors",
      "use a StorageBehaviors document with resources",
    );
    return undefined;
  }
  const policyFields = fields.mapping("policy");
  const policy = policyFields && policyFrom(policyFields, policyFields.text("name")?.value ?? source.file);
  policyFields?.done();
  const table = tableFrom(fields, source.file);
  fields.done();
  return { table, policy };
}

/** The members `releases` and `resources`, also inside another document. */
export function tableFrom(fields: Fields, file: string): BehaviorTable {
  if (!fields.has("resources")) fields.missing("resources", "a list of {group, resource, versions}");
  const seen = new Map<string, ResourceRows>();
  const resources = (fields.list("resources") ?? []).flatMap((each): ResourceRows[] => {
    const resource = readResource(each);
    each.done();
    if (resource === undefined) return [];
    const name = groupResource(resource.group, resource.resource);
    const first = seen.get(name);
    if (first !== undefined) {
      each.whole.report(
        "TAB006",
        "Duplicate",
        `${name} is listed twice`,
        `remove it here or on line ${first.place.line}`,
      );
      return [];
    }
    seen.set(name, resource);
    return [resource];
  });
  const written = (fields.texts("releases") ?? []).flatMap(
    ({ value, place }) => releaseAt(value, place, fields) ?? [],
  );
  fields.entry("unstored");
  return { file, releases: releasesOf(written, resources), resources, unstored: [] };
}

function releasesOf(written: readonly Minor[], resources: readonly ResourceRows[]): Minor[] {
  const names = new Map(written.map((release) => [formatMinor(release), release]));
  for (const { versions } of resources)
    for (const { behaviors } of versions)
      for (const name of behaviors.keys()) {
        const release = parseMinor(name);
        if (release !== undefined) names.set(name, release);
      }
  return [...names.values()].sort(compareMinors);
}

function readResource(fields: Fields): ResourceRows | undefined {
  const group = fields.required("group", 'the API group; "" for the core group');
  const resource = fields.required("resource", "the plural name of the resource");
  const shared = fields.mapping("storedWith");
  const storedWith = shared && readGroupResource(shared);
  if (!fields.has("versions")) fields.missing("versions", "a list of {version, behaviors}");
  const versions = new Map<string, VersionRow>();
  for (const each of fields.list("versions") ?? []) {
    const row = readVersion(each, group?.value ?? "");
    each.done();
    if (row === undefined) continue;
    const first = versions.get(row.version);
    if (first === undefined) versions.set(row.version, row);
    else
      each
        .at("version")
        .report(
          "STO002",
          "Duplicate",
          `B2 one-behavior: ${row.version} is listed twice`,
          `remove it here or on line ${first.place.line}; a version has one behavior in each release`,
        );
  }
  if (group === undefined || resource === undefined) return undefined;
  return {
    group: group.value,
    resource: resource.value,
    storedWith,
    versions: [...versions.values()],
    place: fields.place,
  };
}

function readGroupResource(fields: Fields): GroupResource | undefined {
  const group = fields.required("group", 'the API group; "" for the core group');
  const resource = fields.required("resource", "the plural name of the resource");
  fields.done();
  return group && resource && { group: group.value, resource: resource.value };
}

function readVersion(fields: Fields, group: string): VersionRow | undefined {
  const version = fields.required("version", "the API version, such as v1beta1");
  const clock = fields.text("clock")?.value;
  const stability: Stability | undefined = fields.choice("stability", STABILITIES)?.value;
  if (!fields.has("behaviors"))
    fields.missing("behaviors", 'a mapping from releases to behaviors, such as "1.30": preferred');
  const behaviors = new Map<string, Behavior>();
  const places = new Map<string, Position>();
  const map = fields.mapping("behaviors");
  for (const { key } of map?.node.entries ?? []) {
    if (map === undefined) break;
    const release = releaseAt(key.text, placeIn(map.source, key), map);
    const behavior = map.choice(key.text, BEHAVIORS);
    if (release === undefined || behavior === undefined) continue;
    behaviors.set(formatMinor(release), behavior.value);
    places.set(formatMinor(release), behavior.place);
  }
  if (version === undefined) return undefined;
  return {
    group,
    version: version.value,
    stability: stability ?? stabilityOf(version.value),
    clock,
    behaviors,
    place: version.place,
    places,
  };
}

function releaseAt(text: string, place: Position, { source }: Fields): Minor | undefined {
  const release = parseMinor(text);
  if (release === undefined)
    problemList(source.report, "", place).invalid(
      "VER001",
      text,
      "must be a release",
      "use major.minor in quotes, such as '1.35'",
    );
  return release;
}
