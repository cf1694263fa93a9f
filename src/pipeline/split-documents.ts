/**
 * `--split-documents`: the bootstrap applies one object of a file, so that each further document, and each further
 * item of a List, gets a file of its own. The first one stays in the file, the others are numbered: `a.yaml`,
 * `a-2.yaml`, `a-3.yaml`. Written in that order with the file itself last, nothing is lost at any moment.
 */
import { decode, type OutputFile } from "../core/files.js";
import type { Json } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import type { DiskFile } from "../directory/index.js";
import { itemsOf, type ListMember, memberObject, membersOf } from "../kubernetes/list-members.js";
import { readYaml, toJson, type YamlDocument, type YamlNode } from "../text/yaml-read.js";
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
    const { parts, isCut, rounded } = partsOf(file);
    const [first, ...others] = parts;
    if (first === undefined || !isCut) continue;
    if (rounded !== undefined) {
      problems.push(
        problem(
          "BOOT008",
          "NotSupported",
          "",
          "an item of the List contains a number that would be rounded when written again",
          { file: file.path, line: rounded.line, column: rounded.column, hint: "split the List manually" },
        ),
      );
      continue;
    }
    const named = others.map((text, i) => ({ path: numbered(file.path, i + 2), text }));
    const clash = named.find(({ path, text }) =>
      taken.has(path) ? taken.get(path) !== text : taken.has(twin(path)),
    );
    if (clash !== undefined) {
      problems.push(
        problem(
          "BOOT008",
          "Duplicate",
          "",
          taken.has(clash.path)
            ? `cannot split the file: ${clash.path} already exists with different content`
            : `cannot split the file: ${twin(clash.path)} has the same name as one of the new files`,
          { file: file.path, hint: "rename one of the two files" },
        ),
      );
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

/** The file of that name in the other folder: the bootstrap copies one over the other. */
const twin = (path: string): string =>
  path.startsWith("manifests/")
    ? path.replace("manifests/", "openshift/")
    : path.replace("openshift/", "manifests/");

interface Parts {
  /** The texts that the file is cut into; empty for one that is not YAML, or no text. */
  readonly parts: readonly string[];
  /** False where the file holds one object alone, and stays as it is. */
  readonly isCut: boolean;
  /** A number that cannot be written anew as it stands. */
  readonly rounded: YamlNode | undefined;
}

const WHOLE: Parts = { parts: [], isCut: false, rounded: undefined };

function partsOf({ path, data }: DiskFile): Parts {
  const text = decode(data);
  if (text === undefined) return WHOLE;
  const { documents, problems } = readYaml(text, path);
  const full = documents.filter(
    ({ root }) => root !== undefined && !(root.type === "scalar" && root.value === null),
  );
  if (problems.length > 0 || full.length === 0) return WHOLE;
  const lists = full.map(({ root }) =>
    root === undefined || itemsOf(root) === undefined ? undefined : membersOf(root),
  );
  return {
    parts: full.flatMap(
      (document, i) => lists[i]?.map((member) => asText(member, path)) ?? [textOf(document, documents, text)],
    ),
    isCut: full.length > 1 || lists[0] !== undefined,
    rounded: lists
      .flatMap((members) => members ?? [])
      .map(({ node }) => roundedIn(node))
      .find((each) => each !== undefined),
  };
}

/** The first whole number beyond what a double holds. */
function roundedIn(node: YamlNode): YamlNode | undefined {
  switch (node.type) {
    case "scalar":
      return (typeof node.value === "bigint" || typeof node.value === "number") &&
        node.kind === "int" &&
        !Number.isSafeInteger(Number(node.value))
        ? node
        : undefined;
    case "sequence":
      return node.items.map(roundedIn).find((each) => each !== undefined);
    case "mapping":
      return node.entries.map(({ value }) => roundedIn(value)).find((each) => each !== undefined);
  }
}

const asText = (member: ListMember, path: string): string => {
  const value: Json = memberObject(member) ?? toJson(member.node);
  return path.endsWith(".json") ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value);
};

/**
 * The lines of a document as they stand, comments before it included, markers left out. Blank lines at its end stay:
 * they belong to a block scalar that keeps them.
 */
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
  return `${plain.join("\n").replace(/^\n+/, "")}${document.next > 0 ? "\n" : ""}`;
}

/** A line at the start of a document without its marker or directive. */
const withoutMarker = (line: string): string =>
  /^(?:---|\.\.\.)\s*$/.test(line) || line.startsWith("%") ? "" : line.replace(/^---\s+/, "");
