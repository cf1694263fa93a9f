/** Cluster API objects of openstack (openshift/installer pkg/asset/manifests/openstack/cluster.go, pkg/asset/machines/openstack). */

import { base64 } from "../../core/base64.js";
import type { Problem } from "../../core/diagnostics.js";
import type { JsonObject } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { formatAddress, hostOf, isV4, lastHostOf, parseCidr } from "../../kubernetes/network.js";
import type { View } from "../../text/render.js";
import { spread } from "../machine-api.js";
import type {
  ComputeSet,
  InfrastructureInput,
  PlatformCompute,
  PlatformInfrastructure,
  PlatformInput,
  Rendering,
  RuleContext,
} from "../platform.js";
import { doubtful } from "../provider-problems.js";
import { userManagedLoadBalancer } from "../virtual-ips.js";
import { providerSecret } from "./clouds.js";
import { clusterTag, existingSubnets, imageName, isIPv6Alone, openstackOf } from "./config.js";
import { type FailureDomain, type Pool, poolOf, serverGroup } from "./pools.js";
import { has } from "./tables.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
/** The first host that ports get by themselves; those before it are for virtual IPs. */
const FIRST_HOST = 10;

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

/** Reference to the Secret with the login. */
export const identityRef = (infraID: string): JsonObject => ({
  cloudName: "openstack",
  name: `${infraID}-cloud-config`,
});

export function infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure {
  const { config, identity, credentials, namespace } = input;
  const { infraID } = identity;
  const pool = poolOf(config, config.controlPlane);
  const subnet = managedSubnet(input);
  for (const problem of [...networkProblems(input, subnet), ...volumeProblems(pool)]) context.report(problem);
  const common = { infraID, namespace, identity: identityRef(infraID), tag: clusterTag(infraID) };
  return {
    cluster: { apiVersion: API_VERSION, kind: "OpenStackCluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "OpenStackMachineTemplate",
      name: machineTemplateName(infraID),
      placeholder: false,
    },
    objects: [
      ...(credentials === undefined ? [] : [secret(infraID, namespace, providerSecret(credentials))]),
      {
        template: "infrastructure-manifests/openstack/40_infrastructure-cluster.yaml",
        path: "40_infrastructure-cluster.yaml",
        view: { ...common, ...clusterView(input, pool, subnet) },
      },
      {
        template: "infrastructure-manifests/openstack/50_machine-template.yaml",
        path: "50_machine-template.yaml",
        view: { ...common, name: machineTemplateName(infraID), ...machineView(input, pool, "master") },
      },
    ],
  };
}

const secret = (infraID: string, namespace: string, data: Readonly<Record<string, string>>): Rendering => ({
  template: "infrastructure-manifests/openstack/10_credentials-clouds.yaml",
  path: "10_credentials-clouds.yaml",
  secret: true,
  view: {
    infraID,
    name: `${infraID}-cloud-config`,
    namespace,
    data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, base64(text)])),
  },
});

/** The subnet that is made; undefined where subnets are brought along, or the network has no room for it. */
export function managedSubnet({ config, release }: PlatformInput): JsonObject | undefined {
  const { controlPlanePort, externalDNS = [] } = openstackOf(config);
  const [first] = config.networking.machineNetwork;
  const cidr = parseCidr(first?.cidr ?? "");
  const start = hostOf(cidr, FIRST_HOST);
  if (controlPlanePort !== undefined || first === undefined || cidr === undefined || start === undefined)
    return undefined;
  return {
    cidr: first.cidr,
    ...(externalDNS.length > 0 ? { dnsNameservers: externalDNS } : {}),
    ...(has(release, "allocationPool")
      ? { allocationPools: [{ start: formatAddress(start), end: formatAddress(lastHostOf(cidr)) }] }
      : {}),
  };
}

/** A reference by identifier, else by name; undefined where neither is written. */
const reference = ({
  id = "",
  name = "",
}: {
  readonly id?: string;
  readonly name?: string;
}): JsonObject | undefined => (id !== "" ? { id } : name !== "" ? { filter: { name } } : undefined);

export function clusterView({ config }: PlatformInput, pool: Pool, subnet: JsonObject | undefined): View {
  const openstack = openstackOf(config);
  const { externalNetwork = "", apiVIPs = [], controlPlanePort } = openstack;
  const zones = [...new Set(pool.zones.map(({ zone }) => zone))].filter((zone) => zone !== "");
  const subnets = existingSubnets(openstack).flatMap((each) => reference(each) ?? []);
  return {
    apiVip: apiVIPs[0] ?? "",
    externalNetwork: externalNetwork === "" ? undefined : externalNetwork,
    zones: zones.length > 0 ? zones : undefined,
    network: controlPlanePort === undefined ? undefined : reference(controlPlanePort.network ?? {}),
    subnets: controlPlanePort === undefined ? undefined : subnets,
    managedSubnets: subnet === undefined ? undefined : [subnet],
  };
}

/** Compute machines: a template for each failure domain, whose volume and server group are its own. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const { config, identity, namespace } = input;
  const { infraID } = identity;
  const common = { infraID, namespace, identity: identityRef(infraID), tag: clusterTag(infraID) };
  const pools = config.compute.map((each) => poolOf(config, each));
  const sets = spread(pools).map(({ pool, zone, replicas }): ComputeSet => {
    const name = `${infraID}-${pool.name}-${pool.zones.indexOf(zone)}`;
    return {
      pool: pool.name,
      name,
      replicas,
      failureDomain: zone.zone === "" ? undefined : zone.zone,
      template: {
        template: "infrastructure-manifests/openstack/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: { ...common, name, ...machineView(input, { ...pool, zones: [zone] }, "worker") },
      },
    };
  });
  return { apiVersion: API_VERSION, kind: "OpenStackMachineTemplate", sets, objects: [] };
}

export function machineView(
  { config, identity }: PlatformInput,
  pool: Pool,
  role: "master" | "worker",
): View {
  const { infraID } = identity;
  const openstack = openstackOf(config);
  const { apiVIPs = [], ingressVIPs = [], controlPlanePort } = openstack;
  // The API's address is with the control plane, that of the routes may be with any machine.
  const own = role === "master" ? [...apiVIPs, ...ingressVIPs] : ingressVIPs;
  const vips = userManagedLoadBalancer(openstack) ? [] : own;
  const network = controlPlanePort === undefined ? undefined : reference(controlPlanePort.network ?? {});
  const subnets =
    controlPlanePort === undefined
      ? [{ filter: { tagsAny: [clusterTag(infraID)] } }]
      : existingSubnets(openstack).flatMap((each) => reference(each) ?? []);
  const [first = NOWHERE] = pool.zones;
  return {
    configDrive: isIPv6Alone(config),
    flavor: pool.flavor,
    image: imageName(openstack, infraID),
    ports: [
      {
        ...(vips.length > 0 ? { allowedAddressPairs: vips.map((ipAddress) => ({ ipAddress })) } : {}),
        fixedIPs: subnets.map((subnet) => ({ subnet })),
        ...(network === undefined ? {} : { network }),
      },
      ...pool.networks.map((id) => ({ network: { id } })),
    ],
    rootVolume: pool.volumeSize === undefined ? undefined : rootVolume(pool, pool.volumeSize),
    securityGroups: [
      { filter: { name: `${infraID}-${role}` } },
      ...pool.securityGroups.map((id) => ({ id })),
    ],
    securityGroup: `${infraID}-${role}`,
    serverGroup: serverGroup(infraID, role, first),
  };
}

const NOWHERE: FailureDomain = { zone: "", volume: undefined };

/** True where every volume lies in the zone of its machine, which has the same name. */
const followMachines = ({ zones }: Pool): boolean =>
  zones.every(({ zone, volume }) => zone !== "" && volume?.zone === zone);

const distinct = (texts: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(texts.map((text) => text ?? "")),
];

/** The one volume of the one template: the zone that all share, or that of the machine. */
function rootVolume(pool: Pool, sizeGiB: number): JsonObject {
  const zones = distinct(pool.zones.map(({ volume }) => volume?.zone));
  const [zone = ""] = zones;
  const type = pool.zones[0]?.volume?.type ?? "";
  const from =
    zones.length > 1
      ? followMachines(pool)
        ? { availabilityZone: { from: "Machine" } }
        : {}
      : zone === ""
        ? {}
        : { availabilityZone: { from: "Name", name: zone } };
  return { sizeGiB, ...(type === "" ? {} : { type }), ...from };
}

/** What differs by machine and cannot stand in the one template. */
function volumeProblems(pool: Pool): Problem[] {
  const field = "controlPlane.platform.openstack.rootVolume";
  const zones = distinct(pool.zones.map(({ volume }) => volume?.zone));
  const types = distinct(pool.zones.map(({ volume }) => volume?.type));
  const hint = "see the manual steps for each machine";
  return [
    ...(zones.length > 1 && !followMachines(pool)
      ? [
          doubtful(
            `${field}.zones`,
            "one template cannot set a volume zone for each machine zone, so the cloud selects it",
            hint,
          ),
        ]
      : []),
    ...(types.length > 1
      ? [
          doubtful(
            `${field}.types`,
            `one template can have only one volume type, so all machines use ${types[0]}`,
            hint,
          ),
        ]
      : []),
  ];
}

function networkProblems({ config }: InfrastructureInput, subnet: JsonObject | undefined): Problem[] {
  const { controlPlanePort } = openstackOf(config);
  const block = config.networking.machineNetwork[0]?.cidr ?? "";
  const cidr = parseCidr(block);
  if (controlPlanePort !== undefined) return [];
  if (subnet === undefined)
    return [
      problem(
        "CAPI101",
        "Invalid",
        "networking.machineNetwork[0].cidr",
        `${block} is too small: the subnet allocates addresses from host ${FIRST_HOST} on`,
        "use a larger network",
      ),
    ];
  return cidr !== undefined && !isV4(cidr)
    ? [
        doubtful(
          "networking.machineNetwork[0].cidr",
          "the provider creates only IPv4 networks",
          "set platform.openstack.controlPlanePort to existing IPv6 subnets",
        ),
      ]
    : [];
}
