/** A verdict as a person reads it. */
import type { MigrationMode } from "./search.js";
import type { PolicyNumbers, PolicyVerdict, StoryStep } from "./verify.js";

export function storyOf(verdict: PolicyVerdict, numbers: PolicyNumbers, migration: MigrationMode): string {
  const policy = `${numbers.supported} supported, ${numbers.migrated} actively migrated, upgrades of at most ${numbers.maxUpgrade}, downgrades of at most ${numbers.maxDowngrade}, startup migration ${migration}`;
  const [first, last] = verdict.releases;
  const space = `${verdict.states} states and ${verdict.transitions} transitions, releases ${first} to ${last}`;
  const alpha = verdict.unpromised.map(({ resource }) => resource);
  const unpromised =
    alpha.length === 0 ? [] : [`  lost in alpha, which has no guarantees: ${alpha.join(", ")}`];
  if (verdict.safe)
    return ["safe", `  policy: ${policy}`, `  searched: ${space}`, ...unpromised, ""].join("\n");
  const resources = verdict.unsafe.map(({ resource }) => resource);
  return [
    "not safe: an object can be lost",
    `  policy: ${policy}`,
    `  searched: ${space}`,
    ...(resources.length === 0 ? [] : [`  resources: ${resources.join(", ")}`]),
    ...unpromised,
    "",
    `The shortest sequence of steps${resources.length > 1 ? " (of all resources)" : ""}:`,
    ...verdict.counterexample.map(
      (step, i) => `  ${i + 1}. ${sentence(step, verdict.counterexample[i - 1])}`,
    ),
    "",
    fixText(verdict.fix, numbers),
    "",
  ].join("\n");
}

/** One step; `before` is the step that led to where it starts. */
export function sentence(
  { release, action, storedVersion, behavior }: StoryStep,
  before: StoryStep | undefined,
): string {
  const lost = behavior === "ignored" || behavior === null;
  const state = behavior === null ? "unknown in that release" : `${behavior} in that release`;
  switch (action) {
    case "write":
      return before === undefined
        ? `Release ${release} writes the object in ${storedVersion}, which is ${state}.`
        : `A client writes the object; release ${release} stores it in ${storedVersion}, which is ${state}.`;
    case "migrate":
      return `The startup migration of release ${release} rewrites the object in ${storedVersion}, which is ${state}.`;
    default: {
      const left =
        before?.behavior === "actively-migrated" ? "before the migration reaches the object, " : "";
      const move = action === "upgrade" ? "An upgrade changes" : "A downgrade changes";
      const end = lost
        ? "the API no longer shows the object, which is still in etcd"
        : `the object stays in ${storedVersion}`;
      const text = `${left}${move[0]?.toLowerCase()}${move.slice(1)} from ${before?.release} to ${release}: ${storedVersion} is ${state}, ${end}.`;
      return `${text[0]?.toUpperCase()}${text.slice(1)}`;
    }
  }
}

const NAMES = {
  migrated: "--migrated",
  supported: "--supported",
  maxUpgrade: "--max-upgrade",
  maxDowngrade: "--max-downgrade",
} as const;

export function fixText(fix: PolicyNumbers | undefined, numbers: PolicyNumbers): string {
  if (fix === undefined) return "No change of these numbers makes it safe.";
  const changes = (["migrated", "supported", "maxUpgrade", "maxDowngrade"] as const)
    .filter((name) => fix[name] !== numbers[name])
    .map((name) => `${NAMES[name]} ${fix[name]} (instead of ${numbers[name]})`);
  return `The smallest change that makes it safe: ${changes.join(", ")}.`;
}
