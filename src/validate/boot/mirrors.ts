/**
 * A cluster behind mirrors starts only when one of them has the release image too
 * (docs/reference/ignition-configs.md §2d, §6 row 14).
 */
import { type Problem, warning } from "../../core/problem.js";

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
        `no mirror covers the release image ${repository}, so machines pull it directly`,
        "add its repository as a source if machines cannot reach it",
      ),
    ];
  if (digest === undefined)
    return [
      doubt(
        `mirrors serve images by digest only, but the release image ${repository} is specified by tag`,
        "specify the release image by digest, with @sha256:…",
      ),
    ];
  return [];
}
