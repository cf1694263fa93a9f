/**
 * Rules of failure domains (openshift/installer pkg/types/vsphere/validation/platform.go, `validateFailureDomains`).
 * Where the installer looks no further, nothing more is told here either.
 */
import { problem } from "../../../core/problem.js";
import { quote } from "../../../text/quote.js";
import type { RuleContext } from "../../platform.js";
import {
  HOST_GROUP,
  isGenerated,
  topologyOf,
  type VsphereFailureDomain,
  type VspherePlatform,
} from "../config.js";
import { has } from "../tables.js";

const PLATFORM = "platform.vsphere";
const FIELD = `${PLATFORM}.failureDomains`;
const MOST_TAGS = 10;
const MOST_NETWORKS = 10;
const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const TAG = new RegExp(`^urn:vmomi:InventoryServiceTag:${UUID}:[^:]+$`);

/** What stands around the first folder of this name in a path of one line: below the root, and below the folder. */
function around(path: string, folder: string): readonly [above: string, below: string] | undefined {
  const at = path.indexOf(folder, 1);
  if (!path.startsWith("/") || at < 0 || path.includes("\n")) return undefined;
  return [path.slice(1, at), path.slice(at + folder.length)];
}

/** What a member of a failure domain was called before there were any. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  server: "vCenter",
  "topology.datacenter": "datacenter",
  "topology.datastore": "defaultDatastore",
  "topology.folder": "folder",
  "topology.computeCluster": "cluster",
  "topology.resourcePool": "resourcePool",
  "topology.networks": "network",
};

export function validateFailureDomains(platform: VspherePlatform, context: RuleContext): void {
  const rules = new FailureDomainRules(platform, context);
  for (const [index, domain] of (platform.failureDomains ?? []).entries())
    if (!rules.judge(domain, index)) return;
}

class FailureDomainRules {
  private readonly names = new Set<string>();
  /** The region of the first failure domain of each zone. */
  private readonly regions = new Map<string, string>();
  private datacenters: readonly string[] | undefined;
  private index = 0;
  private generated = false;
  /** The installer asks less of a config of old that names neither cluster nor network. */
  private readonly legacy: boolean;

  constructor(
    private readonly platform: VspherePlatform,
    private readonly context: RuleContext,
  ) {
    const { network, cluster, vCenter } = platform;
    this.legacy = !network && !cluster && (vCenter ?? "") !== "";
  }

  /** False when nothing that follows is looked at. */
  judge(domain: VsphereFailureDomain, index: number): boolean {
    this.index = index;
    this.generated = isGenerated(domain);
    if (has(this.context.release, "zoneOnceInRegion")) this.zoneInRegion(domain);
    if (!this.types(domain)) return false;
    this.identity(domain);
    return this.topology(domain);
  }

  private zoneInRegion({ zone = "", region = "" }: VsphereFailureDomain): void {
    const before = this.regions.get(zone);
    if (before === undefined) this.regions.set(zone, region);
    else if (before === region)
      this.invalid(
        "zone",
        `duplicate zone ${quote(zone)} in the region ${quote(region)}`,
        "use a different tag for each zone",
      );
  }

  private types(domain: VsphereFailureDomain): boolean {
    const { regionType = "", zoneType = "" } = domain;
    if (regionType === "" && zoneType !== "")
      this.required(
        "regionType",
        "required value is missing: zoneType requires it",
        "use regionType: Datacenter or ComputeCluster",
      );
    if (regionType !== "" && zoneType === "")
      this.required(
        "zoneType",
        "required value is missing: regionType requires it",
        "use zoneType: ComputeCluster or HostGroup",
      );
    if (regionType === HOST_GROUP) {
      this.required("regionType", "must not be HostGroup for a region", "use regionType: ComputeCluster");
      return false;
    }
    if (zoneType === HOST_GROUP && !topologyOf(domain).hostGroup)
      this.report(
        "Required",
        has(this.context.release, "hostGroupBelowTopology") ? "topology.hostGroup" : "hostGroup",
        "required value is missing: zoneType: HostGroup requires it",
        "set topology.hostGroup",
        "topology.hostGroup",
      );
    if (regionType !== "ComputeCluster" || zoneType === HOST_GROUP) return true;
    this.required(
      "regionType",
      "regionType: ComputeCluster requires zoneType: HostGroup",
      "use regionType: Datacenter",
    );
    this.required(
      "zoneType",
      "regionType: ComputeCluster requires zoneType: HostGroup",
      "use zoneType: HostGroup",
    );
    return false;
  }

  private identity({ name = "", server = "", zone = "", region = "" }: VsphereFailureDomain): void {
    if (name === "") this.required("name", "required value is missing", "set a name such as zone-a");
    else if (this.names.has(name))
      this.report(
        "Duplicate",
        `name[${this.index}]`,
        `duplicate value ${quote(name)}`,
        "use a different name for each failure domain",
        "name",
      );
    this.names.add(name);
    // Up to 4.21 the vCenter of the failure domain before stayed in place of one that is not there.
    if (has(this.context.release, "listedDatacenters")) this.datacenters = undefined;
    if (server === "") this.required("server", "required value is missing", "set a server of vcenters");
    else {
      const vcenters = this.platform.vcenters ?? [];
      const found = vcenters.find((each) => each.server === server);
      if (found !== undefined) this.datacenters = found.datacenters ?? [];
      else if (this.datacenters === undefined)
        this.invalid(
          "server",
          `unsupported value ${quote(server)}: not in vcenters`,
          `use ${vcenters.map((each) => each.server ?? "").join(" or ")}, or add the vCenter`,
        );
    }
    if (zone === "") this.required("zone", "required value is missing", "set the tag of the zone");
    if (region === "") this.required("region", "required value is missing", "set the tag of the region");
  }

  private topology(domain: VsphereFailureDomain): boolean {
    const { datacenter = "", tagIDs = [], template = "" } = topologyOf(domain);
    if (datacenter === "")
      this.required("topology.datacenter", "required value is missing", "set the name of a datacenter");
    else if (
      has(this.context.release, "listedDatacenters") &&
      this.datacenters !== undefined &&
      this.datacenters.length > 0 &&
      !this.datacenters.includes(datacenter)
    )
      this.invalid(
        "topology.datacenter",
        `unsupported value ${quote(datacenter)}: must be a datacenter of the vCenter (${this.datacenters.join(", ")})`,
        "add it to the datacenters of the vCenter, or use one of them",
      );
    if (!this.datastore(domain)) return false;
    if (tagIDs.length > MOST_TAGS)
      this.invalid(
        "topology.tagIDs",
        `must have at most ${MOST_TAGS} items, has ${tagIDs.length}`,
        "remove some",
      );
    for (const [at, tag] of tagIDs.entries())
      if (!TAG.test(tag))
        this.report(
          "Invalid",
          "topology.tagIDs",
          `invalid value ${quote(tag)}: must be a tag ID`,
          "use urn:vmomi:InventoryServiceTag:UUID:GLOBAL, as govc tags.ls -json shows it",
          `topology.tagIDs[${at}]`,
        );
    this.networks(domain);
    if (!this.folder(domain) || !this.cluster(domain) || !this.pool(domain)) return false;
    if (template !== "" && this.platform.clusterOSImage && has(this.context.release, "templateOrImage")) {
      this.invalid("topology.template", "conflicts with clusterOSImage", "keep one of them");
      this.context.report(
        problem(
          "IC347",
          "Invalid",
          `${PLATFORM}.clusterOSImage`,
          "conflicts with topology.template of a failure domain",
          "keep one of them",
        ),
      );
    }
    return true;
  }

  private datastore(domain: VsphereFailureDomain): boolean {
    const { datastore = "", datacenter = "" } = topologyOf(domain);
    const member = "topology.datastore";
    if (datastore === "") {
      this.required(member, "required value is missing", "set the path /DATACENTER/datastore/NAME");
      return true;
    }
    if (around(datastore, "/datastore/") === undefined)
      return this.refused(
        member,
        `invalid value ${quote(datastore)}: must be the path of a datastore`,
        `use /${datacenter || "DATACENTER"}/datastore/NAME`,
      );
    return datastore.includes(datacenter)
      ? true
      : this.refused(
          member,
          `invalid value ${quote(datastore)}: must be in the datacenter ${quote(datacenter)}`,
          `use /${datacenter}/datastore/NAME, or the datacenter of the datastore`,
        );
  }

  private networks(domain: VsphereFailureDomain): void {
    const { length } = topologyOf(domain).networks ?? [];
    const member = "topology.networks";
    if (length === 0 && !this.legacy)
      this.required(member, "required value is missing", "set the names of its networks");
    else if (length > MOST_NETWORKS && has(this.context.release, "networkLimit"))
      this.report(
        "TooMany",
        member,
        `must have at most ${MOST_NETWORKS} items, has ${length}`,
        "remove some",
      );
  }

  private folder(domain: VsphereFailureDomain): boolean {
    const { folder = "", datacenter = "" } = topologyOf(domain);
    const member = "topology.folder";
    const hint = `use /${datacenter || "DATACENTER"}/vm/NAME, or remove folder`;
    if (folder === "") return true;
    if (around(folder, "/vm/") === undefined)
      return this.refused(member, `invalid value ${quote(folder)}: must be the path of a folder`, hint);
    return folder.includes(datacenter)
      ? true
      : this.refused(
          member,
          `invalid value ${quote(folder)}: must be in the datacenter ${quote(datacenter)}`,
          hint,
        );
  }

  private cluster(domain: VsphereFailureDomain): boolean {
    const { computeCluster = "", datacenter = "" } = topologyOf(domain);
    const member = "topology.computeCluster";
    const hint = `use /${datacenter || "DATACENTER"}/host/NAME`;
    if (computeCluster === "") {
      if (!this.legacy) this.required(member, "required value is missing", hint);
      return true;
    }
    const [place] = around(computeCluster, "/host/") ?? [];
    if (place === undefined)
      return this.refused(
        member,
        `invalid value ${quote(computeCluster)}: must be the path of a compute cluster`,
        hint,
      );
    return datacenter === "" || datacenter.includes(place)
      ? true
      : this.refused(
          member,
          `invalid value ${quote(computeCluster)}: must be in the datacenter ${quote(datacenter)}`,
          hint,
        );
  }

  private pool(domain: VsphereFailureDomain): boolean {
    const { resourcePool = "", computeCluster = "", datacenter = "" } = topologyOf(domain);
    const member = "topology.resourcePool";
    const hint = `use a path below ${computeCluster || "/DATACENTER/host/CLUSTER"}/Resources, or remove resourcePool`;
    if (resourcePool === "") return true;
    const [place, below = ""] = around(resourcePool, "/host/") ?? [];
    const [cluster] = below.split("/", 1);
    if (place === undefined || cluster === undefined || cluster === below)
      return this.refused(
        member,
        `invalid value ${quote(resourcePool)}: must be the path of a resource pool`,
        hint,
      );
    if (datacenter !== "" && !datacenter.includes(place))
      return this.refused(
        member,
        `invalid value ${quote(resourcePool)}: must be in the datacenter ${quote(datacenter)}`,
        hint,
      );
    return computeCluster === "" || computeCluster.includes(cluster)
      ? true
      : this.refused(
          member,
          `invalid value ${quote(resourcePool)}: must be in the compute cluster ${quote(computeCluster)}`,
          hint,
        );
  }

  private required(member: string, message: string, hint: string): void {
    this.report("Required", member, message, hint);
  }

  private invalid(member: string, message: string, hint: string): void {
    this.report("Invalid", member, message, hint);
  }

  private refused(member: string, message: string, hint: string): false {
    this.invalid(member, message, hint);
    return false;
  }

  private report(
    kind: "Required" | "Invalid" | "Duplicate" | "TooMany",
    member: string,
    message: string,
    hint: string,
    at = member,
  ): void {
    const old = this.generated ? OLD_NAMES[at] : undefined;
    this.context.report(
      problem(kind === "Required" ? "IC330" : "IC335", kind, `${FIELD}.${member}`, message, {
        at: old === undefined ? `${FIELD}[${this.index}].${at}` : `${PLATFORM}.${old}`,
        hint,
      }),
    );
  }
}
