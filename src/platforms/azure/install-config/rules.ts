/** Rules of platform.azure (openshift/installer pkg/types/azure/validation/platform.go); those of its pools are beside. */

import type { Problem } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import type { AzurePlatform } from "../../../generated/types/install-config.js";
import { quote } from "../../../text/quote.js";
import type { NormalConfig } from "../../config.js";
import { arbiterIsEnabled } from "../../enabled-gates.js";
import { DUAL_STACK_FAMILIES } from "../../ip-families.js";
import type { RuleContext } from "../../platform.js";
import {
  CONTROL_PLANE,
  isStack,
  LOAD_BALANCER,
  MULTI_ZONE,
  NAT_GATEWAY,
  NODE,
  OWN_ROUTES,
  ownSubnets,
  SINGLE_ZONE,
  subnetsFor,
} from "../config.js";
import { CLOUDS, GOVERNMENT, has, outboundTypes, PUBLIC, STACK } from "../tables.js";
import { validatePoolSection } from "./pool-rules.js";

const FIELD = "platform.azure";
const USER_TAG_LIMIT = 10;
const TAG_KEY = /^[a-zA-Z]([0-9A-Za-z_.-]{0,126}[0-9A-Za-z_])?$/;
/** The range from + to @ holds digits and , - . / : ; < = > ? too. */
const TAG_VALUE = /^[0-9A-Za-z_.=+-@]{1,256}$/;
const RESERVED_TAGS = /^(name$|kubernetes\.io|openshift\.io|microsoft|azure|windows)/i;
const RESOURCE_GROUP = /^[-a-zA-Z0-9_().]{0,89}[-a-zA-Z0-9_()]$/;
const VAULT = /^[A-Za-z][0-9A-Za-z-]{1,22}[A-Za-z0-9]$/;
const VAULT_KEY = /^[0-9A-Za-z-]{1,127}$/;
const KEY_IDENTITY = /^[0-9A-Za-z][0-9A-Za-z_-]{2,127}$/;

export function validate(config: NormalConfig, context: RuleContext): void {
  const { azure } = config.platform;
  if (azure === undefined) return;
  validateNeeds(config, azure, context);
  if (azure.defaultMachinePlatform !== undefined)
    validatePoolSection(
      { azure, section: azure.defaultMachinePlatform, name: "" },
      `${FIELD}.defaultMachinePlatform`,
      context,
    );
  validateNetwork(azure, context);
  validateOutbound(config, azure, context);
  validateStorageKey(azure, context);
  validateUserTags(azure, context);
  validateCloud(azure, context);
  const pools = [
    { pool: config.controlPlane, field: "controlPlane" },
    ...(config.arbiter === undefined || !arbiterIsEnabled(context.release, config)
      ? []
      : [{ pool: config.arbiter, field: "arbiter" }]),
    ...config.compute.map((pool, i) => ({ pool, field: `compute[${i}]` })),
  ];
  for (const { pool, field } of pools)
    if (pool.platform.azure !== undefined)
      validatePoolSection(
        { azure, section: pool.platform.azure, name: pool.name, pool },
        `${field}.platform.azure`,
        context,
      );
}

type Broken = Pick<Problem, "code" | "kind" | "message" | "hint"> & { readonly at?: string };

const broken = ({ report }: RuleContext, member: string, { at, ...problem }: Broken): void =>
  report({
    ...problem,
    field: `${FIELD}.${member}`,
    ...(at === undefined ? {} : { at: `${FIELD}.${at}` }),
  });

function validateNeeds({ publish }: NormalConfig, azure: AzurePlatform, context: RuleContext): void {
  if (!azure.region)
    broken(
      context,
      "region",
      problem(
        "IC330",
        "Required",
        "",
        "the region is missing",
        "write a region such as northeurope; az account list-locations lists them",
      ),
    );
  if (publish !== "Internal" && !azure.baseDomainResourceGroupName)
    broken(
      context,
      "baseDomainResourceGroupName",
      problem(
        "IC330",
        "Required",
        "",
        "the cluster is published, and the resource group of its DNS zone is missing",
        "write the group of the base domain's DNS zone, or set publish: Internal",
      ),
    );
}

/** A network that is brought along is named with its resource group and a subnet for each role. */
function validateNetwork(azure: AzurePlatform, context: RuleContext): void {
  const { release } = context;
  if (has(release, "subnetList")) validateSubnets(azure, context);
  const controlPlane = subnetsFor(azure, release, CONTROL_PLANE).length > 0;
  const node = subnetsFor(azure, release, NODE).length > 0;
  const required = (member: string, message: string, hint: string) =>
    broken(context, member, problem("IC330", "Required", "", message, hint));
  const spelled = (role: string, old: string): string =>
    has(release, "subnetList")
      ? `add an entry with the role ${role} to ${FIELD}.subnets`
      : `write ${FIELD}.${old}`;
  const groupMissing = !azure.networkResourceGroupName;
  if (azure.virtualNetwork) {
    if (!node)
      required(
        "computeSubnet",
        "an existing virtual network needs a subnet of the nodes",
        spelled(NODE, "computeSubnet"),
      );
    if (!controlPlane)
      required(
        "controlPlaneSubnet",
        "an existing virtual network needs a subnet of the control plane",
        spelled(CONTROL_PLANE, "controlPlaneSubnet"),
      );
  }
  const used = azure.virtualNetwork !== undefined && azure.virtualNetwork !== "";
  if (!used && (node || controlPlane))
    required(
      "virtualNetwork",
      "existing subnets lie in a virtual network, which is not named",
      "write the name of the virtual network, or leave the subnets out",
    );
  if (groupMissing && (used || node || controlPlane))
    required(
      "networkResourceGroupName",
      "the resource group of the existing virtual network is missing",
      "write the group that the virtual network is in",
    );
}

function validateSubnets(azure: AzurePlatform, context: RuleContext): void {
  const invalid = (i: number, message: string, hint: string) =>
    broken(context, "subnets", problem("IC332", "Invalid", "", message, { at: `subnets[${i}]`, hint }));
  const names = new Set<string>();
  let controlPlane = false;
  for (const [i, { name, role }] of ownSubnets(azure, context.release).entries()) {
    if (names.has(name)) invalid(i, `the subnet ${quote(name)} appears twice`, "keep one entry");
    names.add(name);
    if (role === CONTROL_PLANE) {
      if (controlPlane)
        invalid(i, "there is more than one subnet of the control plane", "keep one; the others are of nodes");
      controlPlane = true;
    } else if (role !== NODE)
      invalid(i, `a subnet cannot have the role ${quote(role)}`, `write ${CONTROL_PLANE} or ${NODE}`);
  }
}

function validateOutbound(config: NormalConfig, azure: AzurePlatform, context: RuleContext): void {
  const { release } = context;
  const type = azure.outboundType ?? LOAD_BALANCER;
  const known = outboundTypes(release);
  if (!known.includes(type)) {
    broken(
      context,
      "outboundType",
      problem(
        "IC332",
        "NotSupported",
        "",
        `outboundType cannot be ${quote(type)}`,
        `write ${known.join(", ")}`,
      ),
    );
    return;
  }
  const invalid = (message: string, hint: string) =>
    broken(context, "outboundType", problem("IC347", "Invalid", "", message, hint));
  if (type === OWN_ROUTES && !azure.virtualNetwork)
    invalid("routes of your own are in a network of your own", "name virtualNetwork, or write Loadbalancer");
  if (has(release, "natGatewaysOnOwnNetwork")) {
    if (type !== SINGLE_ZONE && type !== MULTI_ZONE) return;
    const { publish, operatorPublishingStrategy } = config;
    if (publish === "Internal" || (publish === "Mixed" && operatorPublishingStrategy?.ingress === "Internal"))
      invalid(
        "a NAT gateway does not go with a cluster that is not published, or whose ingress is not",
        "write Loadbalancer",
      );
    const nodes = subnetsFor(azure, release, NODE).length;
    if (nodes > 1 && type === SINGLE_ZONE)
      invalid("one NAT gateway serves one subnet of nodes, and there are several", `write ${MULTI_ZONE}`);
    else if (nodes === 1 && type === MULTI_ZONE)
      invalid(
        "NAT gateways in several zones need several subnets of nodes, and there is one",
        `add subnets of nodes, or write ${SINGLE_ZONE}`,
      );
    return;
  }
  if (type !== SINGLE_ZONE && type !== NAT_GATEWAY) return;
  if (type === NAT_GATEWAY && config.featureSet !== "TechPreviewNoUpgrade")
    invalid(
      "NAT gateways are a technology preview in this release",
      "write Loadbalancer, or set featureSet: TechPreviewNoUpgrade",
    );
  if (azure.virtualNetwork)
    invalid("this release makes no NAT gateway in an existing network", "write Loadbalancer");
}

function validateStorageKey(azure: AzurePlatform, context: RuleContext): void {
  const key = azure.customerManagedKey;
  if (key === undefined) return;
  const at = (member: string): string => `customerManagedKey.${member}`;
  const fault = (kind: "Required" | "Invalid", member: string, message: string, hint: string) =>
    broken(context, "customerManagedKey", problem("IC339", kind, "", message, { at: at(member), hint }));
  if (isStack(azure)) {
    broken(
      context,
      "customerManagedKey",
      problem(
        "IC339",
        "Invalid",
        "",
        "Azure Stack Hub does not encrypt storage accounts with keys of your own",
        "leave customerManagedKey out",
      ),
    );
    return;
  }
  const { keyName = "", name = "", resourceGroup = "" } = key.keyVault ?? {};
  const identity = key.userAssignedIdentityKey ?? "";
  const parts = [
    {
      member: "keyVault.keyName",
      what: "the name of the key",
      value: keyName,
      legal: VAULT_KEY.test(keyName),
      form: "1 to 127 letters, digits and dashes",
    },
    {
      member: "keyVault.name",
      what: "the name of the key vault",
      value: name,
      legal: VAULT.test(name) && !name.includes("--"),
      form: "3 to 24 letters, digits and single dashes, beginning with a letter",
    },
    {
      member: "keyVault.resourceGroup",
      what: "the resource group of the key vault",
      value: resourceGroup,
      legal: RESOURCE_GROUP.test(resourceGroup),
      form: "at most 90 letters, digits and -_().",
    },
    {
      member: "userAssignedIdentityKey",
      what: "the identity that may use the key",
      value: identity,
      legal: KEY_IDENTITY.test(identity),
      form: "3 to 128 letters, digits, dashes and underscores",
    },
  ];
  for (const { member, what, value, legal, form } of parts)
    if (value === "") fault("Required", member, `${what} is missing`, `write ${FIELD}.${at(member)}`);
    else if (!legal) fault("Invalid", member, `${what} cannot be ${quote(value)}`, `it has ${form}`);
}

function validateUserTags(azure: AzurePlatform, context: RuleContext): void {
  const tags = Object.entries(azure.userTags ?? {});
  if (tags.length === 0) return;
  const { cloudName } = azure;
  const government = has(context.release, "userTagsForGovernment");
  if (cloudName !== PUBLIC && !(government && cloudName === GOVERNMENT))
    broken(
      context,
      "userTags",
      problem(
        "IC334",
        "Forbidden",
        "",
        `the cloud ${quote(cloudName ?? "")} has no tags of the user's`,
        `leave userTags out; ${government ? `${PUBLIC} and ${GOVERNMENT} have` : `${PUBLIC} has`} them`,
      ),
    );
  if (tags.length > USER_TAG_LIMIT)
    broken(
      context,
      "userTags",
      problem(
        "IC334",
        "TooMany",
        "",
        `there are ${tags.length} tags; ${USER_TAG_LIMIT} are allowed`,
        "remove some",
      ),
    );
  const keys = tags.map(([key]) => inCapitals(key));
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined)
    broken(
      context,
      "userTags",
      problem(
        "IC334",
        "Forbidden",
        "",
        `the tag ${quote(twice)} appears more than once: keys are compared without regard to case`,
        "keep one spelling of the key",
      ),
    );
  for (const [key, value] of tags) {
    const fault = tagFault(key, value);
    if (fault === undefined) continue;
    broken(
      context,
      `userTags[${key}]`,
      problem(
        "IC334",
        "Invalid",
        "",
        `the tag cannot be used: ${fault}`,
        "keys begin with a letter and have 1 to 128 letters, digits and _.-; values 1 to 256 letters, digits and _+,-./:;<=>?@",
      ),
    );
  }
}

/** Letter by letter, so that no letter becomes several. */
const inCapitals = (key: string): string =>
  [...key]
    .map((letter) => (letter.toUpperCase().length === letter.length ? letter.toUpperCase() : letter))
    .join("");

function tagFault(key: string, value: string): string | undefined {
  if (!TAG_KEY.test(key)) return "its key has another form";
  if (!TAG_VALUE.test(value)) return "its value has another form";
  return RESERVED_TAGS.test(key)
    ? "keys that are Name, or begin with kubernetes.io, openshift.io, microsoft, azure or windows, are reserved"
    : undefined;
}

/** What goes with the cloud, and with Azure Stack Hub alone. */
function validateCloud(azure: AzurePlatform, context: RuleContext): void {
  const { release } = context;
  const cloud = azure.cloudName ?? PUBLIC;
  if (!CLOUDS.includes(cloud))
    broken(
      context,
      "cloudName",
      problem("IC331", "NotSupported", "", `there is no cloud ${quote(cloud)}`, `write ${CLOUDS.join(", ")}`),
    );
  // Until 4.20 each kind of routing was refused by itself, and one that is unknown was not.
  const known =
    has(release, "loadBalancerAloneOnStack") || outboundTypes(release).includes(azure.outboundType ?? "");
  const combined = (member: string, message: string, hint: string, at = member) =>
    broken(context, member, problem("IC347", "Invalid", "", message, { at, hint }));
  const onStackOnly = (member: string) =>
    broken(
      context,
      member,
      problem(
        "IC347",
        "Required",
        "",
        `${member} is for Azure Stack Hub, and the cloud is ${quote(cloud)}`,
        `leave ${member} out, or write cloudName: ${STACK}`,
      ),
    );
  if (isStack(azure)) {
    if (!azure.armEndpoint)
      broken(
        context,
        "armEndpoint",
        problem(
          "IC330",
          "Required",
          "",
          "Azure Stack Hub needs the address of its resource manager",
          "write armEndpoint, such as https://management.local.azurestack.external",
        ),
      );
    if (azure.outboundType !== LOAD_BALANCER && known)
      combined(
        "outboundType",
        "machines of Azure Stack Hub reach the internet through the load balancer only",
        "write Loadbalancer, or leave outboundType out",
      );
    if (has(release, "noUserProvisionedDnsOnStack") && azure.userProvisionedDNS)
      broken(
        context,
        "userProvisionedDNS",
        problem(
          "IC340",
          "Invalid",
          "",
          "Azure Stack Hub has no DNS of the user's",
          "leave userProvisionedDNS out",
        ),
      );
    if (azure.allowSharedKeyAccess === false)
      combined(
        has(release, "sharedKeyMisnamed") ? "allowSharedAccessKey" : "allowSharedKeyAccess",
        "storage accounts of Azure Stack Hub need their shared keys",
        "leave allowSharedKeyAccess out",
        "allowSharedKeyAccess",
      );
  } else {
    if (azure.armEndpoint) onStackOnly("armEndpoint");
    if (azure.clusterOSImage) onStackOnly("clusterOSImage");
  }
  const families = ["IPv4", ...DUAL_STACK_FAMILIES];
  if (has(release, "ipFamily") && azure.ipFamily && !families.includes(azure.ipFamily))
    broken(
      context,
      "ipFamily",
      problem(
        "IC332",
        "NotSupported",
        "",
        `ipFamily cannot be ${quote(azure.ipFamily)}`,
        `write ${families.join(", ")}`,
      ),
    );
}
