/**
 * Cluster API objects of gcp (openshift/installer pkg/asset/manifests/gcp/cluster.go and
 * pkg/asset/machines/gcp/gcpmachines.go), and what an install-config breaks of the provider's rules.
 */
import type { Problem } from "../../core/diagnostics.js";
import { byCodeUnit } from "../../core/files.js";
import type { View } from "../../text/render.js";
import { spread } from "../machine-api.js";
import { osStreamLabel } from "../os-stream.js";
import type {
  ComputeSet,
  InfrastructureInput,
  PlatformCompute,
  PlatformInfrastructure,
  PlatformInput,
  Rendering,
  RuleContext,
} from "../platform.js";
import { broken } from "../provider-problems.js";
import { splitIPv4 } from "../subnet-blocks.js";
import {
  gcpOf,
  installerEndpoint,
  labelsOf,
  networkName,
  networkTag,
  poolSection,
  serviceAccount,
  subnetName,
  userTags,
} from "./config.js";
import { credentialObjects, credentialsRef } from "./credentials.js";
import { gcpFactsOf, subnetFact } from "./facts.js";
import { setName } from "./machines.js";
import { serviceEndpoints } from "./manifests.js";
import { type Pool, poolsOf } from "./pools.js";
import { has } from "./tables.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";
const SUBNET_DESCRIPTION = "Created By OpenShift Installer";

export function infrastructure(
  input: InfrastructureInput,
  { report }: Pick<RuleContext, "report">,
): PlatformInfrastructure {
  const { infraID } = input.identity;
  const { controlPlane } = poolsOf(input);
  problemsOf(input, controlPlane).forEach(report);
  return {
    cluster: { apiVersion: API_VERSION, kind: "GCPCluster", name: infraID, placeholder: false },
    machineTemplate: {
      apiVersion: API_VERSION,
      kind: "GCPMachineTemplate",
      name: `${infraID}-master`,
      placeholder: false,
    },
    objects: [...credentialObjects(input), cluster(input), machineTemplate(input, controlPlane)],
  };
}

const cluster = (input: InfrastructureInput): Rendering => ({
  template: "infrastructure-manifests/gcp/40_infrastructure-cluster.yaml",
  path: "40_infrastructure-cluster.yaml",
  view: {
    ...clusterSpec(input),
    name: input.identity.infraID,
    namespace: input.namespace,
    credentials: credentialsRef(input),
  },
});

/** The spec of the GCPCluster, without the credentials that it is created with. */
export function clusterSpec(input: PlatformInput): View {
  const { config, identity, release } = input;
  const gcp = gcpOf(config);
  const { infraID } = identity;
  const zones = failureDomains(input);
  const tags = userTags(gcp);
  const endpoints = endpointsOf(input);
  return {
    labels: { [`capg-cluster-${infraID}`]: "owned", ...labelsOf(gcp, infraID) },
    failureDomains: zones.length === 0 ? undefined : zones,
    loadBalancerType: config.publish === "Internal" ? "Internal" : "InternalExternal",
    firewallRules: has(release, "endpoint")
      ? gcp.firewallRulesManagement === "Unmanaged"
        ? "Unmanaged"
        : "Managed"
      : undefined,
    hostProject: gcp.networkProjectID || undefined,
    network: networkName(gcp, infraID),
    subnets: (["master", "worker"] as const).map((role, index) => ({
      cidr: subnetBlock(input, role, index),
      description: SUBNET_DESCRIPTION,
      name: subnetName(gcp, infraID, role),
      region: gcp.region,
    })),
    project: gcp.projectID,
    region: gcp.region,
    tags: tags.length === 0 ? undefined : tags.map((tag) => ({ ...tag })),
    endpoints:
      Object.keys(endpoints).length === 0 && !has(release, "serviceEndpoints") ? undefined : endpoints,
  };
}

/** A subnet that is brought along, or a half of the first IPv4 machine network. */
function subnetBlock({ config, facts }: PlatformInput, role: "master" | "worker", half: number): string {
  const gcp = gcpOf(config);
  const existing = (role === "master" ? gcp.controlPlaneSubnet : gcp.computeSubnet) ?? "";
  if (existing !== "") return subnetFact(gcpFactsOf(facts), existing)?.ipCidrRange ?? "";
  return splitIPv4(machineBlock(config), 2)?.[half] ?? "";
}

const machineBlock = ({ networking }: PlatformInput["config"]): string =>
  networking.machineNetwork.map(({ cidr }) => cidr).find((cidr) => !cidr.includes(":")) ?? "";

/**
 * The zones for which the provider makes groups of instances. Those of the pools count where defaults name zones, or
 * where both pools do; without any, the provider takes all of the region.
 */
export function failureDomains({ config }: Pick<InfrastructureInput, "config">): readonly string[] {
  const zones = (pool: InfrastructureInput["config"]["controlPlane"] | undefined): readonly string[] =>
    (pool === undefined ? undefined : poolSection(pool)?.zones) ?? [];
  const [controlPlane, compute] = [zones(config.controlPlane), zones(config.compute[0])];
  const fallback = gcpOf(config).defaultMachinePlatform?.zones ?? [];
  const both = controlPlane.length > 0 && compute.length > 0;
  if (fallback.length === 0 && !both) return [];
  return [...new Set([...fallback, ...controlPlane, ...compute])].sort(byCodeUnit);
}

/** Members of `spec.serviceEndpoints` by the services of the install-config. */
const ENDPOINTS = [
  { member: "compute", service: "Compute", host: "compute", path: "compute/v1/" },
  { member: "container", service: "Container", host: "container", path: "container/v1/" },
  { member: "iam", service: "IAM", host: "iam", path: "" },
  { member: "resourceManager", service: "CloudResourceManager", host: "cloudresourcemanager", path: "" },
] as const;

function endpointsOf(input: PlatformInput): { readonly [member: string]: string } {
  const endpoint = has(input.release, "endpoint") ? installerEndpoint(gcpOf(input.config)) : undefined;
  if (endpoint !== undefined)
    return Object.fromEntries(
      ENDPOINTS.map(({ member, host, path }) => [
        member,
        `https://${host}-${endpoint}.p.googleapis.com/${path}`,
      ]),
    );
  const written = serviceEndpoints(input, true);
  return Object.fromEntries(
    ENDPOINTS.flatMap(({ member, service }) =>
      written.filter(({ name }) => name === service).map(({ url }) => [member, url]),
    ),
  );
}

/**
 * The one template, for the bootstrap machine and the control plane. The zone is the machine's failure domain, and a
 * public address is the bootstrap machine's alone.
 */
function machineTemplate(input: InfrastructureInput, pool: Pool): Rendering {
  return {
    template: "infrastructure-manifests/gcp/50_machine-template.yaml",
    path: "50_machine-template.yaml",
    view: { name: `${input.identity.infraID}-master`, ...machineView(input, pool, "master") },
  };
}

const machineView = (input: InfrastructureInput, pool: Pool, role: "master" | "worker"): View => ({
  ...machineSpec(input, pool, role),
  infraID: input.identity.infraID,
  namespace: input.namespace,
  osStream: osStreamLabel(input),
});

/** What a machine of a pool is like; its zone is apart. */
export function machineSpec(input: PlatformInput, pool: Pool, role: "master" | "worker"): View {
  const { config, identity, release } = input;
  const gcp = gcpOf(config);
  const { infraID } = identity;
  const { section } = pool;
  const { encryptionKey } = section.osDisk ?? {};
  const tags = userTags(gcp);
  return {
    labels: labelsOf(gcp, infraID),
    networkTags: (section.tags ?? []).length === 0 ? undefined : section.tags,
    confidentialCompute: section.confidentialCompute,
    image: pool.image ?? "",
    machineType: pool.machineType,
    onHostMaintenance: section.onHostMaintenance,
    resourceManagerTags: tags.length === 0 ? undefined : tags.map((tag) => ({ ...tag })),
    diskSize: pool.diskSize,
    diskType: pool.diskType,
    kmsKey: encryptionKey?.kmsKey === undefined ? undefined : keyPath(encryptionKey.kmsKey, gcp.projectID),
    kmsKeyServiceAccount: encryptionKey?.kmsKeyServiceAccount,
    serviceAccount: section.serviceAccount ?? serviceAccount(gcp, infraID, role, release),
    // The installer asks for secure boot whatever the value is.
    secureBoot: section.secureBoot === undefined ? undefined : "Enabled",
    subnet: subnetName(gcp, infraID, role),
  };
}

/** Compute machines; their zone is the machine's failure domain. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const { infraID } = input.identity;
  const sets = spread(poolsOf(input).compute).map(({ pool, zone, replicas }): ComputeSet => {
    const name = setName(input, pool, zone);
    return {
      pool: pool.name,
      name,
      replicas,
      failureDomain: zone,
      template: {
        template: "infrastructure-manifests/gcp/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        // By the tag of its role the installer's firewall rules know a machine; the provider tags the control plane itself.
        view: {
          name,
          compute: true,
          ...machineView(input, pool, "worker"),
          networkTags: [...(pool.section.tags ?? []), networkTag(infraID, "worker")],
        },
      },
    };
  });
  return { apiVersion: API_VERSION, kind: "GCPMachineTemplate", sets, objects: [] };
}

type KmsKey = NonNullable<NonNullable<NonNullable<Pool["section"]["osDisk"]>["encryptionKey"]>["kmsKey"]>;

const keyPath = ({ projectID, location = "", keyRing = "", name = "" }: KmsKey, project: string): string =>
  `projects/${projectID || project}/locations/${location}/keyRings/${keyRing}/cryptoKeys/${name}`;

const ACCOUNT_ID = /^[a-z][-a-z0-9]{4,28}[a-z0-9]$/;
const KEY_PATH =
  /projects\/[-_[A-Za-z0-9]+\/locations\/[-_[A-Za-z0-9]+\/keyRings\/[-_[A-Za-z0-9]+\/cryptoKeys\/[-_[A-Za-z0-9]+/;
const KEY_PATH_LIMIT = 160;
const KEY_ACCOUNT = /[-_[A-Za-z0-9]@[-_[A-Za-z0-9]+.iam.gserviceaccount.com/;
const KEY_ACCOUNT_LIMIT = 85;
const PARENT = /(^[1-9][0-9]{0,31}$)|(^[a-z][a-z0-9-]{4,28}[a-z0-9]$)/;
const TAG_KEY = /^[a-zA-Z0-9]([0-9A-Za-z_.-]{0,61}[a-zA-Z0-9])?$/;
const TAG_VALUE = /^[a-zA-Z0-9]([0-9A-Za-z_.@%=+:,*#&()[\]{}\-\s]{0,61}[a-zA-Z0-9])?$/;

/** Rules of the definitions and webhooks of cluster-api-provider-gcp 1.12 that a valid install-config may break. */
function problemsOf(input: InfrastructureInput, pool: Pool): Problem[] {
  return [
    ...nameProblems(input, pool),
    ...networkProblems(input),
    ...tagProblems(input),
    ...poolProblems(input, pool),
  ];
}

function nameProblems({ identity }: InfrastructureInput, { section }: Pool): Problem[] {
  const account = `${identity.infraID}-m`;
  return section.serviceAccount !== undefined || ACCOUNT_ID.test(account)
    ? []
    : [
        broken(
          "metadata.name",
          `invalid service account name ${account}: must be 6 to 30 lowercase letters, digits and inner hyphens, starting with a letter`,
          "set --infra-id to another infrastructure ID",
        ),
      ];
}

function networkProblems({ config }: InfrastructureInput): Problem[] {
  const gcp = gcpOf(config);
  const block = machineBlock(config);
  if ((gcp.controlPlaneSubnet ?? "") !== "" && (gcp.computeSubnet ?? "") !== "") return [];
  return splitIPv4(block, 2) === undefined
    ? [
        broken(
          "networking.machineNetwork",
          block === ""
            ? "required value is missing: an IPv4 machine network"
            : `${block} is too small for two subnets`,
          "put an IPv4 CIDR of at least 16 addresses first",
        ),
      ]
    : [];
}

const tagProblems = ({ config }: InfrastructureInput): Problem[] =>
  userTags(gcpOf(config)).flatMap(({ parentID, key, value }, index) => {
    const field = `platform.gcp.userTags[${index}]`;
    return [
      ...(PARENT.test(parentID)
        ? []
        : [
            broken(
              `${field}.parentID`,
              "must be an organization or a project",
              "use the organization number or the project ID",
            ),
          ]),
      ...(TAG_KEY.test(key)
        ? []
        : [broken(`${field}.key`, "invalid tag key", "use the short name of an existing key")]),
      ...(TAG_VALUE.test(value)
        ? []
        : [broken(`${field}.value`, "invalid tag value", "use the short name of an existing value")]),
    ];
  });

function poolProblems({ config }: InfrastructureInput, { path, section }: Pool): Problem[] {
  const { kmsKey, kmsKeyServiceAccount = "" } = section.osDisk?.encryptionKey ?? {};
  const link = kmsKey === undefined ? undefined : keyPath(kmsKey, gcpOf(config).projectID);
  const { onHostMaintenance = "", secureBoot } = section;
  return [
    ...(link !== undefined && (link.length > KEY_PATH_LIMIT || !KEY_PATH.test(link))
      ? [
          broken(
            `${path}.osDisk.encryptionKey.kmsKey`,
            `the provider does not accept the key ${link}`,
            `set name, keyRing and location, with at most ${KEY_PATH_LIMIT} characters in the whole path`,
          ),
        ]
      : []),
    ...(kmsKeyServiceAccount !== "" &&
    (kmsKeyServiceAccount.length > KEY_ACCOUNT_LIMIT || !KEY_ACCOUNT.test(kmsKeyServiceAccount))
      ? [
          broken(
            `${path}.osDisk.encryptionKey.kmsKeyServiceAccount`,
            "must be a service account of a project",
            "use NAME@PROJECT.iam.gserviceaccount.com",
          ),
        ]
      : []),
    ...(onHostMaintenance !== "" && !["Migrate", "Terminate"].includes(onHostMaintenance)
      ? [broken(`${path}.onHostMaintenance`, "unsupported value", "use Migrate or Terminate")]
      : []),
    ...(secureBoot !== undefined && secureBoot !== "Enabled"
      ? [
          {
            ...broken(
              `${path}.secureBoot`,
              `the control plane machines get Secure Boot anyway: the installer checks only whether secureBoot is set`,
              "remove secureBoot for machines without it",
            ),
            code: "CAPI102" as const,
            severity: "warning" as const,
          },
        ]
      : []),
  ];
}
