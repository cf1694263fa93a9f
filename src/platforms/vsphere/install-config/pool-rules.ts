/**
 * Rules of a pool's vsphere section (openshift/installer pkg/types/vsphere/validation/machinepool.go). The installer
 * leaves the nested object out of the field of the disk's size, and calls data disks `disks`.
 */
import { invalid, problem, warning } from "../../../core/problem.js";
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
  const fault = (member: string, message: string, hint: string, at = member): void =>
    report(
      problem(at === member ? "IC336" : "IC337", "Invalid", `${field}.${member}`, message, {
        at: `${field}.${at}`,
        hint,
      }),
    );
  const { memoryMB = 0, cpus = 0, coresPerSocket = 0 } = section;
  const size = section.osDisk?.diskSizeGB ?? 0;
  if (size < 0)
    fault(
      "diskSizeGB",
      `invalid size ${size} GiB`,
      "use a positive number, such as 120",
      "osDisk.diskSizeGB",
    );
  if (memoryMB < 0)
    fault(
      "memoryMB",
      `invalid value ${memoryMB}: must be greater than 0`,
      "use a positive number, such as 16384",
    );
  if (cpus < 0)
    fault("cpus", `invalid value ${cpus}: must be greater than 0`, "use a positive number, such as 4");
  if (coresPerSocket < 0)
    fault(
      "coresPerSocket",
      `invalid value ${coresPerSocket}: must be greater than 0`,
      "use a positive number, such as 4",
    );
  const total = cpus > 0 ? cpus : DEFAULT_CPUS;
  const cores = coresPerSocket > 0 ? coresPerSocket : DEFAULT_CORES;
  if (cores > total)
    fault(
      "coresPerSocket",
      `coresPerSocket is ${cores}${coresPerSocket > 0 ? "" : " by default"}, more than the ${total} CPUs of the machine`,
      `use coresPerSocket: ${total}, or more cpus`,
    );
  else if (total % cores !== 0)
    fault(
      "cpus",
      `invalid value ${total}: must be a multiple of coresPerSocket, ${cores}${coresPerSocket > 0 ? "" : " by default"}`,
      `use a multiple of ${cores}, or another coresPerSocket`,
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
        `must have at most ${MOST_DISKS} items, has ${dataDisks.length}`,
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
    if (name === "") broken("Required", ".name", "required value is missing", "set a name such as data");
    else if (Buffer.byteLength(name) > LONGEST_DISK_NAME || !DISK_NAME.test(name))
      broken(
        "Invalid",
        ".name",
        `invalid value ${quote(name)}: unsupported disk name`,
        `use at most ${LONGEST_DISK_NAME} letters, digits, hyphens and underscores, with a letter or digit at both ends`,
      );
    if (sizeGiB === 0)
      broken("Required", ".sizeGiB", "required value is missing", "set the size in GiB, such as 100");
    if (sizeGiB > LARGEST_DISK)
      broken("Invalid", ".sizeGiB", `invalid size ${sizeGiB} GiB`, `use at most ${LARGEST_DISK}`);
    if (provisioningMode !== "" && !MODES.includes(provisioningMode))
      broken(
        "NotSupported",
        "",
        `unsupported value ${quote(provisioningMode)}`,
        `use ${MODES.join(", ")}, or remove it`,
        ".provisioningMode",
      );
    if (sizeGiB < 0)
      report(
        warning(
          invalid(
            "IC349",
            `${field}.dataDisks[${index}].sizeGiB`,
            sizeGiB,
            "the API server will reject it",
            "set the size in GiB, such as 100",
          ),
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
        `invalid zone ${quote(zone)}`,
        `rename the failure domain to at most ${LONGEST_ZONE} lowercase letters, digits and hyphens, starting with a letter`,
      );
    if (seen.has(zone))
      broken("Duplicate", `zones[${index}]`, `duplicate value ${quote(zone)}`, "keep one of them");
    seen.add(zone);
    if (!names.includes(zone))
      broken("Invalid", "zones", `unsupported failure domain ${quote(zone)}`, `use ${names.join(", ")}`);
  }
}
