/** openshift/99_osimagestream.yaml: the stream of the machines' operating system (4.22, §3.6). */
import { gateEnabled } from "../../platforms/enabled-gates.js";
import type { Asset } from "./input.js";
import { hasTrait } from "./releases.js";

export const osImageStream: Asset = ({ config, release }) => {
  if (!hasTrait(release, "osImageStream") || !gateEnabled(release, config, "OSStreams")) return [];
  return [
    {
      template: "openshift/99_osimagestream.yaml",
      path: "openshift/99_osimagestream.yaml",
      view: { stream: config.osImageStream ?? "" },
    },
  ];
};
