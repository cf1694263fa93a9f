/**
 * What the agent-based installer asks of an install-config besides the rules of every installation
 * (openshift/installer pkg/asset/agent/installconfig.go; pkg/asset/agent/manifests/agentclusterinstall.go,
 * `validateIPAddressAndNetworkType`).
 */
import { holdsAt } from "../../core/by-release.js";
import { forbidden, invalid, problem, unsupported } from "../../core/problem.js";
import { isV4, parseCidr } from "../../kubernetes/network.js";
import { agentFact } from "../../platforms/agent.js";
import { notUsed } from "../../platforms/agent-rules.js";
import type { NormalConfig, NormalPool } from "../../platforms/config.js";
import { gateEnabled } from "../../platforms/enabled-gates.js";
import type { PlatformModule, RuleContext } from "../../platforms/platform.js";
import { activePlatform, PLATFORM_NAMES, PLATFORMS } from "../../platforms/registry.js";
import { replicaCounts } from "./hosts.js";

const ARCHITECTURES = ["amd64", "arm64", "ppc64le", "s390x"];
const ANY_PLATFORM = ["amd64", "arm64"];
const OVN = "OVNKubernetes";
const MOST_CONTROL_PLANE = 5;

export function validateForAgent(
  config: NormalConfig,
  context: RuleContext,
  platform: PlatformModule | undefined,
): void {
  for (const rule of [
    platforms,
    architectures,
    featureSets,
    unused,
    controlPlane,
    singleNode,
    twoNodes,
    podNetworks,
  ])
    rule(config, context);
  platform?.agent?.validate?.(config, context);
}

/** A field as the release's installer names it: before 4.19 with the words of its own code. */
const named = ({ release }: RuleContext, field: string, old: string): string =>
  agentFact(release, "fieldsInLowerCase") ? field : old;

const supportedPlatforms = ({ release }: RuleContext): readonly string[] =>
  PLATFORM_NAMES.filter((name) => {
    const { agent } = PLATFORMS[name].traits;
    return agent !== undefined && holdsAt(agent, release);
  });

function platforms(config: NormalConfig, context: RuleContext): void {
  const { report } = context;
  const name = activePlatform(config);
  if (name === undefined) return;
  const field = named(context, "platform", "Platform");
  const { architecture } = config.controlPlane;
  const supported = supportedPlatforms(context);
  if (!supported.includes(name))
    report(
      unsupported("AGT010", field, name, supported, {
        at: `platform.${name}`,
        hint: "use a supported platform, or another way of installing",
      }),
    );
  if (
    ARCHITECTURES.includes(architecture) &&
    !ANY_PLATFORM.includes(architecture) &&
    PLATFORMS[name].traits.agent?.everyArchitecture !== true
  ) {
    const others = PLATFORM_NAMES.filter((each) => PLATFORMS[each].traits.agent?.everyArchitecture === true);
    report(
      invalid("AGT010", field, name, `${architecture} is supported on platform ${others.join(", ")} only`, {
        at: `platform.${name}`,
        hint: `use platform ${others.join(", ")}, or another architecture`,
      }),
    );
  }
}

function architectures({ controlPlane, compute }: NormalConfig, context: RuleContext): void {
  const pools = [
    {
      pool: controlPlane,
      at: "controlPlane.architecture",
      field: named(context, "controlPlane.architecture", "ControlPlane.Architecture"),
    },
    ...compute.map((pool, index) => ({
      pool,
      at: `compute[${index}].architecture`,
      field: named(context, `compute[${index}].architecture`, `Compute[${index}].Architecture`),
    })),
  ];
  for (const { pool, at, field } of pools)
    if (!ARCHITECTURES.includes(pool.architecture))
      context.report(
        unsupported("AGT010", field, pool.architecture, ARCHITECTURES, {
          at,
          hint: "use a supported architecture",
        }),
      );
}

function featureSets({ featureSet = "" }: NormalConfig, context: RuleContext): void {
  if (featureSet === "" || agentFact(context.release, "featureSets")) return;
  context.report(
    unsupported("AGT010", named(context, "featureSet", "FeatureSet"), featureSet, [], {
      at: "featureSet",
      hint: "remove it: assisted-service passes feature sets on from 4.20 on",
    }),
  );
}

/** Fields that are read and not used. */
function unused(config: NormalConfig, { report }: RuleContext): void {
  const warn = (field: string): void => report(notUsed(field));
  const pools: readonly (readonly [string, NormalPool])[] = [
    ["controlPlane", config.controlPlane],
    ...config.compute.map((pool, index) => [`compute[${index}]`, pool] as const),
  ];
  for (const [field, pool] of pools) {
    if (pool.hyperthreading !== "Enabled") warn(`${field}.hyperthreading`);
    if (Object.values(pool.platform).some((each) => each !== undefined && each !== null))
      warn(`${field}.platform`);
  }
  if (config.publish !== "External") warn("publish");
  if ((config.credentialsMode ?? "") !== "") warn("credentialsMode");
  if ((config.bootstrapInPlace?.installationDisk ?? "") !== "") warn("bootstrapInPlace.installationDisk");
}

function controlPlane(config: NormalConfig, context: RuleContext): void {
  const { release, report } = context;
  const { replicas } = config.controlPlane;
  const two =
    agentFact(release, "twoNodes") ||
    (agentFact(release, "twoNodesWithArbiter") && config.arbiter !== undefined);
  if (replicas >= 1 && replicas <= MOST_CONTROL_PLANE && (replicas !== 2 || two)) return;
  const withArbiter = agentFact(release, "twoNodesWithArbiter") ? ["2 (with an arbiter)"] : [];
  const withFencing =
    agentFact(release, "twoNodes") && gateEnabled(release, config, "DualReplica") ? ["2 (with fencing)"] : [];
  report(
    unsupported(
      "AGT010",
      named(context, "controlPlane.replicas", "ControlPlane.Replicas"),
      replicas,
      ["1", "3", "4", "5", ...withArbiter, ...withFencing],
      {
        kind: agentFact(release, "fieldsInLowerCase") ? "NotSupported" : "Invalid",
        at: "controlPlane.replicas",
        hint: "use a supported number of control plane nodes",
      },
    ),
  );
}

function singleNode(config: NormalConfig, context: RuleContext): void {
  const { release, report } = context;
  if (config.controlPlane.replicas !== 1) return;
  const { worker, arbiter } = replicaCounts(config);
  const name = activePlatform(config);
  const own = supportedPlatforms(context).filter((each) =>
    PLATFORM_NAMES.some((known) => known === each && PLATFORMS[known].traits.agent?.userManaged === true),
  );
  const isOwn = name !== undefined && own.includes(name);
  if (worker !== 0)
    report(
      forbidden(
        "AGT010",
        named(context, "compute.replicas", "Compute.Replicas"),
        `a cluster with one control plane node has no compute nodes, found ${worker}`,
        {
          kind: agentFact(release, "fieldsInLowerCase") ? "Forbidden" : "Required",
          at: "compute[0].replicas",
          hint: "set the replicas of every compute pool to 0, or controlPlane.replicas to 3 or more",
        },
      ),
    );
  else if (!isOwn && name !== undefined)
    report(
      invalid(
        "AGT010",
        named(context, "platform", "Platform"),
        name,
        `a single node is supported on platform ${own.join(" and ")} only`,
        { at: `platform.${name}`, hint: "use platform none, or set controlPlane.replicas to 3 or more" },
      ),
    );
  else if (config.networking.networkType !== OVN)
    report(
      invalid(
        "AGT010",
        named(context, "networking.networkType", "Networking.NetworkType"),
        config.networking.networkType,
        `must be ${OVN} for a single node`,
        { at: "networking.networkType", hint: `use ${OVN}` },
      ),
    );
  if (arbiter > 0 && agentFact(release, "arbiters"))
    report(
      forbidden(
        "AGT010",
        "arbiter.replicas",
        `a cluster with one control plane node has no arbiter, found ${arbiter}`,
        "remove arbiter, or set controlPlane.replicas to 2",
      ),
    );
}

function twoNodes(config: NormalConfig, { release, report }: RuleContext): void {
  if (config.controlPlane.replicas !== 2 || !agentFact(release, "twoNodes")) return;
  if (config.arbiter !== undefined && config.arbiter.replicas !== 1)
    report(
      invalid(
        "AGT010",
        "arbiter.replicas",
        config.arbiter.replicas,
        "must be 1 for two control plane nodes",
        "set replicas: 1",
      ),
    );
  const credentials = config.controlPlane.fencing?.credentials ?? [];
  if (credentials.length === 0) return;
  if (!gateEnabled(release, config, "DualReplica"))
    report(
      problem(
        "AGT010",
        "Invalid",
        "controlPlane.fencing",
        "fencing requires the feature gate DualReplica",
        "set a featureSet that enables it",
      ),
    );
  if (credentials.length !== 2)
    report(
      invalid(
        "AGT010",
        "controlPlane.fencing.credentials",
        credentials.length,
        "must have one entry for each of the two control plane nodes",
        "list two credentials",
      ),
    );
}

/** Room for pods and hosts, by the fields of AgentClusterInstall, which says OVN-Kubernetes for every type but its own two. */
function podNetworks(config: NormalConfig, { release, report }: RuleContext): void {
  if (config.networking.networkType === "OpenShiftSDN" || !agentFact(release, "podNetworkRoom")) return;
  const { master, worker } = replicaCounts(config);
  const hosts = master + worker;
  const needed = hosts <= 1 ? 0 : Math.ceil(Math.log2(hosts));
  for (const [index, { cidr, hostPrefix }] of config.networking.clusterNetwork.entries()) {
    const block = parseCidr(cidr);
    if (block === undefined) continue;
    const at = `networking.clusterNetwork[${index}]`;
    const most = (isV4(block) ? 32 : 128) - 7;
    if (hostPrefix > most)
      report(
        invalid("AGT013", `spec.${at}.hostPrefix`, hostPrefix, `must be at most ${most}`, {
          at: `${at}.hostPrefix`,
          hint: "use a shorter prefix, such as 23 for IPv4 or 64 for IPv6",
        }),
      );
    if (hostPrefix - block.prefix < needed)
      report(
        invalid(
          "AGT013",
          `spec.${at}`,
          cidr,
          `must have room for ${hosts} hosts with the hostPrefix ${hostPrefix}`,
          {
            at: `${at}.cidr`,
            hint: "use a larger network or a longer hostPrefix",
          },
        ),
      );
  }
}
