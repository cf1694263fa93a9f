/** Values of flags that are wrong by themselves: the phase that is asked for may only keep them for a later one. */
import type { Report } from "../core/diagnostics.js";
import { releaseImageProblem, untaggedImageProblem } from "../kubernetes/images.js";
import { nameProblems } from "../phases/infrastructure-manifests/names.js";
import { boundsOf, givenBounds } from "./machine-management.js";
import type { CompileFlags } from "./options.js";

export function reportValues(flags: CompileFlags, report: Report): void {
  const { releaseImage, namespace, controllerNamespace } = flags;
  const image =
    releaseImage === undefined
      ? undefined
      : (releaseImageProblem(releaseImage) ?? untaggedImageProblem(releaseImage));
  if (image !== undefined) report({ ...image, file: "--release-image" });
  nameProblems({ namespace, controllerNamespace }).forEach(report);
  boundsOf(givenBounds(flags), report);
}
