/** A platform whose infrastructure is the user's own business: it has no cloud to ask, no credentials and no machines. */
import type { PlatformAgent } from "./agent.js";
import type { NormalConfig } from "./config.js";
import type {
  PlatformInfrastructure,
  PlatformInput,
  PlatformManifests,
  PlatformModule,
  RuleContext,
} from "./platform.js";

/** Everything of the manifests that such a platform has nothing to say about. */
const SILENT_MANIFESTS: Omit<PlatformManifests, "infrastructure"> = {
  dns: () => ({}),
  ingressPlatform: () => ({}),
  noProxy: () => [],
  cloudProviderConfig: () => undefined,
  credentialsSecret: () => undefined,
  networkMtu: () => undefined,
  extra: () => [],
};

/**
 * OpenShiftControlPlane and Cluster require references, and there is no object to refer to: names that nobody can
 * overlook (docs/reference/source-designs.md §1.4). No server knows such a kind, so nothing comes up by mistake.
 */
const PLACEHOLDERS: PlatformInfrastructure = {
  cluster: {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "REPLACE-ME-Cluster",
    name: "REPLACE-ME-infrastructure-cluster",
    placeholder: true,
  },
  machineTemplate: {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "REPLACE-ME-MachineTemplate",
    name: "REPLACE-ME-machine-template",
    placeholder: true,
  },
  objects: [],
};

export const userSupplied = ({
  name,
  infrastructure,
  validate = () => undefined,
  agent,
}: {
  readonly name: PlatformModule["name"];
  infrastructure(input: PlatformInput): ReturnType<PlatformManifests["infrastructure"]>;
  validate?(config: NormalConfig, context: RuleContext): void;
  readonly agent?: PlatformAgent;
}): PlatformModule => ({
  name,
  applyDefaults: (config) => config,
  validate,
  needs: [],
  resolveFacts: () => ({ apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" }),
  manifests: { ...SILENT_MANIFESTS, infrastructure },
  machines: () => [],
  infrastructure: () => PLACEHOLDERS,
  supplement: () => [],
  ...(agent === undefined ? {} : { agent }),
});
