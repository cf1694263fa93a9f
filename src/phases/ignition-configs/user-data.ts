/** Whether a config fits where a machine gets it from (docs/reference/ignition-configs.md §4d). */
import { USER_DATA_LIMITS } from "../../platforms/user-data.js";

/** A config that does not fit. */
export interface Excess {
  readonly what: string;
  /** As the place counts. */
  readonly size: number;
  readonly limit: number;
  readonly uploads: string | undefined;
}

/** Undefined when a config fits, or where no limit is known. */
export function excessOf(data: Uint8Array, place: string): Excess | undefined {
  const known = USER_DATA_LIMITS.get(place);
  if (known === undefined) return undefined;
  const size = known.counts === "base64" ? Math.ceil(data.length / 3) * 4 : data.length;
  const { what, limit, uploads } = known;
  return size <= limit ? undefined : { what, size, limit, uploads };
}
