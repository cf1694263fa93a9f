/** What a plan has to say besides its files. */

import { counted } from "../../core/counted.js";
import type { Problem } from "../../core/diagnostics.js";
import { FEATURE_SINCE } from "../status.js";
import type { RepairPlan } from "./compile.js";

/** Reports; answers true when the user confirmed a digest that is not the one of this plan. */
export function planFindings(plan: RepairPlan, report: (problem: Problem) => void): boolean {
  const { input, deletions, migrations, digest } = plan;
  const { leftAlone } = input.candidates;
  if (input.confirm !== undefined && input.confirm !== digest) {
    report({
      code: "ETC042",
      kind: "Invalid",
      field: "--confirm",
      message:
        "the digest is not the one of this plan; the copy, the configuration or an option changed since",
      hint: `look at the plan again; its digest now is ${digest}`,
    });
    return true;
  }
  const prefixes = [
    ...new Set(deletions.map(({ candidate }) => input.survey.table.resourceOf(candidate.row).prefix)),
  ].sort();
  if (prefixes.length > 1)
    report({
      code: "ETC054",
      kind: "Invalid",
      field: "--prefix",
      message: `objects to delete lie below ${prefixes.join(" and ")}, and a request does not say which server keeps them`,
      hint: "compile one plan for each API server, with its --prefix",
    });
  const sent = deletions.filter(({ byAdministrator }) => !byAdministrator).length;
  if (sent > 0 && input.subject.kind === "ServiceAccount" && input.image === undefined)
    report({
      code: "ETC045",
      kind: "Required",
      severity: input.confirm === undefined ? "warning" : "error",
      field: "--job-image",
      message: "the Job has a placeholder for its image, and cannot be armed",
      hint: "give an image of your own registry that holds kubectl and a shell",
    });
  const say = (why: string, problem: Omit<Problem, "message">, text: (count: number) => string): void => {
    const some = leftAlone.filter((each) => each.why === why);
    const [first] = some;
    if (first !== undefined)
      report({
        severity: "warning",
        ...problem,
        message: `${text(some.length)}, such as ${first.key}: ${first.reason}`,
      });
  };
  say(
    "undetermined",
    {
      code: "ETC025",
      kind: "Required",
      hint: "give --encryption-config and --kms-answers, or --unanswered-is-lost where the plug-in has refused",
    },
    (n) => `${counted(n, "value is", "values are")} not planned for deletion`,
  );
  say(
    "split",
    { code: "ETC022", kind: "Invalid", hint: "give every server the same configuration" },
    (n) => `${counted(n, "value is", "values are")} read by some servers only`,
  );
  say(
    "unaddressable",
    { code: "ETC046", kind: "NotFound", hint: "etcdctl del KEY removes such a key, outside of any API" },
    (n) => `${counted(n, "unreadable object", "unreadable objects")} cannot be deleted through the API`,
  );
  say(
    "unsupported",
    { code: "ETC041", kind: "NotSupported", hint: `plan for ${FEATURE_SINCE} or later` },
    (n) => `${counted(n, "unreadable object", "unreadable objects")} cannot be deleted by this release`,
  );
  for (const { group, resource, unreadable } of migrations.blocked)
    report({
      severity: "warning",
      code: "ETC044",
      kind: "Forbidden",
      field: group === "" ? resource : `${resource}.${group}`,
      message: `it is not migrated: ${counted(unreadable, "object of it stays", "objects of it stay")} unreadable, and the migration would wait for ever`,
      hint: "repair these first",
    });
  for (const { group, resource, reason } of migrations.lossy)
    report({
      severity: "warning",
      code: "ETC058",
      kind: "Forbidden",
      field: `${resource}.${group}`,
      message: `it is not migrated: ${reason}`,
      hint: "then take a new copy and compile the plan again into a new folder",
    });
  const closed = [
    ...new Set(
      deletions.flatMap(({ byAdministrator, candidate: { namespace } }) =>
        byAdministrator && namespace !== undefined ? [namespace] : [],
      ),
    ),
  ];
  const known = input.survey.cluster.namespaces;
  for (const [state, names] of [
    ["is being deleted", closed.filter((name) => known.has(name))],
    ["is not there", closed.filter((name) => !known.has(name))],
  ] as const)
    if (names.length > 0)
      report({
        severity: "warning",
        code: "ETC047",
        kind: "Forbidden",
        message: `${names.join(", ")} ${state}: no role can be made there, so an administrator has to send these deletions`,
        hint: "RUNBOOK.md says how",
      });
  return false;
}
