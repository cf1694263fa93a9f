/**
 * IPv4, IPv6 and both: which platforms allow what, and in which order (docs/reference/install-config-and-manifests.md
 * §1.7).
 */
import { holdsAt } from "../../../core/by-release.js";
import { counted } from "../../../core/counted.js";
import { invalid, type ProblemList, problemList, tooMany, warning } from "../../../core/problem.js";
import type { Release } from "../../../core/release.js";
import { isV4 } from "../../../kubernetes/network.js";
import { fieldOf, type NormalConfig } from "../../../platforms/config.js";
import { DUAL_STACK_FAMILIES, FIRST_OF_BOTH } from "../../../platforms/ip-families.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { namedPlatforms, namedTraits, PLATFORMS } from "../../../platforms/registry.js";
import { type Block, blocksOf, isRead } from "./networking.js";

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

const CODE = "IC155";

export function validateIpFamilies(config: NormalConfig, { release, report }: RuleContext): void {
  const problems = problemList(report, "networking");
  const { services } = blocksOf(config.networking);
  const asked = askedFamilies(config, release);
  const ipv4 = services.some(({ cidr }) => isV4(cidr));
  const ipv6 = services.some(({ cidr }) => !isV4(cidr));
  const oneOfBoth = asked?.both === true && asked.binding;
  if (ipv4 && ipv6) validateDualStack(config, release, problems);
  else if (ipv6 && namedTraits(config).some(({ ipFamilies }) => ipFamilies.ipv6Alone))
    oneFamily(config, false, report);
  else if (oneOfBoth)
    problems.add(
      invalid(
        CODE,
        "serviceNetwork",
        undefined,
        `must have one IPv4 and one IPv6 CIDR because ${asked.field} is ${asked.family}`,
      ),
    );
  else if (ipv6)
    problems.add(
      invalid(
        CODE,
        "",
        undefined,
        "IPv6-only networking is not supported on this platform",
        "add an IPv4 service network",
      ),
    );
  else if (services.length > 1)
    problems.add(tooMany(CODE, "serviceNetwork", services.length, 1, { kind: "Invalid" }));
  else if (ipv4) oneFamily(config, true, report);
}

/**
 * The installer looks at the families of the Services alone. What it accepts beside them stops the cluster later: the
 * network operator requires the same families of pods and Services (openshift/cluster-network-operator
 * pkg/network/cluster_config.go), and kube-apiserver that of its own address (Kubernetes
 * cmd/kube-apiserver/app/options/validation.go).
 */
function oneFamily(config: NormalConfig, ipv4: boolean, report: RuleContext["report"]): void {
  const { machines, services, pods } = blocksOf(config.networking);
  if (![...machines, ...services, ...pods].every(isRead)) return;
  const [has, lacks] = ipv4 ? (["IPv4", "IPv6"] as const) : (["IPv6", "IPv4"] as const);
  const warn = (list: ListName, message: string, hint: string): void =>
    report(warning(CODE, "Invalid", `networking.${list}`, message, hint));
  const isOfServices = ({ cidr }: Block): boolean => isV4(cidr) === ipv4;
  for (const [list, blocks] of [
    ["machineNetwork", machines],
    ["clusterNetwork", pods],
  ] as const) {
    if (blocks.length > 0 && !blocks.some(isOfServices))
      warn(
        list,
        `has no ${has} CIDR, but the service network is ${has}: openshift-install accepts this, but ${list === "clusterNetwork" ? "the network operator rejects it" : "kube-apiserver does not start with it"}`,
        `add an ${has} CIDR, or change serviceNetwork to ${lacks}`,
      );
    else if (list === "clusterNetwork" && !blocks.every(isOfServices))
      warn(
        list,
        `has an ${lacks} CIDR, but the service network has none: openshift-install accepts this, but the network operator rejects it`,
        `remove the ${lacks} CIDR, or add one to serviceNetwork`,
      );
  }
}

function validateDualStack(config: NormalConfig, release: Release, problems: ProblemList): void {
  const { machines, services, pods } = blocksOf(config.networking);
  if (services.length !== 2)
    problems.add(
      invalid(
        CODE,
        "serviceNetwork",
        undefined,
        `must have one IPv4 and one IPv6 CIDR, has ${counted(services.length, "CIDR")}`,
      ),
    );
  const both = namedTraits(config)
    .map(({ ipFamilies }) => ipFamilies.both)
    .find((each) => each !== undefined);
  const asked = askedFamilies(config, release);
  if (both === undefined && asked?.both !== true)
    problems.add(
      invalid(
        CODE,
        "",
        undefined,
        "dual-stack networking is not supported on this platform",
        asked === undefined
          ? "use only one IP family"
          : `set ${asked.field} to ${DUAL_STACK_FAMILIES.join(" or ")}, or use only one IP family`,
      ),
    );
  const ipv6First =
    asked?.first === "IPv6" || (both?.ipv6First !== undefined && holdsAt(both.ipv6First, release));
  const lists: readonly (readonly [ListName, readonly Block[]])[] = [
    ["clusterNetwork", pods],
    ["machineNetwork", machines],
    ["serviceNetwork", services],
  ];
  for (const [name, blocks] of lists) {
    const [first] = blocks;
    const ipv4 = blocks.some(({ cidr }) => isV4(cidr));
    const ipv6 = blocks.some(({ cidr }) => !isV4(cidr));
    if (first === undefined) continue;
    const add = (must: string, hint = ""): void => problems.add(invalid(CODE, name, undefined, must, hint));
    // A network that is created for the cluster gets its IPv6 block from the cloud.
    if (!ipv6 && asked?.binding === true && name === "machineNetwork") continue;
    if (!ipv6 || !ipv4) add(`must have an ${ipv6 ? "IPv4" : "IPv6"} CIDR, as the other networks do`);
    else if (asked?.binding) {
      const { field, family, first: expected } = asked;
      if (expected !== undefined && isV4(first.cidr) !== (expected === "IPv4"))
        add(`must start with an ${expected} CIDR because ${field} is ${family}`);
    } else if (!ipv6First && !isV4(first.cidr))
      add("must start with an IPv4 CIDR on this platform", "put the IPv4 CIDR first");
  }
}
