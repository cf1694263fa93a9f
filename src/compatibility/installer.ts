/**
 * What the installer asks of this folder: does a release know the gates of an install-config, and which operator
 * configuration makes the control plane emulate another version.
 */

import table from "../../tables/openshift-feature-gates.json" with { type: "json" };
import { rowAt, type Span } from "../core/by-release.js";
import type { Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { formatRelease, kubernetesOf, type Release } from "../core/release.js";
import { closest } from "../text/closest.js";
import { canSetMinimum, KUBE, MINIMUM_FLAG_SINCE, resolveVersions } from "./effective.js";
import { commandLineFlag } from "./flags.js";
import { SHIPPED } from "./rules.js";
import { formatMinor, ofMinor, parseMinor } from "./version.js";

/** The least feature set of the release's payload that has a gate on; `off`: in no set, `unknown`: not a gate of the payload. */
type GateSet = string;

const GATES = new Map<string, readonly (Span & { readonly set: GateSet })[]>(Object.entries(table.gates));

/** In which set a gate of OpenShift is on at a release; undefined when the release's payload does not have it. */
export function openshiftGate(name: string, release: Release): GateSet | undefined {
  const set = rowAt(GATES.get(name) ?? [], release)?.set;
  return set === "unknown" ? undefined : set;
}

/** Every gate of OpenShift that a release's payload has. */
export const openshiftGates = (release: Release): string[] =>
  [...GATES.keys()].filter((name) => openshiftGate(name, release) !== undefined);

/**
 * Reports entries of `featureGates` that a release cannot know for sure, and contradictions. The gates of Kubernetes
 * itself may be named as well, so an unknown name is a warning.
 */
export function checkCustomGates(
  gates: readonly { readonly name: string; readonly enabled: boolean; readonly field: string }[],
  release: Release,
  report: Report,
): void {
  const known = openshiftGates(release);
  const seen = new Map<string, boolean>();
  for (const { name, enabled, field } of gates) {
    if (!known.includes(name)) {
      const near = closest(name, known);
      problemList(report, field).warnings.report(
        "GATE143",
        "NotFound",
        `OpenShift ${formatRelease(release)} has no feature gate ${name}; components may not start unless Kubernetes ${kubernetesOf(release)} has it`,
        near === undefined ? "check the spelling" : `did you mean ${near}?`,
      );
    }
    const before = seen.get(name);
    if (before !== undefined)
      problemList(report, field).warnings.report(
        "GATE144",
        "Duplicate",
        `feature gate ${name} is listed twice${before === enabled ? "" : ", once enabled and once disabled"}`,
        "keep one of the two",
      );
    seen.set(name, enabled);
  }
}

/** Values of the two version flags for every component of the control plane. */
export interface EffectiveVersionFlags {
  readonly emulated: string | undefined;
  readonly minCompatibility: string | undefined;
}

/**
 * The version flags as the components will get them, after validation against the Kubernetes of the release; undefined
 * when nothing was asked for or something is wrong.
 */
export function effectiveVersionFlags(
  { emulated, minCompatibility }: EffectiveVersionFlags,
  release: Release,
  report: Report,
): EffectiveVersionFlags | undefined {
  if (emulated === undefined && minCompatibility === undefined) return undefined;
  const kubernetes = parseMinor(kubernetesOf(release));
  if (kubernetes === undefined) throw new Error(`${formatRelease(release)} has no Kubernetes release`);
  let failed = false;
  const reportHere: Report = (problem) => {
    failed ||= (problem.severity ?? "error") === "error";
    report(problem);
  };
  const texts = (flag: string, value: string | undefined) =>
    value === undefined ? [] : [commandLineFlag(flag, value)];
  const versions = resolveVersions(
    [{ name: KUBE, binary: ofMinor(kubernetes) }],
    {
      emulated: texts("--emulated-version", emulated),
      minCompatibility: texts("--min-compatibility-version", minCompatibility),
    },
    SHIPPED,
    reportHere,
  ).get(KUBE);
  if (minCompatibility !== undefined && !canSetMinimum(kubernetes, SHIPPED))
    problemList(reportHere, "--min-compatibility-version", {
      file: "--min-compatibility-version",
      line: 1,
      column: 1,
    }).report(
      "VER009",
      "NotSupported",
      `not supported by OpenShift ${formatRelease(release)} (Kubernetes ${formatMinor(kubernetes)}); introduced in Kubernetes ${formatMinor(MINIMUM_FLAG_SINCE)}`,
      "remove the flag or use a newer release",
    );
  if (failed || versions === undefined) return undefined;
  problemList(report, "--emulated-version").warnings.report(
    "VER010",
    "Invalid",
    "the version flags are passed to the operators as unsupportedConfigOverrides, which block upgrades while they are set",
    "remove them before upgrading the cluster",
  );
  return {
    emulated: versions.emulationGiven ? formatMinor(versions.emulation) : undefined,
    minCompatibility: versions.minCompatibilityGiven ? formatMinor(versions.minCompatibility) : undefined,
  };
}
