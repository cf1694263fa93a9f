/**
 * `--runtime-config`: which versions and resources are switched on or off (docs/reference/compatibility-versions.md
 * §6.2).
 */

import type { Position, Report } from "../core/diagnostics.js";
import { type ProblemList, problemList } from "../core/problem.js";
import { BOOLEAN_TEXTS, type FlagText, parseBoolean, splitItems, trim } from "./flags.js";
/** Switches over many versions, in the order in which they apply. */
export const VERSION_CLASSES = ["api/all", "api/ga", "api/beta", "api/alpha"] as const;
export type VersionClass = (typeof VERSION_CLASSES)[number];

const MATCHES: Readonly<Record<VersionClass, RegExp>> = {
  "api/all": /^/,
  "api/ga": /^v[0-9]+$/,
  "api/beta": /^v[0-9]+beta[0-9]+$/,
  "api/alpha": /^v[0-9]+alpha[0-9]+$/,
};

export const isOfClass = (version: string, of: VersionClass): boolean => MATCHES[of].test(version);
export const isAlphaVersion = (version: string): boolean => isOfClass(version, "api/alpha");

export interface VersionSetting {
  readonly group: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly place: Position;
}

export interface ResourceSetting extends VersionSetting {
  readonly resource: string;
}

export interface RuntimeConfig {
  readonly classes: ReadonlyMap<VersionClass, boolean>;
  readonly versions: readonly VersionSetting[];
  readonly resources: readonly ResourceSetting[];
}

export interface Registered {
  readonly groups: ReadonlySet<string>;
  /** `group/version`, with the slash in the core group too. */
  readonly versions: ReadonlySet<string>;
}

/** Reads every occurrence of the flag; the last value of a key wins. */
export function readRuntimeConfig(
  texts: readonly FlagText[],
  registered: Registered,
  report: Report,
): RuntimeConfig {
  const entries = new Map<string, { value: string; place: Position; flag: string }>();
  for (const { text, place, flag } of texts.flatMap(splitItems)) {
    if (text === "") continue;
    const at = text.indexOf("=");
    const key = keyMeant(trim(at < 0 ? text : text.slice(0, at)));
    if (key !== undefined) entries.set(key, { value: at < 0 ? "" : trim(text.slice(at + 1)), place, flag });
  }
  const classes = new Map<VersionClass, boolean>();
  const versions: VersionSetting[] = [];
  const resources: ResourceSetting[] = [];
  for (const [key, { value, place, flag }] of entries) {
    const problems = problemList(report, flag, place);
    const versionClass = VERSION_CLASSES.find((each) => each === key);
    if (versionClass !== undefined) {
      if (value === "true" || value === "false") classes.set(versionClass, value === "true");
      else
        problems.unsupported(
          "API011",
          value,
          ["true", "false"],
          `set ${key} to true or false, in lower case`,
        );
      continue;
    }
    const found = readKey(key, value, registered, problems);
    if (found === undefined) continue;
    if (found.resource === undefined) versions.push({ ...found, place });
    else resources.push({ ...found, resource: found.resource, place });
  }
  const [only] = entries;
  if (entries.size === 1 && only !== undefined && only[0] === "api/all" && only[1].value === "false")
    problemList(report, only[1].flag, only[1].place).report(
      "API012",
      "Invalid",
      "api/all=false disables every API",
      "enable at least one version, such as v1=true",
    );
  return { classes, versions, resources };
}

/**
 * A kube-apiserver takes the core group without its slash, and every resource of it for the whole; a key of its first
 * releases is dropped (completion of its options).
 */
const keyMeant = (key: string): string | undefined =>
  key === "api/legacy" ? undefined : /^(api\/)?v1(\/|$)/.test(key) ? "/v1" : key;

function readKey(key: string, value: string, { groups, versions }: Registered, problems: ProblemList) {
  const tokens = key.split("/");
  const [group = "", version = "", resource] = tokens;
  if (tokens.length < 2 || tokens.length > 3)
    return void problems.report(
      "API010",
      "Invalid",
      `invalid key ${JSON.stringify(key)}`,
      "use group/version, group/version/resource, or one of api/all, api/ga, api/beta, api/alpha",
    );
  if (!groups.has(group))
    return void problems.report(
      "API013",
      "NotFound",
      group === "" ? "the core group is not in the table" : `unknown API group ${JSON.stringify(group)}`,
      "check the spelling or remove it",
    );
  if (!versions.has(`${group}/${version}`))
    return void problems.report(
      "API014",
      "NotFound",
      `version ${group}/${version} is not registered`,
      `use one of ${[...versions].filter((each) => each.startsWith(`${group}/`)).join(", ")}`,
    );
  const enabled = value === "" ? true : parseBoolean(value);
  if (enabled === undefined)
    return void problems.invalid(
      "API011",
      value,
      `${key} must be a Boolean`,
      `use one of ${BOOLEAN_TEXTS}, or no value for true`,
    );
  if (resource !== undefined && resource !== resource.toLowerCase())
    return void problems.report(
      "API010",
      "Invalid",
      `invalid key ${JSON.stringify(key)}: a resource must be a lower-case plural`,
      `use ${group}/${version}/${resource.toLowerCase()}`,
    );
  return { group, version, resource, enabled };
}
