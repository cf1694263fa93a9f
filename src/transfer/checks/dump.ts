/** What a dump cannot tell because a kind of object is not in it. */

import type { Problem } from "../../core/diagnostics.js";
import { info, problem } from "../../core/problem.js";
import type { Context } from "../transfer-context.js";

/**
 * A dump without pods may be one of a quiet cluster or one that left pods out. It is said, since the gates ask the
 * cluster itself; nothing depends on the guess.
 */
export function dumpProblems({ state }: Context): Problem[] {
  const file = state.files[0] ?? "";
  const missing = (what: string, consequence: string): Problem =>
    info(
      problem("TRF052", "Required", what, `the dump contains no ${what}: ${consequence}`, {
        file,
        hint: `if the cluster has any, add them to the dump: kubectl get ${what} --all-namespaces --output yaml`,
      }),
    );
  const { pods, namespaces } = state;
  return [
    ...(pods.size === 0 ? [missing("pods", "the use of claims is only checked before the deletion")] : []),
    ...(namespaces.size === 0
      ? [missing("namespaces", "their existence, user ranges and node selectors cannot be checked")]
      : []),
  ];
}
