/** Nutanix in an agent-based installation: the login goes to the cluster, and hosts are machines of the user's. */
import type { PlatformAgent } from "../agent.js";
import { ignoredFields } from "../agent-rules.js";

/** What assisted-service has no use for. */
const IGNORED = [
  ["clusterOSImage"],
  ["preloadedOSImageName"],
  ["defaultMachinePlatform"],
  ["loadBalancer"],
  ["failureDomains"],
  ["prismAPICallTimeout", 10],
] as const;

export const agent: PlatformAgent = {
  validate: (config, context) => ignoredFields("platform.nutanix", config.platform.nutanix, IGNORED, context),
  spec({ platform: { nutanix } }) {
    const { apiVIPs = [], ingressVIPs = [] } = nutanix ?? {};
    return { apiVIPs, ingressVIPs };
  },
  override: ({ section }) => {
    const left: ReadonlySet<string> = new Set(IGNORED.map(([name]) => name));
    return Object.fromEntries(Object.entries(section).filter(([name]) => !left.has(name)));
  },
};
