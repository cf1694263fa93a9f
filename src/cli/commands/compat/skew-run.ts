import {
  defaultMinCompatibility,
  type EffectiveVersion,
  effectiveKube,
  validateEffective,
} from "../../../compatibility/effective.js";
import { readInventory } from "../../../compatibility/read/inventory.js";
import type { Rules } from "../../../compatibility/rules.js";
import {
  API_SERVER,
  differsFromPublished,
  type InventoryEntry,
  publishedViolations,
  type ServerVersions,
  skewRanges,
  skewViolations,
} from "../../../compatibility/skew.js";
import { formatMinor, maxMinor, minorOf } from "../../../compatibility/version.js";
import { counted } from "../../../core/counted.js";
import { createReporter, type Report } from "../../../core/diagnostics.js";
import { info, warning } from "../../../core/problem.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { noteIdle } from "../../idle-flags.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { columns } from "../../text-table.js";
import { binaryVersion, emulatedVersion, featureGates, inventory, minCompatibilityVersion } from "./flags.js";
import { kubeVersions, refuseGates, versionRules } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const path = args.get(inventory);
  const text = path === undefined ? undefined : readTextFile(cli, path, report);
  const entries = path === undefined || text === undefined ? [] : readInventory(text, path, report);
  const inCluster = entries.filter(({ component }) => component === API_SERVER);
  const rules = versionRules(args);
  refuseGates(args, rules);
  const given = reporter.failed ? undefined : givenVersions(args, inCluster, report);
  const servers =
    inCluster.length > 0 ? inCluster.map((entry) => serverOf(entry, given, rules, report)) : [given];
  const ranges = skewRanges(
    servers.flatMap((server): ServerVersions[] => (server === undefined ? [] : [server])),
  );
  // A server that the inventory leaves open emulates what the flags say, and is judged as that.
  const completed = entries.map((entry): InventoryEntry => {
    const server = servers[inCluster.indexOf(entry)];
    return server === undefined ? entry : { ...entry, emulated: server.emulation };
  });
  const violations = skewViolations(ranges, completed);
  if (ranges.some(differsFromPublished))
    report(
      info(
        "SKEW005",
        "Invalid",
        "",
        `the published skew policy is based on the binary version and allows other versions:  ${ranges
          .filter(differsFromPublished)
          .map(
            ({ component, published }) =>
              `${component} ${formatMinor(published.min)}..${formatMinor(published.max)}`,
          )
          .join(", ")}`,
      ),
    );
  for (const { component, name, reason, place } of publishedViolations(ranges, entries))
    report(
      warning(
        "SKEW005",
        "Invalid",
        name === "" ? component : `${component} ${name}`,
        `violates the published skew policy: ${reason}`,
        {
          ...place,
          hint: "stay within the policy if you require support; it does not cover emulated versions yet",
        },
      ),
    );
  for (const { component, name, reason, place } of violations)
    report(
      warning(
        "SKEW004",
        "Invalid",
        name === "" ? component : `${component} ${name}`,
        `unsupported version skew: ${reason}`,
        { ...place },
      ),
    );
  const rows = ranges.map(({ component, min, max }) => [component, formatMinor(min), formatMinor(max)]);
  print(args, cli, {
    kind: "SkewAnswer",
    json: {
      ranges: ranges.map(({ component, min, max, published }) => ({
        component,
        min: formatMinor(min),
        max: formatMinor(max),
        published: { min: formatMinor(published.min), max: formatMinor(published.max) },
      })),
      violations: violations.map(({ place, ...rest }) => ({ ...rest, ...place })),
      checked: entries.length,
    },
    text: reporter.failed
      ? ""
      : `${columns(["COMPONENT", "MIN", "MAX"], rows)}${entries.length === 0 ? "" : `\n${counted(entries.length, "component")} checked, ${violations.length} outside their range\n`}`,
    diagnostics: reporter.diagnostics,
  });
  if (reporter.failed) return EXIT.wrong;
  return violations.length > 0 ? EXIT.no : EXIT.done;
};

/**
 * What the flags say: everything where the inventory tells of no API server, else what it leaves out. A flag for
 * what it tells of every server has no effect.
 */
function givenVersions(
  args: Arguments,
  servers: readonly InventoryEntry[],
  report: Report,
): EffectiveVersion | undefined {
  if (servers.length === 0) return kubeVersions(args, undefined, report).versions;
  const [emulates, keeps] = [
    servers.every(({ emulated }) => emulated !== undefined),
    servers.every(({ minCompatibility }) => minCompatibility !== undefined),
  ];
  const told = [
    binaryVersion,
    ...(emulates ? [emulatedVersion] : []),
    ...(keeps ? [minCompatibilityVersion] : []),
    ...(emulates && keeps ? [featureGates] : []),
  ];
  noteIdle(args, `the inventory lists it for every ${API_SERVER}`, told, report);
  const heeded = [emulatedVersion, minCompatibilityVersion].some(
    (flag) => !told.includes(flag) && args.given(flag),
  );
  if (!heeded) return undefined;
  const newest = servers.map(({ version }) => minorOf(version)).reduce(maxMinor);
  return kubeVersions(args, newest, report).versions;
}

/** What an inventory leaves out about an API server comes from the flags, else from the defaults. */
function serverOf(
  entry: InventoryEntry,
  given: EffectiveVersion | undefined,
  rules: Rules,
  report: Report,
): EffectiveVersion {
  const flags = given?.emulationGiven ? given : undefined;
  const emulation = entry.emulated ?? flags?.emulation;
  const server = effectiveKube(entry.version, rules, {
    emulation,
    minCompatibility:
      entry.minCompatibility ?? (given?.minCompatibilityGiven ? given.minCompatibility : undefined),
  });
  const complete = {
    ...server,
    minCompatibility:
      server.minCompatibilityGiven || emulation === undefined
        ? server.minCompatibility
        : defaultMinCompatibility(server.emulation, server.floor),
  };
  if (entry.emulated !== undefined || minorOf(entry.version).minor > 0)
    validateEffective(complete, report, { emulation: entry.place, minCompatibility: entry.place });
  return complete;
}
