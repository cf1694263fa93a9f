/**
 * Mirrors of images: the digest mirror set and its deprecated forerunner
 * (docs/reference/install-config-and-manifests.md §3.2, §3.12).
 */

import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

export const imageDigestMirrorSet: Asset = ({ config, release }) => {
  const sources = config.imageDigestSources ?? [];
  if (sources.length === 0) return [];
  const mirrors = sources.map(({ source, mirrors = [], sourcePolicy = "" }) => ({
    source: source ?? "",
    ...(mirrors.length === 0 ? {} : { mirrors }),
    ...(sourcePolicy === "" || !inForce(release, "sourcePolicy") ? {} : { mirrorSourcePolicy: sourcePolicy }),
  }));
  return [
    {
      template: "manifests/image-digest-mirror-set.yaml",
      path: "manifests/image-digest-mirror-set.yaml",
      view: { mirrors },
    },
  ];
};

export const imageContentSourcePolicy: Asset = ({ config }) => {
  const sources = config.imageContentSources ?? [];
  if (sources.length === 0) return [];
  const mirrors = sources.map(({ source, mirrors }) => ({
    source: source ?? "",
    mirrors: mirrors ?? null,
  }));
  return [
    {
      template: "manifests/image-content-source-policy.yaml",
      path: "manifests/image-content-source-policy.yaml",
      view: { mirrors },
    },
  ];
};
