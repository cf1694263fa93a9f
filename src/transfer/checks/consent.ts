/**
 * Whether an approval still means what it meant, as a dump shows: the identity of the claim and its volume, a
 * transfer that was executed, and objects in the cluster that differ from those in the files
 * (docs/reference/pvc-transfer.md §1 O5, §11).
 */
import type { JsonObject } from "../../core/json.js";
import { equalJson } from "../../core/json.js";
import { ANNOTATIONS, describe, kindOf, nameText, type TransferObject, type TransferPair } from "../api.js";
import { approvalFinding, approveAgain } from "../consent.js";
import type { TransferFinding } from "../findings.js";
import { annotationOf, at, objectAt, textAt, uidOf } from "../object.js";
import { pinsOf, requestDigest } from "../pins.js";
import { type ClusterState, transferKey } from "../state.js";
import {
  type Context,
  type PlanOptions,
  type TransferContext,
  transferContextOf,
  transferId,
} from "../transfer-context.js";

const field = (key: string): string => `metadata.annotations[${key}]`;

export function consentInState(transferContext: TransferContext, context: Context): TransferFinding[] {
  const { pair, claim, source } = transferContext;
  const { uid, volume } = pinsOf(pair.approval);
  const findings = liveFindings(transferContext, context);
  const executed = executedBefore(transferContext, context);
  if (executed !== "") {
    findings.push(
      approvalFinding(pair, "executed").error(
        "TRF024",
        "Forbidden",
        "spec",
        `the pair was already executed: ${executed}`,
        "remove both objects and create a new pair for a new transfer",
      ),
    );
    return findings;
  }
  if (claim === undefined) return findings;
  const now = uidOf(claim.object);
  if (uid !== undefined && now !== "" && uid !== now)
    findings.push(
      approvalFinding(pair, "recreated").error(
        "TRF022",
        "Forbidden",
        field(ANNOTATIONS.sourceUid),
        `claim ${nameText(source)} is not the approved one: approved uid ${uid}, found ${now} (${claim.file}:${claim.line})`,
        `the claim was re-created under the same name; ${approveAgain(pair)}`,
      ),
    );
  const named = textAt(claim.object, "spec", "volumeName");
  if (volume !== undefined && named !== volume && (uid === undefined || uid === now))
    findings.push(
      approvalFinding(pair, "volume").error(
        "TRF023",
        "Forbidden",
        field(ANNOTATIONS.volume),
        `claim ${nameText(source)} is bound to ${named === "" ? "no volume" : `volume ${named}`}, but the approval is for volume ${volume}`,
        approveAgain(pair),
      ),
    );
  return findings;
}

/** How it shows that the pair was executed before, in words; empty when it does not. */
function executedBefore(transferContext: TransferContext, { state, transferContexts }: Context): string {
  const { pair, claim, target, request, id } = transferContext;
  const pins = pinsOf(pair.approval);
  const live = [pair.request, pair.approval].find((object) => {
    const found = state.transferObjects.get(transferKey(kindOf(object), object));
    return found !== undefined && at(found.object, "status", "complete") === true;
  });
  if (live !== undefined) return `${describe(live)} is complete in the cluster`;
  const found = state.claims.get(nameText(target));
  if (found === undefined) return "";
  const { object } = found;
  if (transferContexts.some((each) => each.claim !== undefined && uidOf(each.claim.object) === uidOf(object)))
    return "";
  const mark = annotationOf(object, ANNOTATIONS.plan);
  const volume = textAt(object, "spec", "volumeName");
  const holds = textAt(object, "status", "phase") === "Bound" ? `, bound to volume ${volume}` : "";
  const place = `claim ${nameText(target)} (${found.file}:${found.line})`;
  // The mark tells which claim and volume were moved for which request.
  const volumeUid = uidOf(state.volumes.get(volume)?.object ?? {});
  if (
    pins.uid !== undefined &&
    mark === transferId(requestDigest(request), pins.uid, volumeUid) &&
    mark !== id
  )
    return `${place} is annotated with this pair${holds}`;
  const differs = pins.uid !== undefined && uidOf(claim?.object ?? {}) !== pins.uid;
  if (pins.volume !== undefined && differs && volume === pins.volume && holds !== "")
    return `${place} is bound to the approved volume ${volume}, and the approved source does not exist`;
  if (mark !== undefined && mark !== id && holds !== "")
    return `${place} is annotated with an earlier transfer${holds}`;
  return "";
}

/** What Git says and what the cluster says must be one thing. */
function liveFindings({ pair }: TransferContext, { state }: Context): TransferFinding[] {
  return [pair.request, pair.approval].flatMap((object): TransferFinding[] => {
    const found = state.transferObjects.get(transferKey(kindOf(object), object));
    if (found === undefined || sameMeaning(object, found.object)) return [];
    return [
      approvalFinding(pair, "differs-in-cluster").warning(
        "TRF026",
        "Invalid",
        "spec",
        `${describe(object)} (${object.file}:${object.line}) differs from the one in the cluster (${found.file}:${found.line})`,
        "make Git and the cluster identical before running the plan; a spec is immutable, so create the object again",
      ),
    ];
  });
}

const sameMeaning = (object: TransferObject, live: JsonObject): boolean =>
  equalJson(object.spec(), objectAt(live, "spec"));

/** The same for pairs without a plan, for `transfer match --state`. */
export function consentOfPairs(pairs: readonly TransferPair[], state: ClusterState): TransferFinding[] {
  const transferContexts = pairs.map((pair) => transferContextOf(pair, state, MATCH_OPTIONS));
  const context: Context = { state, transferContexts, options: MATCH_OPTIONS };
  return transferContexts.flatMap((transferContext) => consentInState(transferContext, context));
}

const MATCH_OPTIONS: PlanOptions = {
  allowCycles: true,
  recreateUnbound: false,
  waivedFinalizers: new Set(),
  keepLabels: undefined,
  lateCreate: false,
};
