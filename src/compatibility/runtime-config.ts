/**
 * `--runtime-config`: which versions and resources are switched on or off (docs/reference/compatibility-versions.md
 * §6.2).
 */
import type { Position, Problem, Report } from "../core/diagnostics.js";
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
    const problem = (rest: Pick<Problem, "code" | "kind" | "message" | "hint">): undefined =>
      void report({ ...place, field: flag, ...rest });
    const versionClass = VERSION_CLASSES.find((each) => each === key);
    if (versionClass !== undefined) {
      if (value === "true" || value === "false") classes.set(versionClass, value === "true");
      else
        problem({
          code: "API011",
          kind: "Invalid",
          message: `${JSON.stringify(value)} is not a value of ${key}`,
          hint: "here only true and false are accepted, in exactly this spelling",
        });
      continue;
    }
    const found = readKey(key, value, registered, problem);
    if (found === undefined) continue;
    if (found.resource === undefined) versions.push({ ...found, place });
    else resources.push({ ...found, resource: found.resource, place });
  }
  const [only] = entries;
  if (entries.size === 1 && only !== undefined && only[0] === "api/all" && only[1].value === "false")
    report({
      code: "API012",
      kind: "Invalid",
      ...only[1].place,
      field: only[1].flag,
      message: "api/all=false alone leaves nothing to serve",
      hint: "name at least one version that is on",
    });
  return { classes, versions, resources };
}

/**
 * A kube-apiserver takes the core group without its slash, and every resource of it for the whole; a key of its first
 * releases is dropped (completion of its options).
 */
const keyMeant = (key: string): string | undefined =>
  key === "api/legacy" ? undefined : /^(api\/)?v1(\/|$)/.test(key) ? "/v1" : key;

function readKey(
  key: string,
  value: string,
  { groups, versions }: Registered,
  problem: (rest: Pick<Problem, "code" | "kind" | "message" | "hint">) => undefined,
) {
  const tokens = key.split("/");
  const [group = "", version = "", resource] = tokens;
  if (tokens.length < 2 || tokens.length > 3)
    return problem({
      code: "API010",
      kind: "Invalid",
      message: `invalid key ${JSON.stringify(key)}`,
      hint: "group/version, group/version/resource, or api/all, api/ga, api/beta, api/alpha",
    });
  if (!groups.has(group))
    return problem({
      code: "API013",
      kind: "NotFound",
      message:
        group === "" ? "the core group is not known here" : `unknown API group ${JSON.stringify(group)}`,
      hint: "remove it, or check the spelling",
    });
  if (!versions.has(`${group}/${version}`))
    return problem({
      code: "API014",
      kind: "NotFound",
      message: `version ${group}/${version} is not registered`,
      hint: `registered: ${[...versions].filter((each) => each.startsWith(`${group}/`)).join(", ")}`,
    });
  const enabled = value === "" ? true : parseBoolean(value);
  if (enabled === undefined)
    return problem({
      code: "API011",
      kind: "Invalid",
      message: `${JSON.stringify(value)} is not a value of ${key}`,
      hint: `one of ${BOOLEAN_TEXTS}, or nothing for true`,
    });
  if (resource !== undefined && resource !== resource.toLowerCase())
    return problem({
      code: "API010",
      kind: "Invalid",
      message: `invalid key ${JSON.stringify(key)}: a resource is a plural in lower case`,
      hint: `write ${group}/${version}/${resource.toLowerCase()}`,
    });
  return { group, version, resource, enabled };
}
