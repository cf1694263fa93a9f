/**
 * The agent-manifests phase: the objects of assisted-service, and where images come from
 * (openshift/installer pkg/asset/agent/manifests and pkg/asset/agent/mirror).
 */

import { placed } from "../../core/diagnostics.js";
import { byCodeUnit, encode, IGNORE_ALL, textFile } from "../../core/files.js";
import { isJson, isObject, type Json, type JsonObject, sortKeys } from "../../core/json.js";
import { required, warning } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import { releaseImageProblem } from "../../kubernetes/images.js";
import { contains, parseAddress, parseCidr } from "../../kubernetes/network.js";
import { type AgentHost, agentFact } from "../../platforms/agent.js";
import type { NormalConfig } from "../../platforms/config.js";
import { kernelName } from "../../platforms/coreos-stream.js";
import { arbiterIsEnabled } from "../../platforms/enabled-gates.js";
import type { PlatformModule, Rendering } from "../../platforms/platform.js";
import { PLATFORMS } from "../../platforms/registry.js";
import { inForce } from "../../platforms/release-changes.js";
import { holdsSecret, secretFields } from "../../text/redact.js";
import type { View } from "../../text/render.js";
import { type AgentAsset, definePhase } from "../assets.js";
import { normalValue } from "../install-config/index.js";
import { goJson } from "../pointer-config.js";
import { replicaCounts } from "./hosts.js";
import { versionOf } from "./image-set.js";
import { mirrorFiles, mirrorsRelease } from "./registries.js";

/** Where assisted-service looks for members of an install-config that have no field of their own. */
const OVERRIDES = "agent-install.openshift.io/install-config-overrides";
const HOST_LABEL = "infraenvs.agent-install.openshift.io";
const FOLDER = "cluster-manifests";
const IGNORE_FILE = ".gitignore";
const PROXY_ONLY = "Proxyonly";
const NETWORK_TYPES = ["OVNKubernetes", "OpenShiftSDN"];

/** What every object of the phase is made from. */
interface AgentInput {
  readonly config: NormalConfig;
  readonly agent: AgentAsset;
  readonly hosts: readonly AgentHost[];
  readonly platform: PlatformModule;
  readonly others: readonly PlatformModule[];
  readonly release: Release;
  readonly releaseImage: string;
  /** Version of the release, for the name of the image set. */
  readonly version: string;
}

export const agentManifests = definePhase({
  name: "agent-manifests",
  needs: ["install-config", "agent-config", "platform", "agent-options"],
  summary: "Generate the manifests of the agent-based installer",
  run(needs, { release, render, report }) {
    const { config, position } = needs["install-config"];
    const { releaseImage = "", isEncrypted, others } = needs["agent-options"];
    const fault =
      releaseImage === ""
        ? required("AGT020", "--release-image", "the release that the hosts install", {
            hint: "set --release-image to the pull specification of the release, such as quay.io/openshift-release-dev/ocp-release@sha256:…",
          })
        : releaseImageProblem(releaseImage);
    if (fault !== undefined) {
      report({ ...fault, file: "--release-image" });
      return [];
    }
    const agent = needs["agent-config"];
    const input: AgentInput = {
      config,
      agent,
      hosts: agent.hosts.map(({ host }) => host),
      platform: needs.platform,
      others,
      release,
      releaseImage,
      version: versionOf(releaseImage, release),
    };
    if (
      (config.imageDigestSources ?? config.imageContentSources ?? []).length > 0 &&
      !mirrorsRelease(config, release, releaseImage)
    )
      report(
        placed(
          warning(
            "AGT015",
            "NotFound",
            "imageDigestSources",
            `no source matches the repository of the release image ${releaseImage}`,
            "add a source for the repository, or use an image of a mirrored one",
          ),
          position("imageDigestSources"),
        ),
      );
    const files = [
      agentClusterInstall(input),
      clusterDeployment(input),
      clusterImageSet(input),
      infraEnv(input),
      pullSecret(input),
    ].map(({ template, view, path, secret = false }) => render.file(template, view, path, { secret }));
    const networks = hostNetworks(input).map(
      ({ template, view }) => render.file(template, view, NETWORKS).data,
    );
    return [
      ...files,
      ...(networks.length === 0
        ? []
        : [
            {
              path: NETWORKS,
              data: Buffer.concat(networks.flatMap((data) => [data, encode("---\n")])),
              secret: input.hosts.some(({ networkConfig }) => isSecret(networkConfig)),
            },
          ]),
      ...mirrorFiles(config, release),
      // The folder holds the pull secret, and is committed only where that is encrypted.
      ...(isEncrypted ? [] : [textFile(`${FOLDER}/${IGNORE_FILE}`, IGNORE_ALL)]),
    ].sort((a, b) => byCodeUnit(a.path, b.path));
  },
});

const imageSetOf = ({ version }: AgentInput): string => `openshift-${version}`;
const pullSecretOf = ({ config }: AgentInput): string => `${config.metadata.name}-pull-secret`;
const labelsOf = ({ config }: AgentInput): JsonObject => ({ [HOST_LABEL]: config.metadata.name });

/** Metadata of an object of the cluster. */
function metadataOf({ config, release }: AgentInput, name: string, more: JsonObject = {}): JsonObject {
  const { namespace = "" } = config.metadata;
  return {
    ...(inForce(release, "noNullTimestamp") ? {} : { creationTimestamp: null }),
    name,
    ...(namespace === "" ? {} : { namespace }),
    ...more,
  };
}

/** An authorized key as it goes into objects: without what a YAML block leaves around it. */
const sshKeyOf = ({ sshKey = "" }: NormalConfig): string => sshKey.replace(/^[|\n\t]+|[|\n\t]+$/g, "");

const nonEmpty = <T extends { readonly length: number }>(value: T): T | undefined =>
  value.length === 0 ? undefined : value;

/** The proxy, which is not used for the rendezvous host's own network. */
function proxyOf({ config, agent }: AgentInput): JsonObject | undefined {
  const { proxy } = config;
  if (proxy === undefined) return undefined;
  const { httpProxy = "", httpsProxy = "", noProxy = "" } = proxy;
  const rendezvous = parseAddress(agent.config?.rendezvousIP ?? "");
  const own =
    rendezvous === undefined || (httpProxy === "" && httpsProxy === "")
      ? undefined
      : config.networking.machineNetwork.find(({ cidr }) => {
          const block = parseCidr(cidr);
          return block !== undefined && contains(block, rendezvous);
        })?.cidr;
  const without =
    own === undefined || noProxy.includes(own)
      ? noProxy
      : [noProxy, own].filter((each) => each !== "").join(",");
  return Object.fromEntries(
    Object.entries({ httpProxy, httpsProxy, noProxy: without }).filter(([, value]) => value !== ""),
  );
}

function agentClusterInstall(input: AgentInput): Rendering {
  const { config, platform, release } = input;
  const { networking } = config;
  const traits = PLATFORMS[platform.name].traits.agent;
  const { master, arbiter, worker } = replicaCounts(config);
  const arbiters = agentFact(release, "arbiters") && arbiterIsEnabled(release, config) ? arbiter : 0;
  const overrides = overridesOf(input);
  const spec = platform.agent?.spec?.(config) ?? {};
  return {
    template: "agent-manifests/agent-cluster-install.yaml",
    path: `${FOLDER}/agent-cluster-install.yaml`,
    secret: isSecret(overrides) || isSecret({ ...config.proxy }),
    view: {
      name: config.metadata.name,
      metadata: metadataOf(
        input,
        config.metadata.name,
        overrides === undefined ? {} : { annotations: { [OVERRIDES]: goJson(overrides) } },
      ),
      imageSet: imageSetOf(input),
      apiVIP: spec.apiVIP,
      apiVIPs: nonEmpty(spec.apiVIPs ?? []),
      ingressVIP: spec.ingressVIP,
      ingressVIPs: nonEmpty(spec.ingressVIPs ?? []),
      external: spec.external,
      clusterNetwork: nonEmpty(
        networking.clusterNetwork.map(({ cidr, hostPrefix }) => ({
          cidr,
          ...(hostPrefix === 0 ? {} : { hostPrefix }),
        })),
      ),
      machineNetwork: nonEmpty(networking.machineNetwork.map(({ cidr }) => ({ cidr }))),
      networkType: networkTypeOf(config),
      serviceNetwork: nonEmpty(networking.serviceNetwork),
      userManagedNetworking: traits?.userManaged === true,
      platformType: traits?.platformType ?? "",
      provisionRequirements: {
        controlPlaneAgents: master,
        ...(arbiters === 0 ? {} : { arbiterAgents: arbiters }),
        ...(worker === 0 ? {} : { workerAgents: worker }),
      },
      proxy: proxyOf(input),
      sshPublicKey: nonEmpty(sshKeyOf(config)),
    },
  };
}

/** AgentClusterInstall takes two network types; any other is overridden. */
const networkTypeOf = ({ networking: { networkType } }: NormalConfig): string =>
  NETWORK_TYPES.includes(networkType) ? networkType : "OVNKubernetes";

/** Members of the install-config that AgentClusterInstall has no field for; undefined where it says none. */
function overridesOf(input: AgentInput): JsonObject | undefined {
  const { config, hosts, platform, others, release } = input;
  const normal = normalValue(config, release, platform, others);
  const early = {
    fips: config.fips === true ? true : undefined,
    featureSet: agentFact(release, "featureSets") ? config.featureSet || undefined : undefined,
    featureGates: agentFact(release, "featureSets") ? nonEmpty(config.featureGates ?? []) : undefined,
  };
  const platforms = normal["platform"];
  // A section beside that of a platform without any counts here.
  const own = [platform, ...others].find(({ agent }) => agent?.override !== undefined) ?? platform;
  const section = isObject(platforms) ? platforms[own.name] : undefined;
  const override = own.agent?.override?.({
    config,
    section: isObject(section) ? section : {},
    hosts,
    isOverridden: Object.values(early).some((each) => each !== undefined),
    release,
  });
  const policy = config.additionalTrustBundlePolicy;
  const { capabilities } = normal;
  const stream = config.osImageStream ?? "";
  const members = {
    fips: early.fips,
    platform: override === undefined ? undefined : { [own.name]: override },
    capabilities,
    networking: NETWORK_TYPES.includes(config.networking.networkType) ? undefined : normal["networking"],
    cpuPartitioningMode: config.cpuPartitioningMode || undefined,
    additionalTrustBundlePolicy: policy === PROXY_ONLY || policy === "" ? undefined : policy,
    featureSet: early.featureSet,
    featureGates: early.featureGates,
    osImageStream:
      agentFact(release, "osImageStream") && stream !== (release.osImageStream ?? "") ? stream : undefined,
  };
  const given = Object.entries(members).filter(
    (each): each is [string, Json & {}] => isJson(each[1]) && each[1] !== null,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function clusterDeployment(input: AgentInput): Rendering {
  const { name } = input.config.metadata;
  return {
    template: "agent-manifests/cluster-deployment.yaml",
    path: `${FOLDER}/cluster-deployment.yaml`,
    view: {
      name,
      metadata: metadataOf(input, name),
      baseDomain: input.config.baseDomain,
      pullSecret: pullSecretOf(input),
    },
  };
}

const clusterImageSet = (input: AgentInput): Rendering => ({
  template: "agent-manifests/cluster-image-set.yaml",
  path: `${FOLDER}/cluster-image-set.yaml`,
  view: { metadata: metadataOf(input, imageSetOf(input)), releaseImage: input.releaseImage },
});

function infraEnv(input: AgentInput): Rendering {
  const { config, agent, platform, release } = input;
  const { name, namespace = "" } = config.metadata;
  const own = agent.config?.additionalNTPSources;
  const servers = own ?? platform.agent?.timeServers?.(config) ?? [];
  const names = ["initrd", "ipxeScript", "kernel", "rootfs"];
  const artifacts = agentFact(release, "discoveryIgnition") ? ["discoveryIgnitionURL", ...names] : names;
  return {
    template: "agent-manifests/infraenv.yaml",
    path: `${FOLDER}/infraenv.yaml`,
    secret: isSecret({ ...config.proxy }),
    view: {
      metadata: metadataOf(input, name),
      additionalNTPSources: nonEmpty(servers),
      additionalTrustBundle: nonEmpty(config.additionalTrustBundle ?? ""),
      clusterRef: { name, ...(namespace === "" ? {} : { namespace }) },
      cpuArchitecture: kernelName(config.controlPlane.architecture),
      labels: labelsOf(input),
      proxy: proxyOf(input),
      pullSecret: pullSecretOf(input),
      sshAuthorizedKey: nonEmpty(sshKeyOf(config)),
      bootArtifacts: Object.fromEntries(artifacts.map((each) => [each, ""])),
    },
  };
}

function pullSecret(input: AgentInput): Rendering {
  const parsed: unknown = JSON.parse(input.config.pullSecret);
  return {
    template: "agent-manifests/pull-secret.yaml",
    path: `${FOLDER}/pull-secret.yaml`,
    secret: true,
    view: {
      metadata: metadataOf(input, pullSecretOf(input)),
      pullSecret: goJson(isJson(parsed) ? sortKeys(parsed) : null, 2),
    },
  };
}

const NETWORKS = `${FOLDER}/nmstateconfig.yaml`;

interface HostNetwork {
  readonly template: "agent-manifests/nmstateconfig.yaml";
  readonly view: View;
}

/** Static networks, an object for each host that has one, named by its place among all hosts. */
const hostNetworks = (input: AgentInput): readonly HostNetwork[] =>
  input.hosts.flatMap(({ networkConfig, interfaces }, index) =>
    networkConfig === undefined
      ? []
      : [
          {
            template: "agent-manifests/nmstateconfig.yaml" as const,
            view: {
              metadata: metadataOf(input, `${input.config.metadata.name}-${index}`, {
                labels: labelsOf(input),
              }),
              config: networkConfig,
              interfaces: interfaces.map(({ name, macAddress }) => ({
                macAddress,
                ...(name === "" ? {} : { name }),
              })),
            },
          },
        ],
  );

/** True where a login stands in a value, such as that of a controller, of a vCenter or of 802.1X. */
const isSecret = (value: Json | undefined): boolean =>
  value !== undefined && (holdsSecret(value) || secretFields(value).length > 0);
