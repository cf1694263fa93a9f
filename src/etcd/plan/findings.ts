/** What a plan has to say besides its files. */

import type { Code } from "../../core/codes.js";
import { counted } from "../../core/counted.js";
import type { ErrorKind, Problem } from "../../core/diagnostics.js";
import { problem, problemList } from "../../core/problem.js";
import { FEATURE_SINCE } from "../status.js";
import type { RepairPlan } from "./compile.js";

/** Reports; answers true when the user confirmed a digest that is not the one of this plan. */
export function planFindings(plan: RepairPlan, report: (problem: Problem) => void): boolean {
  const { input, deletions, migrations, digest } = plan;
  const { leftAlone } = input.candidates;
  if (input.confirm !== undefined && input.confirm !== digest) {
    problemList(report, "--confirm").report(
      "ETC042",
      "Invalid",
      "the digest does not match this plan; the copy, the configuration or an option has changed",
      `review the plan again and set --confirm to ${digest}`,
    );
    return true;
  }
  const prefixes = [
    ...new Set(deletions.map(({ candidate }) => input.survey.table.resourceOf(candidate.row).prefix)),
  ].sort();
  if (prefixes.length > 1)
    problemList(report, "--prefix").report(
      "ETC054",
      "Invalid",
      `the objects to delete are below ${prefixes.join(" and ")}, and a request does not specify the API server`,
      "compile a separate plan for each API server with its --prefix",
    );
  const sent = deletions.filter(({ byAdministrator }) => !byAdministrator).length;
  if (sent > 0 && input.subject.kind === "ServiceAccount" && input.image === undefined)
    report(
      problem(
        "ETC045",
        "Required",
        "--job-image",
        "the image of the Job is a placeholder, so the Job cannot be armed",
        {
          severity: input.confirm === undefined ? "warning" : "error",
          hint: "set --job-image to an image in your own registry with kubectl and a shell",
        },
      ),
    );
  const [fatal] = input.candidates.fatal;
  if (fatal !== undefined)
    problemList(report).warnings.report(
      "ETC060",
      "Invalid",
      `${counted(input.candidates.fatal.length, "object makes", "objects make")} API servers exit, such as ${fatal.key}: ${fatal.reason}`,
      "follow RUNBOOK.md: remove the key from etcd before you start an API server or send a request for the resource",
    );
  const say = (
    why: string,
    code: Code,
    kind: ErrorKind,
    text: (count: number) => string,
    hint: string,
  ): void => {
    const some = leftAlone.filter((each) => each.why === why);
    const [first] = some;
    if (first === undefined) return;
    const message = `${text(some.length)}, such as ${first.key}: ${first.reason}`;
    problemList(report).warnings.report(code, kind, message, hint);
  };
  say(
    "undetermined",
    "ETC025",
    "Required",
    (n) => `${counted(n, "value is", "values are")} not planned for deletion`,
    "set --encryption-config and --kms-answers, or --unanswered-is-lost if the plug-in cannot unwrap the keys",
  );
  say(
    "split",
    "ETC022",
    "Invalid",
    (n) => `${counted(n, "value is", "values are")} read by only some API servers`,
    "use the same configuration on every API server",
  );
  say(
    "unaddressable",
    "ETC046",
    "NotFound",
    (n) => `${counted(n, "unreadable object", "unreadable objects")} cannot be deleted through the API`,
    "remove such a key from etcd with etcdctl del KEY, which bypasses the API",
  );
  say(
    "unsupported",
    "ETC041",
    "NotSupported",
    (n) => `${counted(n, "unreadable object", "unreadable objects")} cannot be deleted by this release`,
    `set --release to ${FEATURE_SINCE} or later`,
  );
  for (const { group, resource, unreadable } of migrations.blocked)
    problemList(report, group === "" ? resource : `${resource}.${group}`).warnings.report(
      "ETC044",
      "Forbidden",
      `not migrated: ${counted(unreadable, "object remains", "objects remain")} unreadable, and the migration would not finish`,
      "repair these objects first",
    );
  for (const { group, resource, reason } of migrations.lossy)
    problemList(report, `${resource}.${group}`).warnings.report(
      "ETC058",
      "Forbidden",
      `not migrated: ${reason}`,
      "then take a new copy and compile the plan again into a new folder",
    );
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
    ["does not exist", closed.filter((name) => !known.has(name))],
  ] as const)
    if (names.length > 0)
      problemList(report).warnings.report(
        "ETC047",
        "Forbidden",
        `no role can be created in namespace ${names.join(", ")}, which ${state}; an administrator must send these deletions`,
        "follow the step in RUNBOOK.md",
      );
  return false;
}
