/**
 * Where facts of ibmcloud and the install-config contradict each other, or facts themselves: what an installer with a
 * network would find (openshift/installer pkg/asset/installconfig/ibmcloud/validation.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import type { IbmcloudFacts, IbmcloudResourceGroup } from "../../generated/types/cloud-facts.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import {
  existingSubnets,
  type IbmcloudConfig,
  type IbmcloudMachinePool,
  ibmcloudOf,
  isPrivate,
  poolSection,
  type Role,
  SUBNET_LISTS,
} from "./config.js";

const FIELD = "platform.ibmcloud";

const wrong = (
  kind: Problem["kind"],
  field: string,
  message: string,
  hint: string,
  at: string = field,
): Problem => problem("FACT002", kind, field, message, { at, hint });

/** What is wrong within the facts file, or with what it is of. */
export function factProblems(config: NormalConfig, facts: IbmcloudFacts): Problem[] {
  const { region } = ibmcloudOf(config);
  const inFile = (field: string, message: string, hint: string): Problem =>
    problem("FACT002", "Invalid", `ibmcloud.${field}`, message, hint);
  const elsewhere = (field: string, zone: string): Problem[] =>
    zone.startsWith(region)
      ? []
      : [inFile(field, `${zone} is not in ${region}, the region of the install-config`, "")];
  const service = isPrivate(config) ? "dns-svcs" : "internet-svcs";
  const crn = facts.dnsZone?.instanceCRN.split(":") ?? [];
  return [
    ...(facts.region !== undefined && facts.region !== region
      ? [
          inFile(
            "region",
            `the facts are for ${facts.region}, but the install-config is for ${region}`,
            `use the facts for ${region}`,
          ),
        ]
      : []),
    ...(facts.zones ?? []).flatMap((zone, i) => elsewhere(`zones[${i}]`, zone)),
    ...(facts.subnets ?? []).flatMap(({ zone }, i) => elsewhere(`subnets[${i}].zone`, zone)),
    ...(facts.dedicatedHosts ?? []).flatMap(({ zone }, i) => elsewhere(`dedicatedHosts[${i}].zone`, zone)),
    ...(facts.dnsZone === undefined || (crn.length === 10 && crn[4] === service)
      ? []
      : [
          inFile(
            "dnsZone.instanceCRN",
            `must be the CRN of a ${service} instance, as publish: ${config.publish} requires`,
            `to list the CRNs, run: ibmcloud resource service-instances --service-name ${service} --output json`,
          ),
        ]),
  ];
}

/** Where the cloud, as the facts have it, does not agree with the install-config; lists that are not given are not asked. */
export function contradictions(config: NormalConfig, facts: IbmcloudFacts): Problem[] {
  const section = ibmcloudOf(config);
  return [
    ...groupProblems(section, facts),
    ...networkProblems(config, section, facts),
    ...writtenPools(config).flatMap(({ pool, field, at }) => poolProblems(section, pool, facts, field, at)),
  ];
}

/**
 * The sections of pools with their place; the installer names the platform's section where it means
 * defaultMachinePlatform.
 */
function writtenPools(
  config: NormalConfig,
): readonly { readonly pool: IbmcloudMachinePool; readonly field: string; readonly at: string }[] {
  const fallback = ibmcloudOf(config).defaultMachinePlatform;
  const own = [
    { pool: poolSection(config.controlPlane), field: `controlPlane.${FIELD}` },
    ...config.compute.map((pool, i) => ({ pool: poolSection(pool), field: `compute[${i}].${FIELD}` })),
  ];
  return [
    ...(fallback === undefined
      ? []
      : [{ pool: fallback, field: FIELD, at: `${FIELD}.defaultMachinePlatform` }]),
    ...own.map((each) => ({ ...each, at: each.field })),
  ];
}

/** A resource group is named by its name or its identifier; undefined where the facts do not know it. */
const isGroup = (group: IbmcloudResourceGroup, name: string): boolean =>
  group.name === name || group.id === name;

function groupProblems(section: IbmcloudConfig, { resourceGroups }: IbmcloudFacts): Problem[] {
  if (resourceGroups === undefined) return [];
  const { vpcName = "" } = section;
  return (["resourceGroupName", "networkResourceGroupName"] as const).flatMap((member) => {
    const name = section[member] ?? "";
    // Without a VPC of its own the second is refused for that alone.
    return name === "" ||
      (member === "networkResourceGroupName" && vpcName === "") ||
      resourceGroups.some((group) => isGroup(group, name))
      ? []
      : [
          wrong(
            "NotFound",
            `${FIELD}.${member}`,
            `resource group ${quote(name)} is not listed in the facts file`,
            "use a resource group of the account",
          ),
        ];
  });
}

function networkProblems(config: NormalConfig, section: IbmcloudConfig, facts: IbmcloudFacts): Problem[] {
  const { vpcName = "", networkResourceGroupName: group = "" } = section;
  // What is missing is told before (cloudRules), and nothing else of the network then.
  if (vpcName === "" || group === "") return [];
  const { vpc } = facts;
  if (vpc !== undefined && vpc.name !== vpcName)
    return [
      wrong(
        "NotFound",
        `${FIELD}.vpcName`,
        `the facts are for the VPC ${vpc.name}, not ${quote(vpcName)}`,
        "use that VPC, or the facts of the other one",
      ),
    ];
  if (vpc?.resourceGroup !== undefined && !isGroup(vpc.resourceGroup, group))
    return [
      wrong(
        "Invalid",
        `${FIELD}.vpcName`,
        `the VPC is in the resource group ${vpc.resourceGroup.name}, not ${quote(group)}`,
        "set networkResourceGroupName to that group",
      ),
    ];
  return [
    ...SUBNET_LISTS.flatMap(({ role, list }) => subnetProblems(section, role, `${FIELD}.${list}`, facts)),
    ...coverProblems(section, "master", config.controlPlane.platform.ibmcloud, facts),
    ...config.compute.flatMap((pool) => coverProblems(section, "worker", pool.platform.ibmcloud, facts)),
  ];
}

function subnetProblems(
  section: IbmcloudConfig,
  role: Role,
  field: string,
  { subnets = [] }: IbmcloudFacts,
): Problem[] {
  const { vpcName = "", networkResourceGroupName: group = "" } = section;
  return existingSubnets(section, role).flatMap((name, i) => {
    const subnet = subnets.find((each) => each.name === name);
    const at = `${field}[${i}]`;
    return [
      ...(subnet?.vpc !== undefined && subnet.vpc !== vpcName
        ? [
            wrong(
              "Invalid",
              field,
              `the subnet ${quote(name)} is in the VPC ${subnet.vpc}, not ${quote(vpcName)}`,
              "use subnets of one VPC",
              at,
            ),
          ]
        : []),
      ...(subnet?.resourceGroup !== undefined && !isGroup(subnet.resourceGroup, group)
        ? [
            wrong(
              "Invalid",
              field,
              `the subnet ${quote(name)} is in the resource group ${subnet.resourceGroup.name}, not ${quote(group)}`,
              "set networkResourceGroupName to that group",
              at,
            ),
          ]
        : []),
    ];
  });
}

/**
 * The subnets of a role lie in the zones of its pool, no more and no fewer. The installer asks for the zones that the
 * pool itself names, else for all of the region: those of defaultMachinePlatform do not count.
 */
function coverProblems(
  section: IbmcloudConfig,
  role: Role,
  pool: IbmcloudMachinePool | undefined,
  { subnets = [], zones: ofRegion }: IbmcloudFacts,
): Problem[] {
  const names = existingSubnets(section, role);
  const known = names.flatMap((name) => subnets.find((each) => each.name === name) ?? []);
  const wanted = pool?.zones ?? ofRegion;
  // Subnets that nothing is known about are missing facts already, and so are the zones of a region.
  if (names.length === 0 || known.length < names.length || wanted === undefined) return [];
  const covered = new Set(known.map(({ zone }) => zone));
  const field = `${FIELD}.${role === "master" ? "controlPlaneSubnets" : "computeSubnets"}`;
  const hint =
    "use one subnet in every zone of the pool and in no other zone, or change the zones of the pool";
  if (covered.size !== wanted.length)
    return [
      wrong(
        "Invalid",
        field,
        `the subnets are in ${[...covered].join(", ")}, but the machines are in ${wanted.join(", ") || "no zone"}`,
        hint,
      ),
    ];
  return wanted
    .filter((zone) => !covered.has(zone))
    .map((zone) => wrong("Invalid", field, `no subnet is in ${zone}`, hint));
}

function poolProblems(
  section: IbmcloudConfig,
  { type = "", zones = [], bootVolume, dedicatedHosts = [] }: IbmcloudMachinePool,
  facts: IbmcloudFacts,
  field: string,
  at: string,
): Problem[] {
  const told = (kind: Problem["kind"], member: string, message: string, hint: string): Problem =>
    wrong(kind, `${field}.${member}`, message, hint, `${at}.${member}`);
  const unknown =
    facts.zones === undefined ? -1 : zones.findIndex((zone) => facts.zones?.includes(zone) !== true);
  const key = bootVolume?.encryptionKey ?? "";
  const found = facts.encryptionKeys?.find(({ crn }) => crn === key);
  const keyField = "bootVolume.encryptionKey";
  return [
    ...(type !== "" && facts.instanceProfiles?.includes(type) === false
      ? [
          told(
            "NotFound",
            "type",
            `profile ${quote(type)} is not listed in the facts file`,
            "use a profile of the region",
          ),
        ]
      : []),
    ...(unknown < 0
      ? []
      : [
          told(
            "Invalid",
            `zones[${unknown}]`,
            `zone ${quote(zones[unknown] ?? "")} is not in the region ${section.region}`,
            `use one of ${facts.zones?.join(", ") || "the zones of the region"}`,
          ),
        ]),
    ...(key !== "" && facts.encryptionKeys !== undefined && found === undefined
      ? [
          told(
            "NotFound",
            keyField,
            "the key is not listed in the facts file",
            "use a root key of the account",
          ),
        ]
      : []),
    ...((found?.state ?? 1) === 1
      ? []
      : [told("Invalid", keyField, "the key must be active", "enable the key, or use another one")]),
    ...(found?.deleted === true
      ? [told("Invalid", keyField, "the key was deleted", "restore the key, or use another one")]
      : []),
    ...dedicatedHosts.flatMap((host, i) =>
      hostProblems(host, zones[i] ?? "", type, facts, (member, message, hint) =>
        told("Invalid", `dedicatedHosts[${i}].${member}`, message, hint),
      ),
    ),
  ];
}

function hostProblems(
  { name = "", profile = "" }: NonNullable<IbmcloudMachinePool["dedicatedHosts"]>[number],
  zone: string,
  type: string,
  { dedicatedHosts, dedicatedHostProfiles }: IbmcloudFacts,
  told: (member: "name" | "profile", message: string, hint: string) => Problem,
): Problem[] {
  const takes = (profiles: readonly string[] | undefined): boolean => profiles?.includes(type) ?? true;
  if (name === "") {
    const found = dedicatedHostProfiles?.find((each) => each.name === profile);
    if (dedicatedHostProfiles !== undefined && found === undefined)
      return [
        told(
          "profile",
          `host profile ${quote(profile)} is not listed in the facts file`,
          "use one in the region",
        ),
      ];
    return takes(found?.instanceProfiles)
      ? []
      : [
          told(
            "profile",
            `the host profile does not support the machine type ${quote(type)}`,
            "use another profile",
          ),
        ];
  }
  if (dedicatedHosts === undefined) return [];
  const host = dedicatedHosts.find((each) => each.name === name);
  if (host === undefined)
    return [
      told("name", `dedicated host ${quote(name)} is not listed in the facts file`, "use one in the region"),
    ];
  return [
    ...(host.provisionable === false
      ? [
          told(
            "name",
            "instance placement is disabled on the host",
            "enable instance placement, or use another host",
          ),
        ]
      : []),
    ...(host.zone === zone
      ? []
      : [
          told(
            "name",
            `the host is in ${host.zone}, not ${quote(zone)}`,
            "list hosts and zones in the same order",
          ),
        ]),
    ...(takes(host.instanceProfiles)
      ? []
      : [told("name", `the host does not support the machine type ${quote(type)}`, "use another host")]),
  ];
}
