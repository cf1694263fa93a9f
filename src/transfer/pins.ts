/**
 * What an approval is pinned to. The design consents by name, so that a pair left in Git approves the next claim of
 * that name; annotations bind it to the request that was read, to one claim and volume, and to a time
 * (docs/reference/pvc-transfer.md §1 O5, §11).
 */
import { createHash } from "node:crypto";
import { ANNOTATIONS, type TransferApproval, type TransferRequest, targetOf } from "./api.js";

/** What a request asks for, in the fields that count. */
export type Asked = Pick<
  TransferRequest,
  "namespace" | "name" | "sourceKind" | "sourceNamespace" | "sourceName" | "approvalName" | "targetName"
>;

/** What is asked for, as one digest; neither labels, annotations nor the spelling of a default count. */
export function requestDigest(request: Asked): string {
  const { namespace, name, sourceKind, sourceNamespace, sourceName, approvalName } = request;
  const meaning = JSON.stringify([
    namespace,
    name,
    sourceKind,
    sourceNamespace,
    sourceName,
    approvalName,
    targetOf(request).name,
  ]);
  return `sha256:${createHash("sha256").update(meaning, "utf8").digest("hex")}`;
}

/** Pins as they are written; undefined where there is none. */
export interface Pins {
  readonly digest: string | undefined;
  readonly uid: string | undefined;
  readonly volume: string | undefined;
  readonly expires: string | undefined;
}

export const pinsOf = ({ annotations }: TransferApproval): Pins => ({
  digest: annotations.get(ANNOTATIONS.requestDigest),
  uid: annotations.get(ANNOTATIONS.sourceUid),
  volume: annotations.get(ANNOTATIONS.volume),
  expires: annotations.get(ANNOTATIONS.expires),
});

/** The annotations that pins are written as, in the order of their keys. */
export const pinAnnotations = (pins: Pins): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      [ANNOTATIONS.expires, pins.expires],
      [ANNOTATIONS.volume, pins.volume],
      [ANNOTATIONS.requestDigest, pins.digest],
      [ANNOTATIONS.sourceUid, pins.uid],
    ].flatMap(([key, value]): [string, string][] =>
      key === undefined || value === undefined ? [] : [[key, value]],
    ),
  );

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Milliseconds since 1970 of an RFC 3339 moment; undefined when the text is none, such as the 30th of February. */
export function parseMoment(text: string): number | undefined {
  const parts = MOMENT.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const leapSecond = Math.min(second, 59);
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, leapSecond));
  if (
    date.getUTCMonth() !== month - 1 ||
    date.getUTCDate() !== day ||
    hour > 23 ||
    minute > 59 ||
    second > 60
  )
    return undefined;
  const zone = parts[8] ?? "Z";
  const [zoneHour = 0, zoneMinute = 0] = zone.length === 1 ? [] : zone.slice(1).split(":").map(Number);
  if (zoneHour > 23 || zoneMinute > 59) return undefined;
  const offset = (zoneHour * 60 + zoneMinute) * (zone.startsWith("-") ? -60_000 : 60_000);
  return date.getTime() + (second - leapSecond) * 1000 - offset;
}
