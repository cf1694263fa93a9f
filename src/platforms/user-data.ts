/** Places that machines read their first config from: those of the platforms, each named after it, and clouds beside them. */
import { PLATFORM_NAMES, PLATFORMS } from "./registry.js";
import type { UserDataLimit } from "./user-data-limit.js";

const OTHER_CLOUDS: readonly (readonly [string, UserDataLimit])[] = [
  [
    "hetzner",
    {
      what: "user data of a Hetzner server",
      limit: 32768,
      counts: "bytes",
      source: "Hetzner Cloud API, user_data: 32 KiB",
    },
  ],
];

/** What fits where, by the name of the place. */
export const USER_DATA_LIMITS: ReadonlyMap<string, UserDataLimit> = new Map(
  [
    ...PLATFORM_NAMES.flatMap((name): (readonly [string, UserDataLimit])[] => {
      const { userData } = PLATFORMS[name].traits;
      return userData === undefined ? [] : [[name, userData]];
    }),
    ...OTHER_CLOUDS,
  ].sort(([a], [b]) => (a < b ? -1 : 1)),
);
