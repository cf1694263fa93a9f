/** Durations as they are written on the command line, and moments and durations as they are shown. */

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);
/** A hundred years: beyond it a duration is a slip of the finger. */
const LONGEST = 36_525 * 86_400_000;

/** Milliseconds of a duration such as `1h`, `7d` or `1d12h`; undefined when the text is none or not above zero. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,9}[smhdw])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d{1,9})([smhdw])/g)];
  const sum = parts.reduce(
    (total, [, count, unit]) => total + Number(count) * (UNITS.get(unit ?? "") ?? 0),
    0,
  );
  return sum > 0 && sum <= LONGEST ? sum : undefined;
}

/** Two units at most, such as `23 h 40 min` or `6 d 3 h`; below a minute, seconds. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const parts: [count: number, unit: string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor((seconds % 86_400) / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "min"],
    [seconds % 60, "s"],
  ];
  const from = parts.findIndex(([count]) => count > 0);
  const shown = from < 0 ? parts.slice(-1) : parts.slice(from, from + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

const GO_TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})([.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2}))$/;

/**
 * True for a time as Go's `time.Parse` reads the layout RFC3339: an hour may have one digit, a fraction a comma.
 *
 * @param micro the layout of MicroTime, whose fraction has six digits
 */
export function isGoTime(text: string, micro = false): boolean {
  const [, year, month, day, hour, minute, second, fraction = "", zoneHour = "0", zoneMinute = "0"] =
    GO_TIME.exec(text) ?? [];
  if (year === undefined || (micro && fraction.length !== 7)) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return (
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(zoneHour) <= 24 &&
    Number(zoneMinute) <= 60
  );
}

/** RFC 3339 in UTC with whole seconds, as Kubernetes writes times. */
export const formatMoment = (milliseconds: number): string =>
  new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace(".000Z", "Z");
