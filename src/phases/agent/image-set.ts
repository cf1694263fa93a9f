/** The version of a release image. */
import type { Release } from "../../core/release.js";

/** The version in the tag of a release image, else the release. */
export const versionOf = (image: string, release: Release): string =>
  /:v?([0-9]+\.[0-9]+\.[0-9]+(?:-(?:rc|ec|fc)\.[0-9]+)?)[^:/@]*(?:@|$)/.exec(image)?.[1] ?? release.name;
