/** A script that asks AWS for the facts of a config. It reads only, and nothing that it prints is secret. */
import type { Release } from "../../../core/release.js";
import { shellWord, singleQuoted } from "../../../text/shell.js";
import type { NormalConfig } from "../../config.js";
import { type FactsCollector, streamArchitecture } from "../../fact-questions.js";
import {
  awsOf,
  EDGE,
  existingSubnets,
  poolSection,
  publishesExternally,
  userProvidesDns,
} from "../config.js";
import { mergeSections } from "../install-config/defaults.js";
import { DEFAULT_IMAGE_REGION, has, partitionOf, preferredInstanceTypes } from "../tables.js";

export const collector: FactsCollector = {
  program: "aws",
  login: "credentials of the account, such as AWS_PROFILE",
  lines(config, release) {
    const aws = awsOf(config);
    const subnets = existingSubnets(aws).map(({ id }) => id);
    return [
      `region=${shellWord(aws.region)}`,
      ...COMMON,
      "",
      ...zones(config, subnets.length > 0),
      ...(subnets.length === 0 ? [] : existing(subnets)),
      ...offerings(config),
      ...hosts(config, release),
      ...images(config),
      ...(asksForZone(config, release) ? hostedZone(config.baseDomain.replace(/\.$/, "")) : []),
      "",
      "# Nothing is printed before every answer is known.",
      "cat <<END",
      "apiVersion: slipway.dev/v1alpha1",
      "kind: CloudFacts",
      "aws:",
      "  region: $region",
      "END",
      'printf %s "$facts"',
    ];
  },
};

const COMMON = [
  "tab=$(printf '\\t')",
  "facts=",
  "AWS_PAGER=",
  "export AWS_PAGER",
  'ask() { aws --region "$region" --output text "$@"; }',
  "add() {",
  '  facts="$facts$1',
  '"',
  "}",
  "# Members of an entry; what AWS does not know is left out.",
  "member() {",
  '  case "$2" in',
  "  '' | None) ;;",
  "  *) add \"    $1: '$2'\" ;;",
  "  esac",
  "}",
];

/** A list of the section: the rows of a command, each as the lines of an entry. */
const each = (
  fact: string,
  command: readonly string[],
  columns: readonly string[],
  entry: readonly string[],
): string[] => [
  `rows=$(${command.join(" ")})`,
  'if [ -n "$rows" ]; then',
  `  add '  ${fact}:'`,
  `  while IFS="$tab" read -r ${columns.join(" ")}; do`,
  ...entry.map((line) => `    ${line}`),
  "  done <<END",
  "$rows",
  "END",
  "fi",
];

const zones = (config: NormalConfig, hasSubnets: boolean): string[] => {
  const { defaultMachinePlatform } = awsOf(config);
  const pools = [config.controlPlane, ...config.compute];
  const edge = config.compute.some(({ name }) => name === EDGE);
  const chosen = pools.every(
    (pool) => (mergeSections(defaultMachinePlatform ?? {}, poolSection(pool) ?? {}).zones ?? []).length > 0,
  );
  if (chosen && !edge && !hasSubnets) return [];
  return each(
    "availabilityZones",
    [
      "ask ec2 describe-availability-zones",
      ...(edge || hasSubnets ? ["--all-availability-zones"] : []),
      "--filters Name=opt-in-status,Values=opt-in-not-required,opted-in",
      "--query 'AvailabilityZones[].[ZoneName,ZoneType,GroupName,ParentZoneName]'",
    ],
    ["name", "type", "group", "parent"],
    [
      "add \"  - name: '$name'\"",
      'member type "$type"',
      'member group "$group"',
      'member parentZone "$parent"',
    ],
  );
};

const existing = (ids: readonly string[]): string[] => [
  "# A subnet is public if its route table, or else that of the VPC, has a route to an internet gateway.",
  "routes() { ask ec2 describe-route-tables --filters \"$@\" --query 'RouteTables[].Routes[].[DestinationCidrBlock,GatewayId]'; }",
  "is_public() {",
  '  found=$(routes "Name=association.subnet-id,Values=$1")',
  '  [ -n "$found" ] || found=$(routes "Name=vpc-id,Values=$2" Name=association.main,Values=true)',
  '  case "$found" in',
  "  *igw-*) echo true ;;",
  "  *) echo false ;;",
  "  esac",
  "}",
  ...each(
    "subnets",
    [
      `ask ec2 describe-subnets --subnet-ids ${ids.map(shellWord).join(" ")}`,
      "--query 'Subnets[].[SubnetId,CidrBlock,AvailabilityZone,VpcId,Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock]'",
    ],
    ["id", "cidr", "zone", "vpc", "ipv6"],
    [
      "add \"  - id: '$id'\"",
      'member cidr "$cidr"',
      'member zone "$zone"',
      'member vpc "$vpc"',
      'member ipv6Cidr "$ipv6"',
      'public=$(is_public "$id" "$vpc")',
      'add "    public: $public"',
    ],
  ),
];

function offerings(config: NormalConfig): string[] {
  const { defaultMachinePlatform } = awsOf(config);
  const types = [config.controlPlane, ...config.compute].flatMap((pool) => {
    const { type } = mergeSections(defaultMachinePlatform ?? {}, poolSection(pool) ?? {});
    const topology = pool.replicas === 1 ? "SingleReplica" : "HighlyAvailable";
    return type === undefined ? preferredInstanceTypes(pool.architecture, topology) : [type];
  });
  return each(
    "instanceTypeOfferings",
    [
      "ask ec2 describe-instance-type-offerings --location-type availability-zone",
      `--filters ${shellWord(`Name=instance-type,Values=${[...new Set(types)].join(",")}`)}`,
      "--query 'InstanceTypeOfferings[].[InstanceType,Location]'",
    ],
    ["type", "zone"],
    ["add \"  - type: '$type'\"", 'member zone "$zone"'],
  );
}

function hosts(config: NormalConfig, release: Release): string[] {
  if (!has(release, "dedicatedHosts")) return [];
  const { defaultMachinePlatform } = awsOf(config);
  const ids = config.compute.flatMap((pool) =>
    (
      mergeSections(defaultMachinePlatform ?? {}, poolSection(pool) ?? {}).hostPlacement?.dedicatedHost ?? []
    ).flatMap(({ id = "", zone }) => (zone === undefined && id !== "" ? [id] : [])),
  );
  if (ids.length === 0) return [];
  return each(
    "dedicatedHosts",
    [
      `ask ec2 describe-hosts --host-ids ${ids.map(shellWord).join(" ")}`,
      "--query 'Hosts[].[HostId,AvailabilityZone]'",
    ],
    ["id", "zone"],
    ["add \"  - id: '$id'\"", 'member zone "$zone"'],
  );
}

/** A value of the stream by its path: the JSON of openshift-install has one member a line. */
const FROM_STREAM = [
  "from_stream() {",
  '  printf \'%s\\n\' "$stream" | awk -v want="$1" \'',
  '    { line = $0; sub(/^[ \\t]+/, "", line); key = "" }',
  '    line ~ /^"[^"]*":/ { key = line; sub(/^"/, "", key); sub(/":.*$/, "", key) }',
  "    line ~ /[{[]$/ { path[++depth] = key; next }",
  "    line ~ /^[]}]/ { depth--; next }",
  "    {",
  '      full = ""',
  '      for (i = 2; i <= depth; i++) full = full "/" path[i]',
  '      if (full "/" key == want) { sub(/^"[^"]*": *"/, "", line); sub(/".*$/, "", line); print line }',
  "    }'",
  "}",
];

function images(config: NormalConfig): string[] {
  const { region, defaultMachinePlatform } = awsOf(config);
  const architectures = [config.controlPlane, ...config.compute].flatMap((pool) =>
    mergeSections(defaultMachinePlatform ?? {}, poolSection(pool) ?? {}).amiID === undefined
      ? [pool.architecture]
      : [],
  );
  const wanted = (["amd64", "arm64"] as const).filter((each) => architectures.includes(each));
  if (wanted.length === 0) return [];
  const copies = partitionOf(region).copiesImages;
  const path = (architecture: string, place: string): string =>
    `"/architectures/${streamArchitecture(architecture)}/images/aws/regions/${place}/image"`;
  return [
    ...FROM_STREAM,
    "# The release's boot image is in its CoreOS stream.",
    "if command -v openshift-install >/dev/null; then",
    "  stream=$(openshift-install coreos print-stream-json)",
    "  add '  images:'",
    ...wanted.flatMap((architecture) => [
      `  image=$(from_stream ${path(architecture, "$region")})`,
      '  if [ -n "$image" ]; then',
      `    add "    ${architecture}: {id: $image}"`,
      ...(copies
        ? [
            "  else",
            `    image=$(from_stream ${path(architecture, DEFAULT_IMAGE_REGION)})`,
            `    [ -z "$image" ] || add "    ${architecture}: {id: $image, region: ${DEFAULT_IMAGE_REGION}}"`,
          ]
        : []),
      "  fi",
    ]),
    "else",
    "  echo 'openshift-install is not on the PATH: specify the boot images with --coreos-stream FILE' >&2",
    "fi",
  ];
}

const asksForZone = (config: NormalConfig, release: Release): boolean =>
  publishesExternally(config) &&
  !(userProvidesDns(awsOf(config)) && has(release, "userProvisionedDnsWithoutZones"));

const hostedZone = (domain: string): string[] => [
  `domain=${singleQuoted(domain)}`,
  'zone=$(ask route53 list-hosted-zones-by-name --dns-name "$domain" --query "HostedZones[?!(Config.PrivateZone) && Name==\'$domain.\'].[Id]")',
  "# The first one, without the folder in front of its ID.",
  "zone=$(printf '%s\\n' \"$zone\" | sed -n '1s|.*/||p')",
  'if [ -z "$zone" ]; then',
  '  echo "$domain has no public hosted zone: create one, or set publish: Internal in the install-config" >&2',
  "  exit 1",
  "fi",
  "add \"  publicHostedZone: '$zone'\"",
];
