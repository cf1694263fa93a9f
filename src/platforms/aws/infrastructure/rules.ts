/**
 * Rules of the aws provider that an install-config can break although it is valid: those of its CRDs and webhooks
 * (docs/reference/cluster-api.md §5.1), and of AWS itself where an apply would fail late.
 */
import { isIP } from "node:net";
import type { Problem } from "../../../core/diagnostics.js";
import { ignitionProxy, trustedAuthorities } from "../../ignition-source.js";
import type { InfrastructureInput, RuleContext } from "../../platform.js";
import { broken, doubtful } from "../../provider-problems.js";
import { prefixLength } from "../../subnet-blocks.js";
import { awsOf, publishesExternally } from "../config.js";
import { rootVolumeOf, tagMap } from "../machines/machine-settings.js";
import { type Pool, poolsOf } from "../machines/pools.js";
import { externalLoadBalancer, ignitionBucket, internalLoadBalancer } from "../names.js";
import { placeholderImage } from "./machine-template.js";
import type { Network } from "./network.js";
import { tagFaults, volumeFaults } from "./webhook-rules.js";

const LOAD_BALANCER_NAME = /^[A-Za-z0-9]([-A-Za-z0-9]{0,30}[A-Za-z0-9])?$/;
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const POOL_PREFIX = "ipv4pool-ec2-";
const MAX_POOL_LENGTH = 30;
const MIN_VOLUME_SIZE = 8;
const MAX_AUTHORITIES = 64;
const MAX_AUTHORITY_LENGTH = 65536;
const MAX_NO_PROXY = 64;
/** Groups that a control plane machine gets anyway, and the quota of a network interface. */
const OWN_GROUPS = 3;
const GROUPS_PER_INTERFACE = 5;
/** A VPC and a subnet of AWS are between these lengths. */
const WIDEST = 16;
const NARROWEST = 28;

export function checkInfrastructure(
  input: InfrastructureInput,
  net: Network,
  { report }: Pick<RuleContext, "report">,
): void {
  const { controlPlane } = poolsOf(input);
  const problems = [
    ...nameProblems(input),
    ...addressPoolProblems(input),
    ...networkProblems(input, net),
    ...machineProblems(input, controlPlane),
    ...webhookProblems(input, controlPlane),
    ...ignitionProblems(input),
  ];
  problems.forEach(report);
}

function nameProblems({ config, identity }: InfrastructureInput): Problem[] {
  const { infraID } = identity;
  const balancers = [
    internalLoadBalancer(infraID),
    ...(publishesExternally(config) ? [externalLoadBalancer(infraID)] : []),
  ];
  const badBalancers = balancers.filter((name) => !LOAD_BALANCER_NAME.test(name));
  const bucket = ignitionBucket(infraID);
  return [
    ...badBalancers.map((name) =>
      broken(
        "metadata.name",
        `invalid load balancer name ${JSON.stringify(name)}: must be 1 to 32 letters, digits and inner hyphens`,
        "set --infra-id to an infrastructure ID of at most 27 characters",
      ),
    ),
    ...(BUCKET_NAME.test(bucket)
      ? []
      : [
          broken(
            "metadata.name",
            `invalid name ${JSON.stringify(bucket)} of the bucket for Ignition configs`,
            "set --infra-id to an infrastructure ID of lowercase letters, digits and inner hyphens",
          ),
        ]),
  ];
}

function addressPoolProblems({ config }: InfrastructureInput): Problem[] {
  const pool = awsOf(config).publicIpv4Pool ?? "";
  if (pool === "") return [];
  const field = "platform.aws.publicIpv4Pool";
  const legal = pool.startsWith(POOL_PREFIX) && pool.length <= MAX_POOL_LENGTH;
  return [
    ...(legal
      ? []
      : [
          broken(
            field,
            `must start with ${POOL_PREFIX} and have at most ${MAX_POOL_LENGTH} characters`,
            "to list the pools, run: aws ec2 describe-public-ipv4-pools",
          ),
        ]),
    ...(publishesExternally(config)
      ? []
      : [broken(field, "has no effect with publish: Internal", "remove it")]),
  ];
}

function networkProblems({ config }: InfrastructureInput, net: Network): Problem[] {
  const field = "networking.machineNetwork[0].cidr";
  const cidr = config.networking.machineNetwork[0]?.cidr ?? "";
  const { regular, edge } = net.zones;
  if (!net.fits) {
    const over = `the subnets of ${regular.length + edge.length} zones`;
    return prefixLength(cidr) === undefined
      ? [
          broken(
            field,
            "the first machine network must be IPv4: the subnets of the new VPC are taken from it",
            "put an IPv4 network first",
          ),
        ]
      : [
          broken(
            field,
            `${cidr} is too small to be split into ${over}`,
            "use a larger network or fewer zones",
          ),
        ];
  }
  if (regular.length === 0) return [];
  const length = prefixLength(cidr) ?? WIDEST;
  const narrow = net.subnets.filter(
    (subnet) => typeof subnet["cidr"] === "string" && (prefixLength(subnet["cidr"]) ?? 0) > NARROWEST,
  );
  return [
    ...(length < WIDEST
      ? [
          doubtful(
            field,
            `${cidr} is too large for a VPC: the prefix length must be at least /${WIDEST}`,
            `use a first machine network of /${WIDEST} or smaller`,
          ),
        ]
      : []),
    ...(narrow.length > 0
      ? [
          doubtful(
            field,
            `${cidr} is too small: its subnets would be smaller than /${NARROWEST}, the minimum of AWS`,
            "use a larger network or fewer zones",
          ),
        ]
      : []),
  ];
}

function machineProblems({ config }: InfrastructureInput, pool: Pool): Problem[] {
  const path = "controlPlane.platform.aws";
  const { size } = pool.rootVolume;
  const extra = pool.securityGroupIDs.length;
  return [
    ...(size < MIN_VOLUME_SIZE
      ? [
          broken(
            `${path}.rootVolume.size`,
            `must be at least ${MIN_VOLUME_SIZE} GiB`,
            "use a larger size, such as the default 120",
          ),
        ]
      : []),
    ...(extra > GROUPS_PER_INTERFACE - OWN_GROUPS
      ? [
          doubtful(
            `${path}.additionalSecurityGroupIDs`,
            `with the ${OWN_GROUPS} groups of the cluster, each machine would have ${extra + OWN_GROUPS} security groups; the default quota is ${GROUPS_PER_INTERFACE} per network interface`,
            `use at most ${GROUPS_PER_INTERFACE - OWN_GROUPS}, or request a larger quota from AWS`,
          ),
        ]
      : []),
    ...(pool.amiID === undefined
      ? [
          {
            ...doubtful(
              "platform.aws.amiID",
              `the boot image must be copied to ${awsOf(config).region}; until then, the machine template contains the placeholder ${placeholderImage(awsOf(config).region)}`,
              "copy it as the manual steps describe, and set its ID as platform.aws.amiID or in the facts",
            ),
            code: "FACT005" as const,
          },
        ]
      : []),
  ];
}

/** What the webhooks will refuse, told where it was written. */
function webhookProblems(input: InfrastructureInput, { rootVolume }: Pool): Problem[] {
  return [
    ...volumeFaults(rootVolumeOf(rootVolume)).map(({ field, message, hint }) =>
      broken(`controlPlane.platform.aws.rootVolume.${field}`, message, hint),
    ),
    ...tagFaults(tagMap(input)).map(({ field, message, hint }) =>
      broken(`platform.aws.userTags${field}`, message, hint),
    ),
  ];
}

function ignitionProblems(input: InfrastructureInput): Problem[] {
  const authorities = trustedAuthorities(input);
  const list = ignitionProxy(input)?.["noProxy"];
  const noProxy = Array.isArray(list) ? list.map(String) : [];
  const bad = noProxy.filter((entry) => !isNoProxyEntry(entry));
  return [
    ...(authorities.length > MAX_AUTHORITIES
      ? [
          broken(
            "additionalTrustBundle",
            `must have at most ${MAX_AUTHORITIES} certificates, has ${authorities.length}`,
            "keep only the CA certificates of the proxy and the object store",
          ),
        ]
      : []),
    ...(authorities.some((each) => each.length > MAX_AUTHORITY_LENGTH)
      ? [
          broken(
            "additionalTrustBundle",
            `a certificate must have at most ${MAX_AUTHORITY_LENGTH} characters`,
            "",
          ),
        ]
      : []),
    ...(noProxy.length > MAX_NO_PROXY
      ? [
          broken(
            "proxy.noProxy",
            `must have at most ${MAX_NO_PROXY} items, has ${noProxy.length}`,
            "merge entries into domains or CIDRs",
          ),
        ]
      : []),
    ...(bad.length > 0
      ? [
          broken(
            "proxy.noProxy",
            `invalid value ${bad.map((entry) => JSON.stringify(entry)).join(", ")}: must be *, an IP address, a CIDR, or a domain with an optional port`,
            "remove spaces and wildcards from the entry",
          ),
        ]
      : []),
  ];
}

const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** As the provider's webhook judges an entry of noProxy. */
function isNoProxyEntry(entry: string): boolean {
  if (entry === "*" || isIP(entry) !== 0) return true;
  const [address = "", length = ""] = entry.split("/");
  const family = isIP(address);
  if (family !== 0 && /^\d+$/.test(length)) return Number(length) <= (family === 4 ? 32 : 128);
  if (/^[^:[\]]+:[^:]*$/.test(entry) || /^\[[^\]]*\]:[^:]*$/.test(entry)) return true;
  const domain = entry.replace(/^\./, "");
  return domain.length <= 253 && DOMAIN.test(domain);
}
