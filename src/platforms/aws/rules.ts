import type { Release } from "../../core/release.js";
import type { NormalConfig } from "../config.js";
import { isDualStack } from "../ip-families.js";
import { given, type Shape, text } from "../normal-shape.js";
import type { GatedField, PlatformRules } from "../platform.js";
import { applyDefaults } from "./install-config/defaults.js";
import { addEdgePool } from "./install-config/edge-pool.js";
import { validate } from "./install-config/rules.js";
import { upconvert } from "./install-config/upconvert.js";
import { has } from "./tables.js";

function gatedFields({ platform: { aws }, compute }: NormalConfig, release: Release): readonly GatedField[] {
  const used: GatedField[] = [];
  const dns = has(release, "hostedDnsInstallGate") ? "AWSClusterHostedDNSInstall" : "AWSClusterHostedDNS";
  if (aws?.userProvisionedDNS === "Enabled")
    used.push({ gate: dns, field: "platform.aws.userProvisionedDNS" });
  if (aws === undefined || !has(release, "ipFamily")) return used;
  if (isDualStack(aws)) used.push({ gate: "AWSDualStackInstall", field: "platform.aws.ipFamily" });
  if (aws.region?.startsWith("eusc-") === true)
    used.push({ gate: "AWSEuropeanSovereignCloudInstall", field: "platform.aws.region" });
  const placed = compute.findIndex((pool) => pool.platform.aws?.hostPlacement !== undefined);
  if (placed >= 0)
    used.push({ gate: "AWSDedicatedHosts", field: `compute[${placed}].platform.aws.hostPlacement` });
  return used;
}

const POOL: Shape = {
  type: text,
  rootVolume: { zero: {}, of: { iops: { zero: 0 }, size: { zero: 0 }, type: text, throughput: given } },
  metadataService: { zero: {} },
  cpuOptions: { keep: "given", of: { confidentialCompute: given } },
  hostPlacement: { keep: "given", of: { affinity: given } },
};

const section = (release: Release): Shape => ({
  region: text,
  ...(has(release, "subnetRoles")
    ? { vpc: { zero: {}, of: { subnets: { each: { id: text, roles: { each: { type: text } } } } } } }
    : {}),
  userTags: { map: true },
  serviceEndpoints: { each: { name: text, url: text } },
  defaultMachinePlatform: { keep: "given", of: POOL },
});

/** Releases without roles of subnets know the flat list only. */
function withoutVpc(config: NormalConfig, release: Release): NormalConfig {
  if (config.platform.aws === undefined || has(release, "subnetRoles")) return config;
  const { vpc: _, ...aws } = config.platform.aws;
  return { ...config, platform: { ...config.platform, aws } };
}

export const rules: PlatformRules = {
  name: "aws",
  upconvert,
  finish: addEdgePool,
  applyDefaults,
  validate,
  gatedFields: { rank: 3, used: gatedFields },
  normalForm: { prepare: withoutVpc, section, pool: POOL },
};
