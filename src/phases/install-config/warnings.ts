/**
 * What the installer accepts although it does not work, or has a surprising effect (docs/reference/real-inputs.md §1).
 * An error only where the API server would reject a manifest. Warnings about a single field are next to its rule; these look at several fields together.
 */

import { counted } from "../../core/counted.js";
import { ignored, info, invalid, required, warning } from "../../core/problem.js";
import { formatCidr, isV4 } from "../../kubernetes/network.js";
import type { InstallConfig, NormalConfig } from "../../platforms/config.js";
import type { RuleContext } from "../../platforms/platform.js";
import { namedTraits } from "../../platforms/registry.js";
import { quote } from "../../text/quote.js";
import { type Block, blocksOf } from "./rules/networking.js";
import { largestNodeCount, roomOfDefaultJoinSubnet } from "./rules/ovn-kubernetes.js";

const CPU_PARTITIONING = ["", "None", "AllNodes"];
/** From this prefix on a node's part of an IPv4 cluster network holds a handful of pods. */
const NARROW_HOST_PREFIX = 29;

/** `given` is the config before its defaults. */
type Warning = (config: NormalConfig, context: RuleContext, given: InstallConfig) => void;

const WARNINGS: readonly Warning[] = [
  missingBlocks,
  narrowHostPrefix,
  roomForNodes,
  schedulableControlPlane,
  cpuPartitioning,
  namesWithoutEffect,
];

export function warn(config: NormalConfig, given: InstallConfig, context: RuleContext): void {
  for (const warning of WARNINGS) warning(config, context, given);
}

/** An error for a machine network that the platform puts into the Infrastructure, which the API server then rejects. */
function missingBlocks(config: NormalConfig, { report }: RuleContext): void {
  const { machines, services, pods } = blocksOf(config.networking);
  const isListed = namedTraits(config).some(({ listsMachineNetworks }) => listsMachineNetworks === true);
  for (const block of [...machines, ...services, ...pods]) {
    if (block.cidr.bits !== 0) continue;
    const missing = required("IC158", block.field, "cidr; the cluster rejects a network without it", {
      below: true,
      hint: "add cidr, or remove the entry",
    });
    report(isListed && machines.includes(block) ? missing : warning(missing));
  }
}

function narrowHostPrefix({ networking }: NormalConfig, { report }: RuleContext): void {
  for (const { cidr, field, hostPrefix } of blocksOf(networking).pods) {
    if (!isV4(cidr) || hostPrefix < NARROW_HOST_PREFIX || hostPrefix < cidr.prefix) continue;
    report(
      warning(
        invalid(
          "IC162",
          `${field}.hostPrefix`,
          hostPrefix,
          hostPrefix > 32
            ? "must be at most 32 for IPv4, otherwise nodes get no pod addresses"
            : `leaves only ${2 ** (32 - hostPrefix)} pod addresses for each node`,
          "use a length such as 23, with 512 addresses for each node",
        ),
      ),
    );
  }
}

function roomForNodes(config: NormalConfig, { report }: RuleContext): void {
  const { networking, controlPlane, arbiter, compute } = config;
  const pools = [controlPlane, ...(arbiter === undefined ? [] : [arbiter]), ...compute];
  const wanted = pools.reduce((sum, { replicas }) => sum + replicas, 0);
  const nodes = largestNodeCount(config);
  const { pods } = blocksOf(networking);
  const first: Block | undefined = pods.find(({ cidr }) => isV4(cidr));
  if (nodes === undefined || first === undefined || nodes <= 0) return;
  if (nodes < wanted)
    report(
      warning(
        "IC160",
        "Invalid",
        `${first.field}.hostPrefix`,
        `the cluster network ${formatCidr(first.cidr)} has room for ${counted(nodes, "node")}, but the machine pools request ${wanted}`,
        "use a larger CIDR or a longer hostPrefix; neither can be changed after the installation",
      ),
    );
  const own = networking.ovnKubernetesConfig?.ipv4?.internalJoinSubnet;
  const room = roomOfDefaultJoinSubnet();
  if (own === undefined && networking.networkType === "OVNKubernetes" && nodes >= room)
    report(
      warning(
        "IC161",
        "Invalid",
        `${first.field}.hostPrefix`,
        `the cluster network has room for ${nodes} nodes, but the join subnet of OVN-Kubernetes has room for only ${room}; the network operator will reject this`,
        "use a shorter hostPrefix, or a larger networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
      ),
    );
}

function schedulableControlPlane({ compute }: NormalConfig, { report }: RuleContext): void {
  const workers = compute.reduce((sum, { replicas }) => sum + replicas, 0);
  if (workers !== 0) return;
  report(
    info(
      "IC189",
      "Invalid",
      "compute[0].replicas",
      "without compute machines, the control plane also runs workloads (mastersSchedulable: true)",
      "set replicas to 1 or more if compute machines will run the workloads",
    ),
  );
}

function cpuPartitioning({ cpuPartitioningMode = "" }: NormalConfig, { report }: RuleContext): void {
  if (CPU_PARTITIONING.includes(cpuPartitioningMode)) return;
  report(
    warning(
      "IC270",
      "NotSupported",
      "cpuPartitioningMode",
      `unsupported value ${quote(cpuPartitioningMode)}, which is treated as None`,
      "use AllNodes or None",
    ),
  );
}

/** These two pools have one possible name, and the installer writes it over any other. */
function namesWithoutEffect(_: NormalConfig, { report }: RuleContext, given: InstallConfig): void {
  const pools = [
    { field: "controlPlane", name: given.controlPlane?.name, fixed: "master" },
    { field: "arbiter", name: given.arbiter?.name, fixed: "arbiter" },
  ];
  for (const { field, name, fixed } of pools)
    if (name !== undefined && name !== "" && name !== fixed)
      report(
        ignored("IC193", `${field}.name`, `this pool is always named ${fixed}`, {
          kind: "NotSupported",
          hint: `use ${fixed}, or remove the name`,
        }),
      );
}
