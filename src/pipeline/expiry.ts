/**
 * How long the certificates of a cluster last. Some are valid for a day only, for they are meant for the hours of an
 * installation (docs/reference/ignition-configs.md §1e, §8c); machines that start from older configs never come up.
 */
import { type Problem, problem } from "../core/problem.js";
import { formatDuration, formatMoment } from "../core/time.js";
import { type InstallerState, upstreamCertificate } from "../directory/index.js";
import { commandFor, type Form } from "../phases/ignition-configs/forms.js";
import { isCertificate, readCertificate } from "../pki/certificate.js";
import type { Expiry } from "../pki/cluster.js";
import { PKI } from "../pki/graph.js";

type Ending = Pick<Expiry, "notAfter"> & { readonly name: string };

const HOUR = 3_600_000;

/** `--renew` signs again what ends within a week: always what is valid for a day, never what is valid for a year. */
export const RENEWAL = 7 * 24 * HOUR;

/** An installation takes about an hour, and people start it later than they mean to. */
const SHORT = 12 * HOUR;

/** How long those last that are valid for a day, when they are new. */
const NEW = 24 * HOUR;

const renewWith = (forms: readonly Form[]): string =>
  `to renew certificates that expire soon, with the same keys, run: slipway ${commandFor(forms)} --renew`;

/**
 * Errors where a certificate has ended or lasts less than `minValidity` milliseconds, else a warning where the first
 * one ends within half a day.
 * @param expiries the soonest first
 * @param forms the ways of installing that there are configs for
 */
export function expiryProblems(
  expiries: readonly Ending[],
  now: Date,
  minValidity: number,
  file: string,
  forms: readonly Form[],
): Problem[] {
  const [first] = expiries;
  if (first === undefined) return [];
  const left = first.notAfter.getTime() - now.getTime();
  const among = expiries.filter(
    ({ notAfter }) => notAfter.getTime() - now.getTime() < Math.max(minValidity, 1),
  );
  const names = listed(among.length > 0 ? among : [first]);
  const moment = formatMoment(first.notAfter.getTime());
  const ends = (message: string, severity: "error" | "warning"): Problem =>
    problem("IGN020", "Invalid", "", message, {
      severity,
      file,
      hint:
        minValidity < NEW
          ? renewWith(forms)
          : `set --min-validity to less than ${formatDuration(NEW)}, the lifetime of new certificates`,
    });
  if (left <= 0) return [ends(`certificates have expired, the first at ${moment}: ${names}`, "error")];
  if (left < minValidity)
    return [
      ends(
        `certificates expire in ${formatDuration(left)}, less than --min-validity (${formatDuration(minValidity)}):  ${names}`,
        "error",
      ),
    ];
  return left < SHORT
    ? [
        ends(
          `use these files before ${moment}: the first certificates expire in ${formatDuration(left)}`,
          "warning",
        ),
      ]
    : [];
}

export interface Validity extends Expiry {
  readonly notBefore: Date;
}

/** When the certificates of a state begin and end, the soonest to end first. */
export const knownExpiries = (state: InstallerState): Validity[] =>
  PKI.flatMap((entry): Validity[] => {
    const certificate = entry.kind === "plain" ? undefined : upstreamCertificate(state, entry.upstream);
    // A damaged one is signed anew by the next run.
    if (entry.kind === "plain" || certificate === undefined || !isCertificate(certificate)) return [];
    const { notBefore, notAfter } = readCertificate(certificate);
    return [{ name: entry.name, notBefore, notAfter }];
  }).sort((a, b) => a.notAfter.getTime() - b.notAfter.getTime());

function listed(expiries: readonly Ending[]): string {
  const names = expiries.slice(0, 3).map(({ name }) => name);
  const more = expiries.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
