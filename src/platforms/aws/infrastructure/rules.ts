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
        `the load balancer would be named ${JSON.stringify(name)}, but a load balancer's name has 1 to 32 letters, digits and inner dashes`,
        "choose another infrastructure ID (--infra-id), at most 27 characters",
      ),
    ),
    ...(BUCKET_NAME.test(bucket)
      ? []
      : [
          broken(
            "metadata.name",
            `the bucket for ignition data would be named ${JSON.stringify(bucket)}, which is not a legal bucket name`,
            "choose an infrastructure ID (--infra-id) of lower-case letters, digits and inner dashes",
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
            `the provider takes pools whose identifier starts with ${POOL_PREFIX} and has at most ${MAX_POOL_LENGTH} characters`,
            "aws ec2 describe-public-ipv4-pools lists them",
          ),
        ]),
    ...(publishesExternally(config)
      ? []
      : [broken(field, "a cluster that is not published has no public addresses", "leave it out")]),
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
            "a new network is split by its first machine network, which must be IPv4",
            "put the IPv4 network first",
          ),
        ]
      : [
          broken(
            field,
            `${cidr} is too small to be split into ${over}`,
            "take a larger network or fewer zones",
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
            `the new VPC would be ${cidr}, but AWS makes no VPC larger than /${WIDEST}`,
            `let the first machine network be /${WIDEST} or smaller`,
          ),
        ]
      : []),
    ...(narrow.length > 0
      ? [
          doubtful(
            field,
            `the split of ${cidr} leaves subnets smaller than /${NARROWEST}, which AWS does not make`,
            "take a larger network or fewer zones",
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
            `the provider makes no root volume smaller than ${MIN_VOLUME_SIZE} GiB`,
            "120 is the installer's default",
          ),
        ]
      : []),
    ...(extra > GROUPS_PER_INTERFACE - OWN_GROUPS
      ? [
          doubtful(
            `${path}.additionalSecurityGroupIDs`,
            `with the ${OWN_GROUPS} groups of the cluster each machine would be in ${extra + OWN_GROUPS}, and ${GROUPS_PER_INTERFACE} fit on a network interface unless the account's quota is raised`,
            `name at most ${GROUPS_PER_INTERFACE - OWN_GROUPS} or ask AWS for a larger quota`,
          ),
        ]
      : []),
    ...(pool.amiID === undefined
      ? [
          {
            ...doubtful(
              "platform.aws.amiID",
              `the boot image has to be copied into ${awsOf(config).region} first; the machine template names the copy ${placeholderImage(awsOf(config).region)} until you do`,
              "copy it as the supplement says and give its identifier, as platform.aws.amiID or in the facts",
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
            `machines take at most ${MAX_AUTHORITIES} certificates for fetching ignition data; the bundle holds ${authorities.length}`,
            "keep those that sign the proxy's and the object store's certificates",
          ),
        ]
      : []),
    ...(authorities.some((each) => each.length > MAX_AUTHORITY_LENGTH)
      ? [
          broken(
            "additionalTrustBundle",
            `a certificate is longer than ${MAX_AUTHORITY_LENGTH} characters`,
            "",
          ),
        ]
      : []),
    ...(noProxy.length > MAX_NO_PROXY
      ? [
          broken(
            "proxy.noProxy",
            `machines take at most ${MAX_NO_PROXY} entries; there are ${noProxy.length}`,
            "join entries to domains or address blocks",
          ),
        ]
      : []),
    ...(bad.length > 0
      ? [
          broken(
            "proxy.noProxy",
            `the provider refuses ${bad.map((entry) => JSON.stringify(entry)).join(", ")}: an entry is *, an address, a block, a domain or a domain with a port`,
            "write the entry without blanks and wildcards",
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
