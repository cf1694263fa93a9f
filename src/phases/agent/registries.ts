/** mirror/: where images come from, and whom the registries' certificates are trusted by (openshift/installer pkg/asset/agent/mirror). */
import { encode, type OutputFile } from "../../core/files.js";
import type { Release } from "../../core/release.js";
import type { NormalConfig } from "../../platforms/config.js";
import { mirroredSources } from "../ignition-configs/registries.js";
import { canonicalBundle } from "../manifests/trust-bundle.js";

const REGISTRIES = "mirror/registries.conf";
const CERTIFICATES = "mirror/ca-bundle.crt";

/** No image is looked for without its registry. */
const NO_MIRRORS = `# No mirrors: the install-config has no imageDigestSources.
unqualified-search-registries = []
`;

/** A basic string of TOML, whose escapes are those of JSON. */
const toml = (text: string): string => JSON.stringify(text);

function registriesConf(config: NormalConfig, release: Release): string {
  const { imageDigestSources = [], imageContentSources = [] } = config;
  if (imageDigestSources.length === 0 && imageContentSources.length === 0) return NO_MIRRORS;
  return [
    'credential-helpers = []\nshort-name-mode = ""\nunqualified-search-registries = []\n',
    ...mirroredSources(config, release).flatMap(({ source, blocked, mirrors }) => [
      [
        "[[registry]]",
        ...(blocked === true ? ["  blocked = true"] : []),
        `  location = ${toml(source)}`,
        "  mirror-by-digest-only = true",
        '  prefix = ""',
        "",
      ].join("\n"),
      ...mirrors.map((mirror) => `  [[registry.mirror]]\n    location = ${toml(mirror)}\n`),
    ]),
  ].join("\n");
}

export const mirrorFiles = (config: NormalConfig, release: Release): readonly OutputFile[] =>
  [
    [CERTIFICATES, canonicalBundle(config.additionalTrustBundle ?? "")],
    [REGISTRIES, registriesConf(config, release)],
  ].map(([path = "", text = ""]) => ({ path, data: encode(text), secret: false }));

/** Whether a source stands for the repository of the release image. */
export const mirrorsRelease = (config: NormalConfig, release: Release, image: string): boolean => {
  const [named = ""] = image.split("@");
  const repository = named.replace(/:[^:/]*$/, "");
  return mirroredSources(config, release).some(({ source }) => source === repository);
};
