/** A StoragePolicy document; what it leaves out is as in its preset. */

import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import {
  type Fields,
  formatMinor,
  ownFields,
  ownKind,
  parseMinor,
  placeIn,
  readDocument,
} from "../compatibility.js";
import {
  type Durations,
  LARGEST,
  PRESETS,
  presetPolicy,
  type ServedDuration,
  type STABILITIES,
  type StoragePolicy,
} from "../policy.js";

export function readStoragePolicy(text: string, file: string, report: Report): StoragePolicy | undefined {
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  const fields = ownKind(document.root) === "StoragePolicy" ? ownFields(document) : undefined;
  if (fields === undefined) {
    problemList(report, "", placeIn(document.source, document.root)).report(
      "TAB005",
      "Invalid",
      "not a StoragePolicy",
      "use apiVersion: slipway.dev/v1alpha1 and kind: StoragePolicy, or one of the presets kep and moratorium",
    );
    return undefined;
  }
  const policy = policyFrom(fields, fields.mapping("metadata")?.text("name")?.value ?? file);
  fields.done();
  return policy;
}

/** The members of a policy, also where one stands inside another document. */
export function policyFrom(fields: Fields, name: string): StoragePolicy {
  const base = presetPolicy(fields.choice("preset", PRESETS)?.value ?? "kep");
  return {
    name,
    durations: durationsFrom(fields, base.durations),
    alpha: nested(fields.mapping("alpha"), (own) => durationsFrom(own, base.alpha)) ?? base.alpha,
    moratorium: fields.boolean("moratorium")?.value ?? base.moratorium,
    maxUpgrade: numberFrom(fields, "maxUpgrade", 0) ?? base.maxUpgrade,
    maxDowngrade: numberFrom(fields, "maxDowngrade", 0) ?? base.maxDowngrade,
    served: servedFrom(fields.mapping("served"), base.served),
    dates: datesFrom(fields.mapping("releaseDates")),
  };
}

const durationsFrom = (fields: Fields, base: Durations): Durations => ({
  supported: numberFrom(fields, "supported", 0) ?? base.supported,
  migrated: numberFrom(fields, "migrated", 0) ?? base.migrated,
});

function nested<T>(fields: Fields | undefined, read: (fields: Fields) => T): T | undefined {
  if (fields === undefined) return undefined;
  const value = read(fields);
  fields.done();
  return value;
}

function numberFrom(fields: Fields, key: string, least: number): number | undefined {
  const found = fields.integer(key);
  if (found === undefined || (found.value >= least && found.value <= LARGEST)) return found?.value;
  return void fields
    .at(key)
    .report(
      "STO010",
      "Invalid",
      `P1 numbers: invalid value ${found.value}: must be between ${least} and ${LARGEST}`,
      "set it to a number of releases",
    );
}

function servedFrom(fields: Fields | undefined, base: StoragePolicy["served"]): StoragePolicy["served"] {
  if (fields === undefined) return base;
  const read = (stability: (typeof STABILITIES)[number]): ServedDuration =>
    nested(fields.mapping(stability), (own) => ({
      releases: numberFrom(own, "releases", 0) ?? base[stability].releases,
      months: numberFrom(own, "months", 0) ?? base[stability].months,
    })) ?? base[stability];
  const served = { stable: read("stable"), beta: read("beta"), alpha: read("alpha") };
  fields.done();
  return served;
}

function datesFrom(fields: Fields | undefined): StoragePolicy["dates"] {
  if (fields === undefined) return [];
  return fields.node.entries.flatMap(({ key }) => {
    const release = parseMinor(key.text);
    const text = fields.text(key.text);
    if (release === undefined) {
      fields
        .at(key.text)
        .invalid("VER001", key.text, "must be a release", "use major.minor in quotes, such as '1.35'");
      return [];
    }
    if (text === undefined) return [];
    const date = new Date(`${text.value}T00:00:00Z`);
    if (/^\d{4}-\d{2}-\d{2}$/.test(text.value) && !Number.isNaN(date.getTime())) return [{ release, date }];
    fields
      .at(key.text)
      .report(
        "STO011",
        "Invalid",
        `P2 dates: invalid date ${JSON.stringify(text.value)} of release ${formatMinor(release)}`,
        "use year-month-day in quotes",
      );
    return [];
  });
}
