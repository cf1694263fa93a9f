/** Whether a feature gate of a release is on. */

import { effectiveKube } from "../compatibility/effective.js";
import type { GateSetting } from "../compatibility/gate-flags.js";
import { knownGates } from "../compatibility/gate-state.js";
import { answerGates } from "../compatibility/gates.js";
import { gateReleaseFor, kubernetesGates } from "../compatibility/kubernetes-gates.js";
import { allDependencies } from "../compatibility/read/dependencies.js";
import { SHIPPED } from "../compatibility/rules.js";
import { equalMinors, type Minor, ofMinor } from "../compatibility/version.js";
import type { Report } from "../core/diagnostics.js";

/** The answer for a gate: on, off, or unknown to the release. */
export type GateAnswer = "on" | "off" | "unknown";

/**
 * Answers for the gates of a release with its defaults and what is set; undefined where its gates are not known.
 * @param report takes what is wrong with the settings in this release
 */
export function gatesAt(
  release: Minor,
  settings: ReadonlyMap<string, GateSetting>,
  report?: Report,
): ((name: string) => GateAnswer) | undefined {
  const at = gateReleaseFor(release);
  if (at === undefined || !equalMinors(at, release)) return undefined;
  const table = kubernetesGates(at);
  const known = knownGates(table, SHIPPED);
  const isKnown = (name: string): boolean => known.has(name) || /^All(?:Alpha|Beta)$/.test(name);
  // Settings are those of all releases on the way: what one of them lacks counts where they are judged.
  const own = new Map([...settings].filter(([name]) => report !== undefined || isKnown(name)));
  const question = {
    known,
    dependencies: allDependencies(table, []),
    versions: effectiveKube(ofMinor(release), SHIPPED),
    settings: own,
    rules: SHIPPED,
    sound: true,
  };
  const states = new Map(
    answerGates(question, report ?? (() => undefined)).map(({ name, enabled }) => [name, enabled]),
  );
  return (name) => {
    const enabled = states.get(name);
    return enabled === undefined ? "unknown" : enabled ? "on" : "off";
  };
}
