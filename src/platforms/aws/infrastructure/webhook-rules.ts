/**
 * Rules of the provider's webhooks, which no definition of a kind holds (cluster-api-provider-aws v2.13.0, webhooks/ and
 * api/v1beta2: ValidateCreate of each kind, with its defaults). Pure over objects as they would be applied.
 */
import { isIP } from "node:net";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../../core/json.js";
import { lookup } from "../../../core/lookup.js";
import type { Found } from "../../../core/problem.js";
import { parseCidr } from "../../../kubernetes/network.js";
import { readSelector } from "../../../kubernetes/selectors.js";
import { quote } from "../../../text/quote.js";

/** What is wrong with a value, and what would be right. */
export interface Fault {
  /** Field below the value; empty for the value as a whole. */
  readonly field: string;
  readonly kind: Found["kind"];
  readonly message: string;
  readonly hint: string;
}

const fault = (field: string, message: string, hint: string, kind: Found["kind"] = "Invalid"): Fault => ({
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
const TAG_HINT = "use letters, digits, spaces and _ . : / = + - @";

/** Tags of a resource; the cluster's own count too. */
export function tagFaults(tags: Readonly<Record<string, Json>>): Fault[] {
  const entries = Object.entries(tags);
  const many =
    entries.length > MOST_TAGS
      ? [fault("", `must have at most ${MOST_TAGS} items, has ${entries.length}`, "remove some")]
      : [];
  return [
    ...many,
    ...entries.flatMap(([key, value]) => [
      ...(key === "" ? [fault("", "the key of a tag must not be empty", "add a key")] : []),
      ...(Buffer.byteLength(key) > MOST_KEY_BYTES
        ? [fault(`[${key}]`, `the key must have at most ${MOST_KEY_BYTES} bytes`, "shorten it")]
        : []),
      ...(key.startsWith("aws:")
        ? [fault(`[${key}]`, "keys that start with aws: are reserved", "use another key")]
        : []),
      ...(TAG.test(key)
        ? []
        : [fault(`[${key}]`, `the key ${quote(key)} contains unsupported characters`, TAG_HINT)]),
      ...(typeof value !== "string" ? [] : tagValueFaults(key, value)),
    ]),
  ];
}

const tagValueFaults = (key: string, value: string): Fault[] => [
  ...(Buffer.byteLength(value) > MOST_VALUE_BYTES
    ? [fault(`[${key}]`, `the value must have at most ${MOST_VALUE_BYTES} bytes`, "shorten it")]
    : []),
  ...(TAG.test(value)
    ? []
    : [fault(`[${key}]`, `the value ${quote(value)} contains unsupported characters`, TAG_HINT)]),
];

const PROVISIONED = ["io1", "io2"];

/** A volume of a machine, root or not. */
export function volumeFaults(volume: JsonObject): Fault[] {
  const { type, iops, throughput } = volume;
  return [
    ...(typeof type === "string" && PROVISIONED.includes(type) && (iops ?? 0) === 0
      ? [
          fault(
            "iops",
            `required value is missing: volumes of type ${type} require it`,
            "add iops, such as 4000",
            "Required",
          ),
        ]
      : []),
    ...(typeof throughput !== "number"
      ? []
      : [
          ...(type === "gp3"
            ? []
            : [fault("throughput", "supported only for volumes of type gp3", "remove it, or use gp3")]),
          ...(throughput < 0 ? [fault("throughput", "must not be negative", "remove it")] : []),
        ]),
  ];
}

/** What the webhooks would refuse of an object; nothing for other kinds than the provider's. */
export const webhookFindings = (object: JsonObject): Found[] => {
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
      : [fault("metadata.name", "must be default: only one such object is supported", "use default")]),
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
    : [fault(field, `invalid value ${quote(block)}: must be a CIDR`, "use a CIDR such as 10.0.0.0/16")];

const sshKeyFaults = ({ sshKeyName: name }: JsonObject): Fault[] =>
  typeof name !== "string" || name === "" || /^(?=[!-~])[ -~]*(?<=[!-~])$/.test(name)
    ? []
    : [
        fault(
          "sshKeyName",
          "must be ASCII without leading or trailing spaces",
          "use the name as AWS shows it",
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
        "conflicts with disableIngressRules",
        "keep one of them",
        "Forbidden",
      ),
    ];
  return (isList(blocks) ? blocks : []).flatMap((block, i) => {
    const field = `bastion.allowedCIDRBlocks[${i}]`;
    return block === ""
      ? [fault(field, "must be a CIDR, not an empty string", "")]
      : blockFaults(field, block);
  });
}

const ROLE_NAME = /^[\w+=,.@-]+$/;

function bucketFaults(bucket: JsonObject): Fault[] {
  const needed = (field: string): Fault => fault(field, "required value is missing", "", "Required");
  const name = textAt(bucket, "name");
  const profiles = bucket["nodesIAMInstanceProfiles"];
  const withProfiles = !has(bucket["presignedURLDuration"]);
  return [
    ...(name === "" ? [needed("name")] : []),
    ...(isIP(name) === 0 ? [] : [fault("name", "must not be an IP address", "use another name")]),
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
        ...(prefix.startsWith("/") ? [fault("prefix", "must not start with a slash", "remove it")] : []),
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
          ? [
              fault(
                "parentZoneName",
                "required value is missing: a subnet in an edge zone requires its parent zone",
                "",
                "Required",
              ),
            ]
          : []),
        ...blockFaults("cidrBlock", subnet["cidrBlock"]),
        ...blockFaults("ipv6CidrBlock", subnet["ipv6CidrBlock"]),
      ]),
    ),
    ...(pool !== undefined && block !== ""
      ? [fault("vpc.cidrBlock", "conflicts with ipamPool: only one of them can be set", "keep one of them")]
      : []),
    ...(pool !== undefined && textAt(pool, "id") === "" && textAt(pool, "name") === ""
      ? [fault("vpc.ipamPool", "required value is missing: id or name", "")]
      : []),
    ...["additionalControlPlaneIngressRules", "additionalNodeIngressRules"].flatMap((name) =>
      below(name, ingressFaults(listAt(network, name))),
    ),
    ...(isList(nodePorts) ? nodePorts : []).flatMap((each, i) => {
      const field = `nodePortIngressRuleCidrBlocks[${i}]`;
      return each === ""
        ? [fault(field, "must be a CIDR, not an empty string", "")]
        : blockFaults(field, each);
    }),
    ...addressPoolFaults(vpc),
    ...listAt(vpc, "secondaryCidrBlocks").flatMap((each, i) => {
      const field = `vpc.secondaryCidrBlocks[${i}].ipv4CidrBlock`;
      const secondary = textAt(each, "ipv4CidrBlock");
      return [
        ...(block !== "" && secondary === block
          ? [fault(field, "must not be the primary CIDR", "remove it")]
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
        "publicIpv4Pool and publicIpv4PoolFallbackOrder must be set together",
        "set both, or neither",
      ),
    ];
  return typeof pool === "string" && !pool.startsWith(POOL_PREFIX)
    ? [fault("vpc.elasticIpPool.publicIpv4Pool", `must start with ${POOL_PREFIX}`, "")]
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
            "a rule can have only one kind of source: CIDRs, security groups or NAT gateways",
            "use a separate rule for each",
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
          fault(name, "forbidden: the load balancer type is disabled", "remove it"),
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
      ? [
          fault(
            "name",
            "required value is missing: a secondary load balancer requires a name",
            "",
            "Required",
          ),
        ]
      : []),
    ...(scheme === primary["scheme"]
      ? [
          fault(
            "scheme",
            "must differ from the scheme of the primary load balancer",
            "use internal for one and internet-facing for the other",
          ),
        ]
      : []),
    ...(type === "nlb"
      ? []
      : [fault("loadBalancerType", "must be nlb for a secondary load balancer", "use nlb")]),
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
      ? [fault(field, "not supported for classic load balancers", "remove it")]
      : []),
    ...(value === "ipv6" && !hasIpv6
      ? [fault(field, "the cluster network has no IPv6", "set network.vpc.ipv6, or use ipv4")]
      : []),
  ]);

function machineFaults(spec: JsonObject): Fault[] {
  const root = spec["rootVolume"];
  return [
    ...(has(spec["providerID"])
      ? [fault("providerID", "forbidden: not supported in a template", "remove it", "Forbidden")]
      : []),
    ...cloudInitFaults(spec),
    ...(isObject(root) ? below("rootVolume", volumeFaults(root)) : []),
    ...listAt(spec, "nonRootVolumes").flatMap((volume, i) =>
      below(`nonRootVolumes[${i}]`, [
        ...volumeFaults(volume),
        ...(textAt(volume, "deviceName") === ""
          ? [fault("deviceName", "required value is missing: non-root volumes require it", "", "Required")]
          : []),
      ]),
    ),
    ...sshKeyFaults(spec),
    ...listAt(spec, "additionalSecurityGroups").flatMap((group, i) =>
      isFilled(group["filters"]) && has(group["id"])
        ? [
            fault(
              `additionalSecurityGroups[${i}]`,
              "forbidden: only one of id and filters can be set",
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
    fault(field, message, "remove it", "Forbidden");
  return [
    ...(prefix === "" ? [] : [forbidden("cloudInit.secretPrefix", "forbidden: not supported in a template")]),
    ...(count ? [forbidden("cloudInit.secretCount", "forbidden: not supported in a template")] : []),
    ...(skips && backend !== ""
      ? [forbidden("cloudInit.secureSecretsBackend", "forbidden: insecureSkipSecretsManager is set")]
      : []),
    ...(has(spec["ignition"]) && (prefix !== "" || count || skips || backend !== "")
      ? [forbidden("cloudInit", "forbidden: only one of ignition and cloudInit can be set")]
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
    ...(named && dynamic
      ? [wants("hostID", "forbidden: only one of hostID and dynamicHostAllocation can be set")]
      : []),
    ...(named && !onHost ? [wants("hostID", "forbidden: requires tenancy: host")] : []),
    ...(bound && !onHost
      ? [wants("hostAffinity", "forbidden: hostAffinity: host requires tenancy: host")]
      : []),
    ...(dynamic && !onHost ? [wants("dynamicHostAllocation", "forbidden: requires tenancy: host")] : []),
    ...(bound && !named && !dynamic
      ? [wants("hostAffinity", "forbidden: hostAffinity: host requires hostID or dynamicHostAllocation")]
      : []),
    ...(dynamic && !bound ? [wants("dynamicHostAllocation", "forbidden: requires hostAffinity: host")] : []),
  ];
}
