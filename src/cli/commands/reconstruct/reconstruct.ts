/** `slipway reconstruct`: what the command is; what it does is in reconstruct-run.ts. */
import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { controlPlane, from, installer, namespace, target, withInstallConfig } from "./flags.js";

export const reconstruct: Command = {
  path: "reconstruct",
  summary: "Rebuild an asset directory from the manifests of a cluster",
  details: `Reads the OpenShiftControlPlane, its install-state Secret and the Secrets that it selects from YAML files, Lists and kubectl dumps; ignores other objects. Writes the state and the wrapped files byte for byte, so that you can continue with slipway create ignition-configs or with openshift-install of the same release.
Creates the complete directory with mode 0700, or nothing. The directory contains the keys and passwords of the cluster: remove it when you no longer need it.
--release and the flags listed after it apply only if the Secret contains an install-config but no state: slipway then compiles the manifests.`,
  flags: [from, target, installer, controlPlane, namespace, withInstallConfig, ...flagsOf("reconstruct")],
  examples: [
    {
      line: "slipway reconstruct --from cluster/infrastructure-manifests --dir scratch",
      does: "from the output of create infrastructure-manifests",
    },
    {
      line: "kubectl get openshiftcontrolplanes,secrets -n egret-abcde -o yaml | slipway reconstruct --from - --dir scratch",
      does: "from the management cluster",
    },
  ],
  writes: true,
  load: async () => (await import("./reconstruct-run.js")).runReconstruct,
};
