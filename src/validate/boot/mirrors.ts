/**
 * A cluster behind mirrors starts only when one of them has the release image too
 * (docs/reference/ignition-configs.md §2d, §6 row 14).
 */
import type { Problem } from "../../core/diagnostics.js";
import { warning } from "../../core/problem.js";

export interface MirrorSet {
  readonly source: string;
  readonly mirrors: readonly string[];
}

/**
 * @param sets the image digest sources of the install-config
 * @param releaseImage pull specification of the release
 */
export function mirrorProblems(sets: readonly MirrorSet[], releaseImage: string | undefined): Problem[] {
  if (releaseImage === undefined || sets.every(({ mirrors }) => mirrors.length === 0)) return [];
  const [repository = "", digest] = releaseImage.split("@");
  const within = (scope: string): boolean =>
    repository === scope || repository.startsWith(`${scope}/`) || repository.startsWith(`${scope}:`);
  const doubt = (message: string, hint: string): Problem =>
    warning("BOOT013", "NotFound", "imageDigestSources", message, { file: "install-config.yaml", hint });
  if (!sets.some(({ source, mirrors }) => within(source) || mirrors.some(within)))
    return [
      doubt(
        `no mirror covers the release image ${repository}, so that the machines fetch it from there`,
        "add its repository as a source, where the machines cannot reach it",
      ),
    ];
  if (digest === undefined)
    return [
      doubt(
        `mirrors are asked for images by digest, and the release image ${repository} is given by tag`,
        "give the pull specification by digest, with @sha256:…",
      ),
    ];
  return [];
}
