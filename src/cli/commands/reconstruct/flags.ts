/** Flags of `slipway reconstruct`. */
import { list, text, toggle } from "../../flags.js";

export const from = list("from", "files or folders with manifests; - reads stdin", {
  value: "PATH",
  names: "input",
});
export const target = text("dir", "directory to make; must be new or empty", {
  value: "DIR",
  names: "result",
});

export const installer = text(
  "installer",
  "openshift-install of the release, run in the directory to complete the phase",
  { value: "PATH" },
);

export const controlPlane = text("control-plane", "which OpenShiftControlPlane, where there are several", {
  value: "[NAMESPACE/]NAME",
});

export const namespace = text(
  "namespace",
  "namespace of the control plane; objects that name none are counted as in it",
  { value: "NAME" },
);

export const withInstallConfig = toggle(
  "with-install-config",
  "lay out install-config.yaml as well; openshift-install then discards manifests unless it is what the state holds",
);
