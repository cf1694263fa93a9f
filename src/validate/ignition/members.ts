/** Types, missing and unknown members of a config. */
import { closest } from "../../text/closest.js";
import type { YamlNode } from "../../text/yaml-read.js";
import type { Report } from "./report.js";
import type { Members, Shape } from "./shape.js";

const WANTED = {
  text: "a text",
  integer: "a whole number",
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
  report: Report,
): void {
  if (node.type === "scalar" && node.value === null) return;
  if (!fits(node, shape)) {
    const hint =
      shape.type === "integer" && node.type === "scalar" && typeof node.value === "string"
        ? "a number without quotes; a mode is written in decimal, such as 420 for 0644"
        : "";
    report(
      node,
      path,
      "IGN030",
      "Invalid",
      `${shownType(node)} stands where ${WANTED[shape.type]} is needed`,
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
  report: Report,
): void {
  const known = Object.keys(members).filter((name) => (members[name]?.since ?? 0) <= minor);
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const seen = new Set<string>();
  for (const { key, name, value } of node.entries) {
    if (seen.has(name))
      report(key, at(name), "IGN032", "Duplicate", `${name} stands twice`, "keep one of them");
    seen.add(name);
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined || member.since > minor) {
      const near = closest(name, known);
      report(
        key,
        at(name),
        "IGN030",
        "NotSupported",
        member === undefined
          ? `${JSON.stringify(name)} is not a member of Ignition configs`
          : `${JSON.stringify(name)} is there since spec version 3.${member.since}.0, and the config is of 3.${minor}.0`,
        member === undefined
          ? near === undefined
            ? "remove it"
            : `did you mean ${near}?`
          : "raise ignition.version, or remove it",
      );
      continue;
    }
    checkMembers(value, member.shape, minor, at(name), report);
  }
  for (const [name, { required }] of Object.entries(members))
    if (required && !node.entries.some((entry) => entry.name === name && !isNull(entry.value)))
      report(node, at(name), "IGN030", "Required", `${name} is missing`, "");
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
      ? "a text"
      : node.text.slice(0, 40)
    : node.type === "mapping"
      ? "an object"
      : "a list";
