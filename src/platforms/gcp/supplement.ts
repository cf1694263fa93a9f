/**
 * What is left to do on gcp beside the Cluster API objects, for this config: what the installer does by hand against the
 * cloud (openshift/installer pkg/infrastructure/gcp/clusterapi).
 */
import { rowsAt, type Span } from "../../core/by-release.js";
import type { JsonObject } from "../../core/json.js";
import { shell } from "../../text/shell.js";
import { clusterDomain } from "../config.js";
import type { PlatformInput } from "../platform.js";
import type { SupplementItem } from "../supplement.js";
import {
  gcpOf,
  installerEndpoint,
  labelsOf,
  networkName,
  networkProject,
  networkTag,
  poolSection,
  publishesExternally,
  serviceAccount,
  userProvidesDns,
} from "./config.js";
import setup from "./data/cloud-setup.json" with { type: "json" };
import { gcpFactsOf, lastSegment } from "./facts.js";
import { failureDomains } from "./infrastructure.js";
import { privateZone } from "./manifests.js";
import { poolsOf } from "./pools.js";
import { has } from "./tables.js";

const DESCRIPTION = "Created By OpenShift Installer";

/** A command of gcloud, with what it is about and its flags; `true` for a flag without a value. */
const gcloud = (verb: string, subject: string, flags: Readonly<Record<string, string | true>>): string =>
  shell`gcloud ${verb.split(" ")} ${subject}
    ${Object.entries(flags).flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, value]))}`;

const labelWord = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

export const supplement = (input: PlatformInput): readonly SupplementItem[] => [
  provider(input),
  ...accounts(input),
  ...firewall(input),
  ...dns(input),
  ...endpointZone(input),
  bootstrapMachine(input),
  ...zones(input),
  ...cleanFirewall(input),
  {
    area: "bucket",
    when: "after",
    what: `Delete the bucket ${bucketOf(input)}.`,
    why: "It contains the bootstrap machine's Ignition config with keys and the pull secret.",
    details: { commands: [gcloud("storage rm", bucketOf(input), { recursive: true })] },
  },
];

function provider({ config, credentials }: PlatformInput): SupplementItem {
  const endpoint = installerEndpoint(gcpOf(config));
  return {
    area: "provider",
    when: "before",
    what: "Run the GCP provider 1.12 or later.",
    why: "The objects use its API version v1beta1 with fields that earlier releases do not have.",
    details: {
      command: "clusterctl init --infrastructure gcp",
      identity:
        credentials === undefined
          ? "the credentials of the controller"
          : "the specified key file (credentialsRef of the GCPCluster)",
      ...(endpoint === undefined ? {} : { endpoint: `the commands below also use the endpoint ${endpoint}` }),
    },
  };
}

/** Service accounts of machines that have none of their own. */
function accounts(input: PlatformInput): SupplementItem[] {
  const { config, identity } = input;
  const gcp = gcpOf(config);
  const fallback = gcp.defaultMachinePlatform?.serviceAccount ?? "";
  const lacks = (pool: typeof config.controlPlane): boolean =>
    (poolSection(pool)?.serviceAccount ?? "") === "" && fallback === "";
  const account = (role: "master" | "worker", host: readonly string[]): SupplementItem => {
    const { infraID } = identity;
    const email = serviceAccount(gcp, infraID, role, input.release);
    const bind = (project: string, roles: readonly string[]): string[] =>
      roles.map((name) =>
        gcloud("projects add-iam-policy-binding", project, {
          member: `serviceAccount:${email}`,
          role: name,
          condition: "None",
        }),
      );
    return {
      area: "iam",
      when: "before",
      what: `Create the service account ${email} and grant its roles.`,
      why: "The provider does not create service accounts; machines only refer to them.",
      details: {
        account: email,
        commands: [
          gcloud("iam service-accounts create", `${infraID}-${role.slice(0, 1)}`, {
            project: gcp.projectID,
            "display-name": `${infraID}-${role}-node`,
            description: "The service account used by the instances.",
          }),
          ...bind(gcp.projectID, setup.roles[role]),
          ...bind(networkProject(gcp), host),
        ],
      },
    };
  };
  return [
    ...(lacks(config.controlPlane)
      ? [account("master", gcp.networkProjectID ? setup.roles.masterInHostProject : [])]
      : []),
    ...(config.compute.some(lacks) ? [account("worker", [])] : []),
  ];
}

interface FirewallRow extends Span {
  readonly name: string;
  readonly allow: readonly string[];
  readonly from: string | readonly string[];
  readonly to: readonly string[];
  /** Only the bootstrap machine needs it. */
  readonly bootstrap?: boolean;
}

function firewallRules({ release }: PlatformInput): readonly FirewallRow[] {
  const rows: readonly FirewallRow[] = setup.firewallRules;
  return rowsAt(rows, release);
}

function firewallCommand(input: PlatformInput, { name, allow, from, to }: FirewallRow): string {
  const { config, identity } = input;
  const { infraID } = identity;
  const gcp = gcpOf(config);
  const machineNetwork = config.networking.machineNetwork[0]?.cidr ?? "";
  const published = publishesExternally(config);
  const tags = (roles: readonly string[]): string =>
    roles.map((role) => networkTag(infraID, role === "master" ? "master" : "worker")).join(",");
  const ranges: Readonly<Record<string, readonly string[]>> = {
    machineNetwork: [machineNetwork],
    clients: [published ? "0.0.0.0/0" : machineNetwork],
    healthChecks: [...setup.healthChecks.always, ...(published ? setup.healthChecks.published : [])],
  };
  const source: Record<string, string> =
    typeof from === "string"
      ? { "source-ranges": (ranges[from] ?? []).join(",") }
      : { "source-tags": tags(from) };
  return gcloud("compute firewall-rules create", `${infraID}-${name}`, {
    project: networkProject(gcp),
    network: networkName(gcp, infraID),
    direction: "INGRESS",
    allow: allow.join(","),
    ...source,
    "target-tags": tags(to),
    description: DESCRIPTION,
  });
}

const managesFirewall = ({ config }: PlatformInput): boolean =>
  gcpOf(config).firewallRulesManagement !== "Unmanaged";

function firewall(input: PlatformInput): SupplementItem[] {
  const commands = firewallRules(input).map((row) => firewallCommand(input, row));
  return [
    managesFirewall(input)
      ? {
          area: "firewall",
          when: "during",
          what: "Create the cluster's firewall rules after the network is created.",
          why: gcpOf(input.config).networkProjectID
            ? "The provider does not create rules in the network of another project."
            : "The provider's own rules allow more than a cluster needs and are removed with the bootstrap machine.",
          details: { commands },
        }
      : {
          area: "firewall",
          when: "before",
          what: "Ensure that the network allows the following traffic.",
          why: "firewallRulesManagement is Unmanaged, so no rules are created. Only the bootstrap machine needs the rules marked for it.",
          details: { commands },
        },
  ];
}

function cleanFirewall(input: PlatformInput): SupplementItem[] {
  if (!managesFirewall(input)) return [];
  const { infraID } = input.identity;
  const gcp = gcpOf(input.config);
  const names = [
    ...firewallRules(input)
      .filter(({ bootstrap }) => bootstrap === true)
      .map(({ name }) => `${infraID}-${name}`),
    ...(gcp.networkProjectID ? [] : [`allow-${infraID}-cluster`, `allow-${infraID}-healthchecks`]),
  ];
  return [
    {
      area: "firewall",
      when: "after",
      what: "Delete the rules that only the bootstrap machine needed, and the provider's own rules.",
      why: "They allow more than the cluster needs.",
      details: {
        commands: names.map((name) =>
          gcloud("compute firewall-rules delete", name, { project: networkProject(gcp), quiet: true }),
        ),
      },
    },
  ];
}

const networkUrl = ({ config, identity }: PlatformInput): string => {
  const gcp = gcpOf(config);
  return `https://www.googleapis.com/compute/v1/projects/${networkProject(gcp)}/global/networks/${networkName(gcp, identity.infraID)}`;
};

const INTERNAL = "INTERNAL-ADDRESS";
const PUBLIC = "PUBLIC-ADDRESS";

/** Where the addresses of the API are found once the load balancers are there. */
function addresses({ config, identity }: PlatformInput): JsonObject {
  const { projectID, region } = gcpOf(config);
  return {
    [INTERNAL]: gcloud("compute addresses describe", `${identity.infraID}-api-internal`, {
      project: projectID,
      region: region,
      format: "value(address)",
    }),
    ...(publishesExternally(config) ? { [PUBLIC]: "spec.controlPlaneEndpoint.host of the GCPCluster" } : {}),
  };
}

function dns(input: PlatformInput): SupplementItem[] {
  const { config, facts } = input;
  const gcp = gcpOf(config);
  const domain = clusterDomain(config);
  const published = publishesExternally(config);
  const why =
    "Cluster API does not manage DNS. The names are in certificates and in the config of every machine.";
  if (userProvidesDns(gcp))
    return [
      {
        area: "dns",
        when: "during",
        what: "Configure your DNS to resolve the API names, and add the addresses to the Ignition configs.",
        why: `${why} With userProvisionedDNS, machines resolve them with the addresses in their Ignition config.`,
        details: {
          records: [
            { name: `api.${domain}`, type: "A", value: published ? PUBLIC : INTERNAL },
            { name: `api-int.${domain}`, type: "A", value: INTERNAL },
            {
              name: `*.apps.${domain}`,
              type: "A",
              value: "the load balancer of the service openshift-ingress/router-default, after it is created",
            },
          ],
          addresses: addresses(input),
        },
      },
    ];
  const zone = privateZone(input);
  const record = (project: string, name: string, host: string, address: string): string =>
    gcloud("dns record-sets create", `${host}.${domain}.`, {
      project: project,
      zone: name,
      type: "A",
      ttl: "60",
      rrdatas: address,
    });
  const publicZone = lastSegment(gcpFactsOf(facts).publicZone ?? "");
  return [
    zone.existing
      ? {
          area: "dns",
          when: "during",
          what: `Label the private zone ${zone.name} as shared with the cluster.`,
          why: "The label keeps the zone when the cluster is destroyed.",
          details: {
            commands: [
              gcloud("dns managed-zones update", zone.name, {
                project: zone.project,
                "update-labels": labelWord(labelsOf(gcp, input.identity.infraID, "shared")),
              }),
            ],
          },
        }
      : {
          area: "dns",
          when: "during",
          what: `Create the private zone ${zone.name} for the cluster's network after the network is created.`,
          why,
          details: {
            commands: [privateZoneCommand(input, zone, `${domain}.`, DESCRIPTION)],
          },
        },
    {
      area: "dns",
      when: "during",
      what: "Create the API records after the load balancers are created.",
      why,
      details: {
        addresses: addresses(input),
        commands: [
          record(zone.project, zone.name, "api-int", INTERNAL),
          record(zone.project, zone.name, "api", INTERNAL),
          ...(published ? [record(gcp.projectID, publicZone, "api", PUBLIC)] : []),
        ],
        applications: `the ingress operator creates *.apps.${domain} in the zones of the DNS object`,
      },
    },
  ];
}

const privateZoneCommand = (
  input: PlatformInput,
  { name, project }: { readonly name: string; readonly project: string },
  domain: string,
  description: string,
): string =>
  gcloud("dns managed-zones create", name, {
    project: project,
    "dns-name": domain,
    visibility: "private",
    networks: networkUrl(input),
    labels: labelWord(labelsOf(gcpOf(input.config), input.identity.infraID)),
    description: description,
  });

/** With an endpoint, the names of Google's services lead to it within the network. */
function endpointZone(input: PlatformInput): SupplementItem[] {
  const { config, identity, release } = input;
  const gcp = gcpOf(config);
  if (!has(release, "endpoint") || gcp.endpoint === undefined || userProvidesDns(gcp)) return [];
  const zone = { name: `${identity.infraID}-psc-zone`, project: gcp.projectID };
  const record = (name: string, type: string, data: string): string =>
    gcloud("dns record-sets create", name, {
      project: zone.project,
      zone: zone.name,
      type: type,
      ttl: "60",
      rrdatas: data,
    });
  return [
    {
      area: "endpoint",
      when: "during",
      what: `Configure the network to resolve googleapis.com to the endpoint ${gcp.endpoint.name}.`,
      why: "Cluster API does not manage DNS.",
      details: {
        addresses: {
          "ENDPOINT-ADDRESS": gcloud("compute forwarding-rules describe", gcp.endpoint.name ?? "", {
            project: gcp.projectID,
            global: true,
            format: "value(IPAddress)",
          }),
        },
        commands: [
          privateZoneCommand(input, zone, "googleapis.com.", `Private Service Connect. ${DESCRIPTION}`),
          record("googleapis.com.", "A", "ENDPOINT-ADDRESS"),
          record("*.googleapis.com.", "CNAME", "googleapis.com."),
        ],
      },
    },
  ];
}

const bucketOf = ({ identity }: PlatformInput): string => `gs://${identity.infraID}-bootstrap-ignition`;

/** What the bootstrap machine needs beside the template that it shares with the control plane. */
function bootstrapMachine(input: PlatformInput): SupplementItem {
  const { config, identity } = input;
  const gcp = gcpOf(config);
  const bucket = bucketOf(input);
  return {
    area: "bootstrap",
    when: "during",
    what: "Change the bootstrap machine as listed, so that it fetches its Ignition config from a bucket.",
    why: "The bootstrap machine and the control plane share one template, and bootstrap.ign is too large for instance metadata.",
    details: {
      publicIP: publishesExternally(config),
      labels: { "install.openshift.io/bootstrap": "" },
      commands: [
        gcloud("storage buckets create", bucket, {
          project: gcp.projectID,
          location: gcp.region,
          "uniform-bucket-level-access": true,
        }),
        gcloud("storage buckets update", bucket, {
          "update-labels": labelWord(labelsOf(gcp, identity.infraID)),
        }),
        gcloud("storage cp bootstrap.ign", `${bucket}/bootstrap.ign`, {}),
        gcloud("storage sign-url", `${bucket}/bootstrap.ign`, {
          duration: "60m",
          "private-key-file": "KEY-FILE",
        }),
      ],
      userData:
        'a config {"ignition": {"config": {"replace": {"source": "THE-SIGNED-URL"}}, "version": "3.2.0"}}',
    },
  };
}

/** Machines of the control plane go to the zones of its pool, while the provider may offer others. */
function zones(input: PlatformInput): SupplementItem[] {
  const { controlPlane } = poolsOf(input);
  const offered = failureDomains(input);
  const wanted = controlPlane.zones;
  const other = offered.filter((zone) => !wanted.includes(zone));
  return [
    {
      area: "failure-domains",
      when: "during",
      what:
        other.length > 0
          ? `Do not place control plane machines in ${other.join(", ")}, which only compute machines use.`
          : offered.length === 0
            ? "Place control plane machines only in the listed zones; the provider offers every zone of the region."
            : "Distribute the control plane machines across the failure domains as listed.",
      why: "The template has no zone. The zone is the machine's failure domain, which the control plane controller selects.",
      details: {
        machines: Array.from({ length: controlPlane.replicas }, (_, index) => ({
          machine: `${input.identity.infraID}-${controlPlane.name}-${index}`,
          failureDomain: wanted[index % Math.max(wanted.length, 1)] ?? "",
        })),
      },
    },
  ];
}
