/** `slipway reconstruct`: what the command is; what it does is in reconstruct-run.ts. */
import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { controlPlane, from, installer, namespace, target, withInstallConfig } from "./flags.js";

export const reconstruct: Command = {
  path: "reconstruct",
  summary: "Rebuild an asset directory from the manifests of a cluster",
  details: `Reads the OpenShiftControlPlane, its install-state Secret and the Secrets that it selects, from files with one or more documents, Lists and kubectl dumps; other objects are ignored. Writes the state and the wrapped files, byte for byte, so that slipway create ignition-configs or the release's openshift-install can continue from them.
The directory is created as a whole or not at all, with mode 0700. It contains keys and passwords of the cluster: remove it when you no longer need it.
The flags from --release on apply only when the Secret contains an install-config but no state, so that the manifests are compiled.`,
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
