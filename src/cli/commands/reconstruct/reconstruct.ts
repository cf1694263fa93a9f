/** `slipway reconstruct`: what the command is; what it does is in reconstruct-run.ts. */
import { flagsOf } from "../../../pipeline/flags.js";
import type { Command } from "../../command.js";
import { controlPlane, from, installer, namespace, target, withInstallConfig } from "./flags.js";

export const reconstruct: Command = {
  path: "reconstruct",
  summary: "Rebuild an asset directory from the manifests of a cluster",
  details: `Reads the OpenShiftControlPlane, its install-state Secret and the Secrets that it selects, from files of one or more documents, Lists and kubectl dumps; other objects are passed over. Writes the state and the wrapped files, byte for byte, so that slipway create ignition-configs or openshift-install of the release goes on from them.
The directory appears whole or not at all, mode 0700. It holds keys and passwords of the cluster: remove it when the phase is done.
The flags from --release on count only where the Secret holds an install-config and no state, so that the manifests are compiled.`,
  flags: [from, target, installer, controlPlane, namespace, withInstallConfig, ...flagsOf("reconstruct")],
  examples: [
    {
      line: "slipway reconstruct --from cluster/infrastructure-manifests --dir scratch",
      does: "from the folder that create infrastructure-manifests wrote",
    },
    {
      line: "kubectl get openshiftcontrolplanes,secrets -n egret-abcde -o yaml | slipway reconstruct --from - --dir scratch",
      does: "from the management cluster",
    },
  ],
  writes: true,
  load: async () => (await import("./reconstruct-run.js")).runReconstruct,
};
