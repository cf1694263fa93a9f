/** Regions and zones that no object can be named after (docs/reference/source-designs.md §6). */

import type { Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import { quote } from "../text/quote.js";
import { fieldOf, type NormalConfig, type PlatformName } from "./config.js";
import { PLATFORMS } from "./registry.js";

const PART_OF_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * A problem for each region and zone of the config that cannot be a part of a name: the cloud has none of that name, and
 * the installer, which asks it, refuses the config.
 */
export function placeNameProblems(config: NormalConfig, name: PlatformName): Problem[] {
  const members = PLATFORMS[name].traits.inNames ?? [];
  const section = `platform.${name}`;
  const pools = [
    {
      field: `${section}.defaultMachinePlatform`,
      zones: zonesIn(fieldOf(config, name, "defaultMachinePlatform")),
    },
    ...[
      { field: "controlPlane", pool: config.controlPlane },
      ...config.compute.map((pool, i) => ({ field: `compute[${i}]`, pool })),
    ].map(({ field, pool }) => ({
      field: `${field}.${section}`,
      zones: zonesIn(memberOf(pool.platform, name)),
    })),
  ];
  return [
    ...(members.includes("region")
      ? [{ field: `${section}.region`, what: "region", place: fieldOf(config, name, "region") }]
      : []),
    ...(members.includes("zones")
      ? pools.flatMap(({ field, zones }) =>
          zones.map((place, i) => ({ field: `${field}.zones[${i}]`, what: "zone", place })),
        )
      : []),
  ].flatMap(({ field, what, place }): Problem[] => {
    // What is missing, and an empty list's only member, is told elsewhere, or means none.
    if (typeof place !== "string" || place === "" || PART_OF_NAME.test(place)) return [];
    const likely = place.toLowerCase().trim();
    return [
      problem(
        "FACT002",
        "Invalid",
        field,
        `invalid ${what} name ${quote(place)}`,
        `use lowercase letters, digits and hyphens${PART_OF_NAME.test(likely) ? `, such as ${likely}` : ""}`,
      ),
    ];
  });
}

const memberOf = (section: unknown, name: string): unknown =>
  new Map<string, unknown>(Object.entries(section ?? {})).get(name);

/** The zones of a section, as they stand there. */
function zonesIn(section: unknown): readonly unknown[] {
  const zones = memberOf(section, "zones");
  return Array.isArray(zones) ? zones : [];
}
