/**
 * What no single pair shows: two transfers of one source, two into one target, a source that is its own target, and
 * transfers that depend on each other (docs/reference/pvc-transfer.md §1, §6).
 */
import { describe, nameText, sourceOf, type TransferPair, type TransferRequest, targetOf } from "./api.js";
import { findingsOf, type TransferFinding } from "./findings.js";

export interface SetOptions {
  readonly allowCycles: boolean;
}

export function setFindings(
  pairs: readonly TransferPair[],
  requests: readonly TransferRequest[],
  options: SetOptions,
): TransferFinding[] {
  const moves = pairs
    .map(({ request }) => request)
    .filter((request) => nameText(sourceOf(request)) !== nameText(targetOf(request)));
  return [
    ...requests.flatMap(noOp),
    ...repeated(moves, sourceText, "same-source"),
    ...repeated(requests.filter(isComplete), targetText, "same-target"),
    ...dependencies(moves, options),
  ];
}

const sourceText = (request: TransferRequest): string => nameText(sourceOf(request));
const targetText = (request: TransferRequest): string => nameText(targetOf(request));
/** With a missing name there is no target to compare. */
const isComplete = (request: TransferRequest): boolean =>
  request.namespace !== "" && targetOf(request).name !== "";

function noOp(request: TransferRequest): TransferFinding[] {
  if (!isComplete(request) || sourceText(request) !== targetText(request)) return [];
  return [
    findingsOf("no-op", request.place("sourceName"), [request]).error(
      "TRF013",
      "Invalid",
      "spec.source",
      `source and target are both ${sourceText(request)}`,
      "use another target namespace or another targetName",
    ),
  ];
}

function repeated(
  requests: readonly TransferRequest[],
  claimOf: (request: TransferRequest) => string,
  check: "same-source" | "same-target",
): TransferFinding[] {
  const first = new Map<string, TransferRequest>();
  return requests.flatMap((request): TransferFinding[] => {
    const claim = claimOf(request);
    const other = first.get(claim);
    if (other === undefined) {
      first.set(claim, request);
      return [];
    }
    const isSource = check === "same-source";
    return [
      findingsOf(check, request.place(isSource ? "sourceName" : "name"), [other, request]).error(
        isSource ? "TRF011" : "TRF012",
        "Duplicate",
        isSource ? "spec.source" : "spec.targetName",
        `${describe(request)} and ${describe(other)} (${other.file}:${other.line}) have the same ${isSource ? "source" : "target"} claim ${claim}`,
        isSource
          ? "remove one of them; a claim can be transferred only once"
          : "use another targetName in one of them",
      ),
    ];
  });
}

/** Each request to the one whose source claim is its target. */
const successors = (moves: readonly TransferRequest[]): ReadonlyMap<TransferRequest, TransferRequest> => {
  const bySource = new Map(moves.map((request) => [sourceText(request), request]));
  return new Map(
    moves.flatMap((request): [TransferRequest, TransferRequest][] => {
      const next = bySource.get(targetText(request));
      return next === undefined ? [] : [[request, next]];
    }),
  );
};

/** The circles among moves, each with its members in order, from the first by name. */
export function cyclesOf(moves: readonly TransferRequest[]): TransferRequest[][] {
  const next = successors(moves);
  const done = new Set<TransferRequest>();
  const cycles: TransferRequest[][] = [];
  for (const start of moves) {
    const path: TransferRequest[] = [];
    const onPath = new Set<TransferRequest>();
    let at: TransferRequest | undefined = start;
    while (at !== undefined && !done.has(at) && !onPath.has(at)) {
      path.push(at);
      onPath.add(at);
      at = next.get(at);
    }
    if (at !== undefined && onPath.has(at)) cycles.push(path.slice(path.indexOf(at)));
    for (const each of path) done.add(each);
  }
  return cycles;
}

function dependencies(moves: readonly TransferRequest[], { allowCycles }: SetOptions): TransferFinding[] {
  const next = successors(moves);
  if (next.size === 0) return [];
  const cycles = cyclesOf(moves);
  const inCycle = new Set(cycles.flat());
  const circles = cycles.map((members): TransferFinding => {
    const [first] = members;
    if (first === undefined) throw new Error("a cycle has members");
    return findingsOf("cycle", first.place("sourceName"), members)[allowCycles ? "info" : "error"](
      "TRF015",
      "Forbidden",
      "spec.source",
      `cyclic transfers: ${[...members, first].map(sourceText).join(" -> ")}`,
      allowCycles
        ? "all sources are deleted before the first target is created"
        : "set --allow-cycles to delete all sources before the first target is created",
    );
  });
  const chains = [...next]
    .filter(([request, following]) => !(inCycle.has(request) && inCycle.has(following)))
    .map(
      ([request, following]): TransferFinding =>
        findingsOf("chain", request.place("sourceName"), [request, following])[
          allowCycles ? "info" : "warning"
        ](
          "TRF014",
          "Invalid",
          "spec.targetName",
          `the target ${targetText(request)} is the source of ${describe(following)} (${following.file}:${following.line})`,
          "set --allow-cycles if you want this; the plan deletes both sources before it creates that target",
        ),
    );
  return [...circles, ...chains];
}
