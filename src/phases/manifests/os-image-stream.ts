/**
 * openshift/99_osimagestream.yaml: the stream of the machines' operating system (4.22,
 * docs/reference/install-config-and-manifests.md §3.6).
 */
import { gateEnabled } from "../../platforms/enabled-gates.js";
import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

export const osImageStream: Asset = ({ config, release }) => {
  if (!inForce(release, "osImageStream") || !gateEnabled(release, config, "OSStreams")) return [];
  return [
    {
      template: "openshift/99_osimagestream.yaml",
      path: "openshift/99_osimagestream.yaml",
      view: { stream: config.osImageStream ?? "" },
    },
  ];
};
