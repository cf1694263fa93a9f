/** IPv4, IPv6 and both: which platforms allow what, and in which order (facts/install-config-and-manifests.md §1.7). */
import { isV4 } from "../../../kubernetes/network.js";
import { isDualStack } from "../../../platforms/aws/defaults.js";
import type { NormalConfig, PlatformName } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";
import { type Block, blocksOf } from "./networking.js";

/** Platforms that run with IPv6 alone. */
const SINGLE_STACK_IPV6: readonly PlatformName[] = [
  "baremetal",
  "vsphere",
  "openstack",
  "ovirt",
  "nutanix",
  "none",
  "external",
];

/** Platforms on which both families are allowed, in the order in which the installer asks for them. */
const DUAL_STACK: readonly { readonly platform: PlatformName; readonly ipv6First: boolean | "by-release" }[] =
  [
    { platform: "baremetal", ipv6First: true },
    { platform: "vsphere", ipv6First: true },
    { platform: "openstack", ipv6First: true },
    { platform: "ovirt", ipv6First: false },
    { platform: "nutanix", ipv6First: false },
    { platform: "none", ipv6First: "by-release" },
    { platform: "external", ipv6First: "by-release" },
  ];

type ListName = "clusterNetwork" | "machineNetwork" | "serviceNetwork";

export function validateIpFamilies(config: NormalConfig, context: RuleContext): void {
  const blocks = blocksOf(config.networking);
  const ipv4 = blocks.services.some(({ cidr }) => isV4(cidr));
  const ipv6 = blocks.services.some(({ cidr }) => !isV4(cidr));
  if (ipv4 && ipv6) validateDualStack(config, context);
  else if (ipv6) validateIpv6Alone(config, context);
  else if (askedForDualStack(config, context)) reportOneFamily(context);
  else if (blocks.services.length > 1)
    invalid(context, "networking.serviceNetwork", "there is more than one service network", "keep one");
}

const askedForDualStack = ({ platform }: NormalConfig, { release }: RuleContext): boolean =>
  platform.aws !== undefined && inForce(release, "awsIpFamily") && isDualStack(platform.aws);

function reportOneFamily(context: RuleContext): void {
  invalid(
    context,
    "networking.serviceNetwork",
    "platform.aws.ipFamily asks for IPv4 and IPv6, but the service networks are of one family",
    "give one service network of each family",
  );
}

function validateIpv6Alone(config: NormalConfig, context: RuleContext): void {
  if (SINGLE_STACK_IPV6.some((name) => config.platform[name] !== undefined)) return;
  if (askedForDualStack(config, context)) reportOneFamily(context);
  else
    invalid(
      context,
      "networking",
      "this platform does not run with IPv6 alone",
      "give an IPv4 service network",
    );
}

function validateDualStack(config: NormalConfig, context: RuleContext): void {
  const { machines, services, pods } = blocksOf(config.networking);
  if (services.length !== 2)
    invalid(
      context,
      "networking.serviceNetwork",
      `there are ${services.length} service networks; with IPv4 and IPv6 there are two`,
      "give one service network of each family",
    );
  const { platform } = config;
  const { release } = context;
  const rule = DUAL_STACK.find((each) => platform[each.platform] !== undefined);
  const onAws = platform.aws !== undefined && inForce(release, "awsIpFamily");
  if (rule === undefined && !askedForDualStack(config, context))
    invalid(
      context,
      "networking",
      "IPv4 and IPv6 stand together, which this platform does not allow",
      onAws
        ? "set platform.aws.ipFamily to DualStackIPv4Primary or DualStackIPv6Primary, or keep one family"
        : "keep one family",
    );
  const ipv6First =
    rule?.ipv6First === "by-release"
      ? inForce(release, "ipv6FirstWithoutPlatform")
      : rule?.ipv6First === true;
  const lists: readonly (readonly [ListName, readonly Block[]])[] = [
    ["clusterNetwork", pods],
    ["machineNetwork", machines],
    ["serviceNetwork", services],
  ];
  for (const [name, blocks] of lists) {
    const field = `networking.${name}`;
    const [first] = blocks;
    const ipv4 = blocks.some(({ cidr }) => isV4(cidr));
    const ipv6 = blocks.some(({ cidr }) => !isV4(cidr));
    if (first === undefined) continue;
    if (!ipv6) {
      // A VPC made by the installer gets its IPv6 block from aws.
      if (!(onAws && name === "machineNetwork"))
        invalid(context, field, "there is no IPv6 block in this list", "add one, as in the other lists");
    } else if (!ipv4)
      invalid(context, field, "there is no IPv4 block in this list", "add one, as in the other lists");
    else if (onAws) validateOrderOnAws(platform.aws?.ipFamily, first, field, context);
    else if (!ipv6First && !isV4(first.cidr))
      invalid(
        context,
        field,
        "IPv6 comes first, which this platform does not allow",
        "put the IPv4 block first",
      );
  }
}

function validateOrderOnAws(
  family: string | undefined,
  first: Block,
  field: string,
  context: RuleContext,
): void {
  const expected =
    family === "DualStackIPv4Primary" ? "IPv4" : family === "DualStackIPv6Primary" ? "IPv6" : undefined;
  if (expected === undefined || isV4(first.cidr) === (expected === "IPv4")) return;
  invalid(
    context,
    field,
    `platform.aws.ipFamily is ${family}, but an ${expected === "IPv4" ? "IPv6" : "IPv4"} block comes first`,
    `put the ${expected} block first, or change ipFamily`,
  );
}

function invalid({ report }: RuleContext, field: string, message: string, hint: string): void {
  report({ code: "IC155", kind: "Invalid", field, message, hint });
}
