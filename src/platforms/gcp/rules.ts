/** Rules of platform.gcp and of its machine pools (openshift/installer pkg/types/gcp/validation). */
import { duplicate, invalid, problem, required, unsupported } from "../../core/problem.js";
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
  if (!gcp.region) report(required("IC331", `${FIELD}.region`, "", "use a region such as europe-west1"));
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
  const missing = (member: string, message: string) =>
    report(
      problem(
        "IC332",
        "Required",
        `${FIELD}.${member}`,
        message,
        "set network and both subnets, or none of the three",
      ),
    );
  const brings = (gcp.network ?? "") !== "";
  if (gcp.networkProjectID) {
    if (!brings) missing("network", "required value is missing: networkProjectID requires a network");
    if (!SHARED_NETWORK_MODES.includes(config.credentialsMode ?? ""))
      report(
        problem(
          "IC347",
          "NotSupported",
          `${FIELD}.credentialsMode`,
          "networkProjectID requires credentialsMode: Manual or Passthrough",
          { at: "credentialsMode", hint: "set credentialsMode: Passthrough" },
        ),
      );
  }
  if (brings && !gcp.computeSubnet)
    missing("computeSubnet", "required value is missing: an existing network requires it");
  if (brings && !gcp.controlPlaneSubnet)
    missing("controlPlaneSubnet", "required value is missing: an existing network requires it");
  if (!brings && (gcp.computeSubnet || gcp.controlPlaneSubnet))
    missing("network", "required value is missing: existing subnets require it");
}

function validateDns({ dns, networkProjectID }: GcpPlatform, { report }: RuleContext): void {
  const zone = dns?.privateZone;
  if (zone === undefined) return;
  if (!networkProjectID)
    report(
      problem(
        "IC340",
        "Required",
        `${FIELD}.dns.privateZone`,
        "requires networkProjectID",
        "set networkProjectID, or remove dns",
      ),
    );
  if (!zone.name)
    report(
      required(
        "IC340",
        `${FIELD}.dns.privateZone.name`,
        "",
        "to list the names, run: gcloud dns managed-zones list",
      ),
    );
}

function validateLabels(labels: NonNullable<GcpPlatform["userLabels"]>, { report }: RuleContext): void {
  if (labels.length > LABEL_LIMIT)
    report(
      problem(
        "IC334",
        "TooMany",
        `${FIELD}.userLabels`,
        `must have at most ${LABEL_LIMIT} items, has ${labels.length}`,
        "remove some",
      ),
    );
  for (const [index, { key = "", value = "" }] of labels.entries()) {
    const fault = labelFault(key, value);
    if (fault !== undefined)
      report(
        problem("IC334", "Invalid", `${FIELD}.userLabels[${key}]`, `invalid label: ${fault}`, {
          at: `${FIELD}.userLabels[${index}]`,
          hint: "use keys and values of 1 to 63 lowercase letters, digits, - and _, and start keys with a letter",
        }),
      );
  }
}

function labelFault(key: string, value: string): string | undefined {
  if (!LABEL_KEY.test(key)) return `invalid key ${quote(key)}`;
  if (!LABEL_VALUE.test(value)) return `invalid value of ${key}`;
  return RESERVED_LABEL.test(key)
    ? "keys that start with kubernetes-io or openshift-io are reserved"
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
      report(
        problem(
          "IC344",
          "NotSupported",
          `${field}.name`,
          `unsupported service ${quote(name)}`,
          `use one of ${names.join(", ")}`,
        ),
      );
    if (endpoints.findIndex((each) => (each.name ?? "") === name) < index)
      report(duplicate("IC344", `${field}.name`, name, "keep one of them"));
    const fault = urlFault(url);
    if (fault !== undefined)
      report(
        problem(
          "IC344",
          "Invalid",
          `${field}.url`,
          `the endpoint cannot be used: ${fault}`,
          "use https://HOST",
        ),
      );
  }
}

function urlFault(url: string): string | undefined {
  const uri = parseUri(/^[^:]+:\/\//.test(url) ? url : `https://${url}`, "reference");
  if (uri === undefined) return "must be a URL";
  if (uri.hostname === "") return "must have a host";
  return uri.scheme === "https" ? undefined : `must have the scheme https, found ${uri.scheme}`;
}

function validateEndpoint(gcp: GcpPlatform, { report }: RuleContext): void {
  const { endpoint, firewallRulesManagement = "" } = gcp;
  if (endpoint !== undefined) {
    if (userProvidesDns(gcp))
      report(
        problem(
          "IC347",
          "Invalid",
          `${FIELD}.userProvisionedDNS`,
          "not supported with userProvisionedDNS",
          "remove userProvisionedDNS or the endpoint",
        ),
      );
    if (!gcp.network)
      report(
        problem(
          "IC332",
          "Required",
          `${FIELD}.network`,
          "an endpoint requires an existing network",
          "set the network of the endpoint and its subnets",
        ),
      );
    if (!endpoint.name)
      report(
        required(
          "IC344",
          `${FIELD}.endpoint.name`,
          "",
          "to list the names, run: gcloud compute forwarding-rules list --global",
        ),
      );
  }
  if (firewallRulesManagement !== "" && !FIREWALL_POLICIES.includes(firewallRulesManagement))
    report(
      unsupported("IC347", `${FIELD}.firewallRulesManagement`, firewallRulesManagement, FIREWALL_POLICIES),
    );
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
      report(
        invalid(
          "IC335",
          `${field}.zones[${index}]`,
          zone,
          `must be in the region ${quote(gcp.region ?? "")}`,
          "use zones of platform.gcp.region",
        ),
      );
  const { DiskSizeGB: size = 0, diskType = "" } = section.osDisk ?? {};
  if (size !== 0 && (size < SMALLEST_DISK || size > LARGEST_DISK))
    report(
      problem("IC337", "Invalid", `${field}.diskSizeGB`, `invalid size ${size} GB`, {
        at: `${field}.osDisk.DiskSizeGB`,
        hint: `use ${SMALLEST_DISK} to ${LARGEST_DISK}`,
      }),
    );
  if (diskType !== "" && !disks.includes(diskType))
    report(
      problem(
        "IC337",
        "NotSupported",
        `${field}.diskType`,
        COMPUTE_DISKS.includes(diskType)
          ? `${diskType} is not supported for the control plane`
          : `unsupported disk type ${quote(diskType)}`,
        { at: `${field}.osDisk.diskType`, hint: `use one of ${disks.join(", ")}` },
      ),
    );
  for (const [index, tag] of (section.tags ?? []).entries())
    if (!NETWORK_TAG.test(tag))
      report(
        problem(
          "IC334",
          "Invalid",
          `${field}.tags[${index}]`,
          `invalid network tag ${quote(tag)}`,
          "use at most 63 lowercase letters, digits and -, starting with a letter and not ending with -",
        ),
      );
  if (
    has(release, "confidentialNeedsTerminate") &&
    section.confidentialCompute === "Enabled" &&
    section.onHostMaintenance !== "Terminate"
  )
    report(
      problem(
        "IC343",
        "Invalid",
        `${field}.OnHostMaintenance`,
        "requires onHostMaintenance: Terminate: confidential VMs cannot be migrated",
        {
          at: `${field}.onHostMaintenance`,
          hint: "set onHostMaintenance: Terminate",
        },
      ),
    );
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
