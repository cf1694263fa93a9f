/** NetworkManager's keyfiles of static networks (openshift/installer pkg/asset/agent/manifests/staticnetworkconfig). */
import { createHash } from "node:crypto";
import { isList, isObject } from "../../core/json.js";
import { withoutEnd } from "../../core/trim.js";
import { readYaml, rootsOf, toJson } from "../../text/yaml-read.js";

export interface Keyfile {
  readonly name: string;
  readonly text: string;
}

/** What the keyfiles of a network are kept under. */
export const networkDigest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The keyfiles in an answer of `nmstatectl gc`; undefined for an answer without any. */
export function keyfilesOf(answer: string): readonly Keyfile[] | undefined {
  const [root] = rootsOf(readYaml(answer, "").documents);
  const value = root === undefined ? undefined : toJson(root);
  const list = isObject(value) ? value["NetworkManager"] : undefined;
  if (!isList(list)) return undefined;
  const found = list.flatMap((entry): Keyfile[] => {
    const [name, text] = isList(entry) ? entry : [];
    return typeof name === "string" && !name.includes("/") && typeof text === "string"
      ? [{ name, text: connected(text) }]
      : [];
  });
  return found.length === 0 ? undefined : found;
}

/** The connection is made by itself, before others of the same interface. */
function connected(text: string): string {
  const sections = withoutEnd(text, "\n").split(/\n(?=\[)/);
  const changed = sections.map((section) => {
    if (!section.startsWith("[connection]")) return section;
    const lines = section.split("\n").filter((line) => line !== "" && !/^autoconnect-priority=/.test(line));
    const at = lines.findIndex((line) => line.startsWith("autoconnect="));
    if (at === -1) lines.push("autoconnect=true");
    else lines[at] = "autoconnect=true";
    return [...lines, "autoconnect-priority=1", ""].join("\n");
  });
  return `${withoutEnd(changed.join("\n"), "\n")}\n`;
}
