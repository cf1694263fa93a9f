/**
 * Mirrors of image registries as the provider reads them: a file of containers-registries.conf(5), of which it takes
 * the location of each registry and of its mirrors, and a bundle of certificates (docs/reference/cluster-api.md §8).
 */
import type { NormalConfig } from "../../../platforms/config.js";

const REGISTRIES_KEY = "registries.conf";
const CERTIFICATES_KEY = "ca-bundle.crt";

/** A basic string of TOML; names of repositories hold nothing that JSON writes in another way. */
const toml = (text: string): string => JSON.stringify(text);

/** Data of the ConfigMap; undefined where the config names no mirrors. */
export function mirrorData(config: NormalConfig): { [key: string]: string } | undefined {
  const sources = [...(config.imageDigestSources ?? []), ...(config.imageContentSources ?? [])].filter(
    ({ mirrors = [] }) => mirrors.length > 0,
  );
  if (sources.length === 0) return undefined;
  const { additionalTrustBundle = "" } = config;
  const registries = sources.map(({ source = "", mirrors = [] }) =>
    [
      `[[registry]]\nprefix = ""\nlocation = ${toml(source)}\nmirror-by-digest-only = true\n`,
      ...mirrors.map((mirror) => `[[registry.mirror]]\nlocation = ${toml(mirror)}\n`),
    ].join("\n"),
  );
  return {
    ...(additionalTrustBundle === "" ? {} : { [CERTIFICATES_KEY]: additionalTrustBundle }),
    [REGISTRIES_KEY]: registries.join("\n"),
  };
}
