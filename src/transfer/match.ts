/**
 * Requests and approvals to pairs. Given a request, M3 and M6 determine namespace and name of its approval, so a pair
 * is found by looking up, not by searching (docs/reference/pvc-transfer.md §1); what has no partner is told which
 * condition fails.
 */
import { byCodeUnit } from "../core/files.js";
import {
  describe,
  nameText,
  type TransferApproval,
  type TransferObject,
  type TransferPair,
  type TransferRequest,
} from "./api.js";
import { closestPartner } from "./closest-partner.js";
import { type FailedCondition, failedConditions, matches } from "./conditions.js";
import { consentFindings } from "./consent.js";
import { findingsOf, type TransferFinding } from "./findings.js";
import { requestDigest } from "./pins.js";
import { setFindings } from "./set-checks.js";

export interface Unmatched {
  readonly object: TransferObject;
  /** Undefined when there is no object of the other kind at all. */
  readonly closest: TransferObject | undefined;
  readonly failed: readonly FailedCondition[];
}

export interface MatchResult {
  /** In the order of the requests' namespace and name. */
  readonly pairs: readonly TransferPair[];
  readonly unmatched: readonly Unmatched[];
  readonly findings: readonly TransferFinding[];
}

export interface MatchOptions {
  /** The present moment, for expiries. */
  readonly now: Date;
  /** Take transfers that run in a circle, and chains, without a finding that counts. */
  readonly allowCycles: boolean;
}

/** Finds every pair, and everything that is wrong with the set. */
export function matchTransfers(objects: readonly TransferObject[], options: MatchOptions): MatchResult {
  const findings: TransferFinding[] = [];
  const requests = unique(
    objects.filter((each) => each.type === "request"),
    requestDigest,
    findings,
  );
  const approvals = unique(
    objects.filter((each) => each.type === "approval"),
    approvalMeaning,
    findings,
  );
  const pairs: TransferPair[] = [];
  const paired = new Set<TransferObject>();
  for (const request of requests.values()) {
    const approval = approvals.get(`${request.sourceNamespace}/${request.approvalName}`);
    // A malformed object asks for, or agrees to, something that is not known.
    if (approval === undefined || !request.valid || !approval.valid || !matches(request, approval)) continue;
    pairs.push({ request, approval });
    paired.add(request).add(approval);
  }
  const all = [...requests.values()];
  return {
    pairs,
    unmatched: unmatchedOf(all, [...approvals.values()], paired),
    findings: [
      ...findings,
      ...setFindings(pairs, all, options),
      ...pairs.flatMap((pair) => consentFindings(pair, options.now)),
    ],
  };
}

const approvalMeaning = ({
  requestName,
  targetNamespace,
  sourceKind,
  sourceName,
  annotations,
}: TransferApproval) =>
  JSON.stringify([requestName, targetNamespace, sourceKind, sourceName, [...annotations].sort()]);

/** Objects by `namespace/name`, sorted; two documents of one object are an error unless they say the same. */
function unique<T extends TransferRequest | TransferApproval>(
  objects: readonly T[],
  meaning: (object: T) => string,
  findings: TransferFinding[],
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const object of objects) {
    const key = nameText(object);
    const first = found.get(key);
    if (first === undefined) {
      found.set(key, object);
      continue;
    }
    const same = meaning(first) === meaning(object);
    findings.push(
      findingsOf("duplicate", object.place("name"), [object])[same ? "info" : "error"](
        "TRF005",
        "Duplicate",
        "metadata.name",
        `${describe(object)} is also in ${first.file}:${first.line}${same ? " with the same content" : " with different content"}`,
        same ? "" : "keep one of them; the first one is used here",
      ),
    );
  }
  return new Map([...found].sort(([a], [b]) => byCodeUnit(a, b)));
}

function unmatchedOf(
  requests: readonly TransferRequest[],
  approvals: readonly TransferApproval[],
  paired: ReadonlySet<TransferObject>,
): Unmatched[] {
  const free = {
    requests: requests.filter((each) => !paired.has(each)),
    approvals: approvals.filter((each) => !paired.has(each)),
  };
  if (free.requests.length === 0 && free.approvals.length === 0) return [];
  const partners = closestPartner(free, {
    requests: requests.filter((each) => paired.has(each)),
    approvals: approvals.filter((each) => paired.has(each)),
  });
  return [
    ...free.requests.map((object): Unmatched => {
      const closest = partners.approvalFor(object);
      return { object, closest, failed: closest === undefined ? [] : failedConditions(object, closest) };
    }),
    ...free.approvals.map((object): Unmatched => {
      const closest = partners.requestFor(object);
      return { object, closest, failed: closest === undefined ? [] : failedConditions(closest, object) };
    }),
  ];
}
