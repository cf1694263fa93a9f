/** What fits where a machine gets its config from (facts/ignition-configs.md §4d; schemas/data/user-data-limits.json). */
import table from "../../../schemas/data/user-data-limits.json" with { type: "json" };

/** Places that machines read their first config from, each named after its platform. */
export type UserDataPlace = keyof typeof table.places;

interface Place {
  readonly what: string;
  /** The most that the place takes, in bytes. */
  readonly limit: number;
  /** Whether that is meant before or after encoding with base64. */
  readonly counts: string;
  /** Who makes the size no problem, and how. */
  readonly uploads?: string;
}

const PLACES: { readonly [name: string]: Place } = table.places;

export const USER_DATA_PLACES: readonly string[] = Object.keys(PLACES);

/** A config that does not fit. */
export interface Excess {
  readonly what: string;
  /** As the place counts. */
  readonly size: number;
  readonly limit: number;
  readonly uploads: string | undefined;
}

/** The size of a config as a place counts it. */
const counted = (bytes: number, { counts }: Place): number =>
  counts === "base64" ? Math.ceil(bytes / 3) * 4 : bytes;

/** Undefined when a config fits, or where no limit is known. */
export function excessOf(data: Uint8Array, place: string): Excess | undefined {
  const known = Object.hasOwn(PLACES, place) ? PLACES[place] : undefined;
  if (known === undefined) return undefined;
  const size = counted(data.length, known);
  const { what, limit, uploads } = known;
  return size <= limit ? undefined : { what, size, limit, uploads };
}
