/**
 * Which versions and resources are switched on, before lifecycles are looked at: built-in defaults, `--runtime-config`,
 * and what `--emulation-forward-compatible` adds (docs/reference/compatibility-versions.md §6.2, §6.3).
 */
import { holdsAt } from "../core/by-release.js";
import { behavesSince } from "../kubernetes/behavior.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import type { ApiKind } from "./api-table.js";
import { isAlphaVersion, isOfClass, type RuntimeConfig, VERSION_CLASSES } from "./runtime-config.js";
import { compareMinors, type Minor, release } from "./version.js";

/** Beta versions of new groups are off by default from here on (docs/reference/compatibility-versions.md §6.2). */
const BETA_OFF_SINCE = release(behavesSince("newBetasOff"));

const keyOf = (group: string, version: string): string => `${group}/${version}`;

/** Switches of versions (`group/version`) and of single resources (`group/version/resource`). */
export class Enablement {
  readonly explicitVersions = new Map<string, boolean>();
  readonly explicitResources = new Map<string, boolean>();

  private constructor(
    private readonly versions: Map<string, boolean>,
    private readonly resources: Map<string, boolean>,
  ) {}

  /** The defaults of a binary: GA on, beta and alpha off, old beta resources on. */
  static defaults(kinds: readonly ApiKind[], binary: Minor): Enablement {
    const versions = new Map<string, boolean>();
    const resources = new Map<string, boolean>();
    for (const kind of kinds) {
      const preview = isOfClass(kind.version, "api/beta") || isAlphaVersion(kind.version);
      versions.set(keyOf(kind.group, kind.version), !preview);
      if (kind.resource === undefined) continue;
      const said = kind.enabledByDefault;
      const initial = typeof said === "object" ? holdsAt(said, binary) || undefined : said;
      const value = initial ?? (isOldBeta(kind, binary) ? true : undefined);
      if (value !== undefined) resources.set(`${keyOf(kind.group, kind.version)}/${kind.resource}`, value);
    }
    return new Enablement(versions, resources);
  }

  /** Applies the settings in their order: classes of versions, versions, resources; each drops what it overrides. */
  apply(config: RuntimeConfig): void {
    for (const each of VERSION_CLASSES) {
      const value = config.classes.get(each);
      if (value === undefined) continue;
      for (const key of this.versions.keys())
        if (isOfClass(key.slice(key.lastIndexOf("/") + 1), each)) this.setVersion(key, value);
    }
    this.applyExplicit(config);
  }

  private applyExplicit({ versions, resources }: RuntimeConfig): void {
    for (const { group, version, enabled } of versions) {
      this.setVersion(keyOf(group, version), enabled);
      this.explicitVersions.set(keyOf(group, version), enabled);
    }
    for (const { group, version, resource, enabled } of resources) {
      const key = `${keyOf(group, version)}/${resource}`;
      this.resources.set(key, enabled);
      this.explicitResources.set(key, enabled);
    }
  }

  /**
   * A copy in which every version above an enabled one of its group, and every resource above an enabled version of
   * it, is on as well; alpha neither causes nor receives this, and an explicit setting wins.
   */
  forwardCompatible(config: RuntimeConfig, kinds: readonly ApiKind[]): Enablement {
    const result = new Enablement(new Map(this.versions), new Map(this.resources));
    const above = (group: string, version: string): string[] =>
      [...new Set(kinds.filter((kind) => kind.group === group).map((kind) => kind.version))].filter(
        (other) => compareKubeVersions(other, version) > 0,
      );
    for (const [key, enabled] of this.versions) {
      const [group = "", version = ""] = key.split("/");
      if (!enabled || isAlphaVersion(version)) continue;
      for (const other of above(group, version)) result.versions.set(keyOf(group, other), true);
    }
    for (const [key, enabled] of this.resources) {
      const [group = "", version = "", ...rest] = key.split("/");
      if (!enabled || isAlphaVersion(version)) continue;
      for (const other of above(group, version))
        result.resources.set(`${keyOf(group, other)}/${rest.join("/")}`, true);
    }
    result.applyExplicit(config);
    return result;
  }

  resourceEnabled(group: string, version: string, resource: string): boolean {
    const key = keyOf(group, version);
    return this.resources.get(`${key}/${resource}`) ?? this.versions.get(key) ?? false;
  }

  versionExplicitlyOn(group: string, version: string): boolean {
    return this.explicitVersions.get(keyOf(group, version)) ?? false;
  }

  resourceExplicitlyOn(group: string, version: string, resource: string): boolean {
    return this.explicitResources.get(`${keyOf(group, version)}/${resource}`) ?? false;
  }

  private setVersion(key: string, enabled: boolean): void {
    this.versions.set(key, enabled);
    for (const resource of [...this.resources.keys()])
      if (resource.startsWith(`${key}/`)) {
        this.resources.delete(resource);
        this.explicitResources.delete(resource);
      }
  }
}

/** True for a beta version that is on by default, as all were that came before new ones were switched off. */
export function isOldBeta(
  { version, introduced }: Pick<ApiKind, "version" | "introduced">,
  binary: Minor,
): boolean {
  if (!isOfClass(version, "api/beta")) return false;
  if (compareMinors(binary, BETA_OFF_SINCE) < 0) return true;
  return introduced !== undefined && compareMinors(introduced, BETA_OFF_SINCE) < 0;
}
