/** Words that the platforms' rules of agent-based installations have in common. */
import { ignored } from "../core/problem.js";
import type { IgnoredFields } from "./agent.js";
import type { RuleContext } from "./platform.js";

/** Warns of members of a section that are set, other than to what a default says. */
export function ignoredFields(
  field: string,
  section: object | undefined,
  names: IgnoredFields,
  { report }: RuleContext,
): void {
  const members = new Map<string, unknown>(Object.entries(section ?? {}));
  for (const [name, initial] of names) {
    const value = members.get(name);
    const isEmpty =
      typeof value === "object" && value !== null && Object.values(value).every((each) => each === undefined);
    if (value === undefined || value === "" || value === initial || isEmpty) continue;
    report(ignored("AGT011", `${field}.${name}`, "the agent-based installer has no use for it", "remove it"));
  }
}
