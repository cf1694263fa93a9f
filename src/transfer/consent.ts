/**
 * Whether an approval still means what it meant when it was written, as far as the two objects themselves show:
 * expiry, the digest of the request, and whether the transfer was executed (docs/reference/pvc-transfer.md §1 O5, §11).
 */
import type { PlacedProblems } from "../core/problem.js";
import { TRANSFER_GROUP } from "../crd/storage-transfer.js";
import { pathWord } from "../text/shell.js";
import { ANNOTATIONS, describe, type TransferPair } from "./api.js";
import { type CheckName, findingsOf, type TransferFinding } from "./findings.js";
import { parseMoment, pinsOf, requestDigest } from "./pins.js";

/** Constructors of findings about an approval, at its name. */
export const approvalFinding = (
  { request, approval }: TransferPair,
  check: CheckName,
): PlacedProblems<TransferFinding> => findingsOf(check, approval.place("name"), [request, approval]);

const annotationField = (key: string): string => `metadata.annotations[${key}]`;

export function consentFindings(pair: TransferPair, now: Date): TransferFinding[] {
  const { request, approval } = pair;
  const findings: TransferFinding[] = [];
  const { digest, uid, expires } = pinsOf(approval);
  if ((request.group || TRANSFER_GROUP) !== (approval.group || TRANSFER_GROUP))
    findings.push(
      approvalFinding(pair, "groups").warning(
        "TRF017",
        "Invalid",
        "apiVersion",
        `the request is in API group ${JSON.stringify(request.group)}, the approval in ${JSON.stringify(approval.group)}`,
        "use the API group of the installed CRDs in both",
      ),
    );
  if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest))
    findings.push(
      malformed(pair, ANNOTATIONS.requestDigest, "must be sha256: followed by 64 hexadecimal digits"),
    );
  else if (digest !== undefined && digest !== requestDigest(request)) {
    const actual = requestDigest(request);
    findings.push(
      approvalFinding(pair, "stale").error(
        "TRF021",
        "Invalid",
        annotationField(ANNOTATIONS.requestDigest),
        `the request (${request.file}:${request.line}) has changed since its approval: approved ${short(digest)}, found ${short(actual)}`,
        `review the request again; ${approveAgain(pair)}`,
      ),
    );
  }
  findings.push(...expiry(pair, expires, now));
  const executed = [request, approval].find(({ complete }) => complete);
  if (executed !== undefined)
    findings.push(
      approvalFinding(pair, "executed").error(
        "TRF024",
        "Forbidden",
        "status.complete",
        `${describe(executed)} is complete; a pair is executed only once`,
        "remove both objects and create a new pair for a new transfer",
      ),
    );
  const missing = [
    ...(digest === undefined ? ["the request"] : []),
    ...(uid === undefined ? ["the claim"] : []),
  ];
  if (missing.length > 0 && executed === undefined)
    findings.push(
      approvalFinding(pair, "unpinned").info(
        "TRF016",
        "Required",
        "metadata.annotations",
        `the approval does not pin ${missing.join(" and ")}, which could be replaced under the same name`,
        approveAgain(pair, " --expires DURATION"),
      ),
    );
  return findings;
}

/** How the source's side approves anew: an approval is never replaced, since somebody may have read it. */
export function approveAgain({ request, approval }: TransferPair, more = ""): string {
  const folder = /^(.+)\/source\/[^/]+\/[^/]+$/.exec(approval.file)?.[1];
  const out = folder === undefined ? "" : ` --out ${pathWord(folder)}`;
  return `have the owner of the source remove this approval and approve again: slipway transfer approve ${pathWord(request.file)} --state DUMP${more}${out}`;
}

const short = (digest: string): string => digest.slice(0, "sha256:".length + 12);

function malformed(pair: TransferPair, key: string, fault: string): TransferFinding {
  const written = pair.approval.annotations.get(key) ?? "";
  return approvalFinding(pair, "pin").error(
    "TRF025",
    "Invalid",
    annotationField(key),
    `invalid value ${JSON.stringify(written.slice(0, 80))}: ${fault}`,
    approveAgain(pair),
  );
}

function expiry(pair: TransferPair, expires: string | undefined, now: Date): TransferFinding[] {
  if (expires === undefined) return [];
  const moment = parseMoment(expires);
  if (moment === undefined)
    return [malformed(pair, ANNOTATIONS.expires, "must be a timestamp such as 2030-01-31T12:00:00Z")];
  if (moment > now.getTime()) return [];
  return [
    approvalFinding(pair, "expired").error(
      "TRF020",
      "Forbidden",
      annotationField(ANNOTATIONS.expires),
      `the approval expired at ${expires}; it is now ${now.toISOString()}`,
      approveAgain(pair, " --expires DURATION"),
    ),
  ];
}
