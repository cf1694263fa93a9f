/**
 * API lifecycles in our own form (kind APILifecycle) and as a bare list of kinds, recognised by content.
 */

import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { YamlNode } from "../../text/yaml-read.js";
import {
  type ApiKind,
  type ApiTable,
  groupVersion,
  type KindReference,
  type Lifecycle,
  newestOf,
  parseReference,
  type Revision,
  STABILITIES,
  stabilityOf,
} from "../api-table.js";
import { compareMinors, formatMinor, type Minor, parseMinor } from "../version.js";
import { type Document, isListOfOthers, ownFields, ownKind, readDocument } from "./document.js";
import { type Fields, mappingsOf, placeIn, type Source } from "./fields.js";

export function readApiTable(text: string, file: string, report: Report): ApiTable | undefined {
  const document = readDocument(text, file, report);
  return document && apiTableOf(document);
}

export function apiTableOf(document: Document): ApiTable | undefined {
  const { root, source } = document;
  if (root.type === "sequence" && !isListOfOthers(root, ["group", "version", "kind"]))
    return listTable(root.items, source);
  if (ownKind(root) === "APILifecycle") return ownTable(document);
  problemList(source.report, "", placeIn(source, root)).report(
    "TAB005",
    "Invalid",
    "not a table of API lifecycles",
    "use an APILifecycle, or a list of {group, version, kind, introduced, …}",
  );
  return undefined;
}

function listTable(items: readonly YamlNode[], source: Source): ApiTable {
  const lenient: Source = {
    ...source,
    report: (problem) =>
      source.report(problem.code === "TAB002" ? { ...problem, severity: "warning" } : problem),
  };
  return finish("lifecycle-list", mappingsOf(items, "", lenient), lenient);
}

function ownTable(document: Document): ApiTable | undefined {
  const fields = ownFields(document);
  if (fields === undefined) return undefined;
  if (!fields.has("kinds")) fields.missing("kinds", "a list of kinds");
  const kinds = fields.list("kinds") ?? [];
  const table = finish("own", kinds, document.source);
  fields.done();
  return table;
}

function finish(form: ApiTable["form"], entries: readonly Fields[], source: Source): ApiTable {
  const kinds = entries.flatMap((fields) => {
    const kind = readKind(fields);
    fields.done();
    return kind ?? [];
  });
  const seen = new Map<string, ApiKind>();
  for (const kind of kinds) {
    const key = `${groupVersion(kind)} ${kind.kind}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, kind);
    else
      problemList(source.report, key, kind.place).report(
        "TAB006",
        "Duplicate",
        `${kind.kind} of ${groupVersion(kind)} is listed twice`,
        `remove it here or on line ${first.place.line}`,
      );
    checkOrder(kind, source.report);
  }
  return { form, file: source.file, kinds, newest: newestOf(kinds) };
}

function readKind(fields: Fields): ApiKind | undefined {
  const group = fields.required("group", 'the API group; "" for the core group');
  const version = fields.required("version", "the API version, such as v1beta1");
  const kind = fields.required("kind", "the name of the kind");
  const stability = fields.choice("stability", STABILITIES);
  const lifecycle = readLifecycle(fields);
  const registered = readRange(fields.mapping("registered"));
  const rest = {
    resource: fields.text("resource")?.value,
    subresources: fields.texts("subresources")?.map(({ value }) => value) ?? [],
    enabledByDefault: fields.boolean("enabledByDefault")?.value,
    served: fields.boolean("served")?.value ?? true,
    namespaced: fields.boolean("namespaced")?.value,
    verbs: fields.texts("verbs")?.map(({ value }) => value),
    revisions: (fields.list("revisions") ?? []).flatMap((each) => readRevision(each) ?? []),
    registered,
  };
  fields.text("lifecycleSource");
  fields.text("description");
  if (group === undefined || version === undefined || kind === undefined) return undefined;
  return {
    group: group.value,
    version: version.value,
    kind: kind.value,
    stability: stability?.value ?? stabilityOf(version.value),
    ...lifecycle,
    ...rest,
    place: kind.place,
  };
}

function readLifecycle(fields: Fields): Lifecycle {
  return {
    introduced: fields.minor("introduced")?.value,
    deprecated: fields.minor("deprecated")?.value,
    removed: fields.minor("removed")?.value,
    replacement: readReference(fields.mapping("replacement")),
  };
}

function readReference(fields: Fields | undefined): KindReference | undefined {
  if (fields === undefined) return undefined;
  const group = fields.required("group", 'the API group; "" for the core group');
  const version = fields.required("version", "the API version");
  const kind = fields.required("kind", "the name of the kind");
  fields.done();
  if (group === undefined || version === undefined || kind === undefined) return undefined;
  return { group: group.value, version: version.value, kind: kind.value };
}

function readRange(fields: Fields | undefined): { first: Minor; last: Minor } | undefined {
  const first = fields?.minor("first");
  const last = fields?.minor("last");
  fields?.done();
  return first === undefined || last === undefined ? undefined : { first: first.value, last: last.value };
}

const REVISED = ["introduced", "deprecated", "removed", "replacement"] as const;

function readRevision(fields: Fields): Revision | undefined {
  const at = fields.minor("in");
  if (!fields.has("in")) fields.missing("in", "the release that changed the value");
  const field = fields.choice("field", REVISED);
  const was = fields.scalar("was");
  fields.scalar("now");
  fields.done();
  if (at === undefined || field === undefined) return undefined;
  if (field.value === "replacement") return { in: at.value, was: { replacement: parseReference(was?.text) } };
  const value = was === undefined ? undefined : parseMinor(was.text);
  if (was !== undefined && value === undefined)
    return void fields
      .at("was")
      .invalid("VER001", was.text, "must be a release", "use major.minor in quotes, or null");
  return { in: at.value, was: { [field.value]: value } };
}

/** A lifecycle runs forward: introduced, then deprecated, then removed. */
function checkOrder({ introduced, deprecated, removed, place, ...kind }: ApiKind, report: Report): void {
  const pairs = [
    ["introduced", introduced, "deprecated", deprecated, 0],
    ["introduced", introduced, "removed", removed, 1],
    ["deprecated", deprecated, "removed", removed, 0],
  ] as const;
  for (const [earlier, from, later, to, gap] of pairs)
    if (from !== undefined && to !== undefined && compareMinors(from, to) > -gap)
      problemList(report, `${groupVersion(kind)} ${kind.kind}`, place).report(
        "API001",
        "Invalid",
        `${later} ${formatMinor(to)} is before ${earlier} ${formatMinor(from)}`,
        "set introduced, deprecated and removed in this order",
      );
}
