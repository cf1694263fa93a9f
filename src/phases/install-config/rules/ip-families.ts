/**
 * IPv4, IPv6 and both: which platforms allow what, and in which order (docs/reference/install-config-and-manifests.md
 * §1.7).
 */
import { holdsAt } from "../../../core/by-release.js";
import type { Release } from "../../../core/release.js";
import { isV4 } from "../../../kubernetes/network.js";
import { fieldOf, type NormalConfig } from "../../../platforms/config.js";
import { DUAL_STACK_FAMILIES, FIRST_OF_BOTH } from "../../../platforms/ip-families.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { namedPlatforms, namedTraits, PLATFORMS } from "../../../platforms/registry.js";
import { type Block, blocksOf } from "./networking.js";

type ListName = "clusterNetwork" | "machineNetwork" | "serviceNetwork";

interface AskedFamilies {
  /** Such as `platform.aws.ipFamily`. */
  readonly field: string;
  readonly family: string;
  readonly both: boolean;
  /** The networks must follow the field (traits of the platform). */
  readonly binding: boolean;
  /** The family that comes first, where both are asked for. */
  readonly first: "IPv4" | "IPv6" | undefined;
}

/** What the field asks for; undefined where the config's platform has no such field at the release. */
function askedFamilies(config: NormalConfig, release: Release): AskedFamilies | undefined {
  const [found] = namedPlatforms(config).flatMap((name) => {
    const { byField } = PLATFORMS[name].traits.ipFamilies;
    return byField !== undefined && holdsAt(byField, release) ? [{ name, byField }] : [];
  });
  if (found === undefined) return undefined;
  const { name, byField } = found;
  const given = fieldOf(config, name, "ipFamily");
  const family = typeof given === "string" ? given : "";
  const first = Object.entries(FIRST_OF_BOTH).find(([value]) => value === family)?.[1];
  return {
    field: `platform.${name}.ipFamily`,
    family,
    both: first !== undefined,
    binding: byField.binding === true,
    first,
  };
}

export function validateIpFamilies(config: NormalConfig, context: RuleContext): void {
  const blocks = blocksOf(config.networking);
  const asked = askedFamilies(config, context.release);
  const ipv4 = blocks.services.some(({ cidr }) => isV4(cidr));
  const ipv6 = blocks.services.some(({ cidr }) => !isV4(cidr));
  if (ipv4 && ipv6) validateDualStack(config, context);
  else if (ipv6) validateIpv6Alone(config, context);
  else if (asked?.both && asked.binding) reportOneFamily(asked, context);
  else if (blocks.services.length > 1)
    invalid(context, "networking.serviceNetwork", "there is more than one service network", "keep one");
}

function reportOneFamily({ field }: AskedFamilies, context: RuleContext): void {
  invalid(
    context,
    "networking.serviceNetwork",
    `${field} asks for IPv4 and IPv6, but the service networks are of one family`,
    "give one service network of each family",
  );
}

function validateIpv6Alone(config: NormalConfig, context: RuleContext): void {
  if (namedTraits(config).some(({ ipFamilies }) => ipFamilies.ipv6Alone)) return;
  const asked = askedFamilies(config, context.release);
  if (asked?.both && asked.binding) reportOneFamily(asked, context);
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
  const both = namedTraits(config)
    .map(({ ipFamilies }) => ipFamilies.both)
    .find((each) => each !== undefined);
  const asked = askedFamilies(config, context.release);
  if (both === undefined && asked?.both !== true)
    invalid(
      context,
      "networking",
      "IPv4 and IPv6 are mixed, which this platform does not allow",
      asked === undefined
        ? "keep one family"
        : `set ${asked.field} to ${DUAL_STACK_FAMILIES.join(" or ")}, or keep one family`,
    );
  const ipv6First =
    asked?.first === "IPv6" || (both?.ipv6First !== undefined && holdsAt(both.ipv6First, context.release));
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
      // A network that is made for the cluster gets its IPv6 block from the cloud.
      if (asked?.binding !== true || name !== "machineNetwork")
        invalid(context, field, "there is no IPv6 block in this list", "add one, as in the other lists");
    } else if (!ipv4)
      invalid(context, field, "there is no IPv4 block in this list", "add one, as in the other lists");
    else if (asked?.binding) validateAskedOrder(asked, first, field, context);
    else if (!ipv6First && !isV4(first.cidr))
      invalid(
        context,
        field,
        "IPv6 comes first, which this platform does not allow",
        "put the IPv4 block first",
      );
  }
}

function validateAskedOrder(
  { family, first: expected, field: asking }: AskedFamilies,
  first: Block,
  field: string,
  context: RuleContext,
): void {
  if (expected === undefined || isV4(first.cidr) === (expected === "IPv4")) return;
  invalid(
    context,
    field,
    `${asking} is ${family}, but an ${expected === "IPv4" ? "IPv6" : "IPv4"} block comes first`,
    `put the ${expected} block first, or change ipFamily`,
  );
}

function invalid({ report }: RuleContext, field: string, message: string, hint: string): void {
  report({ code: "IC155", kind: "Invalid", field, message, hint });
}
