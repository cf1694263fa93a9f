/**
 * Cluster API objects of Metal3, of cluster-api-provider-metal3 and the baremetal-operator in a management cluster. The installer has
 * none of them; docs/platforms/baremetal.md says what each choice rests on.
 */
import type { JsonObject } from "../../core/json.js";
import type {
  ComputeSet,
  InfrastructureInput,
  PlatformCompute,
  PlatformInfrastructure,
  Rendering,
  RuleContext,
} from "../platform.js";
import { type AssignedHost, assignedHosts, baremetalOf, keepsMachines } from "./config.js";
import { baremetalFactsOf } from "./facts.js";
import { architectureOf, type HostSecret, hostView, loginOf, networkOf } from "./hosts.js";
import { validateHosts } from "./install-config/rules.js";

export const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta2";

/** The value of the label `installer.openshift.io/role` that machines choose their hosts by. */
const ROLES = { master: "control-plane", arbiter: "arbiter", worker: "worker" } as const;

export function infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure {
  const { config, facts, identity, namespace, release } = input;
  const { infraID } = identity;
  // Without machines of its own the cluster may do with unsound hosts; Metal3 cannot.
  if (!keepsMachines(config)) validateHosts(config, context);
  const template = `${infraID}-master`;
  const common = { infraID, namespace };
  const [host = ""] = baremetalOf(config).apiVIPs ?? [];
  return {
    cluster: { apiVersion: API_VERSION, kind: "Metal3Cluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "Metal3MachineTemplate",
      name: template,
      placeholder: false,
    },
    objects: [
      // Compute hosts are the new cluster's own.
      ...assignedHosts(config, release)
        .filter(({ role }) => role !== "worker")
        .flatMap((each) => hostObjects(input, each)),
      {
        template: "infrastructure-manifests/baremetal/40_infrastructure-cluster.yaml",
        path: "40_infrastructure-cluster.yaml",
        view: { ...common, host },
      },
      {
        template: "infrastructure-manifests/baremetal/48_data-template.yaml",
        path: "48_data-template.yaml",
        view: { ...common, name: template },
      },
      {
        template: "infrastructure-manifests/baremetal/50_machine-template.yaml",
        path: "50_machine-template.yaml",
        view: {
          ...common,
          name: template,
          dataTemplate: template,
          image: imageOf(baremetalFactsOf(facts)),
        },
      },
    ],
  };
}

/** Compute machines, which choose among the hosts that are neither of the control plane nor arbiters. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const { config, facts, identity, namespace, release } = input;
  const { infraID } = identity;
  const common = { infraID, namespace };
  const dataTemplate = `${infraID}-worker`;
  const sets = config.compute.map((pool): ComputeSet => {
    const name = `${infraID}-${pool.name}-0`;
    return {
      pool: pool.name,
      name,
      replicas: pool.replicas,
      template: {
        template: "infrastructure-manifests/baremetal/51_machine-template-compute.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: {
          ...common,
          name,
          dataTemplate,
          image: imageOf(baremetalFactsOf(facts)),
        },
      },
    };
  });
  return {
    apiVersion: API_VERSION,
    kind: "Metal3MachineTemplate",
    sets,
    objects: [
      ...assignedHosts(config, release)
        .filter(({ role }) => role === "worker")
        .flatMap((each) => hostObjects(input, each)),
      {
        template: "infrastructure-manifests/baremetal/48_data-template.yaml",
        path: "48_data-template-worker.yaml",
        view: { ...common, name: dataTemplate },
      },
    ],
  };
}

/** An image of the user's in place of the deploy step of OpenShift's ramdisk. */
export const imageOf = ({ image }: ReturnType<typeof baremetalFactsOf>): JsonObject | undefined => {
  if (image === undefined) return undefined;
  const { url, checksum, checksumType, diskFormat } = image;
  return {
    url,
    checksum,
    ...(checksumType === undefined ? {} : { checksumType }),
    ...(diskFormat === undefined ? {} : { diskFormat }),
  };
};

/** A host with its Secrets. */
export function hostObjects(input: InfrastructureInput, { host, role }: AssignedHost): Rendering[] {
  const { config, identity, namespace } = input;
  const common = { infraID: identity.infraID, namespace };
  const secret = (file: string, given: HostSecret | undefined): Rendering[] =>
    given === undefined
      ? []
      : [
          {
            template: "infrastructure-manifests/baremetal/10_host-secret.yaml",
            path: `${file}-${given.name}.yaml`,
            secret: true,
            view: { ...common, ...given },
          },
        ];
  return [
    ...secret("10_credentials", loginOf(host)),
    ...secret("15_host", networkOf(host)),
    {
      template: "infrastructure-manifests/baremetal/45_host.yaml",
      path: `45_host-${host.name}.yaml`,
      view: {
        ...common,
        ...hostView(host),
        role: ROLES[role],
        architecture: architectureOf(config, role),
      },
    },
  ];
}
