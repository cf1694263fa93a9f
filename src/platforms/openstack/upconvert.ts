/** Old spellings of platform.openstack (openshift/installer pkg/types/conversion/installconfig.go, `convertOpenStack`). */
import { problem, warning } from "../../core/problem.js";
import type { InstallConfig, MachinePool } from "../config.js";
import type { RuleContext } from "../platform.js";
import { upconvertVirtualIps } from "../virtual-ips.js";
import type { OpenstackMachinePool, OpenstackPlatform } from "./config.js";

const FIELD = "platform.openstack";

/** Members that nothing reads any more. */
const WITHOUT_EFFECT = {
  region: "the region is taken from clouds.yaml",
  trunkSupport: "trunk ports are set in the machine manifests",
  octaviaSupport: "the load balancer service is detected",
} as const;

/** The config in today's spelling; undefined when old and new contradict each other, which is reported. */
export function upconvert(config: InstallConfig, context: RuleContext): InstallConfig | undefined {
  const old = config.platform?.openstack;
  if (old === undefined) return config;
  for (const [name, why] of Object.entries(WITHOUT_EFFECT))
    if (Object.entries(old).some(([key, value]) => key === name && value !== ""))
      warn(context, name, `ignored because ${why}`, "remove it");
  const converted = convertPlatform(old, context);
  if (converted === undefined) return undefined;
  const controlPlane =
    config.controlPlane === undefined
      ? undefined
      : convertPool(config.controlPlane, "controlPlane", "controlPlane", context);
  if (controlPlane === REFUSED) return undefined;
  const compute: MachinePool[] = [];
  for (const [index, pool] of (config.compute ?? []).entries()) {
    const next = convertPool(pool, "compute", `compute[${index}]`, context);
    if (next === REFUSED) return undefined;
    compute.push(next);
  }
  const defaults = converted.defaultMachinePlatform;
  const fallback =
    defaults === undefined
      ? undefined
      : convertVolume(defaults, `${FIELD}.type`, `${FIELD}.defaultMachinePlatform`, context);
  if (fallback === REFUSED) return undefined;
  const withVips = upconvertVirtualIps(
    { ...converted, ...(fallback === undefined ? {} : { defaultMachinePlatform: fallback }) },
    FIELD,
    context,
  );
  const openstack = withVips === undefined ? undefined : convertSubnet(withVips, context);
  if (openstack === undefined) return undefined;
  return {
    ...config,
    platform: { ...config.platform, openstack },
    ...(controlPlane === undefined ? {} : { controlPlane }),
    ...(config.compute === undefined ? {} : { compute }),
  };
}

const REFUSED = "refused";

/** The floating IP of the API, and the flavor of all machines. */
function convertPlatform(old: OpenstackPlatform, context: RuleContext): OpenstackPlatform | undefined {
  const next = { ...old };
  const { lbFloatingIP = "", computeFlavor = "" } = old;
  if (lbFloatingIP !== "") {
    if ((old.apiFloatingIP ?? "") === "") next.apiFloatingIP = lbFloatingIP;
    else if (old.apiFloatingIP !== lbFloatingIP)
      return conflict(context, `${FIELD}.lbFloatingIP`, "lbFloatingIP", "apiFloatingIP");
    deprecated(context, "lbFloatingIP", "apiFloatingIP");
  }
  if (computeFlavor !== "") {
    const pool = old.defaultMachinePlatform ?? {};
    if ((pool.type ?? "") !== "" && pool.type !== computeFlavor)
      return conflict(context, `${FIELD}.computeFlavor`, "computeFlavor", "defaultMachinePlatform.type");
    next.defaultMachinePlatform = { ...pool, type: computeFlavor };
    deprecated(context, "computeFlavor", "defaultMachinePlatform.type");
  }
  return next;
}

/** `field` is what the installer names, `at` where the pool stands. */
function convertPool(
  pool: MachinePool,
  field: string,
  at: string,
  context: RuleContext,
): MachinePool | typeof REFUSED {
  const section = pool.platform?.openstack;
  if (section === undefined) return pool;
  const below = ".platform.openstack";
  const next = convertVolume(section, `${field}${below}.rootVolume.type`, `${at}${below}`, context);
  return next === REFUSED ? REFUSED : { ...pool, platform: { ...pool.platform, openstack: next } };
}

function convertVolume(
  section: OpenstackMachinePool,
  field: string,
  at: string,
  context: RuleContext,
): OpenstackMachinePool | typeof REFUSED {
  const { type = "", ...volume } = section.rootVolume ?? {};
  if (type === "") return section;
  const place = `${at}.rootVolume.type`;
  if ((volume.types ?? []).length > 0) {
    conflict(context, field, "type", "types", place);
    return REFUSED;
  }
  context.report(warning("IC102", "Invalid", place, "deprecated", "use types"));
  return { ...section, rootVolume: { ...volume, types: [type] } };
}

/** A subnet of one's own is a member of controlPlanePort today. */
function convertSubnet(section: OpenstackPlatform, context: RuleContext): OpenstackPlatform | undefined {
  const { machinesSubnet: id = "", controlPlanePort } = section;
  if (id === "") return section;
  const name = "controlPlanePort.fixedIPs[0].subnet.id";
  if (controlPlanePort === undefined) {
    deprecated(context, "machinesSubnet", name);
    return { ...section, controlPlanePort: { fixedIPs: [{ subnet: { id } }] } };
  }
  const [first, second] = controlPlanePort.fixedIPs ?? [];
  if (first?.subnet?.id === id && second === undefined) {
    deprecated(context, "machinesSubnet", name);
    return section;
  }
  context.report(
    problem(
      "IC103",
      "Invalid",
      `${FIELD}.machinesSubnet`,
      "conflicts with controlPlanePort, which replaces it",
      "remove machinesSubnet",
    ),
  );
  return undefined;
}

function conflict(
  { report }: RuleContext,
  field: string,
  old: string,
  instead: string,
  at = field,
): undefined {
  report(
    problem("IC103", "Forbidden", field, `conflicts with ${instead}, which replaces it`, {
      at,
      hint: `remove ${old}`,
    }),
  );
}

const deprecated = (context: RuleContext, name: string, instead: string): void =>
  warn(context, name, "deprecated", `use ${FIELD}.${instead}`);

function warn({ report }: RuleContext, name: string, message: string, hint: string): void {
  report(warning("IC102", "Invalid", `${FIELD}.${name}`, message, hint));
}
