/**
 * Rules of a pool's vsphere section (openshift/installer pkg/types/vsphere/validation/machinepool.go). The installer
 * leaves the nested object out of the field of the disk's size, and calls data disks `disks`.
 */
import { problem, warning } from "../../../core/problem.js";
import { isDnsSubdomain } from "../../../kubernetes/names.js";
import { quote } from "../../../text/quote.js";
import type { RuleContext } from "../../platform.js";
import type { VspherePlatform, VspherePool } from "../config.js";
import { has } from "../tables.js";

const DEFAULT_CPUS = 4;
const DEFAULT_CORES = 4;
const MOST_DISKS = 29;
const LONGEST_DISK_NAME = 80;
const DISK_NAME = /^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/;
const LARGEST_DISK = 16384;
const MODES = ["Thin", "Thick", "EagerlyZeroed"];
/** As for names of clusters: `*.apps` takes nine characters of a label. */
const LONGEST_ZONE = 54;

export function validatePoolSection(
  platform: VspherePlatform,
  section: VspherePool,
  field: string,
  context: RuleContext,
): void {
  validateSizes(section, field, context);
  if (has(context.release, "dataDisks")) validateDataDisks(section, field, context);
  validateZones(platform, section, field, context);
}

function validateSizes(section: VspherePool, field: string, { report }: RuleContext): void {
  const invalid = (member: string, message: string, hint: string, at = member): void =>
    report(
      problem(at === member ? "IC336" : "IC337", "Invalid", `${field}.${member}`, message, {
        at: `${field}.${at}`,
        hint,
      }),
    );
  const { memoryMB = 0, cpus = 0, coresPerSocket = 0 } = section;
  const size = section.osDisk?.diskSizeGB ?? 0;
  if (size < 0)
    invalid(
      "diskSizeGB",
      `a disk cannot have ${size} GiB`,
      "write a positive number, such as 120",
      "osDisk.diskSizeGB",
    );
  if (memoryMB < 0)
    invalid(
      "memoryMB",
      `a machine cannot have ${memoryMB} MiB of memory`,
      "write a positive number, such as 16384",
    );
  if (cpus < 0) invalid("cpus", `a machine cannot have ${cpus} CPUs`, "write a positive number, such as 4");
  if (coresPerSocket < 0)
    invalid(
      "coresPerSocket",
      `a socket cannot have ${coresPerSocket} CPUs`,
      "write a positive number, such as 4",
    );
  const total = cpus > 0 ? cpus : DEFAULT_CPUS;
  const cores = coresPerSocket > 0 ? coresPerSocket : DEFAULT_CORES;
  if (cores > total)
    invalid(
      "coresPerSocket",
      `a socket has ${cores} CPUs${coresPerSocket > 0 ? "" : " by default"}, more than the ${total} of the machine`,
      `write coresPerSocket: ${total}, or more cpus`,
    );
  else if (total % cores !== 0)
    invalid(
      "cpus",
      `${total} CPUs cannot be spread over sockets of ${cores}${coresPerSocket > 0 ? "" : ", the default of coresPerSocket"}`,
      `write a multiple of ${cores}, or another coresPerSocket`,
    );
}

export function validateDataDisks(
  { dataDisks = [] }: VspherePool,
  field: string,
  { report }: Pick<RuleContext, "report">,
): void {
  if (dataDisks.length > MOST_DISKS)
    report(
      problem(
        "IC337",
        "Invalid",
        `${field}.dataDisks`,
        `there are ${dataDisks.length} data disks; ${MOST_DISKS} are allowed`,
        "remove some",
      ),
    );
  for (const [index, { name = "", sizeGiB = 0, provisioningMode = "" }] of dataDisks.entries()) {
    const broken = (
      kind: "Required" | "Invalid" | "NotSupported",
      member: string,
      message: string,
      hint: string,
      at = member,
    ): void =>
      report(
        problem("IC337", kind, `${field}.disks[${index}]${member}`, message, {
          at: `${field}.dataDisks[${index}]${at}`,
          hint,
        }),
      );
    if (name === "") broken("Required", ".name", "the disk has no name", "write one, such as data");
    else if (Buffer.byteLength(name) > LONGEST_DISK_NAME || !DISK_NAME.test(name))
      broken(
        "Invalid",
        ".name",
        `a disk cannot have the name ${quote(name)}`,
        `write at most ${LONGEST_DISK_NAME} letters, digits, dashes and underscores, with a letter or digit at both ends`,
      );
    if (sizeGiB === 0)
      broken("Required", ".sizeGiB", "the disk has no size", "write the size in GiB, such as 100");
    if (sizeGiB > LARGEST_DISK)
      broken("Invalid", ".sizeGiB", `a disk cannot have ${sizeGiB} GiB`, `write at most ${LARGEST_DISK}`);
    if (provisioningMode !== "" && !MODES.includes(provisioningMode))
      broken(
        "NotSupported",
        "",
        `a disk cannot be provisioned as ${quote(provisioningMode)}`,
        `write ${MODES.join(", ")}, or leave it out`,
        ".provisioningMode",
      );
    if (sizeGiB < 0)
      report(
        warning(
          "IC349",
          "Invalid",
          `${field}.dataDisks[${index}].sizeGiB`,
          `a disk of ${sizeGiB} GiB will be refused by the API server`,
          "write the size in GiB, such as 100",
        ),
      );
  }
}

function validateZones(
  { failureDomains = [] }: VspherePlatform,
  { zones = [] }: VspherePool,
  field: string,
  { report }: RuleContext,
): void {
  const names = failureDomains.map(({ name = "" }) => name);
  const seen = new Set<string>();
  for (const [index, zone] of zones.entries()) {
    const broken = (kind: "Invalid" | "Duplicate", member: string, message: string, hint: string): void =>
      report(problem("IC335", kind, `${field}.${member}`, message, { at: `${field}.zones[${index}]`, hint }));
    if (!/^[a-z]/.test(zone) || zone.length > LONGEST_ZONE || !isDnsSubdomain(zone))
      broken(
        "Invalid",
        "zones",
        `${quote(zone)} cannot be named as a zone of a pool`,
        `give the failure domain a name of at most ${LONGEST_ZONE} lower-case letters, digits and dashes that begins with a letter`,
      );
    if (seen.has(zone))
      broken("Duplicate", `zones[${index}]`, `the zone ${quote(zone)} appears twice`, "keep one of them");
    seen.add(zone);
    if (!names.includes(zone))
      broken("Invalid", "zones", `there is no failure domain ${quote(zone)}`, `write ${names.join(", ")}`);
  }
}
