/**
 * What the image-based installer asks of an install-config besides the rules of every installation
 * (openshift/installer pkg/asset/imagebased/configimage/installconfig.go).
 */
import { ignored, problem, unsupported } from "../../core/problem.js";
import { agentFact } from "../../platforms/agent.js";
import type { NormalConfig, NormalPool } from "../../platforms/config.js";
import type { RuleContext } from "../../platforms/platform.js";
import { activePlatform, PLATFORM_NAMES, PLATFORMS } from "../../platforms/registry.js";

const CODE = "IBI003";
const OVN = "OVNKubernetes";

export function validateForImageBased(config: NormalConfig, context: RuleContext): void {
  for (const rule of [platform, featureSet, unused, singleNode]) rule(config, context);
}

/** Platforms on which a node needs nothing of a cloud. */
const SUPPORTED = PLATFORM_NAMES.filter((name) => PLATFORMS[name].traits.imageBased === true);

function platform(config: NormalConfig, { report }: RuleContext): void {
  const name = activePlatform(config);
  if (name === undefined || SUPPORTED.includes(name)) return;
  report(
    unsupported(CODE, "Platform", name, SUPPORTED, {
      at: `platform.${name}`,
      hint: `use platform ${SUPPORTED.join(" or ")}`,
    }),
  );
}

function featureSet({ featureSet: name = "" }: NormalConfig, { report }: RuleContext): void {
  if (name !== "")
    report(
      unsupported(CODE, "FeatureSet", name, [], {
        at: "featureSet",
        hint: "remove it: the node has the feature set of the seed cluster",
      }),
    );
}

/** Fields that are read and not used. */
function unused(config: NormalConfig, { report }: RuleContext): void {
  const warn = (field: string): void =>
    report(ignored("IBI008", field, "the image-based installer does not use it", "remove it"));
  if (config.additionalTrustBundlePolicy !== "Proxyonly") warn("additionalTrustBundlePolicy");
  const pools: readonly (readonly [string, NormalPool])[] = [
    ["controlPlane", config.controlPlane],
    ...config.compute.map((pool, index) => [`compute[${index}]`, pool] as const),
  ];
  for (const [field, pool] of pools) {
    if (pool.hyperthreading !== "Enabled") warn(`${field}.hyperthreading`);
    if (Object.values(pool.platform).some((each) => each !== undefined && each !== null))
      warn(`${field}.platform`);
  }
}

function singleNode(
  { controlPlane, compute, networking }: NormalConfig,
  { release, report }: RuleContext,
): void {
  const { replicas } = controlPlane;
  if (replicas !== 1)
    report(
      problem(CODE, "Required", "ControlPlane.Replicas", `must be 1 for a single node, found ${replicas}`, {
        at: "controlPlane.replicas",
        hint: "set controlPlane.replicas to 1",
      }),
    );
  const workers = compute.reduce((sum, pool) => sum + pool.replicas, 0);
  if (workers !== 0)
    report(
      problem(CODE, "Required", "Compute.Replicas", `must be 0 for a single node, found ${workers}`, {
        at: "compute[0].replicas",
        hint: "set the replicas of every compute pool to 0",
      }),
    );
  const { networkType, machineNetwork } = networking;
  if (networkType !== OVN)
    report(
      problem(CODE, "Invalid", "Networking.NetworkType", `must be ${OVN} for a single node`, {
        at: "networking.networkType",
        hint: `use ${OVN}`,
      }),
    );
  const most = agentFact(release, "imageBasedTwoNetworks") ? 2 : 1;
  if (machineNetwork.length > most)
    report(
      problem(
        CODE,
        "TooMany",
        "Networking.MachineNetwork",
        `must have at most ${most} entries, found ${machineNetwork.length}`,
        { at: "networking.machineNetwork", hint: "list one network for each family of addresses" },
      ),
    );
}
