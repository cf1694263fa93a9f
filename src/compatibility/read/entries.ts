/** Tables of fields (kind FieldCompatibility) and of CEL libraries (kind CELLibraries). */

import builtIn from "../../../tables/kubernetes-cel.json" with { type: "json" };
import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { CelEntry } from "../cel.js";
import { FIELD_CHANGES, type FieldEntry } from "../fields.js";
import { NOWHERE } from "../rules.js";
import { compareMinors, formatMinor, type Minor, maxMinor, parseMinor } from "../version.js";
import { ownFields, ownKind, readDocument } from "./document.js";
import { type Fields, placeIn } from "./fields.js";

export interface EntryTable<T> {
  readonly entries: readonly T[];
  /** The last release that the table speaks of: `through`, or that of its newest entry. */
  readonly newest: Minor | undefined;
}

export const readFieldTable = (text: string, file: string, report: Report): EntryTable<FieldEntry> =>
  readEntries(text, file, "FieldCompatibility", report, readField);

export const readCelTable = (text: string, file: string, report: Report): EntryTable<CelEntry> =>
  readEntries(text, file, "CELLibraries", report, readCel);

/** A release of our own data. */
function known(text: string): Minor {
  const minor = parseMinor(text);
  if (minor === undefined) throw new Error(`${text} is not a release`);
  return minor;
}

/** The libraries and options of Kubernetes' base environment. */
export const builtInCel = (): EntryTable<CelEntry> => ({
  entries: builtIn.entries.map((entry) => ({
    name: entry.name,
    introduced: known(entry.introduced),
    removed: "removed" in entry && entry.removed !== undefined ? known(entry.removed) : undefined,
    gate: "gate" in entry ? entry.gate : undefined,
    place: NOWHERE,
  })),
  newest: known(builtIn.through),
});

function readEntries<T extends { readonly name: string; readonly introduced: Minor }>(
  text: string,
  file: string,
  kind: string,
  report: Report,
  read: (fields: Fields) => T | undefined,
): EntryTable<T> {
  const nothing: EntryTable<T> = { entries: [], newest: undefined };
  const document = readDocument(text, file, report);
  if (document === undefined) return nothing;
  const fields = ownKind(document.root) === kind ? ownFields(document) : undefined;
  if (fields === undefined) {
    problemList(report, "", placeIn(document.source, document.root)).report(
      "TAB005",
      "Invalid",
      `not a ${kind}`,
      `use apiVersion: slipway.dev/v1alpha1 and kind: ${kind}`,
    );
    return nothing;
  }
  fields.text("source");
  const through = fields.minor("through")?.value;
  if (!fields.has("entries")) fields.missing("entries", "a list of entries");
  const seen = new Set<string>();
  const entries = (fields.list("entries") ?? []).flatMap((each): T[] => {
    const entry = read(each);
    each.done();
    if (entry === undefined) return [];
    if (seen.has(entry.name)) each.at("name").duplicate("TAB006", entry.name, "remove one of them");
    seen.add(entry.name);
    return [entry];
  });
  fields.done();
  const [first, ...others] = entries.map(({ introduced }) => introduced);
  const newest = first === undefined ? through : others.reduce(maxMinor, maxMinor(first, through ?? first));
  return { entries, newest };
}

function readField(fields: Fields): FieldEntry | undefined {
  const name = fields.required("name", "the name of the entry");
  if (!fields.has("change")) fields.missing("change", `one of ${FIELD_CHANGES.join(", ")}`);
  const change = fields.choice("change", FIELD_CHANGES);
  for (const key of ["group", "version", "kind", "path", "gate", "description"]) fields.text(key);
  if (!fields.has("introduced")) fields.missing("introduced", "the first release that has it");
  const introduced = fields.minor("introduced");
  const tolerated = fields.minor("toleratedSince");
  if (name === undefined || change === undefined || introduced === undefined) return undefined;
  const toleratedSince = tolerated?.value ?? introduced.value;
  if (compareMinors(toleratedSince, introduced.value) > 0)
    fields
      .at("toleratedSince")
      .report(
        "API001",
        "Invalid",
        `tolerated since ${formatMinor(toleratedSince)}, after its introduction in ${formatMinor(introduced.value)}`,
        `use ${formatMinor(introduced.value)} or earlier`,
      );
  return {
    name: name.value,
    change: change.value,
    introduced: introduced.value,
    toleratedSince,
    place: fields.place,
  };
}

function readCel(fields: Fields): CelEntry | undefined {
  const name = fields.required("name", "the name of the entry");
  if (!fields.has("introduced")) fields.missing("introduced", "the first release that has it");
  const introduced = fields.minor("introduced");
  const removed = fields.minor("removed");
  const gate = fields.text("gate")?.value;
  fields.text("description");
  if (name === undefined || introduced === undefined) return undefined;
  if (removed !== undefined && compareMinors(removed.value, introduced.value) <= 0)
    fields
      .at("removed")
      .report(
        "API001",
        "Invalid",
        `removed in ${formatMinor(removed.value)}, which is not after its introduction in ${formatMinor(introduced.value)}`,
        "set removed to the first environment version without it",
      );
  return {
    name: name.value,
    introduced: introduced.value,
    removed: removed?.value,
    gate,
    place: fields.place,
  };
}
