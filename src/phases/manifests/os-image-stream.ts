/**
 * openshift/99_osimagestream.yaml: the stream of the machines' operating system, in the version of its kind that the release
 * serves (docs/reference/install-config-and-manifests.md §3.6).
 */
import { gateEnabled } from "../../platforms/enabled-gates.js";
import { osImageStreamOf } from "../../platforms/os-stream.js";
import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

export const osImageStream: Asset = ({ config, release }) => {
  if (!inForce(release, "osImageStream") || !gateEnabled(release, config, "OSStreams")) return [];
  return [
    {
      template: inForce(release, "osImageStreamV1")
        ? "openshift/99_osimagestream-v1.yaml"
        : "openshift/99_osimagestream-v1alpha1.yaml",
      path: "openshift/99_osimagestream.yaml",
      view: { stream: osImageStreamOf({ config, release }) },
    },
  ];
};
