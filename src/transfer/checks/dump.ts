/** What a dump cannot tell because a kind of object is not in it. */
import type { Problem } from "../../core/diagnostics.js";
import type { Context } from "../situation.js";

/**
 * A dump without pods may be one of a quiet cluster or one that left pods out. It is said, since the gates ask the
 * cluster itself; nothing depends on the guess.
 */
export function dumpProblems({ state }: Context): Problem[] {
  const file = state.files[0] ?? "";
  const missing = (what: string, consequence: string): Problem => ({
    code: "TRF052",
    kind: "Required",
    severity: "info",
    file,
    field: what,
    message: `the dump shows no ${what}: ${consequence}`,
    hint: `if the cluster has some, dump them too: kubectl get ${what} --all-namespaces --output yaml`,
  });
  const { pods, namespaces } = state;
  return [
    ...(pods.size === 0
      ? [missing("pods", "whether a claim is in use is left to the gate before the delete")]
      : []),
    ...(namespaces.size === 0
      ? [
          missing(
            "namespaces",
            "whether they exist, and their user ranges and node selectors, cannot be judged",
          ),
        ]
      : []),
  ];
}
