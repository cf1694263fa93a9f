/**
 * `--split-documents`: the bootstrap applies one object of a file, so that each further document, and each further
 * item of a List, gets a file of its own. The first one stays in the file, the others are numbered: `a.yaml`,
 * `a-2.yaml`, `a-3.yaml`. Written in that order with the file itself last, nothing is lost at any moment.
 */
import type { Problem } from "../core/diagnostics.js";
import { decode, type OutputFile } from "../core/files.js";
import type { Json } from "../core/json.js";
import type { DiskFile } from "../directory/index.js";
import { child, readYaml, toJson, type YamlDocument, type YamlNode } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";

export interface Split {
  /** New files first, the file that is cut last. */
  readonly files: readonly OutputFile[];
  readonly problems: readonly Problem[];
}

/** @param files the files of both folders; those that hold one object alone are left as they are */
export function splitDocuments(files: readonly DiskFile[]): Split {
  const taken = new Map(files.map(({ path, data }) => [path, decode(data)]));
  const written: OutputFile[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const parts = partsOf(file);
    const [first, ...others] = parts;
    if (first === undefined || others.length === 0) continue;
    const named = others.map((text, i) => ({ path: numbered(file.path, i + 2), text }));
    const clash = named.find(({ path, text }) => taken.has(path) && taken.get(path) !== text);
    if (clash !== undefined) {
      problems.push({
        code: "BOOT008",
        kind: "Duplicate",
        file: file.path,
        message: `its documents cannot be written: ${clash.path} is there and holds something else`,
        hint: "rename one of the two files",
      });
      continue;
    }
    const secret = (file.mode & 0o077) === 0;
    const make = (path: string, text: string): OutputFile => ({
      path,
      data: Buffer.from(text, "utf8"),
      secret,
    });
    for (const { path, text } of named) taken.set(path, text);
    written.push(...named.map(({ path, text }) => make(path, text)), make(file.path, first));
  }
  return { files: written, problems };
}

const numbered = (path: string, number: number): string => path.replace(/(\.[^./]+)$/, `-${number}$1`);

/** The texts that the file is cut into; empty for one that is no YAML, or no text. */
function partsOf({ path, data }: DiskFile): string[] {
  const text = decode(data);
  if (text === undefined) return [];
  const { documents, problems } = readYaml(text, path);
  const full = documents.filter(
    ({ root }) => root !== undefined && !(root.type === "scalar" && root.value === null),
  );
  if (problems.length > 0 || full.length === 0) return [];
  return full.flatMap((document) => itemsOf(document, path) ?? [textOf(document, documents, text)]);
}

/** The items of a List, each as a document; undefined for anything else. */
function itemsOf({ root }: YamlDocument, path: string): string[] | undefined {
  const kind = child(root, "kind");
  const items = child(root, "items");
  if (kind?.type !== "scalar" || !kind.text.endsWith("List") || items?.type !== "sequence") return undefined;
  return items.items.map((item) => asText(item, path));
}

const asText = (node: YamlNode, path: string): string => {
  const value: Json = toJson(node);
  return path.endsWith(".json") ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value);
};

/** The lines of a document as they stand, comments before it included, markers left out. */
function textOf(document: YamlDocument, documents: readonly YamlDocument[], text: string): string {
  const lines = text.split("\n");
  const at = documents.indexOf(document);
  const before = documents[at - 1];
  const from = before === undefined ? 1 : before.next;
  const to = document.next > 0 ? document.next - 1 : lines.length;
  const own = lines.slice(Math.max(0, from - 1), to);
  const plain = own.map((line, i) =>
    i < document.line - Math.max(1, from) + 1 ? withoutMarker(line) : line,
  );
  return `${plain.join("\n").replace(/^\n+/, "").replace(/\n*$/, "")}\n`;
}

/** A line at the start of a document without its marker or directive. */
const withoutMarker = (line: string): string =>
  /^(?:---|\.\.\.)\s*$/.test(line) || line.startsWith("%") ? "" : line.replace(/^---\s+/, "");
