/** Versions of kinds that a release does not serve, serves only when they are enabled, or has deprecated. */
import type { KindReference } from "../compatibility/api-table.js";
import type { Code } from "../core/codes.js";
import { compareMinors, formatMinor } from "../core/minor.js";
import { type Problem, problem } from "../core/problem.js";
import type { Use } from "./found.js";
import { endOf, introducedIn, kindText, lifecycleOf, replacementAt, type ServedRelease } from "./served.js";

/** What is to be said of a version of a kind in the releases of an upgrade; undefined where nothing is. */
export interface KindVerdict {
  readonly use: Omit<Use, "diagnostic" | "object">;
  readonly problem: Problem;
}

export function judgeKind(of: KindReference, served: readonly ServedRelease[]): KindVerdict | undefined {
  const target = served.at(-1);
  const lifecycle = target && lifecycleOf(of, target.release);
  if (target === undefined || lifecycle === undefined) return undefined;
  const at = formatMinor(target.release);
  const [since, before] = [introducedIn(lifecycle), endOf(lifecycle)];
  const what = kindText(of);
  const [first, last] = [since && formatMinor(since), before && formatMinor(before)];
  const replaced = replacementAt(lifecycle, target);
  const replacement = replaced && kindText(replaced) !== what ? kindText(replaced) : undefined;
  const use = (hint: string): string => (replacement === undefined ? hint : `use ${replacement}`);
  const found = (
    effect: Use["effect"],
    code: Code,
    severity: "error" | "warning",
    message: string,
    hint: string,
  ): KindVerdict => ({
    use: { effect, what, since: first, before: last, replacement },
    problem: problem(code, "NotSupported", "apiVersion", message, { severity, hint }),
  });
  const now = target.kind(of);
  if (now === "no")
    return before !== undefined && compareMinors(before, target.release) <= 0
      ? found(
          "not-served",
          "USE001",
          "error",
          `not served from ${last} on`,
          use("no served version replaces it; remove the object"),
        )
      : found(
          "not-served",
          "USE002",
          "error",
          `not served before ${first ?? "a later release"}, and not in ${at}`,
          use("no served version replaces it; remove the object"),
        );
  if (now === "off") {
    const wasOn = served.some((each) => each.kind(of) === "yes");
    const gate = lifecycle.gate === undefined ? "" : ` and --feature-gates=${lifecycle.gate}=true`;
    const version = of.group === "" ? of.version : `${of.group}/${of.version}`;
    return found(
      wasOn ? "not-served" : "off",
      "USE003",
      wasOn ? "error" : "warning",
      `off by default in ${at}: the API server serves it only with --runtime-config=${version}=true${gate}`,
      use("set the flags --runtime-config and --feature-gates as the API server has them"),
    );
  }
  const missing = served.filter((each) => each.kind(of) !== "yes");
  const lastMissing = missing.at(-1);
  if (lastMissing !== undefined) {
    const next = served[served.indexOf(lastMissing) + 1] ?? target;
    return found(
      "later",
      "USE002",
      "warning",
      `not served before ${formatMinor(next.release)}`,
      `apply the object after the upgrade to ${formatMinor(next.release)}`,
    );
  }
  const deprecated = lifecycle.deprecated;
  if (deprecated === undefined || compareMinors(deprecated, target.release) > 0) return undefined;
  return found(
    "deprecated",
    "USE004",
    "warning",
    `deprecated since ${formatMinor(deprecated)}${last === undefined ? "" : `, not served from ${last} on`}`,
    use("plan to remove the object"),
  );
}
