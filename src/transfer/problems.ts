/** Findings and missing partners as problems with their place. */
import type { Problem } from "../core/diagnostics.js";
import { describe } from "./api.js";
import type { Finding } from "./findings.js";
import type { Unmatched } from "./match.js";

/** What a pair lacks or contradicts, as problems with their place. */
export const unmatchedProblem = ({ object, closest, failed }: Unmatched): Problem => ({
  code: "TRF010",
  kind: "NotFound",
  ...object.place("name"),
  field: "metadata.name",
  message:
    closest === undefined
      ? `${describe(object)} has no partner, and there is no ${object.type === "request" ? "approval" : "request"} at all`
      : `${describe(object)} has no partner; the closest is ${describe(closest)} (${closest.file}:${closest.line}), where ${failed
          .map(({ condition, left, right, leftField, rightField }) => {
            const [own, other] = [`the request's ${leftField}`, `the approval's ${rightField}`];
            return `${condition} fails: ${own} is ${JSON.stringify(left)}, ${other} is ${JSON.stringify(right)}`;
          })
          .join("; ")}`,
  hint: failed.map(({ hint }) => hint).find((hint) => hint !== "") ?? "",
});

const findingProblem = ({ check: _, objects: __, ...problem }: Finding): Problem => problem;

/** So many approvals that are not pinned are told one by one. */
const TOLD = 10;

/** Findings as problems; where a whole repository is not pinned, the rest of these infos is one. */
export function findingProblems(findings: readonly Finding[]): Problem[] {
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
