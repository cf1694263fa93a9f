/** Words that the platforms' rules of agent-based installations have in common. */
import { type Found, ignored } from "../core/problem.js";
import type { IgnoredFields } from "./agent.js";
import type { RuleContext } from "./platform.js";

/** A field that the agent-based installer reads and does not use. */
export const notUsed = (field: string): Found =>
  ignored("AGT011", field, "the agent-based installer does not use it", "remove it");

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
    report(notUsed(`${field}.${name}`));
  }
}
