/** What a step of a plan says: what is to be done, and what to look at afterwards. */
import { groupResource } from "./api-table.js";
import type { StorageMove, Stored } from "./component-answer.js";
import { canSetMinimum, effectiveKube } from "./effective.js";
import type { RouteStep } from "./plan-route.js";
import type { Rules } from "./rules.js";
import { API_SERVER, canEmulate } from "./skew.js";
import { equalMinors, formatMinor, ofMinor } from "./version.js";
import { reportsVersions, versionReport } from "./version-report.js";

/** What is to be done. */
export function describe(
  { component, move, before, after, emulated, back }: RouteStep,
  rules: Rules,
  forwardCompatible = false,
): string {
  const [b, e, m] = [after.binary, after.emulation, after.minCompatibility].map(formatMinor);
  const own = canSetMinimum(after.binary, rules);
  const flags = `--emulated-version=${e}${own ? ` --min-compatibility-version=${m}` : ""}${forwardCompatible ? " --emulation-forward-compatible" : ""}`;
  const last = !own && equalMinors(after.emulation, after.binary);
  switch (move) {
    case "binary":
      if (back && !emulated) return `run the ${b} binary of ${component} again`;
      if (!canEmulate(component)) return `run the ${b} binary of ${component}`;
      return emulated
        ? `run the ${b} binary of ${component} with ${flags}`
        : `run the ${b} binary of ${component}, which cannot emulate ${formatMinor(before.emulation)}`;
    case "emulated-version":
      return `restart ${component} with ${flags}${last ? "; this is the default, so the flag can be removed" : ""}`;
    case "min-compatibility-version":
      if (back) return `restart ${component} with ${flags}`;
      return `restart ${component} with --min-compatibility-version=${m}; these are the defaults, so the version flags can be removed`;
    case "node":
      return `drain each node and ${back ? "downgrade" : "upgrade"} ${component} to ${b}, one node at a time`;
  }
}

/** What was stored as the newer release stores it stays so until it is written again. */
export const rewritten = (moved: readonly StorageMove[]): string[] =>
  moved.length === 0
    ? []
    : [
        `every object of ${moved.map(({ group, resource }) => groupResource(group, resource)).join(", ")} has been rewritten (a StorageVersionMigration of each resource succeeded)`,
      ];

/** What an older binary cannot decode has to be gone before it starts: it could not list these resources. */
export const deletions = (lost: readonly Stored[], { component, before, after }: RouteStep): string[] => {
  const [own, older] = [before, after].map(({ binary }) => `${component} ${formatMinor(binary)}`);
  return [...new Set(lost.map(({ to }) => to ?? ""))].map((version) => {
    const names = lost
      .filter(({ to }) => to === version)
      .map(({ group, resource }) => groupResource(group, resource));
    return `back up and delete every object of ${names.join(", ")}: ${own} stores them as ${version} even with the older emulated version, and ${older} cannot read ${version}`;
  });
};

/** What to look at before the next step. */
export function healthChecks({ component, after }: RouteStep, rules: Rules): string[] {
  const versions = effectiveKube(ofMinor(after.binary), rules, {
    emulation: after.emulation,
    minCompatibility: after.minCompatibility,
  });
  switch (component) {
    case API_SERVER: {
      const fields = Object.entries(versionReport(versions, rules))
        .filter(
          ([name]) =>
            name !== "gitVersion" &&
            (reportsVersions(after.binary, rules) || name === "major" || name === "minor"),
        )
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(" ");
      return [
        "/readyz?verbose reports no failed check on any instance",
        `/version reports ${fields} on every instance`,
        "kubectl get apiservices lists every API service as available",
      ];
    }
    case "kubelet":
      return [
        `every Node is Ready and reports kubeletVersion ${formatMinor(after.binary)}`,
        "the evicted pods are running again",
      ];
    case "kube-proxy":
      return [`/healthz of kube-proxy succeeds on every node; its version is ${formatMinor(after.binary)}`];
    default:
      return [
        `/healthz of every instance of ${component} succeeds`,
        `the Lease of ${component} in kube-system is held and renewed${canEmulate(component) ? `; if CoordinatedLeaderElection is enabled, its LeaseCandidate reports emulationVersion ${formatMinor(after.emulation)}` : ""}`,
      ];
  }
}
