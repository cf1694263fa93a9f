/** Requests and approvals as files: `transfer new` and `transfer approve`. */

import { createHash } from "node:crypto";
import type { Problem, Report } from "../core/diagnostics.js";
import { byCodeUnit, type OutputFile, textFile } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import { problem, problemList, unsupported } from "../core/problem.js";
import { formatMoment } from "../core/time.js";
import { withoutEnd } from "../core/trim.js";
import { CLAIM_KIND, TRANSFER_GROUP } from "../crd/storage-transfer.js";
import type { Renderer } from "../text/render.js";
import { writeYaml } from "../text/yaml-write.js";
import { ANNOTATIONS, type Name, nameText, sourceOf, type TransferRequest, targetOf } from "./api.js";
import { textAt, uidOf } from "./object.js";
import { type Asked, type Pins, pinAnnotations, requestDigest } from "./pins.js";
import type { ClusterState } from "./state.js";
import { claimOfVacant, vacatedBy } from "./vacant.js";

/** A move that is asked for. */
export interface TransferSpec {
  readonly source: Name;
  readonly target: Name;
}

export interface WriteOptions {
  readonly group: string;
  /** Milliseconds since 1970; undefined for no expiry. */
  readonly expires: number | undefined;
  /** Pins uid and volume. */
  readonly state: ClusterState | undefined;
}

const LONGEST_NAME = 253;

/** `PREFIX-NAME`, shortened with a digest where it would be no legal name any more. */
export function derivedName(prefix: string, name: string): string {
  const whole = `${prefix}-${name}`;
  if (whole.length <= LONGEST_NAME) return whole;
  const digest = createHash("sha256").update(name, "utf8").digest("hex").slice(0, 12);
  return `${withoutEnd(whole.slice(0, LONGEST_NAME - digest.length - 1), "-.")}-${digest}`;
}

/**
 * The request of a spec. It is named after the target, which one request of a namespace can want, and its approval
 * after the source, which one approval of a namespace can give; so names do not depend on what else is there.
 */
export const requestOf = ({ source, target }: TransferSpec): RequestView => ({
  namespace: target.namespace,
  name: derivedName("transfer", target.name),
  approvalName: derivedName("approve", source.name),
  sourceNamespace: source.namespace,
  sourceName: source.name,
  targetName: target.name,
});

export interface RequestView extends Name {
  readonly approvalName: string;
  readonly sourceNamespace: string;
  readonly sourceName: string;
  readonly targetName: string;
}

const fileName = (
  side: "source" | "target",
  kind: "request" | "approval",
  { namespace, name }: Name,
): string => {
  const base = `${kind}-${name}`;
  // File systems take 255 bytes of a name.
  const short =
    base.length <= 200
      ? base
      : `${withoutEnd(base.slice(0, 180), "-.")}-${createHash("sha256").update(name, "utf8").digest("hex").slice(0, 12)}`;
  return `${side}/${namespace}/${short}.yaml`;
};

/** The file of a request, for the target's side. */
export function requestFile(view: RequestView, group: string, render: Renderer): OutputFile {
  const object = render.object("transfer/request.yaml", { ...view });
  return textFile(fileName("target", "request", view), writeYaml(inGroup(object, group)));
}

const inGroup = (object: ReturnType<Renderer["object"]>, group: string) => ({
  ...object,
  apiVersion: String(object["apiVersion"]).replace(TRANSFER_GROUP, group),
});

/** The file of an approval of a request, for the source's side, pinned to all that is known. */
export function approvalFile(
  asked: Asked,
  { group, expires, state }: WriteOptions,
  render: Renderer,
  report: Report,
): OutputFile {
  const pins = pinsFor(asked, expires, state, report);
  const name = { namespace: asked.sourceNamespace, name: asked.approvalName };
  const object = render.object("transfer/approval.yaml", {
    ...name,
    annotations: pinAnnotations(pins),
    requestName: asked.name,
    sourceName: asked.sourceName,
    targetNamespace: asked.namespace,
  });
  return textFile(fileName("source", "approval", name), writeYaml(inGroup(object, group)));
}

/** The claim that is asked for, as the dump has it or as the volume that it left tells of it; what is not there is reported. */
export function claimAsked(
  asked: Name & Pick<RequestView, "sourceNamespace" | "sourceName">,
  state: ClusterState | undefined,
  report: Report,
): JsonObject | undefined {
  const source = { namespace: asked.sourceNamespace, name: asked.sourceName };
  const present = state?.claims.get(nameText(source));
  const left = state === undefined || present !== undefined ? [] : vacatedBy(source, undefined, state);
  const [vacated] = left.length === 1 ? left : [];
  const claim = (vacated === undefined ? present : claimOfVacant(source, vacated))?.object;
  if (left.length > 1)
    problemList(report, nameText(asked), { file: state?.files[0] ?? "" }).report(
      "TRF030",
      "NotFound",
      `claim ${nameText(source)} does not exist and several volumes refer to it: ${left.map(({ object }) => textAt(object, "metadata", "name")).join(", ")}`,
      `omit --state, and set the annotation ${ANNOTATIONS.volume} of the approval to the name of the volume`,
    );
  else if (state !== undefined && vacated === undefined && (claim === undefined || uidOf(claim) === ""))
    problemList(report, nameText(asked), { file: state.files[0] ?? "" }).report(
      "TRF030",
      "NotFound",
      claim === undefined
        ? `the dump does not contain claim ${nameText(source)}`
        : `claim ${nameText(source)} has no uid in the dump`,
      "add it to the dump with kubectl get pvc --output yaml, or omit --state",
    );
  return claim;
}

function pinsFor(
  asked: Asked,
  expires: number | undefined,
  state: ClusterState | undefined,
  report: Report,
): Pins {
  const claim = claimAsked(asked, state, report);
  const volume = textAt(claim, "spec", "volumeName");
  return {
    digest: requestDigest(asked),
    uid: claim === undefined ? undefined : uidOf(claim) || undefined,
    volume: volume === "" ? undefined : volume,
    expires: expires === undefined ? undefined : formatMoment(expires),
  };
}

/** What is wrong with a request that is to be approved; nothing when it asks for what can be given. */
export function approvalFaults(request: TransferRequest): Problem[] {
  const [source, target] = [nameText(sourceOf(request)), nameText(targetOf(request))];
  if (!request.valid) return [];
  if (request.sourceKind !== CLAIM_KIND)
    return [
      unsupported(
        "TRF006",
        "spec.source.kind",
        request.sourceKind,
        [CLAIM_KIND],
        request.place("sourceKind"),
      ),
    ];
  if (source !== target) return [];
  return [
    problem("TRF013", "Invalid", "spec.source", `source and target are both ${source}`, {
      ...request.place("sourceName"),
      hint: "use another namespace or another targetName",
    }),
  ];
}

/** Specs that name a claim twice, or move one onto itself. */
export function specFaults(specs: readonly TransferSpec[]): Problem[] {
  const problems: Problem[] = [];
  const seen = { source: new Set<string>(), target: new Set<string>() };
  for (const spec of specs) {
    for (const side of ["source", "target"] as const) {
      const name = nameText(spec[side]);
      if (seen[side].has(name))
        problems.push(
          problem(
            side === "source" ? "TRF011" : "TRF012",
            "Duplicate",
            `--${side}`,
            `claim ${name} is listed twice`,
            "use a claim as the source and as the target of only one transfer",
          ),
        );
      seen[side].add(name);
    }
    if (nameText(spec.source) === nameText(spec.target))
      problems.push(
        problem(
          "TRF013",
          "Invalid",
          "--target",
          `source and target are both ${nameText(spec.source)}`,
          "use another namespace or another name",
        ),
      );
  }
  return problems;
}

export const sortedRequests = (requests: readonly TransferRequest[]): TransferRequest[] =>
  [...requests].sort((a, b) => byCodeUnit(nameText(a), nameText(b)));
