/**
 * What is left to do on openstack beside the Cluster API objects, for this config: what the installer does by hand against
 * the cloud (openshift/installer pkg/infrastructure/openstack).
 */
import { holdsAt, type Span } from "../../core/by-release.js";
import type { JsonObject } from "../../core/json.js";
import { shell, words } from "../../text/shell.js";
import { parseUri } from "../../text/uri.js";
import { clusterDomain } from "../config.js";
import type { PlatformInput } from "../platform.js";
import type { SupplementItem } from "../supplement.js";
import { userManagedLoadBalancer } from "../virtual-ips.js";
import { clusterTag, existingSubnets, imageName, isIPv6Alone, openstackOf } from "./config.js";
import table from "./data/security-rules.json" with { type: "json" };
import { machineTemplateName } from "./infrastructure.js";
import { type Pool, poolOf, serverGroup } from "./pools.js";
import { has } from "./tables.js";

const DESCRIPTION = "Created By OpenShift Installer";

export function supplement(input: PlatformInput): readonly SupplementItem[] {
  const pool = poolOf(input.config, input.config.controlPlane);
  const compute = input.config.compute.map((each) => poolOf(input.config, each));
  return [
    provider,
    ...image(input),
    securityGroups(input),
    serverGroups(input, pool, compute),
    ...ports(input),
    ...dns(input),
    bootstrapMachine(input),
    ignitionUpload(input),
    ...failureDomains(input, pool),
    cleaning(input),
  ];
}

const provider: SupplementItem = {
  area: "provider",
  when: "before",
  what: "Run the OpenStack provider with openstack-resource-controller.",
  why: "The provider manages images and servers with openstack-resource-controller (ORC), which is installed separately.",
  details: {
    commands: [
      "kubectl apply --server-side -f https://github.com/k-orc/openstack-resource-controller/releases/latest/download/install.yaml",
      "clusterctl init --infrastructure openstack",
    ],
  },
};

/** The image of the machines, unless one that is there is named. */
function image({ config, identity }: PlatformInput): SupplementItem[] {
  const { infraID } = identity;
  const openstack = openstackOf(config);
  const { clusterOSImage = "", clusterOSImageProperties = {} } = openstack;
  const name = imageName(openstack, infraID);
  if (name === clusterOSImage) return [];
  const properties = Object.entries(clusterOSImageProperties).flatMap(([key, value]) => [
    "--property",
    `${key}=${value}`,
  ]);
  const file = "FILE";
  const isRaw = /\.raw$/.test(parseUri(clusterOSImage, "request")?.path ?? "");
  return [
    {
      area: "image",
      when: "before",
      what: `Upload the machine image as ${name}.`,
      why: "The provider finds images by name but does not upload them.",
      details: {
        from:
          clusterOSImage === ""
            ? `the decompressed image in architectures.*.artifacts.openstack of the release's CoreOS stream metadata (openshift-install coreos print-stream-json), for ${config.controlPlane.architecture}`
            : clusterOSImage,
        command: shell`openstack image create --container-format bare
          --disk-format ${isRaw ? "raw" : "qcow2"} --tag ${clusterTag(infraID)} ${properties}
          --file ${file} ${name}`,
      },
    },
  ];
}

type Group = "master" | "worker" | "bootstrap";

interface Row extends Span {
  readonly name: string;
  readonly protocols: readonly string[];
  readonly ports?: string;
  readonly from: string;
  readonly groups: readonly string[];
  readonly ipv4Only?: boolean;
}

function securityGroups({ config, identity, release }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const schedulable = config.compute.every(({ replicas }) => replicas === 0);
  const networks = config.networking.machineNetwork.map(({ cidr }) => cidr);
  const groups: readonly Group[] = [
    "master",
    "worker",
    ...(has(release, "bootstrapSecurityGroup") ? (["bootstrap"] as const) : []),
  ];
  const rows: readonly Row[] = table.rules;
  const inGroup = ({ groups: of }: Row, group: Group): boolean =>
    of.includes(group) || (group === "master" && schedulable && of.includes("schedulable"));
  const rule = (row: Row, group: Group): string[] =>
    sources(row, networks).flatMap(({ family, block }) =>
      row.protocols.map(
        (protocol) =>
          shell`openstack security group rule create --ingress --ethertype ${family}
          --protocol ${protocol} ${row.ports === undefined ? [] : words`--dst-port ${row.ports}`}
          --remote-ip ${block} ${infraID}-${group}`,
      ),
    );
  return {
    area: "security-groups",
    when: "before",
    what: `Create the security groups ${groups.map((group) => `${infraID}-${group}`).join(", ")} with their rules.`,
    why: "Machines, including those of the Machine API, refer to these groups; groups that the provider manages have other names.",
    details: {
      commands: groups.flatMap((group) => [
        shell`openstack security group create --description ${DESCRIPTION} --tag ${clusterTag(infraID)}
          ${group === "bootstrap" ? words`--tag openshiftRole=bootstrap` : []} ${infraID}-${group}`,
        ...rows
          .filter((row) => holdsAt(row, release) && inGroup(row, group))
          .flatMap((row) => rule(row, group)),
      ]),
    },
  };
}

/** Where packets may come from: the machine networks, or any address of their families. */
function sources(
  { from, ipv4Only = false }: Row,
  networks: readonly string[],
): readonly { readonly family: "IPv4" | "IPv6"; readonly block: string }[] {
  const all = networks.map((block) => ({ family: block.includes(":") ? "IPv6" : "IPv4", block }) as const);
  const found =
    from === "machines"
      ? all
      : [...new Set(all.map(({ family }) => family))].map((family) => ({
          family,
          block: family === "IPv4" ? "0.0.0.0/0" : "::/0",
        }));
  return found.filter(({ family }) => !ipv4Only || family === "IPv4");
}

function serverGroups({ identity }: PlatformInput, pool: Pool, compute: readonly Pool[]): SupplementItem {
  const { infraID } = identity;
  const named = new Map<string, string>();
  for (const domain of pool.zones) named.set(serverGroup(infraID, "master", domain), pool.policy);
  for (const set of compute)
    for (const domain of set.zones) named.set(serverGroup(infraID, "worker", domain), set.policy);
  return {
    area: "server-groups",
    when: "before",
    what: `Create the server groups ${[...named.keys()].join(", ")}.`,
    why: "Machines refer to their server group, and neither the provider nor the Machine API creates it.",
    details: {
      commands: [...named].map(
        ([name, policy]) =>
          shell`openstack --os-compute-api-version 2.64 server group create --policy ${policy} ${name}`,
      ),
    },
  };
}

/** Ports that keep the virtual IPs, and the floating IPs on them. */
function ports({ config, identity }: PlatformInput): SupplementItem[] {
  const { infraID } = identity;
  const openstack = openstackOf(config);
  if (userManagedLoadBalancer(openstack)) return [];
  const { apiVIPs = [], ingressVIPs = [], apiFloatingIP = "", ingressFloatingIP = "" } = openstack;
  const existing = existingSubnets(openstack);
  const ofUser = existing.length === 2 || (existing.length === 1 && isIPv6Alone(config));
  const roles = [
    { role: "api", vips: apiVIPs, floating: apiFloatingIP },
    { role: "ingress", vips: ingressVIPs, floating: ingressFloatingIP },
  ];
  const port = (role: string): string =>
    ofUser ? `PORT-OF-THE-${role.toUpperCase()}-VIP` : `${infraID}-${role}-port`;
  const network = openstack.controlPlanePort?.network;
  const { id = "", name = "" } = existing[0] ?? {};
  return [
    {
      area: "virtual-ips",
      when: ofUser ? "before" : "during",
      what: ofUser
        ? `Create a port for the virtual IPs of the API (${apiVIPs.join(", ")}) and one for the virtual IPs of the ingress (${ingressVIPs.join(", ")}), and tag them.`
        : `Create ports that reserve ${[...apiVIPs, ...ingressVIPs].join(" and ")} after the network is created.`,
      why: "Machines assign the addresses themselves; a port prevents the cloud from allocating them.",
      details: {
        commands: roles.flatMap(({ role, vips }) =>
          ofUser
            ? [shell`openstack port set --tag ${infraID}-dual-stack-vips-port ${port(role)}`]
            : [
                shell`openstack port create --description ${DESCRIPTION} --tag ${clusterTag(infraID)}
                  --network ${network?.id || network?.name || "NETWORK-OF-THE-CLUSTER"}
                  --fixed-ip subnet=${id || name || "SUBNET-OF-THE-CLUSTER"},ip-address=${vips[0] ?? ""}
                  ${port(role)}`,
              ],
        ),
        ...(existing.length > 0 || ofUser
          ? {}
          : { names: "the network and the subnet are in the status of the OpenStackCluster" }),
      },
    },
    ...(apiFloatingIP === "" && ingressFloatingIP === ""
      ? []
      : [
          {
            area: "floating-ips",
            when: "during" as const,
            what: "Associate the floating IP addresses with these ports.",
            why: "The provider associates floating IP addresses only with load balancers and machines.",
            details: {
              commands: roles.flatMap(({ role, floating }) =>
                floating === "" ? [] : [shell`openstack floating ip set --port ${port(role)} ${floating}`],
              ),
            },
          },
        ]),
  ];
}

/** Nothing else leads from a management cluster to the API of the new one. */
const REACH =
  "without apiFloatingIP, the API is reachable only in the machine network: the management cluster and all users need a route to it";

/** Names for those who are outside; inside, the machines resolve them, unless they are told not to. */
function dns({ config }: PlatformInput): SupplementItem[] {
  const openstack = openstackOf(config);
  const domain = clusterDomain(config);
  const { apiVIPs = [], ingressVIPs = [], apiFloatingIP = "", ingressFloatingIP = "" } = openstack;
  const own = openstack.dnsRecordsType === "External";
  const record = (name: string, addresses: readonly string[]): JsonObject[] =>
    addresses.map((address) => ({
      name: `${name}.${domain}`,
      type: address.includes(":") ? "AAAA" : "A",
      address,
    }));
  return [
    {
      area: "dns",
      when: "before",
      what: own
        ? "Configure your DNS servers to resolve the names of the cluster, for its machines as well."
        : "Configure your DNS servers to resolve the names of the cluster for clients outside the cluster.",
      why: own
        ? "With dnsRecordsType: External, the machines do not resolve the names themselves."
        : "OpenStack has no DNS zone for the cluster; only its machines resolve the names themselves.",
      details: {
        ...(apiFloatingIP === "" ? { reach: REACH } : {}),
        records: [
          ...record("api", apiFloatingIP === "" ? apiVIPs : [apiFloatingIP]),
          ...(own ? record("api-int", apiVIPs) : []),
          ...record("*.apps", ingressFloatingIP === "" ? ingressVIPs : [ingressFloatingIP]),
        ],
      },
    },
  ];
}

/** What the bootstrap machine needs beside the template that it shares with the control plane. */
function bootstrapMachine({ config, identity, release }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const { externalNetwork = "" } = openstackOf(config);
  const own = has(release, "bootstrapSecurityGroup");
  return {
    area: "bootstrap",
    when: "during",
    what: "Change the bootstrap machine as listed; it differs from the template.",
    why: `The bootstrap machine and the control plane share one template (${machineTemplateName(infraID)} with a digest of its spec as suffix), which contains only their common settings.`,
    details: {
      serverGroup: "none",
      serverMetadata: { Name: `${infraID}-bootstrap` },
      ...(own ? { securityGroups: [`${infraID}-master`, `${infraID}-bootstrap`] } : {}),
      labels: { "install.openshift.io/bootstrap": "" },
      ...(externalNetwork === ""
        ? {}
        : {
            floatingIP: shell`openstack floating ip create --description ${infraID}-bootstrap-fip
              --tag ${clusterTag(infraID)} --tag openshiftRole=bootstrap
              --port PORT-OF-THE-BOOTSTRAP-MACHINE ${externalNetwork}`,
          }),
    },
  };
}

const ignitionUpload = ({ identity: { infraID } }: PlatformInput): SupplementItem => ({
  area: "ignition",
  when: "during",
  what: `Upload bootstrap.ign to the image service as ${infraID}-ignition, and start the bootstrap machine with a config that fetches it.`,
  why: "The user data of a server is limited to 65535 bytes, and bootstrap.ign is larger.",
  details: {
    command: shell`openstack image create --container-format bare --disk-format raw
      --tag ${clusterTag(infraID)} --file bootstrap.ign ${infraID}-ignition`,
    source:
      "IMAGE-SERVICE-ENDPOINT/v2/images/IMAGE-ID/file, with the header X-Auth-Token and a token of the project",
  },
});

/** Machines of the control plane go to the zones of its pool in turn, and their volumes with them. */
function failureDomains({ identity }: PlatformInput, pool: Pool): SupplementItem[] {
  const { zones } = pool;
  if (zones.length === 1 && zones[0]?.zone === "") return [];
  const machines = Array.from({ length: pool.replicas }, (_, index): JsonObject => {
    const domain = zones[index % zones.length];
    const { zone = "", type = "" } = domain?.volume ?? {};
    return {
      machine: `${identity.infraID}-${pool.name}-${index}`,
      failureDomain: domain?.zone ?? "",
      ...(zone === "" ? {} : { volumeZone: zone }),
      ...(type === "" ? {} : { volumeType: type }),
    };
  });
  return [
    {
      area: "failure-domains",
      when: "during",
      what: "Distribute the control plane machines across the failure domains as listed.",
      why: "The template has no zone. The control plane controller selects one of controlPlaneAvailabilityZones for each machine.",
      details: { machines },
    },
  ];
}

const cleaning = ({ identity: { infraID }, release }: PlatformInput): SupplementItem => ({
  area: "bootstrap",
  when: "after",
  what: "Delete the resources that only the bootstrap machine used.",
  why: "The image contains keys and the pull secret, and the provider did not create these resources.",
  details: {
    commands: [
      shell`openstack image delete ${infraID}-ignition`,
      ...(has(release, "bootstrapSecurityGroup")
        ? [shell`openstack security group delete ${infraID}-bootstrap`]
        : []),
    ],
    floatingIP: `the one with the tags ${clusterTag(infraID)} and openshiftRole=bootstrap, if any`,
  },
});
