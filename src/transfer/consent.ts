/**
 * Whether an approval still means what it meant when it was written, as far as the two objects themselves show:
 * expiry, the digest of the request, and whether the transfer was executed (docs/reference/pvc-transfer.md §1 O5, §11).
 */
import type { Code } from "../core/codes.js";
import type { ErrorKind, Severity } from "../core/diagnostics.js";
import { TRANSFER_GROUP } from "../kubernetes/storage-transfer.js";
import { pathWord } from "../text/shell.js";
import { ANNOTATIONS, describe, type TransferPair } from "./api.js";
import type { CheckName, TransferFinding } from "./findings.js";
import { parseMoment, pinsOf, requestDigest } from "./pins.js";

/** A finding about an approval, at its name. */
export const approvalFinding = (
  { request, approval }: TransferPair,
  check: CheckName,
  code: Code,
  kind: ErrorKind,
  words: {
    readonly severity?: Severity;
    readonly field: string;
    readonly message: string;
    readonly hint: string;
  },
): TransferFinding => ({
  check,
  code,
  kind,
  severity: "error",
  ...words,
  ...approval.place("name"),
  objects: [describe(request), describe(approval)],
});

const annotationField = (key: string): string => `metadata.annotations[${key}]`;

export function consentFindings(pair: TransferPair, now: Date): TransferFinding[] {
  const { request, approval } = pair;
  const findings: TransferFinding[] = [];
  const { digest, uid, expires } = pinsOf(approval);
  if ((request.group || TRANSFER_GROUP) !== (approval.group || TRANSFER_GROUP))
    findings.push(
      approvalFinding(pair, "groups", "TRF017", "Invalid", {
        severity: "warning",
        field: "apiVersion",
        message: `the request is in the group ${JSON.stringify(request.group)}, the approval in ${JSON.stringify(approval.group)}`,
        hint: "write both in the group that the definitions were made for",
      }),
    );
  if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest))
    findings.push(malformed(pair, ANNOTATIONS.requestDigest, "is not sha256: and 64 hexadecimal digits"));
  else if (digest !== undefined && digest !== requestDigest(request)) {
    const actual = requestDigest(request);
    findings.push(
      approvalFinding(pair, "stale", "TRF021", "Invalid", {
        field: annotationField(ANNOTATIONS.requestDigest),
        message: `the request (${request.file}:${request.line}) is no longer the one that was approved: approved ${short(digest)}, now ${short(actual)}`,
        hint: `read the request again; ${approveAgain(pair)}`,
      }),
    );
  }
  findings.push(...expiry(pair, expires, now));
  const executed = [request, approval].find(({ complete }) => complete);
  if (executed !== undefined)
    findings.push(
      approvalFinding(pair, "executed", "TRF024", "Forbidden", {
        field: "status.complete",
        message: `${describe(executed)} says that the transfer is complete; a pair is executed once`,
        hint: "remove both objects; a new transfer gets a new pair",
      }),
    );
  const missing = [
    ...(digest === undefined ? ["the request"] : []),
    ...(uid === undefined ? ["the claim"] : []),
  ];
  if (missing.length > 0 && executed === undefined)
    findings.push(
      approvalFinding(pair, "unpinned", "TRF016", "Required", {
        severity: "info",
        field: "metadata.annotations",
        message: `the approval does not pin ${missing.join(" and ")}, which may be exchanged under the same name`,
        hint: approveAgain(pair, " --expires DURATION"),
      }),
    );
  return findings;
}

/** How the source's side approves anew: an approval is never replaced, since somebody may have read it. */
export function approveAgain({ request, approval }: TransferPair, more = ""): string {
  const folder = /^(.+)\/source\/[^/]+\/[^/]+$/.exec(approval.file)?.[1];
  const out = folder === undefined ? "" : ` --out ${pathWord(folder)}`;
  return `let the source's side remove this approval and approve anew: slipway transfer approve ${pathWord(request.file)} --state DUMP${more}${out}`;
}

const short = (digest: string): string => digest.slice(0, "sha256:".length + 12);

function malformed(pair: TransferPair, key: string, fault: string): TransferFinding {
  const written = pair.approval.annotations.get(key) ?? "";
  return approvalFinding(pair, "pin", "TRF025", "Invalid", {
    field: annotationField(key),
    message: `${JSON.stringify(written.slice(0, 80))} ${fault}`,
    hint: approveAgain(pair),
  });
}

function expiry(pair: TransferPair, expires: string | undefined, now: Date): TransferFinding[] {
  if (expires === undefined) return [];
  const moment = parseMoment(expires);
  if (moment === undefined)
    return [malformed(pair, ANNOTATIONS.expires, "is not a moment such as 2030-01-31T12:00:00Z")];
  if (moment > now.getTime()) return [];
  return [
    approvalFinding(pair, "expired", "TRF020", "Forbidden", {
      field: annotationField(ANNOTATIONS.expires),
      message: `the approval expired at ${expires}, and it is ${now.toISOString()}`,
      hint: approveAgain(pair, " --expires DURATION"),
    }),
  ];
}
