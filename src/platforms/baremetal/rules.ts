import type { Release } from "../../core/release.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { InstallConfig } from "../../generated/types/install-config.js";
import { block, given, type Shape, text } from "../normal-shape.js";
import type { PlatformRules } from "../platform.js";
import { gatedDnsRecords } from "../virtual-ips.js";
import { FIELD } from "./config.js";
import { applyDefaults } from "./install-config/defaults.js";
import { validate } from "./install-config/rules.js";
import { upconvert } from "./install-config/upconvert.js";

const SECTION: Shape = {
  provisioningNetworkInterface: text,
  provisioningNetworkCIDR: block,
  loadBalancer: given,
  defaultMachinePlatform: given,
  hosts: {
    zero: null,
    each: {
      bmc: {
        zero: {},
        of: {
          username: text,
          password: text,
          address: text,
          disableCertificateVerification: { zero: false },
        },
      },
      role: text,
      bootMACAddress: text,
      hardwareProfile: text,
      rootDeviceHints: { keep: "given", of: { rotational: given } },
      // What stands in it is the user's, empty values and all.
      networkConfig: { keep: "given", map: true },
    },
  },
};

/** The addresses that the installer looks up where the config names no virtual IPs. */
function addLookedUp(config: InstallConfig, facts: CloudFacts | undefined): InstallConfig {
  const { baremetal } = config.platform ?? {};
  const { apiVIP, ingressVIP } = facts?.baremetal ?? {};
  if (baremetal === undefined) return config;
  const missing = (list: readonly string[] | undefined): boolean => (list ?? []).length === 0;
  return {
    ...config,
    platform: {
      ...config.platform,
      baremetal: {
        ...baremetal,
        ...(missing(baremetal.apiVIPs) && apiVIP !== undefined ? { apiVIPs: [apiVIP] } : {}),
        ...(missing(baremetal.ingressVIPs) && ingressVIP !== undefined ? { ingressVIPs: [ingressVIP] } : {}),
      },
    },
  };
}

export const rules: PlatformRules = {
  name: "baremetal",
  upconvert,
  finish: addLookedUp,
  applyDefaults,
  validate,
  gatedFields: {
    rank: 5,
    since: "4.21",
    used: ({ platform: { baremetal } }) => gatedDnsRecords(baremetal ?? {}, FIELD),
  },
  normalForm: { section: (_release: Release) => SECTION, pool: {} },
};
