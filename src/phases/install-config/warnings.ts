/**
 * What the installer accepts and what then does not work, or surprises (docs/reference/real-inputs.md §1). Never an
 * error. Warnings about a single field stand beside its rule; these look at several fields together.
 */

import { counted } from "../../core/counted.js";
import { formatCidr, isV4 } from "../../kubernetes/network.js";
import type { InstallConfig, NormalConfig } from "../../platforms/config.js";
import type { RuleContext } from "../../platforms/platform.js";
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

function missingBlocks({ networking }: NormalConfig, { report }: RuleContext): void {
  const { machines, services, pods } = blocksOf(networking);
  for (const block of [...machines, ...services, ...pods])
    if (block.cidr.bits === 0)
      report({
        code: "IC158",
        severity: "warning",
        kind: "Required",
        field: block.field,
        below: true,
        message: "this network has no address block, which the cluster will refuse",
        hint: "add cidr, or remove the entry",
      });
}

function narrowHostPrefix({ networking }: NormalConfig, { report }: RuleContext): void {
  for (const { cidr, field, hostPrefix } of blocksOf(networking).pods) {
    if (!isV4(cidr) || hostPrefix < NARROW_HOST_PREFIX || hostPrefix < cidr.prefix) continue;
    report({
      code: "IC162",
      severity: "warning",
      kind: "Invalid",
      field: `${field}.hostPrefix`,
      message:
        hostPrefix > 32
          ? `no node gets addresses: a prefix of IPv4 has at most 32 bits, not ${hostPrefix}`
          : `a node gets ${2 ** (32 - hostPrefix)} addresses for its pods`,
      hint: "write a length such as 23, with 512 addresses for each node",
    });
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
    report({
      code: "IC160",
      severity: "warning",
      kind: "Invalid",
      field: `${first.field}.hostPrefix`,
      message: `the cluster network ${formatCidr(first.cidr)} has room for ${counted(nodes, "node")}, but the pools ask for ${wanted}`,
      hint: "use a larger block or a longer host prefix; neither can be changed after the installation",
    });
  const own = networking.ovnKubernetesConfig?.ipv4?.internalJoinSubnet;
  const room = roomOfDefaultJoinSubnet();
  if (own === undefined && networking.networkType === "OVNKubernetes" && nodes >= room)
    report({
      code: "IC161",
      severity: "warning",
      kind: "Invalid",
      field: `${first.field}.hostPrefix`,
      message: `the cluster network has room for ${nodes} nodes, the join subnet of OVN-Kubernetes for ${room}; the network operator will refuse this`,
      hint: "use a shorter host prefix, or a larger networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
    });
}

function schedulableControlPlane({ compute }: NormalConfig, { report }: RuleContext): void {
  const workers = compute.reduce((sum, { replicas }) => sum + replicas, 0);
  if (workers !== 0) return;
  report({
    code: "IC189",
    severity: "info",
    kind: "Invalid",
    field: "compute[0].replicas",
    message:
      "there are no compute machines, so the control plane runs the workload too (mastersSchedulable: true)",
    hint: "this follows from replicas: 0 and is written into the Scheduler object",
  });
}

function cpuPartitioning({ cpuPartitioningMode = "" }: NormalConfig, { report }: RuleContext): void {
  if (CPU_PARTITIONING.includes(cpuPartitioningMode)) return;
  report({
    code: "IC270",
    severity: "warning",
    kind: "NotSupported",
    field: "cpuPartitioningMode",
    message: `${quote(cpuPartitioningMode)} counts as None`,
    hint: "write AllNodes or None",
  });
}

/** These two pools have one possible name, and the installer writes it over any other. */
function namesWithoutEffect(_: NormalConfig, { report }: RuleContext, given: InstallConfig): void {
  const pools = [
    { field: "controlPlane", name: given.controlPlane?.name, fixed: "master" },
    { field: "arbiter", name: given.arbiter?.name, fixed: "arbiter" },
  ];
  for (const { field, name, fixed } of pools)
    if (name !== undefined && name !== "" && name !== fixed)
      report({
        code: "IC193",
        severity: "warning",
        kind: "NotSupported",
        field: `${field}.name`,
        message: `the name ${quote(name)} is without effect: this pool is always named ${fixed}`,
        hint: `write ${fixed}, or leave the name out`,
      });
}
