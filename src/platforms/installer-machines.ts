/** Names and objects that cluster-api/ has on every platform (openshift/installer pkg/asset/manifests/capiutils). */
import type { JsonObject } from "../core/json.js";
import { osStreamLabel } from "./os-stream.js";
import type { LackingFact, PlatformInput, Referent, Rendering } from "./platform.js";

/** Namespace of everything in cluster-api/, in the installer's own API server. */
export const INSTALLER_NAMESPACE = "openshift-cluster-api-guests";

/** Labels of the machines of the control plane, the bootstrap machine among them. */
export function controlPlaneLabels(input: PlatformInput): JsonObject {
  const stream = osStreamLabel(input);
  return {
    "cluster.x-k8s.io/control-plane": "",
    ...(stream === undefined ? {} : { "machineconfiguration.openshift.io/osstream": stream }),
  };
}

export const bootstrapName = (infraID: string): string => `${infraID}-bootstrap`;

/** Names of the control plane's machines, in order. */
export const controlPlaneNames = (
  infraID: string,
  pool: { readonly name: string; readonly replicas: number },
) => Array.from({ length: pool.replicas }, (_, index) => `${infraID}-${pool.name}-${index}`);

export const machinePath = (name: string): string => `cluster-api/machines/10_inframachine_${name}.yaml`;

/** Failure domains that become objects, and whose names the API server rejects. */
export const invalidNames = (
  domains: readonly { readonly name?: string }[],
  isValid: (name: string) => boolean,
): readonly LackingFact[] =>
  domains.flatMap(({ name = "" }) =>
    isValid(name)
      ? []
      : [
          {
            what: `a valid object name for the failure domain ${JSON.stringify(name)}`,
            hint: "rename the failure domain; use lowercase letters, digits and hyphens",
          },
        ],
  );

interface InstallerMachine {
  readonly name: string;
  readonly labels: JsonObject | undefined;
  /** Left out where the installer does not write it, which makes it the namespace of the folder too. */
  readonly namespace?: string | undefined;
  readonly clusterName: string;
  /** Secret of the Ignition config, which the installer writes when it starts the machines. */
  readonly dataSecretName: string;
  readonly failureDomain?: string | undefined;
  readonly infrastructure: Pick<Referent, "apiVersion" | "kind">;
}

/** The Machine of an infrastructure machine of the same name. */
export const machineObject = ({ infrastructure, name, ...machine }: InstallerMachine): Rendering => ({
  template: "cluster-api/10_machine.yaml",
  path: `cluster-api/machines/10_machine_${name}.yaml`,
  view: {
    name,
    labels: machine.labels,
    namespace: machine.namespace,
    clusterName: machine.clusterName,
    dataSecretName: machine.dataSecretName,
    failureDomain: machine.failureDomain,
    infrastructureRef: { apiVersion: infrastructure.apiVersion, kind: infrastructure.kind, name },
  },
});
