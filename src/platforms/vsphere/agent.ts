/** vSphere in an agent-based installation: hosts are machines of the user's, and the login may be given later. */
import { problem } from "../../core/problem.js";
import { agentFact, type PlatformAgent } from "../agent.js";
import { ignoredFields } from "../agent-rules.js";
import type { RuleContext } from "../platform.js";
import { topologyOf, type VspherePlatform, type VsphereVcenter } from "./config.js";

const FIELD = "platform.vsphere";
/** As the installer names the section before 4.19. */
const OLD_FIELD = "Platform.VSphere";

const IGNORED = [["clusterOSImage"], ["defaultMachinePlatform"], ["diskType"], ["loadBalancer"]] as const;

const isGiven = ({ server = "", user = "", password = "", datacenters = [] }: VsphereVcenter): boolean =>
  server !== "" || user !== "" || password !== "" || datacenters.length > 0;

/** A login is whole or left out. */
function validateLogins(vsphere: VspherePlatform, { release, report }: RuleContext): void {
  const { vcenters = [], failureDomains = [] } = vsphere;
  const modern = agentFact(release, "fieldsInLowerCase");
  const isFlat = (vsphere.vCenter ?? vsphere.password ?? vsphere.datacenter ?? "") !== "";
  const missing = (field: string, old: string, at: string, name: string): void =>
    report(
      problem(
        "AGT012",
        "Required",
        modern ? field : `${OLD_FIELD}.${old}`,
        "required value is missing: a part of the vCenter login is set",
        { at, below: true, hint: `set ${name}, or remove the whole login` },
      ),
    );
  for (const [index, vcenter] of vcenters.entries()) {
    if (!isGiven(vcenter)) continue;
    const at = `${FIELD}.vcenters[${index}]`;
    if (!vcenter.server) missing(`${at}.server`, "vcenter", `${at}.server`, "server");
    if (!vcenter.user)
      missing(
        isFlat ? `${FIELD}.username` : `${at}.user`,
        isFlat ? "username" : "user",
        `${at}.user`,
        isFlat ? "username" : "user",
      );
    if (!vcenter.password) missing(`${at}.password`, "password", `${at}.password`, "password");
    if ((vcenter.datacenters ?? []).length === 0)
      missing(`${at}.datacenter`, "datacenter", `${at}.datacenters`, "datacenters");
  }
  if (!vcenters.some(isGiven)) return;
  for (const [index, domain] of failureDomains.entries())
    if (!topologyOf(domain).folder) {
      const at = `${FIELD}.failureDomains[${index}].topology.folder`;
      report(
        problem(
          "AGT012",
          "Required",
          modern ? at : `${OLD_FIELD}.failureDomains.topology.folder`,
          "required value is missing: assisted-service uses the folder of each failure domain",
          { at, below: true, hint: "set a folder such as /dc1/vm/cluster" },
        ),
      );
    }
}

export const agent: PlatformAgent = {
  validate(config, context) {
    const { vsphere } = config.platform;
    if (vsphere === undefined) return;
    validateLogins(vsphere, context);
    ignoredFields(FIELD, vsphere, IGNORED, context);
    if ((vsphere.hosts ?? []).length > 1) ignoredFields(FIELD, vsphere, [["hosts"]], context);
  },
  spec({ platform: { vsphere } }) {
    const { apiVIPs = [], ingressVIPs = [] } = vsphere ?? {};
    return { apiVIPs, ingressVIPs };
  },
  override({ config: { platform }, section, isOverridden }) {
    const { apiVIPs = [], vcenters = [], failureDomains = [] } = platform.vsphere ?? {};
    const pair = apiVIPs.length > 1 ? ["apiVIPs", "ingressVIPs"] : [];
    const login = vcenters.some(isGiven)
      ? ["vcenters", ...(failureDomains.length > 0 ? ["failureDomains"] : [])]
      : [];
    const names: ReadonlySet<string> = new Set([...pair, ...login]);
    if (names.size === 0 && !isOverridden) return undefined;
    return Object.fromEntries(Object.entries(section).filter(([name]) => names.has(name)));
  },
};
