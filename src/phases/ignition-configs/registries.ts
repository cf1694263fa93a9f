/**
 * /etc/containers/registries.conf of the bootstrap node: mirrors of images that are named by digest
 * (docs/reference/ignition-configs.md §2d). Written without content where the config names no mirror.
 */
import type { Release } from "../../core/release.js";
import type { NormalConfig } from "../../platforms/config.js";
import { inForce } from "../../platforms/release-changes.js";

/** A registry with its mirrors, in the order in which they are tried. */
export interface MirroredSource {
  readonly source: string;
  /** True when the source itself must not be asked; undefined in releases that cannot say so. */
  readonly blocked: boolean | undefined;
  readonly mirrors: readonly string[];
}

/** The deprecated list counts where there is one; it has no policies, nor has a release before 4.21. */
export function mirroredSources(
  { imageContentSources = [], imageDigestSources = [] }: NormalConfig,
  release: Release,
): readonly MirroredSource[] {
  const hasPolicies = inForce(release, "sourcePolicy");
  const groups = new Map<string, { source: string; policy: string; mirrors: Set<string> }>();
  const given: NonNullable<NormalConfig["imageDigestSources"]> =
    imageContentSources.length > 0 ? imageContentSources : imageDigestSources;
  for (const { source = "", sourcePolicy = "", mirrors = [] } of given) {
    const policy = hasPolicies ? sourcePolicy : "";
    const key = JSON.stringify([source, policy]);
    const group = groups.get(key) ?? { source, policy, mirrors: new Set() };
    for (const mirror of mirrors) group.mirrors.add(mirror);
    groups.set(key, group);
  }
  return [...groups.values()]
    .filter(({ mirrors }) => mirrors.size > 0)
    .map(({ source, policy, mirrors }) => ({
      source,
      blocked: hasPolicies ? policy === "NeverContactSource" : undefined,
      mirrors: [...mirrors],
    }));
}

export const registriesConf = (sources: readonly MirroredSource[]): string => sources.map(registry).join("");

const registry = ({ source, blocked, mirrors }: MirroredSource): string =>
  [
    "[[registry]]",
    `location = ${tomlText(source)}`,
    "insecure = false",
    "mirror-by-digest-only = true",
    ...(blocked === undefined ? [] : [`blocked = ${blocked}`]),
    "",
    ...mirrors.flatMap((mirror) => [
      "[[registry.mirror]]",
      `location = ${tomlText(mirror)}`,
      "insecure = false",
    ]),
    "",
    "",
    "",
  ].join("\n");

/** A basic string of TOML, whose escapes are those of JSON. */
const tomlText = (text: string): string => JSON.stringify(text);
