/**
 * Old spellings of platform.vsphere: the flat members of the time of one vCenter and one failure domain, and names
 * where paths are wanted today (openshift/installer pkg/types/vsphere/conversion/installconfig.go).
 */
import { warning } from "../../../core/problem.js";
import type { CloudFacts } from "../../../generated/types/cloud-facts.js";
import type { InstallConfig } from "../../config.js";
import type { RuleContext } from "../../platform.js";
import { upconvertVirtualIps } from "../../virtual-ips.js";
import {
  GENERATED,
  joinPath,
  topologyOf,
  type VsphereFailureDomain,
  type VspherePlatform,
  type VsphereTopology,
  type VsphereVcenter,
  withTopology,
  withVsphere,
} from "../config.js";
import { inventoryOf } from "../facts/inventory.js";

const FIELD = "platform.vsphere";
const PORT = 443;

/** Flat members, with what replaces each, in the order in which they are told. */
const LOGIN = { vCenter: "server", username: "user", password: "password" } as const;
const PLACE = {
  datacenter: "datacenter",
  defaultDatastore: "datastore",
  folder: "folder",
  cluster: "computeCluster",
  resourcePool: "resourcePool",
  network: "networks[0]",
} as const;

/** The folder of the inventory that a member's names stand in. */
const FOLDERS = [
  ["computeCluster", "host"],
  ["datastore", "datastore"],
  ["folder", "vm"],
] as const;

/** The config in today's spelling; undefined when old and new contradict each other, which is reported. */
export function upconvert(config: InstallConfig, context: RuleContext): InstallConfig | undefined {
  const old = config.platform?.vsphere;
  if (old === undefined) return config;
  warnOfFlat(old, context);
  const vcenters = given(old.vcenters) ?? [flatVcenter(old)];
  const domains = given(old.failureDomains);
  const failureDomains =
    domains === undefined ? [flatDomain(old, vcenters)] : completed(old, domains, vcenters);
  const next = upconvertVirtualIps({ ...old, vcenters, failureDomains }, FIELD, context);
  if (next === undefined) return undefined;
  warnOfNames(next, domains === undefined, context);
  return withVsphere(config, next);
}

const given = <T>(list: T[] | undefined): T[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;

/** The one vCenter; its datacenters are that of old and those of the failure domains. */
function flatVcenter(old: VspherePlatform): VsphereVcenter {
  const datacenters = [
    old.datacenter ?? "",
    ...(old.failureDomains ?? []).map((domain) => topologyOf(domain).datacenter ?? ""),
  ].filter((name) => name !== "");
  return {
    server: old.vCenter ?? "",
    user: old.username ?? "",
    password: old.password ?? "",
    port: PORT,
    datacenters: [...new Set(datacenters)],
  };
}

/** The one failure domain. */
function flatDomain(old: VspherePlatform, [vcenter]: readonly VsphereVcenter[]): VsphereFailureDomain {
  const optional: VsphereTopology = {
    ...(old.resourcePool === undefined ? {} : { resourcePool: old.resourcePool }),
    ...(old.folder === undefined ? {} : { folder: old.folder }),
  };
  return {
    ...GENERATED,
    server: vcenter?.server ?? "",
    topology: {
      datacenter: old.datacenter ?? "",
      computeCluster: old.cluster ?? "",
      networks: [old.network ?? ""],
      datastore: old.defaultDatastore ?? "",
      ...optional,
    },
  };
}

/** Failure domains beside a flat vCenter: what they leave out is that of old. */
function completed(
  old: VspherePlatform,
  domains: readonly VsphereFailureDomain[],
  [vcenter]: readonly VsphereVcenter[],
): VsphereFailureDomain[] {
  if (given(old.vcenters) !== undefined) return [...domains];
  return domains.map((domain) => ({
    ...withTopology(domain, { datacenter: topologyOf(domain).datacenter || (old.datacenter ?? "") }),
    server: domain.server || (vcenter?.server ?? ""),
  }));
}

function warnOfFlat(old: VspherePlatform, { report }: RuleContext): void {
  const warn = (name: string, instead: string, used: boolean): void =>
    report(
      warning(
        "IC102",
        "Invalid",
        `${FIELD}.${name}`,
        used ? "deprecated" : `ignored because ${instead.replace(/\[0\].*/, "")} is also set`,
        used ? `use ${FIELD}.${instead}` : "remove it",
      ),
    );
  for (const name of ["vCenter", "username", "password"] as const)
    if (old[name]) warn(name, `vcenters[0].${LOGIN[name]}`, given(old.vcenters) === undefined);
  for (const name of [
    "datacenter",
    "defaultDatastore",
    "folder",
    "cluster",
    "resourcePool",
    "network",
  ] as const)
    if (old[name])
      warn(name, `failureDomains[0].topology.${PLACE[name]}`, given(old.failureDomains) === undefined);
}

const isName = (text: string | undefined): text is string =>
  text !== undefined && text !== "" && !text.startsWith("/");

/** The failure domains whose names are looked at: up to the first one whose vCenter is not there. */
function* withVcenter({ vcenters = [], failureDomains = [] }: VspherePlatform): Generator<number> {
  for (const [index, { server = "" }] of failureDomains.entries()) {
    if (!vcenters.some((each) => (each.server ?? "") === server)) return;
    yield index;
  }
}

const FLAT_NAMES = { computeCluster: "cluster", datastore: "defaultDatastore", folder: "folder" } as const;

function warnOfNames(platform: VspherePlatform, flat: boolean, { report }: RuleContext): void {
  for (const index of withVcenter(platform)) {
    const topology = topologyOf(platform.failureDomains?.[index] ?? {});
    for (const [member, folder] of FOLDERS) {
      const name = topology[member];
      if (!isName(name)) continue;
      const path = joinPath("/", topology.datacenter ?? "", folder, name);
      report(
        warning(
          "IC102",
          "Invalid",
          `${FIELD}.failureDomains[${index}].topology.${member}`,
          "deprecated: use a path instead of a name; the name is looked up in the inventory facts or used as a direct child",
          {
            ...(flat ? { at: `${FIELD}.${FLAT_NAMES[member]}` } : {}),
            hint: `use a path such as ${path}`,
          },
        ),
      );
    }
  }
}

/**
 * Names become paths: the one of the inventory that ends like it, where the facts hold an inventory, else the one right
 * below the datacenter's folder of its kind, as the installer does without a login.
 */
export function finish(config: InstallConfig, facts: CloudFacts | undefined): InstallConfig {
  const section = config.platform?.vsphere;
  if (section === undefined) return config;
  const failureDomains = [...(section.failureDomains ?? [])];
  for (const index of withVcenter(section)) {
    const domain = failureDomains[index] ?? {};
    const topology = topologyOf(domain);
    const paths = FOLDERS.flatMap(([member, folder]): VsphereTopology[] => {
      const name = topology[member];
      if (!isName(name)) return [];
      return [
        { [member]: pathOf(name, topology.datacenter ?? "", folder, inventoryOf(facts, domain.server)) },
      ];
    });
    failureDomains[index] = withTopology(domain, Object.assign({}, ...paths));
  }
  return withVsphere(config, { ...section, failureDomains });
}

function pathOf(
  name: string,
  datacenter: string,
  folder: string,
  inventory: readonly string[] | undefined,
): string {
  const joined = joinPath("/", datacenter, folder, name);
  const below = `${joinPath("/", datacenter, folder)}/`;
  const last = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  const found = (inventory ?? []).filter((path) => path.startsWith(below));
  return found.includes(joined) ? joined : (found.find((path) => last(path) === last(joined)) ?? joined);
}
