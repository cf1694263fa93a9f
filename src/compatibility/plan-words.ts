/** What a step of a plan says: what is to be done, and what to look at afterwards. */
import { groupResource } from "./api-table.js";
import type { StorageMove } from "./component-answer.js";
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
): string {
  const [b, e, m] = [after.binary, after.emulation, after.minCompatibility].map(formatMinor);
  const own = canSetMinimum(after.binary, rules);
  const flags = `--emulated-version=${e}${own ? ` --min-compatibility-version=${m}` : ""}`;
  const last = !own && equalMinors(after.emulation, after.binary);
  switch (move) {
    case "binary":
      if (back && !emulated) return `run the ${b} binary of ${component} again`;
      if (!canEmulate(component)) return `run the ${b} binary of ${component}`;
      return emulated
        ? `run the ${b} binary of ${component} with ${flags}`
        : `run the ${b} binary of ${component}; it cannot emulate ${formatMinor(before.emulation)}`;
    case "emulated-version":
      return `restart ${component} with ${flags}${last ? "; as this is the default, the flag can be dropped" : ""}`;
    case "min-compatibility-version":
      if (back) return `restart ${component} with ${flags}`;
      return `restart ${component} with --min-compatibility-version=${m}; as these are the defaults, the version flags can be dropped`;
    case "node":
      return `${back ? "return" : "upgrade"} ${component} to ${b} node by node, each one drained`;
  }
}

/** What was stored as the newer release stores it stays so until it is written again. */
export const rewritten = (moved: readonly StorageMove[]): string[] =>
  moved.length === 0
    ? []
    : [
        `every object of ${moved.map(({ group, resource }) => groupResource(group, resource)).join(", ")} was written again (a StorageVersionMigration of each succeeded)`,
      ];

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
        "every instance answers /readyz?verbose without a failed check",
        `every instance answers /version with ${fields}`,
        "kubectl get apiservices shows no unavailable group",
      ];
    }
    case "kubelet":
      return [
        `every Node is Ready and reports kubeletVersion ${formatMinor(after.binary)}`,
        "the drained pods run again",
      ];
    case "kube-proxy":
      return [`/healthz of kube-proxy on every node; version ${formatMinor(after.binary)}`];
    default:
      return [
        `/healthz of every instance of ${component}`,
        `its Lease in kube-system is held and renewed${canEmulate(component) ? `; where CoordinatedLeaderElection is on, its LeaseCandidate reports emulationVersion ${formatMinor(after.emulation)}` : ""}`,
      ];
  }
}
