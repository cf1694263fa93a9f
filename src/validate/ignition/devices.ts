/**
 * Disks, partitions, arrays, filesystems and encrypted volumes: what Ignition refuses before it touches a device
 * (validation of coreos/ignition, config/v3_0 to v3_5; docs/reference/ignition-configs.md §4b).
 */
import type { MappingNode, YamlNode } from "../../text/yaml-read.js";
import { pathFault } from "./paths.js";
import type { ReportAtNode } from "./report.js";
import { at, itemsOf, listAt, scalarAt, textAt } from "./view.js";

export function checkDevices(root: YamlNode, minor: number, report: ReportAtNode): void {
  for (const { node, path } of keyed(root, "disks", "device", report)) {
    checkPath(node, "device", path, report);
    checkPartitions(node, path, report);
  }
  for (const { node, path } of keyed(root, "raid", "name", report)) checkArray(node, path, report);
  for (const { node, path } of keyed(root, "filesystems", "device", report))
    checkFilesystem(node, path, minor, report);
  for (const { node, path } of keyed(root, "luks", "name", report)) checkVolume(node, path, report);
}

/** The entries of a list of storage, of which no two may have one key. */
function keyed(
  root: YamlNode,
  list: string,
  key: string,
  report: ReportAtNode,
): { node: MappingNode; path: string }[] {
  const entries = listAt(root, "storage", list);
  const seen = new Set<string>();
  for (const { node, path } of entries) {
    const name = scalarAt(node, key);
    if (name === undefined) continue;
    if (seen.has(name.text))
      report(
        name,
        `${path}.${key}`,
        "IGN032",
        "Duplicate",
        `duplicate name ${name.text} in storage.${list}`,
        "merge them",
      );
    seen.add(name.text);
  }
  return entries;
}

/** A path that is there has to be absolute and in its shortest form. */
function checkPath(node: MappingNode, member: string, path: string, report: ReportAtNode): void {
  const place = scalarAt(node, member);
  const fault = place === undefined ? undefined : pathFault(place.text);
  if (place !== undefined && fault !== undefined)
    report(
      place,
      `${path}.${member}`,
      "IGN033",
      "Invalid",
      fault,
      "use an absolute path, such as /dev/disk/by-id/…",
    );
}

function checkPaths(node: MappingNode, member: string, path: string, report: ReportAtNode): void {
  const seen = new Set<string>();
  itemsOf(at(node, member)).forEach((item, i) => {
    if (item.type !== "scalar") return;
    const field = `${path}.${member}[${i}]`;
    const fault = pathFault(item.text);
    if (fault !== undefined)
      report(item, field, "IGN033", "Invalid", fault, "use an absolute path, such as /dev/disk/by-id/…");
    if (seen.has(item.text))
      report(item, field, "IGN032", "Duplicate", `duplicate value ${item.text}`, "remove one of them");
    seen.add(item.text);
  });
}

const GUID = /^(?:|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$/;

/** Bytes of a label in a partition table, as Ignition counts them. */
const PARTITION_LABEL = 36;

interface Extent {
  readonly node: YamlNode;
  readonly field: string;
  readonly start: number;
  /** Last MiB; the start where the partition fills what is free. */
  readonly end: number;
}

function checkPartitions(disk: MappingNode, path: string, report: ReportAtNode): void {
  const numbers = new Set<number>();
  const labels = new Set<string>();
  const extents: Extent[] = [];
  itemsOf(at(disk, "partitions")).forEach((node, i) => {
    if (node.type !== "mapping") return;
    const field = `${path}.partitions[${i}]`;
    const number = integerAt(node, "number") ?? 0;
    const label = scalarAt(node, "label");
    const [start, size] = [integerAt(node, "startMiB"), integerAt(node, "sizeMiB")];
    if (number === 0 && label === undefined)
      report(
        node,
        field,
        "IGN039",
        "Required",
        "a partition requires a number or a label",
        "set number or label",
      );
    if (number !== 0 && numbers.has(number))
      report(
        scalarAt(node, "number") ?? node,
        `${field}.number`,
        "IGN032",
        "Duplicate",
        `duplicate partition number ${number} on the disk`,
        "use another number",
      );
    numbers.add(number);
    if (label !== undefined) {
      if (labels.has(label.text))
        report(
          label,
          `${field}.label`,
          "IGN032",
          "Duplicate",
          `duplicate partition label ${label.text} on the disk`,
          "use another label",
        );
      labels.add(label.text);
      if (Buffer.byteLength(label.text) > PARTITION_LABEL || label.text.includes(":"))
        report(
          label,
          `${field}.label`,
          "IGN039",
          "Invalid",
          `a label must have at most ${PARTITION_LABEL} bytes and no colon`,
          "",
        );
    }
    for (const member of ["guid", "typeGuid"]) {
      const guid = scalarAt(node, member);
      if (guid !== undefined && !GUID.test(guid.text))
        report(
          guid,
          `${field}.${member}`,
          "IGN039",
          "Invalid",
          "must be a GUID",
          "use 8-4-4-4-12 hexadecimal digits",
        );
    }
    const described = ["label", "startMiB", "sizeMiB"].some((name) => scalarAt(node, name) !== undefined);
    const typed = ["guid", "typeGuid"].some((name) => (textAt(node, name) ?? "") !== "");
    const unwanted = scalarAt(node, "shouldExist");
    if (unwanted?.value === false && (described || typed))
      report(
        unwanted,
        `${field}.shouldExist`,
        "IGN038",
        "Invalid",
        "a partition with shouldExist: false must not have other fields",
        "keep only its number",
      );
    if (start !== undefined && size !== undefined && start !== 0)
      extents.push({ node, field, start, end: size === 0 ? start : start + size - 1 });
  });
  extents.forEach(({ node, field, start, end }, i) => {
    const other = extents.slice(0, i).find((each) => start <= each.end && end >= each.start);
    if (other !== undefined)
      report(
        scalarAt(node, "startMiB") ?? node,
        `${field}.startMiB`,
        "IGN039",
        "Invalid",
        `overlaps ${other.field}`,
        "change startMiB or sizeMiB so that partitions do not overlap",
      );
  });
}

function integerAt(node: MappingNode, member: string): number | undefined {
  const value = scalarAt(node, member)?.value;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}

const STRIPES: readonly string[] = ["linear", "raid0", "0", "stripe"];
const LEVELS: readonly string[] = [
  ...STRIPES,
  ...["raid1", "1", "mirror", "raid4", "4", "raid5", "5", "raid6", "6", "raid10", "10"],
];

function checkArray(node: MappingNode, path: string, report: ReportAtNode): void {
  const level = scalarAt(node, "level");
  if (level === undefined || !LEVELS.includes(level.text))
    report(
      level ?? node,
      `${path}.level`,
      "IGN039",
      level === undefined ? "Required" : "NotSupported",
      level === undefined
        ? "required value is missing: level"
        : `unsupported RAID level ${JSON.stringify(level.text)}`,
      "use raid0, raid1, raid4, raid5, raid6, raid10 or linear",
    );
  const spares = scalarAt(node, "spares");
  if (level !== undefined && spares !== undefined && STRIPES.includes(level.text) && spares.text !== "0")
    report(
      spares,
      `${path}.spares`,
      "IGN038",
      "Invalid",
      `spares are not supported for level ${level.text}`,
      "",
    );
  if (itemsOf(at(node, "devices")).length === 0)
    report(node, `${path}.devices`, "IGN039", "Required", "an array requires devices", "");
  checkPaths(node, "devices", path, report);
}

/** Bytes of a label by format of the filesystem. */
const FORMATS: Readonly<Record<string, { readonly since: number; readonly label: number }>> = {
  ext4: { since: 0, label: 16 },
  btrfs: { since: 0, label: 256 },
  xfs: { since: 0, label: 12 },
  swap: { since: 0, label: 15 },
  vfat: { since: 0, label: 11 },
  none: { since: 3, label: Number.POSITIVE_INFINITY },
};

function checkFilesystem(node: MappingNode, path: string, minor: number, report: ReportAtNode): void {
  checkPath(node, "device", path, report);
  if ((textAt(node, "path") ?? "") !== "") checkPath(node, "path", path, report);
  const format = scalarAt(node, "format");
  if (format === undefined || format.text === "") {
    const needs =
      ["path", "label", "uuid"].some((name) => (textAt(node, name) ?? "") !== "") ||
      ["options", "mountOptions"].some((name) => itemsOf(at(node, name)).length > 0) ||
      scalarAt(node, "wipeFilesystem")?.value === true;
    if (needs)
      report(
        node,
        `${path}.format`,
        "IGN039",
        "Required",
        "required value is missing: format",
        formatsOf(minor).join(", "),
      );
    return;
  }
  const known = Object.hasOwn(FORMATS, format.text) ? FORMATS[format.text] : undefined;
  if (known === undefined || known.since > minor) {
    const message = `unsupported filesystem format ${JSON.stringify(format.text)}`;
    report(format, `${path}.format`, "IGN039", "NotSupported", message, formatsOf(minor).join(", "));
    return;
  }
  const label = scalarAt(node, "label");
  if (label !== undefined && Buffer.byteLength(label.text) > known.label)
    report(
      label,
      `${path}.label`,
      "IGN039",
      "Invalid",
      `a ${format.text} label must have at most ${known.label} bytes`,
      "",
    );
}

const formatsOf = (minor: number): string[] =>
  Object.keys(FORMATS).filter((name) => (FORMATS[name]?.since ?? 0) <= minor);

/** Bytes of a label of LUKS, without the final null. */
const VOLUME_LABEL = 47;
const PINS: readonly string[] = ["tpm2", "tang", "sss"];

function checkVolume(node: MappingNode, path: string, report: ReportAtNode): void {
  const name = scalarAt(node, "name");
  if (name?.text.includes("/") === true)
    report(name, `${path}.name`, "IGN039", "Invalid", "a volume name must not contain a slash", "");
  const label = scalarAt(node, "label");
  if (label !== undefined && Buffer.byteLength(label.text) > VOLUME_LABEL)
    report(
      label,
      `${path}.label`,
      "IGN039",
      "Invalid",
      `a label must have at most ${VOLUME_LABEL} bytes`,
      "",
    );
  if (scalarAt(node, "device") === undefined)
    report(node, `${path}.device`, "IGN039", "Required", "required value is missing: device", "");
  checkPath(node, "device", path, report);
  checkClevis(node, path, report);
}

function checkClevis(volume: MappingNode, path: string, report: ReportAtNode): void {
  const clevis = at(volume, "clevis");
  const field = `${path}.clevis`;
  const urls = new Set<string>();
  const servers = itemsOf(at(clevis, "tang"));
  servers.forEach((server, i) => {
    const url = scalarAt(server, "url");
    if (url !== undefined && !/^https?:/i.test(url.text))
      report(url, `${field}.tang[${i}].url`, "IGN035", "NotSupported", "must be an http or https URL", "");
    if (url !== undefined && urls.has(url.text))
      report(url, `${field}.tang[${i}].url`, "IGN032", "Duplicate", "duplicate server", "remove one of them");
    if (url !== undefined) urls.add(url.text);
    if ((textAt(server, "thumbprint") ?? "") === "")
      report(
        server,
        `${field}.tang[${i}].thumbprint`,
        "IGN039",
        "Required",
        "required value is missing: thumbprint",
        "set it to the thumbprint of the server's signing key",
      );
    const advertisement = scalarAt(server, "advertisement");
    if (advertisement !== undefined && advertisement.text !== "" && !isJsonText(advertisement.text))
      report(advertisement, `${field}.tang[${i}].advertisement`, "IGN039", "Invalid", "must be JSON", "");
  });
  const custom = at(clevis, "custom");
  const pin = textAt(custom, "pin") ?? "";
  const config = textAt(custom, "config") ?? "";
  const isBuiltIn =
    servers.length > 0 ||
    scalarAt(clevis, "tpm2")?.value === true ||
    (scalarAt(clevis, "threshold")?.text ?? "0") !== "0";
  const isCustom = pin !== "" || config !== "" || scalarAt(custom, "needsNetwork")?.value === true;
  if (custom !== undefined && isCustom) {
    if (!PINS.includes(pin))
      report(
        scalarAt(custom, "pin") ?? custom,
        `${field}.custom.pin`,
        "IGN039",
        pin === "" ? "Required" : "NotSupported",
        pin === "" ? "required value is missing: pin" : `unsupported pin ${JSON.stringify(pin)}`,
        PINS.join(", "),
      );
    if (config === "")
      report(custom, `${field}.custom.config`, "IGN039", "Required", "required value is missing: config", "");
    if (isBuiltIn)
      report(
        custom,
        `${field}.custom`,
        "IGN038",
        "Invalid",
        "custom and tang, tpm2 or threshold are mutually exclusive",
        "",
      );
  }
  const cex = at(volume, "cex");
  if (cex !== undefined && scalarAt(cex, "enabled")?.value === true) {
    if (isBuiltIn || pin !== "")
      report(
        cex,
        `${path}.cex`,
        "IGN038",
        "Invalid",
        "cex and clevis are mutually exclusive",
        "remove one of them",
      );
    if ((textAt(volume, "keyFile", "source") ?? "") !== "")
      report(
        cex,
        `${path}.cex`,
        "IGN038",
        "Invalid",
        "cex and a key file are mutually exclusive",
        "remove one of them",
      );
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
