/** Types, missing and unknown members of a config. */
import { closest } from "../../text/closest.js";
import type { YamlNode } from "../../text/yaml-read.js";
import type { ReportAtNode } from "./report.js";
import type { Member, Members, Shape } from "./shape.js";

const WANTED = {
  text: "a string",
  integer: "an integer",
  boolean: "true or false",
  list: "a list",
  object: "an object",
  any: "a value",
} as const;

/** Walks a node along its shape, as the spec version with this minor number has it. */
export function checkMembers(
  node: YamlNode,
  shape: Shape,
  minor: number,
  path: string,
  report: ReportAtNode,
): void {
  if (node.type === "scalar" && node.value === null) return;
  if (!fits(node, shape)) {
    const hint =
      shape.type === "integer" && node.type === "scalar" && typeof node.value === "string"
        ? "use a number without quotes; modes are decimal, such as 420 for 0644"
        : "";
    report(
      node,
      path,
      "IGN030",
      "Invalid",
      `invalid type: expected ${WANTED[shape.type]}, found ${shownType(node)}`,
      hint,
    );
    return;
  }
  if (shape.type === "list" && node.type === "sequence")
    for (const [i, item] of node.items.entries())
      checkMembers(item, shape.of, minor, `${path}[${i}]`, report);
  if (shape.type === "object" && node.type === "mapping")
    checkObject(node, shape.members, minor, path, report);
}

function checkObject(
  node: Extract<YamlNode, { type: "mapping" }>,
  members: Members,
  minor: number,
  path: string,
  report: ReportAtNode,
): void {
  const known = Object.keys(members).filter((name) => (members[name]?.since ?? 0) <= minor);
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const seen = new Set<string>();
  for (const { key, name, value } of node.entries) {
    if (seen.has(name))
      report(key, at(name), "IGN032", "Duplicate", `duplicate field ${name}`, "remove one of them");
    seen.add(name);
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined || member.since > minor) {
      reportUnused(key, name, at(name), member, known, minor, report);
      continue;
    }
    checkMembers(value, member.shape, minor, at(name), report);
  }
  for (const [name, { required }] of Object.entries(members))
    if (required && !node.entries.some((entry) => entry.name === name && !isNull(entry.value)))
      report(node, at(name), "IGN030", "Required", `required value is missing: ${name}`, "");
}

/** Members of spec version 2 by their path, and what takes their place in version 3; empty where nothing does. */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ["networkd", "a file in /etc/NetworkManager/system-connections in storage.files, or no file"],
  ["storage.files[].filesystem", ""],
  ["storage.directories[].filesystem", ""],
  ["storage.links[].filesystem", ""],
  ["storage.filesystems[].mount", "device, format and path directly in the filesystem"],
  ["storage.filesystems[].name", ""],
  ["storage.disks[].partitions[].size", "sizeMiB"],
  ["storage.disks[].partitions[].start", "startMiB"],
  ["ignition.config.append", "merge"],
  ["systemd.units[].dropin", "dropins"],
  ["passwd.users[].create", "the members of create directly in the user"],
]);

/** Members of Butane's sources that Ignition has in another form. */
const OF_BUTANE: ReadonlyMap<string, string> = new Map([
  ["inline", "source: data:,…"],
  ["local", "source: data:,…"],
  ["with_mount_unit", "a mount unit in systemd.units"],
]);

/** Members of a machine config that stand one level too deep. */
const OUTSIDE: ReadonlySet<string> = new Set([
  "osImageURL",
  "kernelType",
  "fips",
  "extensions",
  "baseOSExtensionsContainerImage",
]);

/**
 * Ignition passes over members that it does not know, with a warning. What reads like a typing error is told as an
 * error all the same: the config would not do what it says.
 */
function reportUnused(
  key: Pick<YamlNode, "line" | "column">,
  name: string,
  path: string,
  member: Member | undefined,
  known: readonly string[],
  minor: number,
  report: ReportAtNode,
): void {
  const unknown = `unknown field ${JSON.stringify(name)}`;
  const successor = SUCCESSORS.get(path.replaceAll(/\[[0-9]+\]/g, "[]"));
  const compiled = OF_BUTANE.get(name);
  const near = closest(name, known);
  const [severity, message, hint] = ((): readonly ["error" | "warning", string, string] => {
    if (member !== undefined)
      return [
        "warning",
        `${JSON.stringify(name)} requires spec version 3.${member.since}.0, but the config has 3.${minor}.0, so Ignition ignores it`,
        "increase ignition.version, or remove it",
      ];
    if (successor !== undefined)
      return [
        "warning",
        `${unknown} since spec version 3; Ignition ignores it`,
        successor === ""
          ? "remove it; it has no replacement"
          : /^[A-Za-z]+$/.test(successor)
            ? `did you mean ${successor}?`
            : `use instead: ${successor}`,
      ];
    if (OUTSIDE.has(name) && !path.includes("."))
      return ["warning", `${unknown}, which belongs to a MachineConfig`, "move it from spec.config to spec"];
    if (compiled !== undefined)
      return ["error", `${unknown}, which belongs to a Butane config`, `use ${compiled}`];
    if (near !== undefined) return ["error", unknown, `did you mean ${near}?`];
    return ["warning", `${unknown}; Ignition ignores it`, "remove it"];
  })();
  report(key, path, "IGN030", "NotSupported", message, hint, severity);
}

const isNull = (node: YamlNode): boolean => node.type === "scalar" && node.value === null;

function fits(node: YamlNode, { type }: Shape): boolean {
  switch (type) {
    case "list":
      return node.type === "sequence";
    case "object":
      return node.type === "mapping";
    case "any":
      return true;
    case "text":
      return node.type === "scalar" && typeof node.value === "string";
    case "boolean":
      return node.type === "scalar" && typeof node.value === "boolean";
    case "integer":
      return (
        node.type === "scalar" &&
        (typeof node.value === "bigint" || (typeof node.value === "number" && Number.isInteger(node.value)))
      );
  }
}

const shownType = (node: YamlNode): string =>
  node.type === "scalar"
    ? typeof node.value === "string"
      ? "a string"
      : node.text.slice(0, 40)
    : node.type === "mapping"
      ? "an object"
      : "a list";
