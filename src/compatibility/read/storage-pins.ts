/** Storage versions that are fixed by hand: kind StoragePins, or a mapping with `snapshots`. */

import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { GroupResource, Pin, PinSnapshot, StoragePins } from "../storage-versions.js";
import { minorOf, parseVersion } from "../version.js";
import { ownKind, readDocument } from "./document.js";
import { Fields, mappingsOf, placeIn, wrongType } from "./fields.js";

export function readStoragePins(text: string, file: string, report: Report): StoragePins | undefined {
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  const { root, source } = document;
  const own = ownKind(root);
  if (root.type !== "mapping" || (own !== undefined && own !== "StoragePins")) {
    problemList(report, "", placeIn(source, root)).report(
      "TAB005",
      "Invalid",
      "not a table of storage pins",
      "use a StoragePins document, or a mapping with snapshots",
    );
    return undefined;
  }
  const fields = new Fields(root, "", source);
  for (const key of ["apiVersion", "kind", "$schema", "metadata", "etcdNames"]) fields.entry(key);
  if (!fields.has("snapshots")) fields.missing("snapshots", "a list of {at, pins}");
  const snapshots = (fields.list("snapshots") ?? []).flatMap((each): PinSnapshot[] => {
    const at = each.version("at", parseVersion);
    if (!each.has("at")) each.missing("at", "the release that the pins are from");
    const pins = (each.list("pins") ?? []).flatMap((pin) => readPin(pin) ?? []);
    each.done();
    return at === undefined ? [] : [{ at: minorOf(at.value), pins }];
  });
  const cohabitation = fields.items("cohabitation")?.flatMap((item, i): GroupResource[][] => {
    if (item.type !== "sequence") {
      wrongType(source, item, `cohabitation[${i}]`, "a list of resources");
      return [];
    }
    return [
      mappingsOf(item.items, `cohabitation[${i}]`, source).flatMap((each) => {
        const found = readGroupResource(each);
        each.done();
        return found ?? [];
      }),
    ];
  });
  fields.done();
  return { snapshots, cohabitation };
}

function readPin(fields: Fields): Pin | undefined {
  const target = readGroupResource(fields);
  const version = fields.required("version", "the API version to store");
  fields.done();
  if (target === undefined || version === undefined) return undefined;
  return { ...target, version: version.value, place: fields.place };
}

function readGroupResource(fields: Fields): GroupResource | undefined {
  const group = fields.required("group", 'the API group; "" for the core group');
  const resource = fields.required("resource", "the plural name of the resource");
  return group === undefined || resource === undefined
    ? undefined
    : { group: group.value, resource: resource.value };
}
