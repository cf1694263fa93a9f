/** Rules of platform.gcp and of its machine pools (openshift/installer pkg/types/gcp/validation). */
import type { Release } from "../../core/release.js";
import { quote } from "../../text/quote.js";
import { parseUri } from "../../text/uri.js";
import type { NormalConfig } from "../config.js";
import { arbiterIsEnabled } from "../enabled-gates.js";
import { given, type Shape, text } from "../normal-shape.js";
import type { GatedField, PlatformRules, RuleContext } from "../platform.js";
import { type GcpMachinePool, type GcpPlatform, poolsOfConfig, userProvidesDns } from "./config.js";
import { applyDefaults, finish } from "./defaults.js";
import { COMPUTE_DISKS, CONTROL_PLANE_DISKS, has } from "./tables.js";

const FIELD = "platform.gcp";
const LABEL_LIMIT = 32;
const LABEL_KEY = /^[a-z][0-9a-z_-]{0,62}$/;
const LABEL_VALUE = /^[0-9a-z_-]{1,63}$/;
const RESERVED_LABEL = /^(kubernetes-io|openshift-io)/i;
const SHARED_NETWORK_MODES = ["Manual", "Passthrough"];
const FIREWALL_POLICIES = ["Managed", "Unmanaged"];
const SMALLEST_DISK = 16;
const LARGEST_DISK = 65536;
const NETWORK_TAG = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const ENDPOINT_NAMES = [
  "CloudResourceManager",
  "Compute",
  "Container",
  "DNS",
  "File",
  "IAM",
  "ServiceUsage",
  "Storage",
];

function validate(config: NormalConfig, context: RuleContext): void {
  const { gcp } = config.platform;
  if (gcp === undefined) return;
  const { report, release } = context;
  if (!gcp.region)
    report({
      code: "IC331",
      kind: "Required",
      field: `${FIELD}.region`,
      message: "the region is missing",
      hint: "write a region such as europe-west1",
    });
  validateNetwork(gcp, config, context);
  validateDns(gcp, context);
  validateLabels(gcp.userLabels ?? [], context);
  if (
    has(release, "serviceEndpoints") &&
    (!has(release, "formattedEndpoints") || config.publish === "Internal")
  )
    validateServiceEndpoints(gcp.serviceEndpoints ?? [], context);
  if (has(release, "endpoint")) validateEndpoint(gcp, context);

  const fallback = gcp.defaultMachinePlatform;
  if (fallback !== undefined)
    validatePool(gcp, fallback, `${FIELD}.defaultMachinePlatform`, CONTROL_PLANE_DISKS, context);
  const pools = [
    ...poolsOfConfig(config),
    ...(config.arbiter === undefined || !arbiterIsEnabled(release, config)
      ? []
      : [{ pool: config.arbiter, path: "arbiter" }]),
  ];
  for (const { pool, path } of pools) {
    const section = pool.platform.gcp;
    const disks = pool.name === "master" ? CONTROL_PLANE_DISKS : COMPUTE_DISKS;
    if (section !== undefined) validatePool(gcp, section, `${path}.platform.gcp`, disks, context);
  }
}

function validateNetwork(gcp: GcpPlatform, config: NormalConfig, { report }: RuleContext): void {
  const required = (member: string, message: string) =>
    report({
      code: "IC332",
      kind: "Required",
      field: `${FIELD}.${member}`,
      message,
      hint: "name the network and both subnets, or none of the three",
    });
  const brings = (gcp.network ?? "") !== "";
  if (gcp.networkProjectID) {
    if (!brings) required("network", "a networkProjectID needs a network of that project");
    if (!SHARED_NETWORK_MODES.includes(config.credentialsMode ?? ""))
      report({
        code: "IC347",
        kind: "NotSupported",
        field: `${FIELD}.credentialsMode`,
        at: "credentialsMode",
        message: "a network of another project needs the credentials mode Manual or Passthrough",
        hint: "set credentialsMode",
      });
  }
  if (brings && !gcp.computeSubnet)
    required("computeSubnet", "a network needs the subnet of compute machines");
  if (brings && !gcp.controlPlaneSubnet)
    required("controlPlaneSubnet", "a network needs the subnet of the control plane");
  if (!brings && (gcp.computeSubnet || gcp.controlPlaneSubnet))
    required("network", "subnets need their network");
}

function validateDns({ dns, networkProjectID }: GcpPlatform, { report }: RuleContext): void {
  const zone = dns?.privateZone;
  if (zone === undefined) return;
  if (!networkProjectID)
    report({
      code: "IC340",
      kind: "Required",
      field: `${FIELD}.dns.privateZone`,
      message: "a private zone can be named for a network of another project only",
      hint: "give networkProjectID, or leave dns out",
    });
  if (!zone.name)
    report({
      code: "IC340",
      kind: "Required",
      field: `${FIELD}.dns.privateZone.name`,
      message: "the private zone has no name",
      hint: "gcloud dns managed-zones list shows the names",
    });
}

function validateLabels(labels: NonNullable<GcpPlatform["userLabels"]>, { report }: RuleContext): void {
  if (labels.length > LABEL_LIMIT)
    report({
      code: "IC334",
      kind: "TooMany",
      field: `${FIELD}.userLabels`,
      message: `there are ${labels.length} labels; ${LABEL_LIMIT} are allowed`,
      hint: "remove some",
    });
  for (const [index, { key = "", value = "" }] of labels.entries()) {
    const fault = labelFault(key, value);
    if (fault !== undefined)
      report({
        code: "IC334",
        kind: "Invalid",
        field: `${FIELD}.userLabels[${key}]`,
        at: `${FIELD}.userLabels[${index}]`,
        message: `the label cannot be used: ${fault}`,
        hint: "keys begin with a lower-case letter; keys and values have 1 to 63 lower-case letters, digits, - and _",
      });
  }
}

function labelFault(key: string, value: string): string | undefined {
  if (!LABEL_KEY.test(key)) return `the key ${quote(key)} is not possible`;
  if (!LABEL_VALUE.test(value)) return `the value of ${key} is not possible`;
  return RESERVED_LABEL.test(key)
    ? "keys that begin with kubernetes-io or openshift-io are reserved"
    : undefined;
}

function validateServiceEndpoints(
  endpoints: NonNullable<GcpPlatform["serviceEndpoints"]>,
  { release, report }: RuleContext,
): void {
  const names = has(release, "formattedEndpoints") ? ENDPOINT_NAMES : [...ENDPOINT_NAMES, "TagManager"];
  for (const [index, { name = "", url = "" }] of endpoints.entries()) {
    const field = `${FIELD}.serviceEndpoints[${index}]`;
    if (!names.includes(name))
      report({
        code: "IC344",
        kind: "NotSupported",
        field: `${field}.name`,
        message: `there is no service ${quote(name)}`,
        hint: `the services are ${names.join(", ")}`,
      });
    if (endpoints.findIndex((each) => (each.name ?? "") === name) < index)
      report({
        code: "IC344",
        kind: "Duplicate",
        field: `${field}.name`,
        message: `the service ${quote(name)} has an endpoint already`,
        hint: "keep one of them",
      });
    const fault = urlFault(url);
    if (fault !== undefined)
      report({
        code: "IC344",
        kind: "Invalid",
        field: `${field}.url`,
        message: `the endpoint cannot be used: ${fault}`,
        hint: "write https://HOST",
      });
  }
}

function urlFault(url: string): string | undefined {
  const uri = parseUri(/^[^:]+:\/\//.test(url) ? url : `https://${url}`, "reference");
  if (uri === undefined) return "it is not a URL";
  if (uri.hostname === "") return "it has no host";
  return uri.scheme === "https" ? undefined : `its scheme is ${uri.scheme}, not https`;
}

function validateEndpoint(gcp: GcpPlatform, { report }: RuleContext): void {
  const { endpoint, firewallRulesManagement = "" } = gcp;
  if (endpoint !== undefined) {
    if (userProvidesDns(gcp))
      report({
        code: "IC347",
        kind: "Invalid",
        field: `${FIELD}.userProvisionedDNS`,
        message: "an endpoint needs DNS zones that the installer makes",
        hint: "leave userProvisionedDNS or the endpoint out",
      });
    if (!gcp.network)
      report({
        code: "IC332",
        kind: "Required",
        field: `${FIELD}.network`,
        message: "an endpoint is of a network that exists",
        hint: "name the network of the endpoint, and its subnets",
      });
    if (!endpoint.name)
      report({
        code: "IC344",
        kind: "Required",
        field: `${FIELD}.endpoint.name`,
        message: "the endpoint has no name",
        hint: "gcloud compute forwarding-rules list --global shows the names",
      });
  }
  if (firewallRulesManagement !== "" && !FIREWALL_POLICIES.includes(firewallRulesManagement))
    report({
      code: "IC347",
      kind: "NotSupported",
      field: `${FIELD}.firewallRulesManagement`,
      message: `firewallRulesManagement cannot be ${quote(firewallRulesManagement)}`,
      hint: `write ${FIREWALL_POLICIES.join(" or ")}`,
    });
}

function validatePool(
  gcp: GcpPlatform,
  section: GcpMachinePool,
  field: string,
  disks: readonly string[],
  { release, report }: RuleContext,
): void {
  for (const [index, zone] of (section.zones ?? []).entries())
    if (!zone.startsWith(gcp.region ?? ""))
      report({
        code: "IC335",
        kind: "Invalid",
        field: `${field}.zones[${index}]`,
        message: `the zone ${quote(zone)} is not in the region ${quote(gcp.region ?? "")}`,
        hint: "name zones of platform.gcp.region",
      });
  const { DiskSizeGB: size = 0, diskType = "" } = section.osDisk ?? {};
  if (size !== 0 && (size < SMALLEST_DISK || size > LARGEST_DISK))
    report({
      code: "IC337",
      kind: "Invalid",
      field: `${field}.diskSizeGB`,
      at: `${field}.osDisk.DiskSizeGB`,
      message: `a boot disk cannot have ${size} GB`,
      hint: `write ${SMALLEST_DISK} to ${LARGEST_DISK}`,
    });
  if (diskType !== "" && !disks.includes(diskType))
    report({
      code: "IC337",
      kind: "NotSupported",
      field: `${field}.diskType`,
      at: `${field}.osDisk.diskType`,
      message: COMPUTE_DISKS.includes(diskType)
        ? `${diskType} is too slow for the control plane`
        : `there is no disk type ${quote(diskType)}`,
      hint: `write one of ${disks.join(", ")}`,
    });
  for (const [index, tag] of (section.tags ?? []).entries())
    if (!NETWORK_TAG.test(tag))
      report({
        code: "IC334",
        kind: "Invalid",
        field: `${field}.tags[${index}]`,
        message: `${quote(tag)} is not possible as a network tag`,
        hint: "write at most 63 lower-case letters, digits and -, beginning with a letter and not ending with -",
      });
  if (
    has(release, "confidentialNeedsTerminate") &&
    section.confidentialCompute === "Enabled" &&
    section.onHostMaintenance !== "Terminate"
  )
    report({
      code: "IC343",
      kind: "Invalid",
      field: `${field}.OnHostMaintenance`,
      at: `${field}.onHostMaintenance`,
      message: "confidential machines cannot be moved to another host",
      hint: "set onHostMaintenance: Terminate beside confidentialCompute",
    });
}

function gatedFields({ platform: { gcp } }: NormalConfig, release: Release): readonly GatedField[] {
  const used: GatedField[] = [];
  if (gcp === undefined) return used;
  const dns = `${FIELD}.userProvisionedDNS`;
  if (userProvidesDns(gcp) && has(release, "hostedDnsGate"))
    used.push({ gate: "GCPClusterHostedDNS", field: dns });
  if (userProvidesDns(gcp) && has(release, "hostedDnsInstallGate"))
    used.push({ gate: "GCPClusterHostedDNSInstall", field: dns });
  if ((gcp.serviceEndpoints ?? []).length > 0 && has(release, "serviceEndpoints"))
    used.push({
      gate: has(release, "customEndpointsGate") ? "GCPCustomAPIEndpoints" : "GCPCustomAPIEndpointsInstall",
      field: `${FIELD}.serviceEndpoints`,
    });
  return used;
}

const POOL: Shape = {
  type: text,
  osDisk: {
    zero: {},
    of: {
      DiskSizeGB: { zero: 0 },
      diskType: text,
      encryptionKey: {
        keep: "given",
        of: { kmsKey: { keep: "given", of: { name: text, keyRing: text, location: text } } },
      },
    },
  },
  osImage: { keep: "given", of: { name: text, project: text } },
};

const SECTION: Shape = {
  projectID: text,
  region: text,
  userLabels: { each: { key: text, value: text } },
  userTags: { each: { parentID: text, key: text, value: text } },
  serviceEndpoints: { each: { name: text, url: text } },
  endpoint: { keep: "given", of: { name: text, clusterUseOnly: given } },
  dns: { keep: "given", of: { privateZone: { keep: "given", of: { name: text } } } },
  defaultMachinePlatform: { keep: "given", of: POOL },
};

export const rules: PlatformRules = {
  name: "gcp",
  finish,
  applyDefaults,
  validate,
  gatedFields: { rank: 1, used: gatedFields },
  normalForm: { section: () => SECTION, pool: POOL },
};
