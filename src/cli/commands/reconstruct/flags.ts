/** Flags of `slipway reconstruct`. */
import { list, text, toggle } from "../../flags.js";

export const from = list("from", "files or folders with manifests; - reads stdin", {
  value: "PATH",
  stream: "own",
  names: "input",
});
export const target = text("dir", "directory to create; must be new or empty", {
  value: "DIR",
  names: "result",
});

export const installer = text(
  "installer",
  "path of openshift-install of the same release; slipway runs it in the new directory to complete the phase",
  { value: "PATH" },
);

export const controlPlane = text("control-plane", "name of the OpenShiftControlPlane, if there are several", {
  value: "[NAMESPACE/]NAME",
});

export const namespace = text(
  "namespace",
  "namespace of the control plane; also used for objects without a namespace",
  { value: "NAME" },
);

export const withInstallConfig = toggle(
  "with-install-config",
  "also write install-config.yaml; openshift-install then discards manifests unless it equals the one in the state",
);
