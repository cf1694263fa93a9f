/**
 * Values and fields that came to an API over time: who may write them, who may read them
 * (docs/reference/source-designs.md §2.2).
 */

import type { Position } from "../core/diagnostics.js";
import type { EffectiveVersion } from "./effective.js";
import { compareMinors, formatMinor, type Minor, minorOf } from "./version.js";

export const FIELD_CHANGES = ["relaxed-validation", "enum-value", "field"] as const;
export type FieldChange = (typeof FIELD_CHANGES)[number];

export interface FieldEntry {
  readonly name: string;
  readonly change: FieldChange;
  /** First release that offers writing it. */
  readonly introduced: Minor;
  /** First release that accepts and keeps it when it is already stored; the same release unless it came earlier. */
  readonly toleratedSince: Minor;
  readonly place: Position;
}

export interface FieldAnswer {
  readonly name: string;
  readonly change: FieldChange;
  readonly mayWrite: boolean;
  readonly mayRead: boolean;
  readonly reason: string;
}

/**
 * Writing needs the emulated version to offer it and every release down to the minimum compatibility version to tolerate
 * it; reading needs the emulated version to tolerate it. Fields are shown as soon as the binary has them, never pruned.
 */
export function answerFields(entries: readonly FieldEntry[], versions: EffectiveVersion): FieldAnswer[] {
  const { emulation, minCompatibility } = versions;
  return entries.map(({ name, change, introduced, toleratedSince }) => {
    const offered = compareMinors(emulation, introduced) >= 0;
    const tolerated = compareMinors(minCompatibility, toleratedSince) >= 0;
    const reader = change === "field" ? minorOf(versions.binary) : emulation;
    const mayRead = compareMinors(reader, toleratedSince) >= 0;
    return {
      name,
      change,
      mayWrite: offered && tolerated,
      mayRead,
      reason: [
        writeReason(offered, tolerated, introduced, toleratedSince, versions),
        readReason(change, mayRead, toleratedSince, reader),
      ].join("; "),
    };
  });
}

function writeReason(
  offered: boolean,
  tolerated: boolean,
  introduced: Minor,
  toleratedSince: Minor,
  { emulation, minCompatibility }: EffectiveVersion,
): string {
  if (!offered)
    return `not written: introduced in ${formatMinor(introduced)}, after the emulated version ${formatMinor(emulation)}`;
  if (!tolerated)
    return `not written: not tolerated before ${formatMinor(toleratedSince)}, and the minimum compatibility version is ${formatMinor(minCompatibility)}`;
  return `written: tolerated by every release from ${formatMinor(minCompatibility)}`;
}

function readReason(change: FieldChange, mayRead: boolean, toleratedSince: Minor, reader: Minor): string {
  if (change === "field")
    return mayRead
      ? "read: stored fields are never pruned"
      : `not read: binary ${formatMinor(reader)} does not have the field, introduced in ${formatMinor(toleratedSince)}`;
  return mayRead
    ? `accepted if already stored, since ${formatMinor(toleratedSince)}`
    : `rejected even if already stored: tolerated since ${formatMinor(toleratedSince)}, read by ${formatMinor(reader)}`;
}
