/** Rules of platform.openstack and of its machine pools (openshift/installer pkg/types/openstack/validation). */

import { isIP } from "node:net";
import { invalid, problem, required, unsupported } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import { parseAddress } from "../../kubernetes/network.js";
import type { NormalConfig } from "../config.js";
import { arbiterIsEnabled } from "../enabled-gates.js";
import { given, type Shape, text } from "../normal-shape.js";
import type { GatedField, PlatformRules, RuleContext } from "../platform.js";
import { gatedDnsRecords, validateVirtualIps } from "../virtual-ips.js";
import { isUuidV4, type OpenstackMachinePool, type PortTarget, poolSection, poolsByField } from "./config.js";
import { applyDefaults } from "./defaults.js";
import { upconvert } from "./upconvert.js";

const FIELD = "platform.openstack";
const POLICIES = ["soft-anti-affinity", "anti-affinity", "soft-affinity", "affinity"];
const MOST_SUBNETS = 2;

function validate(config: NormalConfig, context: RuleContext): void {
  const { openstack } = config.platform;
  if (openstack === undefined) return;
  const { externalDNS = [], defaultMachinePlatform, controlPlanePort } = openstack;
  validateVirtualIps(openstack, config, { field: FIELD, required: true, inMachineNetwork: true }, context);
  for (const [index, server] of externalDNS.entries())
    if (parseAddress(server) === undefined)
      context.report(
        invalid("IC340", `${FIELD}.externalDNS`, server, "must be an IP address", {
          at: `${FIELD}.externalDNS[${index}]`,
          hint: isIP(server) === 6 ? "remove the zone of the address" : "use the address of a DNS server",
        }),
      );
  if (controlPlanePort !== undefined) validatePort(controlPlanePort, context);
  if (defaultMachinePlatform !== undefined)
    validatePool(defaultMachinePlatform, `${FIELD}.defaultMachinePlatform`, context);
  const arbiter =
    config.arbiter === undefined || !arbiterIsEnabled(context.release, config)
      ? []
      : [{ pool: config.arbiter, field: "arbiter" }];
  for (const { pool, field } of [...poolsByField(config), ...arbiter]) {
    const section = poolSection(pool);
    if (section !== undefined) validatePool(section, `${field}.platform.openstack`, context);
  }
}

function validatePort({ network, fixedIPs = [] }: PortTarget, { report }: RuleContext): void {
  const field = `${FIELD}.controlPlanePort`;
  const id = network?.id ?? "";
  const hint = "to list the IDs, run openstack network list or openstack subnet list";
  if (id !== "" && !isUuidV4(id))
    report(
      invalid("IC332", `${field}.network`, id, "must be a version 4 UUID", {
        at: `${field}.network.id`,
        hint: `${hint}; for a name, use network.name`,
      }),
    );
  if (fixedIPs.length === 0)
    report(
      required("IC332", `${field}.fixedIPs`, "controlPlanePort requires a subnet", {
        below: true,
        hint: "add fixedIPs with a subnet, or remove controlPlanePort",
      }),
    );
  if (fixedIPs.length > MOST_SUBNETS) {
    report(
      problem(
        "IC332",
        "TooMany",
        `${field}.fixedIPs`,
        `must have at most one IPv4 and one IPv6 subnet, has ${fixedIPs.length}`,
        "remove some",
      ),
    );
    return;
  }
  for (const [index, { subnet }] of fixedIPs.entries()) {
    const at = `${field}.fixedIPs[${index}].subnet`;
    const { id: subnetID = "", name = "" } = subnet ?? {};
    if (subnetID !== "" && !isUuidV4(subnetID))
      report(
        invalid(
          "IC332",
          `${at}.id`,
          subnetID,
          "must be a version 4 UUID",
          `${hint}; for a name, use subnet.name`,
        ),
      );
    if (subnetID === "" && name === "")
      report(
        required("IC332", at, "id or name", {
          below: true,
          hint: "set id or name",
        }),
      );
  }
}

function validatePool(section: OpenstackMachinePool, field: string, { report }: RuleContext): void {
  const { serverGroupPolicy = "", rootVolume, zones = [] } = section;
  if (serverGroupPolicy !== "" && !POLICIES.includes(serverGroupPolicy))
    report(unsupported("IC336", `${field}.serverGroupPolicy`, serverGroupPolicy, POLICIES));
  if (rootVolume === undefined) return;
  const { type = "", types = [], zones: volumeZones = [] } = rootVolume;
  if (zones.length > 0 && volumeZones.length === 0)
    report(
      required(
        "IC335",
        `${field}.rootVolume.zones`,
        "the pool has zones for machines but not for root volumes",
        { below: true, hint: "add rootVolume.zones: one zone for all, or one for each zone of the pool" },
      ),
    );
  // The old spelling is there in an arbiter pool alone, which is not converted; the installer names both.
  const both = type !== "" && types.length > 0;
  if (both || (type === "" && types.length === 0))
    for (const name of ["type", "types"])
      report(
        problem(
          "IC337",
          "Invalid",
          `${field}.rootVolume.${name}`,
          both ? "forbidden: only one of type and types can be set" : "required value is missing: types",
          {
            at: `${field}.rootVolume.types`,
            below: true,
            hint: both ? "remove type" : "add types; to list them, run: openstack volume type list",
          },
        ),
      );
  if (zones.length > 1 && types.length > 1 && types.length !== zones.length)
    report(
      problem(
        "IC337",
        "Invalid",
        `${field}.rootVolume.types`,
        `the root volume has ${types.length} volume types, but the pool has ${zones.length} zones`,
        "use one type for all zones, or one for each",
      ),
    );
}

const gatedFields = ({ platform: { openstack } }: NormalConfig): readonly GatedField[] =>
  openstack === undefined ? [] : gatedDnsRecords(openstack, FIELD);

const NULL = { zero: null } as const;

const POOL: Shape = {
  type: text,
  rootVolume: { keep: "given", of: { size: { zero: 0 }, types: NULL } },
};

const SECTION: Shape = {
  cloud: text,
  externalDNS: NULL,
  clusterOSImageProperties: { map: true },
  controlPlanePort: {
    keep: "given",
    of: { network: { zero: {} }, fixedIPs: { zero: null, each: { subnet: { zero: {} } } } },
  },
  loadBalancer: given,
  defaultMachinePlatform: { keep: "given", of: POOL },
};

export const rules: PlatformRules = {
  name: "openstack",
  upconvert,
  applyDefaults,
  validate,
  gatedFields: { rank: 7, since: "4.21", used: gatedFields },
  normalForm: { section: (_: Release): Shape => SECTION, pool: POOL },
};
