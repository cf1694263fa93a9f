/** Offline facts of openstack: which a config needs, and where they contradict it. */

import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import type { CloudFacts, OpenstackFacts } from "../../generated/types/cloud-facts.js";
import { parseAddress } from "../../kubernetes/network.js";
import { quote } from "../../text/quote.js";
import { parseUri } from "../../text/uri.js";
import type { NormalConfig } from "../config.js";
import { inFacts, missingFact, type Need } from "../needs.js";
import type { FactSources, PlatformInput, RuleContext } from "../platform.js";
import { userManagedLoadBalancer } from "../virtual-ips.js";
import { existingSubnets, type OpenstackPlatform, openstackOf, poolsByField } from "./config.js";
import { mergedSection } from "./pools.js";
import { has } from "./tables.js";

const FIELD = "platform.openstack";
/** IPv6 needs 1280, and what OVN-Kubernetes puts around it 100 more. */
const LEAST_IPV6_MTU = 1380;

type Subnet = NonNullable<OpenstackFacts["subnets"]>[number];
type Network = NonNullable<OpenstackFacts["networks"]>[number];

export const NEEDS = {
  externalNetwork: {
    fact: "openstack.networks",
    field: () => `${FIELD}.externalNetwork`,
    message: (name) => `the network ${name} is not listed in the facts file`,
    names: (name) => [name],
    hint: () => `add ${inFacts("openstack.networks")} with its id and name`,
  },
  subnet: {
    fact: "openstack.subnets",
    field: () => `${FIELD}.controlPlanePort.network`,
    message: (name) =>
      `the network of the subnet ${name} is not listed in the facts file, and two subnets require it`,
    names: (name) => [name],
    hint: () => `set network.id or network.name, or add ${inFacts("openstack.subnets")} with its network`,
  },
} satisfies Record<string, Need<string>>;

export const factsOf = (facts: CloudFacts | undefined): OpenstackFacts => facts?.openstack ?? {};

/** The network of a name; undefined without facts about it. */
const networkNamed = ({ networks = [] }: OpenstackFacts, name: string): Network | undefined =>
  networks.find((each) => each.name === name);

function subnetFact(
  { subnets = [] }: OpenstackFacts,
  { id, name }: { id: string; name: string },
): Subnet | undefined {
  return subnets.find((each) => each.id === id || (name !== "" && each.name === name));
}

/** True where the cloud balances loads; without a fact there is taken to be a service for it. */
export const hasLoadBalancers = ({ facts, release }: Pick<PlatformInput, "facts" | "release">): boolean =>
  factsOf(facts).loadBalancerService !== false || !has(release, "loadBalancerServiceAsked");

/** Identifier of the network that floating IPs come from; undefined where the config names none. */
export const externalNetworkID = ({ config, facts }: PlatformInput): string | undefined =>
  networkNamed(factsOf(facts), openstackOf(config).externalNetwork ?? "")?.id;

/** Identifier of the machines' network where it must be told: as it is written, else that of the first of two subnets. */
export function networkOfPort({
  config,
  facts,
}: Pick<PlatformInput, "config" | "facts">): string | undefined {
  const openstack = openstackOf(config);
  const { id = "", name = "" } = openstack.controlPlanePort?.network ?? {};
  const [first, second] = existingSubnets(openstack);
  if (id !== "" || name !== "" || first === undefined || second === undefined) return id;
  return subnetFact(factsOf(facts), first)?.network;
}

/** The facts as they are given; what is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const facts = factsOf(sources.facts);
  const resolved: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", openstack: facts };
  const problems = [
    ...missing(config, resolved, context),
    ...platformProblems(openstackOf(config), config, facts, context),
    ...poolsByField(config).flatMap(({ pool, field }, index) =>
      poolProblems(mergedSection(config, pool), `${field}.platform.openstack`, index === 0, facts),
    ),
  ];
  problems.forEach(context.report);
  return resolved;
}

function missing(config: NormalConfig, facts: CloudFacts, { release }: RuleContext): Problem[] {
  const openstack = openstackOf(config);
  const { externalNetwork = "" } = openstack;
  const known = factsOf(facts);
  const asked = has(release, "loadBalancerServiceAsked");
  return [
    ...(externalNetwork !== "" && known.networks === undefined && hasLoadBalancers({ facts, release })
      ? [missingFact(NEEDS.externalNetwork, externalNetwork)]
      : []),
    ...(networkOfPort({ config, facts }) === undefined &&
    openstack.controlPlanePort !== undefined &&
    known.subnets === undefined
      ? [
          missingFact(
            NEEDS.subnet,
            existingSubnets(openstack)[0]?.id || (existingSubnets(openstack)[0]?.name ?? ""),
          ),
        ]
      : []),
    ...(asked && known.loadBalancerService === undefined
      ? [
          problem(
            "FACT004" as const,
            "Required" as const,
            FIELD,
            "assuming that the cloud has a load balancer service (Octavia)",
            {
              severity: "info" as const,
              hint: `add ${inFacts("openstack.loadBalancerService")} to specify it`,
            },
          ),
        ]
      : []),
  ];
}

/** Kinds and fields are those of the installer; `at` is where the value stands, where that differs. */
const wrong = (
  field: string,
  message: string,
  hint: string,
  { kind = "Invalid", at = field }: { readonly kind?: Problem["kind"]; readonly at?: string } = {},
): Problem => problem("FACT002", kind, field, message, { at, hint });

const absent = (
  field: string,
  what: string,
  fact: string,
  place: { readonly kind?: Problem["kind"]; readonly at?: string } = { kind: "NotFound" },
): Problem =>
  wrong(
    field,
    `${what} is not listed in the facts file`,
    `use an existing one, or complete ${inFacts(`openstack.${fact}`)}`,
    place,
  );

/** What the installer compares with the cloud (openshift/installer pkg/asset/installconfig/openstack/validation). */
function platformProblems(
  openstack: OpenstackPlatform,
  config: NormalConfig,
  facts: OpenstackFacts,
  context: RuleContext,
): Problem[] {
  const { externalNetwork = "", clusterOSImage = "" } = openstack;
  const image = facts.glanceImages?.find(({ name }) => name === clusterOSImage);
  const extensions = facts.networkExtensions;
  return [
    ...(externalNetwork !== "" &&
    facts.networks !== undefined &&
    networkNamed(facts, externalNetwork) === undefined
      ? [absent(`${FIELD}.externalNetwork`, `network ${externalNetwork}`, "networks")]
      : []),
    ...(externalNetwork !== "" &&
    (facts.networks ?? []).filter(({ name }) => name === externalNetwork).length > 1
      ? [
          wrong(
            `${FIELD}.externalNetwork`,
            `the facts file lists several networks named ${externalNetwork}`,
            "remove the others from the facts",
          ),
        ]
      : []),
    ...portProblems(openstack, config, facts, context),
    ...floatingProblems(openstack, facts),
    ...(clusterOSImage === "" ||
    parseUri(clusterOSImage, "request") !== undefined ||
    facts.glanceImages === undefined
      ? []
      : image === undefined
        ? [absent(`${FIELD}.clusterOSImage`, `image ${clusterOSImage}`, "glanceImages")]
        : (image.status ?? "active") === "active"
          ? []
          : [
              wrong(
                `${FIELD}.clusterOSImage`,
                `the status of the image ${clusterOSImage} must be active, found ${image.status}`,
                "use an active image",
              ),
            ]),
    ...(extensions === undefined || canTag(extensions)
      ? []
      : [
          wrong(
            FIELD,
            "the network service does not support tags: standard-attr-tag, or tag and tag-ext, is missing",
            "use OpenStack Rocky or newer",
            { kind: "NotSupported" },
          ),
        ]),
  ];
}

function canTag(extensions: NonNullable<OpenstackFacts["networkExtensions"]>): boolean {
  const aliases = new Set(extensions.map(({ alias }) => alias));
  const whole = extensions.some(
    ({ alias, name }) => alias === "standard-attr-tag" && (name === undefined || name.includes("subnet")),
  );
  return aliases.has("standard-attr-tag") && (whole || (aliases.has("tag") && aliases.has("tag-ext")));
}

function portProblems(
  openstack: OpenstackPlatform,
  { networking }: NormalConfig,
  facts: OpenstackFacts,
  { release }: RuleContext,
): Problem[] {
  const port = openstack.controlPlanePort;
  // With DNS servers beside it the port is refused as a whole.
  if (port === undefined || facts.subnets === undefined || (openstack.externalDNS ?? []).length > 0)
    return [];
  const field = `${FIELD}.controlPlanePort`;
  const existing = existingSubnets(openstack);
  const found = existing.map((subnet) => subnetFact(facts, subnet));
  const known = found.flatMap((subnet) => subnet ?? []);
  const isV6 = ({ cidr }: Subnet): boolean => cidr.includes(":");
  const networks = new Set(known.map(({ network }) => network));
  const network = known.at(-1)?.network;
  const { id = "", name = "" } = port.network ?? {};
  const named = facts.networks?.find(
    (each) => (id === "" || each.id === id) && (name === "" || each.name === name),
  );
  const own =
    id === "" && name === "" ? facts.networks?.find((each) => each.id === known[0]?.network) : named;
  return [
    ...existing.flatMap((subnet, index) =>
      found[index] === undefined
        ? [
            absent(`${field}.fixedIPs`, `subnet ${subnet.id || subnet.name}`, "subnets", {
              kind: "NotFound",
              at: `${field}.fixedIPs[${index}].subnet`,
            }),
          ]
        : [],
    ),
    ...known.flatMap(({ id: subnetID, cidr }) =>
      networking.machineNetwork.some((machine) => machine.cidr === cidr)
        ? []
        : [
            wrong(
              `${field}.fixedIPs`,
              `the CIDR ${cidr} of the subnet ${subnetID} is not in networking.machineNetwork`,
              "add it to networking.machineNetwork",
            ),
          ],
    ),
    ...(networks.size > 1
      ? [wrong(`${field}.fixedIPs`, "the subnets must be in one network", "use subnets of one network")]
      : []),
    ...(known.length === 2 && known.filter(isV6).length !== 1
      ? [
          wrong(
            `${field}.fixedIPs`,
            "if two subnets are set, one must be IPv4 and the other IPv6",
            "use one IPv4 and one IPv6 subnet",
            {
              kind: "InternalError",
            },
          ),
        ]
      : []),
    ...((id !== "" || name !== "") && facts.networks !== undefined
      ? named === undefined
        ? [absent(`${field}.network`, `network ${id || name}`, "networks")]
        : named.id !== network
          ? [
              wrong(
                `${field}.network`,
                `the subnets must be in the network ${id || name}`,
                "set the network of the subnets",
              ),
            ]
          : []
      : []),
    ...(known.some(isV6) && own?.mtu !== undefined && own.mtu < LEAST_IPV6_MTU
      ? [
          wrong(
            `${field}.network`,
            `the network MTU ${own.mtu} is too small: IPv6 requires at least ${LEAST_IPV6_MTU}`,
            "increase the MTU",
            { kind: "InternalError" },
          ),
        ]
      : []),
    ...(known.length === 1 &&
    !known.some(isV6) &&
    !(userManagedLoadBalancer(openstack) && has(release, "virtualIpsOfUserInPool"))
      ? known.flatMap((subnet) => inPools(openstack, subnet))
      : []),
  ];
}

/** Virtual IPs that a port could get too. */
function inPools(openstack: OpenstackPlatform, { allocationPools = [] }: Subnet): Problem[] {
  const value = (text: string): number | undefined =>
    parseAddress(text)?.reduce((sum, byte) => sum * 256 + byte, 0);
  return (["apiVIPs", "ingressVIPs"] as const).flatMap((name) =>
    (openstack[name] ?? []).flatMap((vip) => {
      const address = value(vip);
      const pool = allocationPools.find(({ start, end }) => {
        const [from, to] = [value(start), value(end)];
        return (
          address !== undefined && from !== undefined && to !== undefined && from <= address && address <= to
        );
      });
      return pool === undefined
        ? []
        : [
            wrong(
              `${FIELD}.${name}`,
              `${vip} must not be in the allocation pool ${pool.start}-${pool.end} of the subnet`,
              "use an address outside the pool, or shrink the pool",
            ),
          ];
    }),
  );
}

function floatingProblems(openstack: OpenstackPlatform, { floatingIPs }: OpenstackFacts): Problem[] {
  if (floatingIPs === undefined) return [];
  return (["apiFloatingIP", "ingressFloatingIP"] as const).flatMap((name) => {
    const address = openstack[name] ?? "";
    if (address === "") return [];
    const found = floatingIPs.find((each) => each.address === address);
    if (found === undefined) return [absent(`${FIELD}.${name}`, `floating IP ${address}`, "floatingIPs")];
    return (found.status ?? "DOWN") === "DOWN"
      ? []
      : [
          wrong(
            `${FIELD}.${name}`,
            `the floating IP address ${address} is already in use (${found.status})`,
            "use another one",
          ),
        ];
  });
}

/** What a flavor needs at least, in MiB and GB, for the control plane and for compute. */
const LEAST = {
  controlPlane: { ram: 16384, vcpus: 4, disk: 25 },
  compute: { ram: 8192, vcpus: 2, disk: 25 },
} as const;
const RECOMMENDED_DISK = 100;

function poolProblems(
  {
    type = "",
    zones = [],
    rootVolume,
    additionalNetworkIDs = [],
    additionalSecurityGroupIDs = [],
  }: ReturnType<typeof mergedSection>,
  field: string,
  isControlPlane: boolean,
  facts: OpenstackFacts,
): Problem[] {
  const { zones: volumeZones = [], types = [] } = rootVolume ?? {};
  /** Lists of names, what is known of them, and the field that the installer names for an entry. */
  const lists = [
    {
      what: "zone",
      fact: "computeZones",
      known: facts.computeZones,
      list: zones,
      at: "zones",
      field: (i: number) => `zones.zone[${i}]`,
    },
    {
      what: "zone of volumes",
      fact: "volumeZones",
      known: facts.volumeZones,
      list: volumeZones,
      at: "rootVolume.zones",
      field: (i: number) => `rootVolume.zones.zone[${i}]`,
    },
    {
      what: "volume type",
      fact: "volumeTypes",
      known: facts.volumeTypes,
      list: types,
      at: "rootVolume.types",
      field: () => "rootVolume.types",
    },
    {
      what: "network",
      fact: "networks",
      known: facts.networks?.map(({ id }) => id),
      list: additionalNetworkIDs,
      at: "additionalNetworkIDs",
      field: (i: number) => `additionalNetworkIDs[${i}]`,
    },
    {
      what: "security group",
      fact: "securityGroups",
      known: facts.securityGroups,
      list: additionalSecurityGroupIDs,
      at: "additionalSecurityGroupIDs",
      field: (i: number) => `additionalSecurityGroupIDs[${i}]`,
    },
  ];
  return [
    ...flavorProblems(type, `${field}.type`, isControlPlane, rootVolume !== undefined, facts),
    ...lists.flatMap(({ what, fact, known, list, at, field: named }) =>
      list.flatMap((entry, i) =>
        known === undefined || known.includes(entry) || (entry === "" && list.length === 1)
          ? []
          : [
              absent(`${field}.${named(i)}`, `${what} ${quote(entry)}`, fact, {
                kind: "Invalid",
                at: `${field}.${at}[${i}]`,
              }),
            ],
      ),
    ),
  ];
}

function flavorProblems(
  type: string,
  field: string,
  isControlPlane: boolean,
  hasVolume: boolean,
  { flavors }: OpenstackFacts,
): Problem[] {
  if (flavors === undefined || type === "") return [];
  const flavor = flavors.find(({ name }) => name === type);
  if (flavor === undefined) return [absent(field, `flavor ${type}`, "flavors")];
  if (flavor.baremetal === true) return [];
  const least = isControlPlane ? LEAST.controlPlane : LEAST.compute;
  const short = [
    ...(flavor.ram < least.ram ? [`${least.ram} MiB of memory (has ${flavor.ram})`] : []),
    ...(flavor.vcpus < least.vcpus ? [`${least.vcpus} vCPUs (has ${flavor.vcpus})`] : []),
    ...(!hasVolume && flavor.disk < least.disk ? [`${least.disk} GB of disk (has ${flavor.disk})`] : []),
  ];
  if (short.length > 0)
    return [wrong(field, `the flavor ${type} must have at least ${short.join(", ")}`, "use a larger flavor")];
  return !hasVolume && flavor.disk < RECOMMENDED_DISK
    ? [
        {
          ...wrong(
            field,
            `the flavor ${type} has ${flavor.disk} GB of disk, less than the recommended ${RECOMMENDED_DISK}`,
            "use a larger flavor or a root volume",
          ),
          code: "FACT007",
          severity: "warning",
        },
      ]
    : [];
}
