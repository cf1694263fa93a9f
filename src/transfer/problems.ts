/** Findings and missing partners as problems with their place. */

import type { Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import { pathWord } from "../text/shell.js";
import { describe } from "./api.js";
import type { TransferFinding } from "./findings.js";
import type { Unmatched } from "./match.js";

/** What a pair lacks or contradicts, as problems with their place. */
export const unmatchedProblem = (unmatched: Unmatched): Problem =>
  problem(
    "TRF010",
    "NotFound",
    "metadata.name",
    `${describe(unmatched.object)} has no matching ${unmatched.object.type === "request" ? "approval" : "request"}${reasonOf(unmatched)}`,
    {
      ...unmatched.object.place("name"),
      hint: unmatched.failed.map(({ hint }) => hint).find((hint) => hint !== "") ?? missingHint(unmatched),
    },
  );

/** A request whose other side has written nothing yet. */
const missingHint = ({ object, closest }: Unmatched): string =>
  closest === undefined && object.type === "request"
    ? `have the owner of the source approve it: slipway transfer approve ${pathWord(object.file)} --state DUMP --out ${pathWord(folderOf(object.file))}`
    : "";

/** The folder that `transfer new` wrote the request to; of a request that lies elsewhere, its own. */
const folderOf = (file: string): string => {
  const words = file.split("/");
  const depth = words.at(-3) === "target" ? 3 : 1;
  return words.slice(0, -depth).join("/") || (file.startsWith("/") ? "/" : ".");
};

function reasonOf({ object, closest, failed }: Unmatched): string {
  if (closest === undefined) return `; no ${object.type === "request" ? "approval" : "request"} exists`;
  const where = `${describe(closest)} (${closest.file}:${closest.line})`;
  if (failed.length === 0) {
    const malformed = [object, closest].filter(({ valid }) => !valid).map(describe);
    return `: ${where} would match, but ${malformed.length === 0 ? "is already used by another one" : `${malformed.join(" and ")} is invalid`}`;
  }
  const faults = failed.map(
    ({ condition, left, right, leftField, rightField }) =>
      `${condition} fails: the request's ${leftField} is ${JSON.stringify(left)}, the approval's ${rightField} is ${JSON.stringify(right)}`,
  );
  return `; the closest is ${where}: ${faults.join("; ")}`;
}

const findingProblem = ({ check: _, objects: __, ...problem }: TransferFinding): Problem => problem;

/** So many approvals that are not pinned are told one by one. */
const TOLD = 10;

/** Findings as problems; where a whole repository is not pinned, the rest of these infos is one. */
export function findingProblems(findings: readonly TransferFinding[]): Problem[] {
  const unpinned = findings.filter(({ check }) => check === "unpinned");
  if (unpinned.length <= TOLD) return findings.map(findingProblem);
  const others = findings.filter(({ check }) => check !== "unpinned");
  const told = unpinned.slice(0, TOLD);
  const [next] = unpinned.slice(TOLD);
  if (next === undefined) return findings.map(findingProblem);
  return [
    ...[...others, ...told].map(findingProblem),
    {
      ...findingProblem(next),
      message: `this and ${unpinned.length - TOLD - 1} more approvals are not pinned`,
    },
  ];
}
