/**
 * Rules of the provider's webhooks, which no definition of a kind holds (cluster-api-provider-aws v2.13.0, webhooks/ and
 * api/v1beta2: ValidateCreate of each kind, with its defaults). Pure over objects as they would be applied.
 */
import { isIP } from "node:net";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../../core/json.js";
import { lookup } from "../../../core/lookup.js";
import type { ObjectFinding } from "../../../kubernetes/finding.js";
import { parseCidr } from "../../../kubernetes/network.js";
import { readSelector } from "../../../kubernetes/selectors.js";
import { quote } from "../../../text/quote.js";

/** What is wrong with a value, and what would be right. */
export interface Fault {
  /** Field below the value; empty for the value as a whole. */
  readonly field: string;
  readonly kind: ObjectFinding["kind"];
  readonly message: string;
  readonly hint: string;
}

const fault = (
  field: string,
  message: string,
  hint: string,
  kind: ObjectFinding["kind"] = "Invalid",
): Fault => ({
  field,
  kind,
  message,
  hint,
});
const below = (field: string, faults: readonly Fault[]): Fault[] =>
  faults.map((each) => {
    const join = each.field === "" || each.field.startsWith("[") ? "" : ".";
    return { ...each, field: `${field}${join}${each.field}` };
  });

const MOST_TAGS = 50;
const MOST_KEY_BYTES = 128;
const MOST_VALUE_BYTES = 256;
const TAG = /^[a-zA-Z0-9\t\n\f\r _.:=+\-@/]*$/;
const TAG_HINT = "letters, digits, blanks and _ . : / = + - @";

/** Tags of a resource; the cluster's own count too. */
export function tagFaults(tags: Readonly<Record<string, Json>>): Fault[] {
  const entries = Object.entries(tags);
  const many =
    entries.length > MOST_TAGS
      ? [
          fault(
            "",
            `there are ${entries.length} tags, and a resource has at most ${MOST_TAGS}`,
            "leave some out",
          ),
        ]
      : [];
  return [
    ...many,
    ...entries.flatMap(([key, value]) => [
      ...(key === "" ? [fault("", "a tag has no key", "give it one")] : []),
      ...(Buffer.byteLength(key) > MOST_KEY_BYTES
        ? [fault(`[${key}]`, `the key of a tag is longer than ${MOST_KEY_BYTES} bytes`, "shorten it")]
        : []),
      ...(key.startsWith("aws:")
        ? [fault(`[${key}]`, "keys of tags that begin with aws: are Amazon's", "choose another key")]
        : []),
      ...(TAG.test(key)
        ? []
        : [fault(`[${key}]`, `the provider refuses the characters in the key ${quote(key)}`, TAG_HINT)]),
      ...(typeof value !== "string" ? [] : tagValueFaults(key, value)),
    ]),
  ];
}

const tagValueFaults = (key: string, value: string): Fault[] => [
  ...(Buffer.byteLength(value) > MOST_VALUE_BYTES
    ? [fault(`[${key}]`, `the value of a tag is longer than ${MOST_VALUE_BYTES} bytes`, "shorten it")]
    : []),
  ...(TAG.test(value)
    ? []
    : [fault(`[${key}]`, `the provider refuses the characters in the value ${quote(value)}`, TAG_HINT)]),
];

const PROVISIONED = ["io1", "io2"];

/** A volume of a machine, root or not. */
export function volumeFaults(volume: JsonObject): Fault[] {
  const { type, iops, throughput } = volume;
  return [
    ...(typeof type === "string" && PROVISIONED.includes(type) && (iops ?? 0) === 0
      ? [fault("iops", `a volume of type ${type} needs iops`, "add iops, such as 4000", "Required")]
      : []),
    ...(typeof throughput !== "number"
      ? []
      : [
          ...(type === "gp3"
            ? []
            : [
                fault(
                  "throughput",
                  "throughput is for volumes of type gp3 alone",
                  "leave it out, or write gp3",
                ),
              ]),
          ...(throughput < 0 ? [fault("throughput", "throughput cannot be negative", "leave it out")] : []),
        ]),
  ];
}

/** What the webhooks would refuse of an object; nothing for other kinds than the provider's. */
export const webhookFindings = (object: JsonObject): ObjectFinding[] => {
  const isOurs = /^infrastructure\.cluster\.x-k8s\.io\//.test(textAt(object, "apiVersion"));
  const rules = isOurs ? lookup(RULES, textAt(object, "kind")) : undefined;
  return (rules?.(object) ?? []).map((each) => ({ code: "CAPI101", ...each }));
};

const RULES: Readonly<Record<string, (object: JsonObject) => Fault[]>> = {
  AWSCluster: (object) => below("spec", clusterFaults(mapAt(object, "spec"))),
  AWSMachineTemplate: (object) =>
    below("spec.template.spec", machineFaults(mapAt(mapAt(mapAt(object, "spec"), "template"), "spec"))),
  AWSClusterControllerIdentity: (object) => [
    ...(mapAt(object, "metadata")["name"] === "default"
      ? []
      : [fault("metadata.name", "there is one such object, and its name is default", "write default")]),
    ...identityFaults(object),
  ],
  AWSClusterStaticIdentity: (object) => identityFaults(object),
  AWSClusterRoleIdentity: (object) => identityFaults(object),
};

const mapAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};
const listAt = (object: JsonObject, key: string): readonly JsonObject[] => {
  const value = object[key];
  return isList(value) ? value.map((each) => (isObject(each) ? each : {})) : [];
};
const has = (value: Json | undefined): boolean => value !== undefined && value !== null;
const isFilled = (value: Json | undefined): boolean => isList(value) && value.length > 0;

function identityFaults(object: JsonObject): Fault[] {
  const { selector } = mapAt(mapAt(object, "spec"), "allowedNamespaces");
  if (!isObject(selector)) return [];
  return below(
    "spec.allowedNamespaces.selector",
    readSelector(selector).problems.map(({ field, message }) => fault(field, message, "")),
  );
}

/** One that the definition lets pass because a webhook looks at it. */
const blockFaults = (field: string, block: Json | undefined): Fault[] =>
  typeof block !== "string" || block === "" || parseCidr(block) !== undefined
    ? []
    : [fault(field, `${quote(block)} is not an address block`, "such as 10.0.0.0/16")];

const sshKeyFaults = ({ sshKeyName: name }: JsonObject): Fault[] =>
  typeof name !== "string" || name === "" || /^(?=[!-~])[ -~]*(?<=[!-~])$/.test(name)
    ? []
    : [
        fault(
          "sshKeyName",
          "the name is not ASCII, or begins or ends with a blank",
          "write it as AWS has it",
        ),
      ];

function clusterFaults(spec: JsonObject): Fault[] {
  const network = mapAt(spec, "network");
  return [
    ...bastionFaults(mapAt(spec, "bastion")),
    ...sshKeyFaults(spec),
    ...below("additionalTags", tagFaults(mapAt(spec, "additionalTags"))),
    ...(has(spec["s3Bucket"]) ? below("s3Bucket", bucketFaults(mapAt(spec, "s3Bucket"))) : []),
    ...below("network", networkFaults(network)),
    ...balancerFaults(spec, network),
  ];
}

function bastionFaults(bastion: JsonObject): Fault[] {
  const blocks = bastion["allowedCIDRBlocks"];
  if (bastion["disableIngressRules"] === true && isFilled(blocks))
    return [
      fault(
        "bastion.allowedCIDRBlocks",
        "disableIngressRules leaves nothing to allow",
        "keep one of the two",
        "Forbidden",
      ),
    ];
  return (isList(blocks) ? blocks : []).flatMap((block, i) => {
    const field = `bastion.allowedCIDRBlocks[${i}]`;
    return block === ""
      ? [fault(field, "an empty text is not an address block", "")]
      : blockFaults(field, block);
  });
}

const ROLE_NAME = /^[\w+=,.@-]+$/;

function bucketFaults(bucket: JsonObject): Fault[] {
  const needed = (field: string): Fault => fault(field, "is required", "", "Required");
  const name = textAt(bucket, "name");
  const profiles = bucket["nodesIAMInstanceProfiles"];
  const withProfiles = !has(bucket["presignedURLDuration"]);
  return [
    ...(name === "" ? [needed("name")] : []),
    ...(isIP(name) === 0
      ? []
      : [fault("name", "an address is not the name of a bucket", "choose another name")]),
    ...(withProfiles && textAt(bucket, "controlPlaneIAMInstanceProfile") === ""
      ? [needed("controlPlaneIAMInstanceProfile")]
      : []),
    ...(withProfiles && !isFilled(profiles) ? [needed("nodesIAMInstanceProfiles")] : []),
    ...(withProfiles && isList(profiles)
      ? profiles.flatMap((each, i) => (each === "" ? [needed(`nodesIAMInstanceProfiles[${i}]`)] : []))
      : []),
    ...listAt(bucket, "additionalIAMRoles").flatMap((role, i) => {
      const [own, prefix] = [textAt(role, "name"), textAt(role, "prefix")];
      return below(`additionalIAMRoles[${i}]`, [
        ...(own === "" ? [needed("name")] : []),
        ...(own === "" || ROLE_NAME.test(own)
          ? []
          : [fault("name", "must be the name of a role, not its ARN", "")]),
        ...(prefix === "" ? [needed("prefix")] : []),
        ...(prefix.startsWith("/") ? [fault("prefix", "must not begin with a slash", "leave it out")] : []),
      ]);
    }),
  ];
}

const EDGE_ZONES = ["local-zone", "wavelength-zone"];
const POOL_PREFIX = "ipv4pool-ec2-";

function networkFaults(network: JsonObject): Fault[] {
  const vpc = mapAt(network, "vpc");
  const block = textAt(vpc, "cidrBlock");
  const nodePorts = network["nodePortIngressRuleCidrBlocks"];
  const pool = has(vpc["ipamPool"]) ? mapAt(vpc, "ipamPool") : undefined;
  return [
    ...blockFaults("vpc.cidrBlock", block),
    ...blockFaults("vpc.ipv6.cidrBlock", mapAt(vpc, "ipv6")["cidrBlock"]),
    ...listAt(network, "subnets").flatMap((subnet, i) =>
      below(`subnets[${i}]`, [
        ...(EDGE_ZONES.includes(textAt(subnet, "zoneType")) && !has(subnet["parentZoneName"])
          ? [fault("parentZoneName", "a subnet of an edge zone needs its parent zone", "", "Required")]
          : []),
        ...blockFaults("cidrBlock", subnet["cidrBlock"]),
        ...blockFaults("ipv6CidrBlock", subnet["ipv6CidrBlock"]),
      ]),
    ),
    ...(pool !== undefined && block !== ""
      ? [fault("vpc.cidrBlock", "cidrBlock and ipamPool exclude each other", "keep one of them")]
      : []),
    ...(pool !== undefined && textAt(pool, "id") === "" && textAt(pool, "name") === ""
      ? [fault("vpc.ipamPool", "the pool needs an id or a name", "")]
      : []),
    ...["additionalControlPlaneIngressRules", "additionalNodeIngressRules"].flatMap((name) =>
      below(name, ingressFaults(listAt(network, name))),
    ),
    ...(isList(nodePorts) ? nodePorts : []).flatMap((each, i) => {
      const field = `nodePortIngressRuleCidrBlocks[${i}]`;
      return each === ""
        ? [fault(field, "an empty text is not an address block", "")]
        : blockFaults(field, each);
    }),
    ...addressPoolFaults(vpc),
    ...listAt(vpc, "secondaryCidrBlocks").flatMap((each, i) => {
      const field = `vpc.secondaryCidrBlocks[${i}].ipv4CidrBlock`;
      const secondary = textAt(each, "ipv4CidrBlock");
      return [
        ...(block !== "" && secondary === block
          ? [fault(field, "a secondary block cannot be the primary one", "leave it out")]
          : []),
        ...blockFaults(field, secondary),
      ];
    }),
  ];
}

function addressPoolFaults(vpc: JsonObject): Fault[] {
  const { publicIpv4Pool: pool, publicIpv4PoolFallbackOrder: order } = mapAt(vpc, "elasticIpPool");
  if (has(pool) !== has(order))
    return [
      fault(
        "vpc.elasticIpPool",
        "publicIpv4Pool and publicIpv4PoolFallbackOrder go together",
        "give both, or none",
      ),
    ];
  return typeof pool === "string" && !pool.startsWith(POOL_PREFIX)
    ? [fault("vpc.elasticIpPool.publicIpv4Pool", `the pool must begin with ${POOL_PREFIX}`, "")]
    : [];
}

const ingressFaults = (rules: readonly JsonObject[]): Fault[] =>
  rules.flatMap((rule, i) => {
    const blocks = has(rule["cidrBlocks"]) || has(rule["ipv6CidrBlocks"]);
    const groups = has(rule["sourceSecurityGroupIds"]) || has(rule["sourceSecurityGroupRoles"]);
    const gateways = rule["natGatewaysIPsSource"] === true;
    return (gateways ? blocks || groups : blocks && groups)
      ? [
          fault(
            `[${i}]`,
            "address blocks, security groups and NAT gateways cannot be the source of one rule together",
            "make a rule of each",
          ),
        ]
      : [];
  });

/** What a load balancer that the provider leaves alone cannot have. */
const NOT_WHEN_DISABLED: readonly [name: string, isSet: (value: Json | undefined) => boolean][] = [
  ["name", has],
  ["crossZoneLoadBalancing", (value) => value === true],
  ["subnets", isFilled],
  ["healthCheckProtocol", has],
  ["additionalSecurityGroups", isFilled],
  ["additionalListeners", isFilled],
  ["ingressRules", isFilled],
  ["preserveClientIP", (value) => value === true],
  ["disableHostsRewrite", (value) => value === true],
  ["targetGroupIPType", has],
];

function balancerFaults(spec: JsonObject, network: JsonObject): Fault[] {
  const given = spec["controlPlaneLoadBalancer"];
  const primary: JsonObject = isObject(given) ? given : { scheme: "internet-facing" };
  const type = textAt(primary, "loadBalancerType") || "classic";
  const hasIpv6 = has(mapAt(network, "vpc")["ipv6"]);
  const faults = [
    ...targetFaults(primary, type, hasIpv6),
    ...below("ingressRules", ingressFaults(listAt(primary, "ingressRules"))),
    ...(type === "disabled"
      ? NOT_WHEN_DISABLED.filter(([name, isSet]) => isSet(primary[name])).map(([name]) =>
          fault(name, "cannot be set where the provider leaves the load balancer alone", "leave it out"),
        )
      : []),
  ];
  const secondary = spec["secondaryControlPlaneLoadBalancer"];
  return [
    ...below("controlPlaneLoadBalancer", faults),
    ...(isObject(secondary)
      ? below("secondaryControlPlaneLoadBalancer", secondaryFaults(secondary, primary, hasIpv6))
      : []),
  ];
}

function secondaryFaults(balancer: JsonObject, primary: JsonObject, hasIpv6: boolean): Fault[] {
  const type = textAt(balancer, "loadBalancerType") || "nlb";
  const scheme = textAt(balancer, "scheme") || "internal";
  return [
    ...(textAt(balancer, "name") === ""
      ? [fault("name", "a second load balancer needs a name", "", "Required")]
      : []),
    ...(scheme === primary["scheme"]
      ? [
          fault(
            "scheme",
            "the two load balancers must have different schemes",
            "internal and internet-facing",
          ),
        ]
      : []),
    ...(type === "nlb"
      ? []
      : [fault("loadBalancerType", "a second load balancer is a network one", "write nlb")]),
    ...targetFaults(balancer, type, hasIpv6),
    ...below("ingressRules", ingressFaults(listAt(balancer, "ingressRules"))),
  ];
}

const targetFaults = (balancer: JsonObject, type: string, hasIpv6: boolean): Fault[] =>
  [
    { field: "targetGroupIPType", value: balancer["targetGroupIPType"] },
    ...listAt(balancer, "additionalListeners").map((each, i) => ({
      field: `additionalListeners[${i}].targetGroupIPType`,
      value: each["targetGroupIPType"],
    })),
  ].flatMap(({ field, value }) => [
    ...(has(value) && type === "classic"
      ? [fault(field, "classic load balancers have no type of target addresses", "leave it out")]
      : []),
    ...(value === "ipv6" && !hasIpv6
      ? [fault(field, "the network of the cluster has no IPv6", "set network.vpc.ipv6, or write ipv4")]
      : []),
  ]);

function machineFaults(spec: JsonObject): Fault[] {
  const root = spec["rootVolume"];
  return [
    ...(has(spec["providerID"])
      ? [fault("providerID", "cannot be set in a template", "leave it out", "Forbidden")]
      : []),
    ...cloudInitFaults(spec),
    ...(isObject(root) ? below("rootVolume", volumeFaults(root)) : []),
    ...listAt(spec, "nonRootVolumes").flatMap((volume, i) =>
      below(`nonRootVolumes[${i}]`, [
        ...volumeFaults(volume),
        ...(textAt(volume, "deviceName") === ""
          ? [fault("deviceName", "is required of a volume that is not the root", "", "Required")]
          : []),
      ]),
    ),
    ...sshKeyFaults(spec),
    ...listAt(spec, "additionalSecurityGroups").flatMap((group, i) =>
      isFilled(group["filters"]) && has(group["id"])
        ? [
            fault(
              `additionalSecurityGroups[${i}]`,
              "id and filters exclude each other",
              "keep one of them",
              "Forbidden",
            ),
          ]
        : [],
    ),
    ...below("additionalTags", tagFaults(mapAt(spec, "additionalTags"))),
    ...hostFaults(spec),
  ];
}

function cloudInitFaults(spec: JsonObject): Fault[] {
  const init = mapAt(spec, "cloudInit");
  const [prefix, backend] = [textAt(init, "secretPrefix"), textAt(init, "secureSecretsBackend")];
  const count = (init["secretCount"] ?? 0) !== 0;
  const skips = init["insecureSkipSecretsManager"] === true;
  const forbidden = (field: string, message: string): Fault =>
    fault(field, message, "leave it out", "Forbidden");
  return [
    ...(prefix === "" ? [] : [forbidden("cloudInit.secretPrefix", "cannot be set in a template")]),
    ...(count ? [forbidden("cloudInit.secretCount", "cannot be set in a template")] : []),
    ...(skips && backend !== ""
      ? [forbidden("cloudInit.secureSecretsBackend", "insecureSkipSecretsManager leaves it without use")]
      : []),
    ...(has(spec["ignition"]) && (prefix !== "" || count || skips || backend !== "")
      ? [forbidden("cloudInit", "ignition and cloudInit exclude each other")]
      : []),
  ];
}

function hostFaults(spec: JsonObject): Fault[] {
  const onHost = spec["tenancy"] === "host";
  const named = textAt(spec, "hostID") !== "";
  const dynamic = has(spec["dynamicHostAllocation"]);
  const bound = spec["hostAffinity"] === "host";
  const wants = (field: string, message: string): Fault => fault(field, message, "", "Forbidden");
  return [
    ...(named && dynamic ? [wants("hostID", "hostID and dynamicHostAllocation exclude each other")] : []),
    ...(named && !onHost ? [wants("hostID", "hostID needs tenancy: host")] : []),
    ...(bound && !onHost ? [wants("hostAffinity", "hostAffinity: host needs tenancy: host")] : []),
    ...(dynamic && !onHost
      ? [wants("dynamicHostAllocation", "dynamicHostAllocation needs tenancy: host")]
      : []),
    ...(bound && !named && !dynamic
      ? [wants("hostAffinity", "hostAffinity: host needs hostID or dynamicHostAllocation")]
      : []),
    ...(dynamic && !bound
      ? [wants("dynamicHostAllocation", "dynamicHostAllocation needs hostAffinity: host")]
      : []),
  ];
}
