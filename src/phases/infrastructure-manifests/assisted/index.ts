/**
 * Objects for a cluster that assisted-service installs: Cluster, OpenshiftAssistedControlPlane and a MachineDeployment
 * with its OpenshiftAssistedConfigTemplate for each compute pool (docs/reference/cluster-api.md §8). The provider runs
 * the installer itself, so that neither the state nor generated manifests are wrapped; what it is told of the
 * install-config is the table of keys.ts.
 */
import { encode } from "../../../core/files.js";
import type { Json, JsonObject } from "../../../core/json.js";
import { type Problem, problem, warning } from "../../../core/problem.js";
import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL, MOVE_LABEL } from "../../../kubernetes/labels.js";
import { DNS_LABEL_HINT, isDnsLabel } from "../../../kubernetes/names.js";
import { parseCidr } from "../../../kubernetes/network.js";
import {
  ASSISTED_BOOTSTRAP_GROUP,
  ASSISTED_BOOTSTRAP_KIND,
  ASSISTED_CONTROL_PLANE_GROUP,
  ASSISTED_CONTROL_PLANE_KIND,
  INSTALL_CONFIG_OVERRIDE_ANNOTATION,
  NODES,
} from "../../../kubernetes/openshift-assisted.js";
import { encodeBase64 } from "../../../kubernetes/secrets.js";
import { fieldOf, type NormalConfig, type NormalPool } from "../../../platforms/config.js";
import { kernelName } from "../../../platforms/coreos-stream.js";
import type {
  AssistedInfrastructure,
  InfrastructureInput,
  Rendering,
  RuleContext,
} from "../../../platforms/platform.js";
import { holdsSecret } from "../../../text/redact.js";
import type { Assets, InfrastructureOptions } from "../../assets.js";
import { clusterRendering } from "../cluster.js";
import { besideCustom } from "../custom.js";
import { boundsOf, healthCheck, reportBounds } from "../machine-management.js";
import { contractReference, objectReference } from "../references.js";
import { carryingManifests, overrideOf, refusedKeys } from "./keys.js";
import { manifestData } from "./manifests.js";
import { mirrorData } from "./mirrors.js";
import { distributionOf } from "./release.js";

/** The version of the bootstrap provider's kinds that belongs to one of the control plane's. */
const BOOTSTRAP_VERSIONS = { v1alpha2: "v1alpha1", v1alpha3: "v1alpha2" } as const;

type Needs = Pick<
  Assets,
  "platform" | "manifest-files" | "generated-manifests" | "infrastructure-options" | "custom-infrastructure"
>;

/**
 * The objects of a cluster that assisted-service installs, but the Namespace; none when an error was reported. What is
 * wrong with the platform's own objects goes to `ofPlatform`.
 */
export function assistedRenderings(
  needs: Needs,
  input: InfrastructureInput,
  context: RuleContext,
  ofPlatform: RuleContext,
  report: (problem: Problem) => void,
): Rendering[] {
  const { config } = input;
  const { name } = config.metadata;
  const { "infrastructure-options": options } = needs;
  const { controlPlaneApiVersion: api } = options;
  if (api === undefined || !checkName(name, context)) return [];
  const generated = needs["generated-manifests"];
  for (const problem of refusedKeys(config, generated)) context.report(problem);
  checkPodRanges(config, context);
  const pools = config.compute.filter(({ replicas }) => replicas > 0);
  reportBounds(new Map(pools.map(({ name: pool, replicas }) => [pool, replicas])), options, report);
  const distribution = distributionOf(options.releaseImage, architectureOf(config), input.release, report);
  // Objects are named after the Cluster, which the provider wants to have the cluster's own name.
  const named = { ...input, identity: { ...input.identity, infraID: name } };
  const infrastructure = infrastructureOf(needs, named, context, ofPlatform);
  const carrying = new Set(carryingManifests(config, generated).map(({ path }) => path));
  const others = generated.filter(({ path }) => !carrying.has(path));
  const manifests = manifestData(needs["manifest-files"], others, report);
  if (distribution === undefined || infrastructure === undefined) return [];
  const { namespace } = options;
  const labels = { [CLUSTER_NAME_LABEL]: name };
  const moved = { ...labels, [MOVE_LABEL]: "" };
  const reference = api === "v1alpha2" ? objectReference : contractReference;
  const mirrors = mirrorData(config);
  const maps = manifests.map((data, index) => ({ name: mapName(name, index), data }));
  const pullSecret = `${name}-pull-secret`;
  const override = overrideOf(config);
  const annotations = {
    ...distribution.annotations,
    ...(Object.keys(override).length === 0
      ? {}
      : { [INSTALL_CONFIG_OVERRIDE_ANNOTATION]: `${JSON.stringify(override, undefined, 2)}\n` }),
  };
  const secret = holdsSecret({ ...config.proxy });
  return [
    {
      template: "infrastructure-manifests/10_pull-secret.yaml",
      path: "10_credentials-pull-secret.yaml",
      secret: true,
      view: {
        name: pullSecret,
        namespace,
        labels: moved,
        pullSecret: encodeBase64(encode(config.pullSecret)),
      },
    },
    ...maps.map(
      (map): Rendering => ({
        template: "infrastructure-manifests/30_config-map.yaml",
        path: `30_manifests${map.name.slice(mapName(name, 0).length)}.yaml`,
        // Manifests of the user's are secret wherever they are wrapped.
        secret: true,
        view: { name: map.name, namespace, labels: moved, data: map.data },
      }),
    ),
    ...(mirrors === undefined
      ? []
      : [
          {
            template: "infrastructure-manifests/30_config-map.yaml",
            path: "31_image-registries.yaml",
            view: { name: registriesName(name), namespace, labels: moved, data: mirrors },
          } as const,
        ]),
    ...infrastructure.objects,
    {
      template: `infrastructure-manifests/60_openshift-assisted-control-plane-${api}.yaml`,
      path: "60_openshift-assisted-control-plane.yaml",
      secret,
      view: {
        name,
        namespace,
        labels,
        annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
        config: configOf(config, infrastructure, pullSecret, {
          mastersSchedulable: options.mastersSchedulable,
          manifests: maps.map((map) => map.name),
          registries: mirrors === undefined ? undefined : registriesName(name),
        }),
        distributionVersion: distribution.version,
        infrastructureRef: reference(infrastructure.controlPlane, namespace),
        bootstrap: bootstrapOf(config, config.controlPlane, infrastructure, pullSecret),
        replicas: config.controlPlane.replicas,
      },
    },
    clusterRendering(
      infrastructure,
      {
        apiVersion: `${ASSISTED_CONTROL_PLANE_GROUP}/${api}`,
        kind: ASSISTED_CONTROL_PLANE_KIND,
        name,
        placeholder: false,
      },
      options,
      report,
      {
        pods: config.networking.clusterNetwork.map(({ cidr }) => cidr),
        services: config.networking.serviceNetwork,
      },
    ),
    ...pools.flatMap((pool) =>
      poolRenderings(config, pool, infrastructure, { ...options, api: api, secret }),
    ),
  ];
}

const mapName = (name: string, index: number): string =>
  `${name}-manifests${index === 0 ? "" : `-${index + 1}`}`;
const registriesName = (name: string): string => `${name}-image-registries`;

/** The provider finds its ClusterDeployment by a label with the cluster's name, as that of the Cluster. */
function checkName(name: string, { report }: RuleContext): boolean {
  if (isDnsLabel(name)) return true;
  report(
    problem(
      "CAPI001",
      "Invalid",
      "metadata.name",
      `invalid name ${JSON.stringify(name)}: the control plane provider openshift-assisted uses it as the name of the Cluster`,
      DNS_LABEL_HINT,
    ),
  );
  return false;
}

/** The host prefix that the provider gives every range of pods, whatever the install-config says. */
const HOST_PREFIX = 23;

/** assisted-service refuses a range without room for its hosts by that prefix (docs/reference/cluster-api.md §8). */
function checkPodRanges({ networking, controlPlane, compute }: NormalConfig, { report }: RuleContext): void {
  const hosts = compute.reduce((sum, { replicas }) => sum + replicas, controlPlane.replicas);
  const needed = HOST_PREFIX - Math.ceil(Math.log2(hosts === 1 ? 1 : Math.max(4, hosts)));
  networking.clusterNetwork.forEach(({ cidr }, index) => {
    const prefix = parseCidr(cidr)?.prefix;
    if (prefix === undefined || prefix <= needed) return;
    report(
      warning(
        "CAPI046",
        "Invalid",
        `networking.clusterNetwork[${index}].cidr`,
        `${cidr} is too small for ${hosts} hosts with the host prefix ${HOST_PREFIX}, which assisted-service uses for every network; it would not start the installation`,
        `use a network with a prefix length of ${needed} or less; the cluster uses the hostPrefix in the install-config`,
      ),
    );
  });
}

/** What the cluster stands on: the user's own infrastructure, else that of the platform. */
function infrastructureOf(
  { platform, "custom-infrastructure": custom }: Needs,
  input: InfrastructureInput,
  { report }: RuleContext,
  ofPlatform: RuleContext,
): AssistedInfrastructure | undefined {
  const own = platform.assisted?.infrastructure(input, ofPlatform);
  if (custom === undefined) {
    if (own === undefined)
      report(
        problem(
          "CAPI044",
          "NotSupported",
          `platform.${platform.name}`,
          `slipway does not generate infrastructure for the platform ${platform.name} with assisted-service`,
          "set --custom-infrastructure to a folder with your own infrastructure cluster and machine template, or use --control-plane-provider openshift",
        ),
      );
    return own;
  }
  const { cluster, machineTemplate, poolTemplates } = custom;
  const beside =
    own === undefined ? undefined : besideCustom({ ...own, machineTemplate: own.controlPlane }, custom);
  return {
    apiVIPs: platform.manifests.apiVips?.(input) ?? [],
    ingressVIPs: textsOf(fieldOf(input.config, platform.name, "ingressVIPs")),
    timeServers: [],
    networks: undefined,
    ...own,
    cluster,
    controlPlane: machineTemplate,
    compute: ({ name }) => poolTemplates.get(name) ?? machineTemplate,
    objects: beside?.objects ?? [],
    nodes: NODES.get(cluster.kind),
  };
}

const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];

/** The architecture of the release image: one for all machines, or `multi` (controlplane/internal/controller). */
function architectureOf({ controlPlane, compute }: NormalConfig): string {
  const { architecture } = controlPlane;
  const others = compute.some((pool) => pool.replicas > 0 && pool.architecture !== architecture);
  return others ? "multi" : kernelName(architecture);
}

function configOf(
  config: NormalConfig,
  { apiVIPs, ingressVIPs }: AssistedInfrastructure,
  pullSecret: string,
  {
    mastersSchedulable = config.compute.every(({ replicas }) => replicas === 0),
    manifests,
    registries,
  }: {
    /** By default as the installer does: where no other machine would take workloads. */
    readonly mastersSchedulable: boolean | undefined;
    readonly manifests: readonly string[];
    readonly registries: string | undefined;
  },
): JsonObject {
  const { additionalEnabledCapabilities = [], baselineCapabilitySet = "" } = config.capabilities ?? {};
  return given({
    apiVIPs: [...apiVIPs],
    baseDomain: config.baseDomain.replace(/\.$/, ""),
    capabilities: given({
      additionalEnabledCapabilities: [...additionalEnabledCapabilities],
      baselineCapability: baselineCapabilitySet,
    }),
    clusterName: config.metadata.name,
    imageRegistryRef: registries === undefined ? {} : { name: registries },
    ingressVIPs: [...ingressVIPs],
    manifestsConfigMapRefs: manifests.map((name) => ({ name })),
    mastersSchedulable,
    proxy: proxyOf(config),
    pullSecretRef: { name: pullSecret },
    sshAuthorizedKey: config.sshKey ?? "",
  });
}

function bootstrapOf(
  config: NormalConfig,
  pool: NormalPool,
  { nodes, networks, timeServers }: AssistedInfrastructure,
  pullSecret: string,
): JsonObject {
  return given({
    additionalNTPSources: [...timeServers],
    additionalTrustBundle: config.additionalTrustBundle ?? "",
    cpuArchitecture: kernelName(pool.architecture),
    nmStateConfigLabelSelector: networks === undefined ? {} : { matchLabels: { ...networks } },
    nodeRegistration: nodes === undefined ? {} : { name: nodes.name, kubeletExtraLabels: [...nodes.labels] },
    proxy: proxyOf(config),
    pullSecretRef: { name: pullSecret },
    sshAuthorizedKey: config.sshKey ?? "",
  });
}

const proxyOf = ({ proxy }: NormalConfig): JsonObject =>
  given({
    httpProxy: proxy?.httpProxy ?? "",
    httpsProxy: proxy?.httpsProxy ?? "",
    noProxy: proxy?.noProxy ?? "",
  });

/** The members that say something. */
const given = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isNothing(value)));

const isNothing = (value: Json): boolean =>
  value === "" ||
  value === false ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

function poolRenderings(
  config: NormalConfig,
  pool: NormalPool,
  infrastructure: AssistedInfrastructure,
  {
    api,
    secret,
    ...options
  }: InfrastructureOptions & { readonly api: keyof typeof BOOTSTRAP_VERSIONS; readonly secret: boolean },
): Rendering[] {
  const { namespace, contract, machines } = options;
  const cluster = config.metadata.name;
  const name = `${cluster}-${pool.name}`;
  const labels = { [CLUSTER_NAME_LABEL]: cluster };
  const reference = contract === "v1beta1" ? objectReference : contractReference;
  const matchLabels = { ...labels, [DEPLOYMENT_NAME_LABEL]: name };
  const bootstrapVersion = BOOTSTRAP_VERSIONS[api];
  const template = {
    apiVersion: `${ASSISTED_BOOTSTRAP_GROUP}/${bootstrapVersion}`,
    kind: ASSISTED_BOOTSTRAP_KIND,
    name,
    placeholder: false,
  };
  return [
    {
      template: `infrastructure-manifests/75_bootstrap-template-${bootstrapVersion}.yaml`,
      path: `75_bootstrap-template-${pool.name}.yaml`,
      secret,
      view: {
        name,
        namespace,
        labels,
        bootstrap: bootstrapOf(config, pool, infrastructure, `${cluster}-pull-secret`),
      },
    },
    {
      template: `infrastructure-manifests/80_machine-deployment-${contract}.yaml`,
      path: `80_machine-deployment-${pool.name}.yaml`,
      view: {
        name,
        namespace,
        labels,
        annotations: boundsOf(pool.name, machines),
        clusterName: cluster,
        replicas: pool.replicas,
        matchLabels,
        configRef: reference(template, namespace),
        infrastructureRef: reference(infrastructure.compute(pool), namespace),
      },
    },
    ...(machines?.healthChecks === true ? [healthCheck(pool.name, cluster, options, matchLabels)] : []),
  ];
}
