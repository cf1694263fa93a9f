/**
 * References to container images, by the grammar of the distribution project: `[domain/]path[:tag][@digest]`, where
 * the domain holds a dot, a port or is `localhost`. A digest has one of the algorithms that the project registers, in
 * lower case and of its full length (opencontainers/go-digest, algorithm.go); nothing can be pulled by another.
 */

import type { Problem } from "../core/diagnostics.js";
import { problem, warning } from "../core/problem.js";

const PART = "[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?";
const DOMAIN = `(?:${PART}(?:\\.${PART})*|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]+)?`;
const PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const TAG = "[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}";
const DIGEST = "(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})";
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*(?::${TAG})?(?:@${DIGEST})?$`);

export const isImageReference = (text: string): boolean => text.length <= 1024 && REFERENCE.test(text);

/** What stands before an `@` that a path follows: user name and password, which no reference has. */
const USER_INFO = /^.*@(?=[^@]*\/)/s;

/** The problem of a release image that is none; a password that was written into it is not repeated. */
export function releaseImageProblem(image: string): Problem | undefined {
  if (isImageReference(image)) return undefined;
  const shown = image.replace(USER_INFO, "<redacted>@").slice(0, 200);
  const login = USER_INFO.test(image) ? "; remove the user name, the credentials are in the pull secret" : "";
  return problem(
    "CAPI006",
    "Invalid",
    "--release-image",
    `invalid image reference ${JSON.stringify(shown)}`,
    `use registry/repository:tag, or registry/repository@sha256: and 64 lower-case hexadecimal digits${login}`,
  );
}

/** That a reference leaves the release to a tag that release images do not have. */
export const untaggedImageProblem = (image: string): Problem | undefined =>
  /[@:][^/]*$/.test(image)
    ? undefined
    : warning(
        "CAPI006",
        "Invalid",
        "--release-image",
        "the image has no digest and no tag, so machines would pull the tag latest, which is not a release",
        "add @sha256: and the digest of the release image (oc adm release info), or its tag",
      );
