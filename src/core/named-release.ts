/**
 * The release that a whole version belongs to, as people, `oc version` and tags of images write it: versions of OpenShift
 * and of Kubernetes are semantic ones (`4.22.0-rc.3`, `v1.36.2+3f5a1b2`). Tables have no versions but releases, pairs of
 * numbers (minor.ts); and what a component of Kubernetes makes of the text of its flag is another matter
 * (compatibility/version.ts).
 */
import parse from "semver/functions/parse.js";
import { type Minor, parseMinor } from "./minor.js";

/**
 * Reads `4.22`, `4.22.3`, `v1.36.0-rc.1`; undefined for what is neither a release nor a semantic version, so also for
 * `1.3x` and for blanks around a version.
 */
export function releaseOfVersion(text: string): Minor | undefined {
  if (/\s/.test(text)) return undefined;
  const release = parseMinor(text.replace(/^v/, ""));
  if (release !== undefined) return release;
  const version = parse(text);
  return version === null ? undefined : { major: version.major, minor: version.minor };
}

/** Tags of release images end in the architecture of the nodes (openshift/oc, pkg/cli/admin/release/mirror.go). */
const ARCHITECTURE = /-(?:x86_64|amd64|aarch64|arm64|ppc64le|s390x|multi)$/;

/** The release of a release image by its tag; undefined where there is none, or one that is not a version. */
export function releaseOfImage(image: string): Minor | undefined {
  const [, tag] = /^[^@]*:([^:@/]+)(?:@|$)/.exec(image) ?? [];
  return tag === undefined ? undefined : releaseOfVersion(tag.replace(ARCHITECTURE, ""));
}
