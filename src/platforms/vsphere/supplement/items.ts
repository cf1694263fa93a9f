/**
 * What is left to do on vsphere beside the Cluster API objects, for this config: what the installer makes in the vCenters
 * before its machines (openshift/installer pkg/infrastructure/vsphere/clusterapi), and what differs by machine.
 */
import type { JsonObject } from "../../../core/json.js";
import { assignment, shell } from "../../../text/shell.js";
import { clusterDomain } from "../../config.js";
import type { PlatformInput } from "../../platform.js";
import type { SupplementItem } from "../../supplement.js";
import { userManagedLoadBalancer } from "../../virtual-ips.js";
import {
  HOST_GROUP,
  TAG_CATEGORIES,
  topologyOf,
  type VsphereFailureDomain,
  type VsphereVcenter,
  vsphereOf,
} from "../config.js";
import { vsphereFactsOf } from "../facts/inventory.js";
import { placement } from "../infrastructure/placement.js";
import { networkArguments } from "../machines/addresses.js";
import { clusterTag, folderOf, generatedTemplate, machineGroup, networkPath } from "../names.js";

export const supplement = (input: PlatformInput): readonly SupplementItem[] => [
  provider(),
  ...login(input),
  tags(input),
  ...zoneTags(input),
  ...folders(input),
  ...templates(input),
  ...hostGroups(input),
  dns(input),
  ...loadBalancer(input),
  ...failureDomains(input),
  hostnames(input),
  ...addresses(input),
];

const vcentersOf = ({ config }: PlatformInput): readonly VsphereVcenter[] => vsphereOf(config).vcenters ?? [];
const domainsOf = ({ config }: PlatformInput): readonly VsphereFailureDomain[] =>
  vsphereOf(config).failureDomains ?? [];

/** Commands for each vCenter, under its name. */
const byVcenter = (
  input: PlatformInput,
  commands: (domains: readonly VsphereFailureDomain[]) => readonly string[],
): JsonObject =>
  Object.fromEntries(
    vcentersOf(input).flatMap(({ server = "" }) => {
      const own = commands(domainsOf(input).filter((domain) => domain.server === server));
      return own.length === 0 ? [] : [[server, [...new Set(own)]]];
    }),
  );

const provider = (): SupplementItem => ({
  area: "provider",
  when: "before",
  what: "Run the vSphere provider.",
  why: "It requires a login of its own, which this cluster does not use.",
  details: {
    environment: "VSPHERE_USERNAME=… VSPHERE_PASSWORD=… clusterctl init --infrastructure vsphere",
    identity: "the login of the install-config (VSphereClusterIdentity)",
  },
});

function login(input: PlatformInput): SupplementItem[] {
  return [
    {
      area: "govc",
      when: "before",
      what: "Configure the login of govc for the commands below, separately for each vCenter.",
      why: "The installer creates these resources itself; the provider creates only machines.",
      details: {
        environment: vcentersOf(input).map(({ server = "", port = 0 }) =>
          assignment("GOVC_URL", `https://${server}${port === 0 || port === 443 ? "" : `:${port}`}`),
        ),
        login: "GOVC_USERNAME and GOVC_PASSWORD, as in the install-config",
      },
    },
  ];
}

function tags(input: PlatformInput): SupplementItem {
  const { category, tag } = clusterTag(input.identity.infraID);
  const types = ["VirtualMachine", "ResourcePool", "Folder", "Datastore", "StoragePod"];
  return {
    area: "tags",
    when: "before",
    what: `Create the tag ${tag}, which marks the resources of the cluster.`,
    why: "Destroying the cluster finds its resources by this tag. Add it to the control plane machines manually, because its ID is not known earlier.",
    details: {
      commands: byVcenter(input, () => [
        shell`govc tags.category.create ${types.flatMap((type) => ["-t", type])} ${category}`,
        shell`govc tags.create -c ${category} ${tag}`,
      ]),
      machines: shell`govc tags.attach -c ${category} ${tag} MACHINE-PATH`,
    },
  };
}

/** With several failure domains the cluster finds out by tags where its nodes are. */
function zoneTags(input: PlatformInput): SupplementItem[] {
  if (domainsOf(input).length < 2 && !placement(input).zoned) return [];
  const { region, zone } = TAG_CATEGORIES;
  return [
    {
      area: "zones",
      when: "before",
      what: "Attach the tags of regions and zones.",
      why: "The provider and the cloud controller manager identify failure domains by these tags and do not attach them.",
      details: byVcenter(input, (domains) => [
        ...(domains.length === 0
          ? []
          : [shell`govc tags.category.create ${region}`, shell`govc tags.category.create ${zone}`]),
        ...domains.map((domain) => shell`govc tags.create -c ${region} ${domain.region ?? ""}`),
        ...domains.map((domain) => shell`govc tags.create -c ${zone} ${domain.zone ?? ""}`),
        ...domains.flatMap((domain) => {
          const { datacenter = "", computeCluster = "", hostGroup = "" } = topologyOf(domain);
          const [own, wide] =
            domain.zoneType === HOST_GROUP
              ? [`EACH-HOST-OF-${hostGroup}`, computeCluster]
              : [computeCluster, `/${datacenter}`];
          return [
            shell`govc tags.attach -c ${region} ${domain.region ?? ""} ${wide}`,
            shell`govc tags.attach -c ${zone} ${domain.zone ?? ""} ${own}`,
          ];
        }),
      ]),
    },
  ];
}

function folders(input: PlatformInput): SupplementItem[] {
  const { infraID } = input.identity;
  const { category, tag } = clusterTag(infraID);
  return [
    {
      area: "folders",
      when: "before",
      what: "Create the missing machine folders.",
      why: "Templates and machines are placed in them, and the provider does not create folders.",
      details: byVcenter(input, (domains) =>
        domains.flatMap((domain) => [
          shell`govc folder.create ${folderOf(infraID, domain)}`,
          shell`govc tags.attach -c ${category} ${tag} ${folderOf(infraID, domain)}`,
        ]),
      ),
    },
  ];
}

function templates(input: PlatformInput): SupplementItem[] {
  const { infraID } = input.identity;
  const { clusterOSImage = "", diskType = "" } = vsphereOf(input.config);
  const missing = domainsOf(input).filter((domain) => !topologyOf(domain).template);
  if (missing.length === 0) return [];
  const { ova } = vsphereFactsOf(input.facts);
  const image = clusterOSImage || (ova?.location ?? "");
  const { category, tag } = clusterTag(infraID);
  return [
    {
      area: "templates",
      when: "before",
      what: `Import the release's appliance (OVA) as a template for each failure domain${missing.length < domainsOf(input).length ? " without an existing template" : ""}.`,
      why: "Machines, including those of the Machine API, are cloned from these templates, and the provider does not import them.",
      details: {
        appliance:
          image === ""
            ? "the vmware artifact in the output of openshift-install coreos print-stream-json (shown here with --coreos-stream FILE)"
            : image,
        ...(clusterOSImage === "" && ova?.sha256 !== undefined ? { sha256: ova.sha256 } : {}),
        commands: byVcenter(input, (domains) =>
          domains
            .filter((domain) => missing.includes(domain))
            .flatMap((domain) => {
              const {
                datacenter = "",
                datastore = "",
                resourcePool = "",
                networks = [],
              } = topologyOf(domain);
              const name = generatedTemplate(infraID, domain, input.release);
              const folder = folderOf(infraID, domain);
              return [
                shell`govc import.ova -dc=${datacenter} -ds=${datastore} -pool=${resourcePool}
                  -folder=${folder} -net=${networkPath(domain, networks[0] ?? "")} -name=${name}
                  -options=OPTIONS-FILE OVA-FILE`,
                shell`govc vm.markastemplate -dc=${datacenter} ${folder}/${name}`,
                shell`govc tags.attach -c ${category} ${tag} ${folder}/${name}`,
              ];
            }),
        ),
        options: JSON.stringify({
          ...(diskType === "" ? {} : { DiskProvisioning: diskType }),
          PowerOn: false,
        }),
      },
    },
  ];
}

function hostGroups(input: PlatformInput): SupplementItem[] {
  const { infraID } = input.identity;
  const grouped = domainsOf(input).filter(({ zoneType }) => zoneType === HOST_GROUP);
  if (grouped.length === 0) return [];
  return [
    {
      area: "host-groups",
      when: "before",
      what: "Create the VM group of each host group, and the rule that connects the two.",
      why: "The provider adds machines to the groups of its failure domains but does not create groups.",
      details: byVcenter(input, (domains) =>
        domains
          .filter((domain) => grouped.includes(domain))
          .flatMap((domain) => {
            const { computeCluster = "", hostGroup = "" } = topologyOf(domain);
            const name = machineGroup(infraID, domain);
            return [
              shell`govc cluster.group.create -cluster=${computeCluster} -name=${name} -vm`,
              shell`govc cluster.rule.create -cluster=${computeCluster} -name=${name} -enable -mandatory
                -vm-host -vm-group=${name} -host-affine-group=${hostGroup}`,
            ];
          }),
      ),
    },
  ];
}

/** Records of API and applications, which nobody makes here. */
function dns({ config }: PlatformInput): SupplementItem {
  const vsphere = vsphereOf(config);
  const { apiVIPs = [], ingressVIPs = [], dnsRecordsType } = vsphere;
  const domain = clusterDomain(config);
  const target = (vips: readonly string[], what: string): string =>
    vips.length === 0 ? `your load balancer of ${what}` : vips.join(", ");
  const inside = apiVIPs.length === 0 || dnsRecordsType === "External";
  return {
    area: "dns",
    when: "before",
    what: "Create the DNS records of the cluster.",
    why: "Nothing on vSphere creates DNS records. The names are in certificates and in the config of every machine.",
    details: {
      records: [
        { name: `api.${domain}`, target: target(apiVIPs, "the API") },
        ...(inside ? [{ name: `api-int.${domain}`, target: target(apiVIPs, "the API") }] : []),
        { name: `*.apps.${domain}`, target: target(ingressVIPs, "the ingress") },
      ],
    },
  };
}

function loadBalancer({ config }: PlatformInput): SupplementItem[] {
  const vsphere = vsphereOf(config);
  const own = (vsphere.apiVIPs ?? []).length === 0;
  if (!own && !userManagedLoadBalancer(vsphere)) return [];
  return [
    {
      area: "load-balancer",
      when: "before",
      what: "Configure your load balancer for the machines.",
      why: own
        ? "Without virtual IPs, the machines do not run a load balancer."
        : "With loadBalancer.type: UserManaged, the virtual IPs belong to your load balancer.",
      details: {
        ports: [
          "6443: bootstrap machine and control plane, for all clients",
          "22623: bootstrap machine and control plane, for the machines of the cluster only",
          "80 and 443: machines that run the ingress, usually the compute machines",
        ],
      },
    },
  ];
}

/** Where each machine goes, if not all go to one place. */
function failureDomains(input: PlatformInput): SupplementItem[] {
  const { pool, machines, zoned } = placement(input);
  if (!zoned) return [];
  const { infraID } = input.identity;
  return [
    {
      area: "failure-domains",
      when: "during",
      what: "Distribute the control plane machines across the failure domains as listed.",
      why: "The template has the placement of the first one. The provider uses the placement of the machine's failure domain, which the control plane controller selects.",
      details: {
        machines: machines.map((domain, index) => ({
          machine: `${infraID}-${pool.name}-${index}`,
          failureDomain: `${infraID}-${domain.name ?? ""}`,
        })),
      },
    },
  ];
}

function hostnames(input: PlatformInput): SupplementItem {
  const { pool } = placement(input);
  const { infraID } = input.identity;
  return {
    area: "hostnames",
    when: "during",
    what: "Set the host name of every machine.",
    why: "All machines share one template, so it cannot set guestinfo.hostname. DHCP or reverse DNS can also set the names.",
    details: {
      keys: Array.from(
        { length: pool.replicas },
        (_, index) => `guestinfo.hostname=${infraID}-${pool.name}-${index}`,
      ),
      command: shell`govc vm.change -vm MACHINE-PATH -e guestinfo.hostname=NAME`,
    },
  };
}

/** Static addresses are given to a machine before it is switched on for the first time. */
function addresses(input: PlatformInput): SupplementItem[] {
  const { hosts = [] } = vsphereOf(input.config);
  const { pool } = placement(input);
  const { infraID } = input.identity;
  if (hosts.length === 0) return [];
  const key = "guestinfo.afterburn.initrd.network-kargs";
  const machines = [
    ...hosts
      .filter(({ role }) => role === "bootstrap")
      .map((host) => ({ machine: `${infraID}-bootstrap`, host })),
    ...pool.hosts.map((host, index) => ({ machine: `${infraID}-${pool.name}-${index}`, host })),
  ];
  return [
    {
      area: "addresses",
      when: "during",
      what: "Set the static addresses of the bootstrap machine and the control plane before they boot.",
      why: "All machines share one template, but the kernel arguments differ. Compute machines get theirs from the cluster.",
      details: {
        machines: machines.map(({ machine, host }) => ({ machine, [key]: networkArguments(host) })),
        command: shell`govc vm.change -vm MACHINE-PATH -e ${key}=ARGUMENTS`,
      },
    },
  ];
}
