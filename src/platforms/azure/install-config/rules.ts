/** Rules of platform.azure (openshift/installer pkg/types/azure/validation/platform.go); those of its pools are beside. */

import type { Problem } from "../../../core/diagnostics.js";
import { problem, required, unsupported } from "../../../core/problem.js";
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
      required(
        "IC330",
        "",
        "",
        "use a region such as northeurope; to list them, run: az account list-locations",
      ),
    );
  if (publish !== "Internal" && !azure.baseDomainResourceGroupName)
    broken(
      context,
      "baseDomainResourceGroupName",
      required(
        "IC330",
        "",
        "publish: External requires it",
        "set the resource group of the base domain's DNS zone, or set publish: Internal",
      ),
    );
}

/** A network that is brought along is named with its resource group and a subnet for each role. */
function validateNetwork(azure: AzurePlatform, context: RuleContext): void {
  const { release } = context;
  if (has(release, "subnetList")) validateSubnets(azure, context);
  const controlPlane = subnetsFor(azure, release, CONTROL_PLANE).length > 0;
  const node = subnetsFor(azure, release, NODE).length > 0;
  const missing = (member: string, message: string, hint: string) =>
    broken(context, member, problem("IC330", "Required", "", message, hint));
  const spelled = (role: string, old: string): string =>
    has(release, "subnetList")
      ? `add an entry with the role ${role} to ${FIELD}.subnets`
      : `set ${FIELD}.${old}`;
  const groupMissing = !azure.networkResourceGroupName;
  if (azure.virtualNetwork) {
    if (!node)
      missing(
        "computeSubnet",
        "required value is missing: an existing virtual network requires a subnet for the nodes",
        spelled(NODE, "computeSubnet"),
      );
    if (!controlPlane)
      missing(
        "controlPlaneSubnet",
        "required value is missing: an existing virtual network requires a subnet for the control plane",
        spelled(CONTROL_PLANE, "controlPlaneSubnet"),
      );
  }
  const used = azure.virtualNetwork !== undefined && azure.virtualNetwork !== "";
  if (!used && (node || controlPlane))
    missing(
      "virtualNetwork",
      "required value is missing: existing subnets require it",
      "set the name of the virtual network, or remove the subnets",
    );
  if (groupMissing && (used || node || controlPlane))
    missing(
      "networkResourceGroupName",
      "required value is missing: an existing virtual network requires it",
      "set the resource group of the virtual network",
    );
}

function validateSubnets(azure: AzurePlatform, context: RuleContext): void {
  const invalid = (i: number, message: string, hint: string) =>
    broken(context, "subnets", problem("IC332", "Invalid", "", message, { at: `subnets[${i}]`, hint }));
  const names = new Set<string>();
  let controlPlane = false;
  for (const [i, { name, role }] of ownSubnets(azure, context.release).entries()) {
    if (names.has(name)) invalid(i, `duplicate subnet ${quote(name)}`, "remove the others");
    names.add(name);
    if (role === CONTROL_PLANE) {
      if (controlPlane)
        invalid(i, "only one subnet can have the control plane role", "use the node role for the others");
      controlPlane = true;
    } else if (role !== NODE)
      invalid(i, `unsupported role ${quote(role)}`, `use ${CONTROL_PLANE} or ${NODE}`);
  }
}

function validateOutbound(config: NormalConfig, azure: AzurePlatform, context: RuleContext): void {
  const { release } = context;
  const type = azure.outboundType ?? LOAD_BALANCER;
  const known = outboundTypes(release);
  if (!known.includes(type)) {
    broken(context, "outboundType", unsupported("IC332", "", type, known));
    return;
  }
  const invalid = (message: string, hint: string) =>
    broken(context, "outboundType", problem("IC347", "Invalid", "", message, hint));
  if (type === OWN_ROUTES && !azure.virtualNetwork)
    invalid(
      "user-defined routing requires an existing virtual network",
      "set virtualNetwork, or use Loadbalancer",
    );
  if (has(release, "natGatewaysOnOwnNetwork")) {
    if (type !== SINGLE_ZONE && type !== MULTI_ZONE) return;
    const { publish, operatorPublishingStrategy } = config;
    if (publish === "Internal" || (publish === "Mixed" && operatorPublishingStrategy?.ingress === "Internal"))
      invalid(
        "NAT gateways are not supported with an internal cluster or an internal ingress",
        "use Loadbalancer",
      );
    const nodes = subnetsFor(azure, release, NODE).length;
    if (nodes > 1 && type === SINGLE_ZONE)
      invalid("a single NAT gateway supports only one node subnet", `use ${MULTI_ZONE}`);
    else if (nodes === 1 && type === MULTI_ZONE)
      invalid(
        "NAT gateways in several zones require several node subnets",
        `add node subnets, or use ${SINGLE_ZONE}`,
      );
    return;
  }
  if (type !== SINGLE_ZONE && type !== NAT_GATEWAY) return;
  if (type === NAT_GATEWAY && config.featureSet !== "TechPreviewNoUpgrade")
    invalid(
      "NAT gateways are Technology Preview in this release",
      "use Loadbalancer, or set featureSet: TechPreviewNoUpgrade",
    );
  if (azure.virtualNetwork)
    invalid("this release does not create NAT gateways in an existing network", "use Loadbalancer");
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
        "customer-managed keys are not supported on Azure Stack Hub",
        "remove customerManagedKey",
      ),
    );
    return;
  }
  const { keyName = "", name = "", resourceGroup = "" } = key.keyVault ?? {};
  const identity = key.userAssignedIdentityKey ?? "";
  const parts = [
    {
      member: "keyVault.keyName",
      what: "name of the key",
      value: keyName,
      legal: VAULT_KEY.test(keyName),
      form: "1 to 127 letters, digits and hyphens",
    },
    {
      member: "keyVault.name",
      what: "name of the key vault",
      value: name,
      legal: VAULT.test(name) && !name.includes("--"),
      form: "3 to 24 letters, digits and single hyphens, starting with a letter",
    },
    {
      member: "keyVault.resourceGroup",
      what: "resource group of the key vault",
      value: resourceGroup,
      legal: RESOURCE_GROUP.test(resourceGroup),
      form: "at most 90 letters, digits and -_().",
    },
    {
      member: "userAssignedIdentityKey",
      what: "identity with access to the key",
      value: identity,
      legal: KEY_IDENTITY.test(identity),
      form: "3 to 128 letters, digits, hyphens and underscores",
    },
  ];
  for (const { member, what, value, legal, form } of parts)
    if (value === "")
      fault("Required", member, `required value is missing: ${what}`, `use ${FIELD}.${at(member)}`);
    else if (!legal) fault("Invalid", member, `invalid value ${quote(value)}`, `use ${form}`);
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
        `user tags are not supported in the cloud ${quote(cloudName ?? "")}`,
        `remove userTags; ${government ? `${PUBLIC} and ${GOVERNMENT} have` : `${PUBLIC} has`} them`,
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
        `must have at most ${USER_TAG_LIMIT} items, has ${tags.length}`,
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
        `duplicate key ${quote(twice)}: keys are case-insensitive`,
        "remove the others",
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
        `invalid tag: ${fault}`,
        "use keys of 1 to 128 letters, digits and _.- that start with a letter, and values of 1 to 256 letters, digits and _+,-./:;<=>?@",
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
  if (!TAG_KEY.test(key)) return "the key contains unsupported characters or is too long";
  if (!TAG_VALUE.test(value)) return "the value contains unsupported characters or is too long";
  return RESERVED_TAGS.test(key)
    ? "the key Name and keys that start with kubernetes.io, openshift.io, microsoft, azure or windows are reserved"
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
      problem("IC331", "NotSupported", "", `unsupported cloud ${quote(cloud)}`, `use ${CLOUDS.join(", ")}`),
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
        `${member} is supported only on Azure Stack Hub, not in the cloud ${quote(cloud)}`,
        `remove ${member}, or use cloudName: ${STACK}`,
      ),
    );
  if (isStack(azure)) {
    if (!azure.armEndpoint)
      broken(
        context,
        "armEndpoint",
        required(
          "IC330",
          "",
          "Azure Stack Hub requires it",
          "set armEndpoint, such as https://management.local.azurestack.external",
        ),
      );
    if (azure.outboundType !== LOAD_BALANCER && known)
      combined(
        "outboundType",
        "Azure Stack Hub supports only outboundType: Loadbalancer",
        "use Loadbalancer, or remove outboundType",
      );
    if (has(release, "noUserProvisionedDnsOnStack") && azure.userProvisionedDNS)
      broken(
        context,
        "userProvisionedDNS",
        problem(
          "IC340",
          "Invalid",
          "",
          "user-provisioned DNS is not supported on Azure Stack Hub",
          "remove userProvisionedDNS",
        ),
      );
    if (azure.allowSharedKeyAccess === false)
      combined(
        has(release, "sharedKeyMisnamed") ? "allowSharedAccessKey" : "allowSharedKeyAccess",
        "Azure Stack Hub requires shared key access to storage accounts",
        "remove allowSharedKeyAccess",
        "allowSharedKeyAccess",
      );
  } else {
    if (azure.armEndpoint) onStackOnly("armEndpoint");
    if (azure.clusterOSImage) onStackOnly("clusterOSImage");
  }
  const families = ["IPv4", ...DUAL_STACK_FAMILIES];
  if (has(release, "ipFamily") && azure.ipFamily && !families.includes(azure.ipFamily))
    broken(context, "ipFamily", unsupported("IC332", "", azure.ipFamily, families));
}
