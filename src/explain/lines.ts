/** What stands on a line of a written file: the field of its object, or the file of the bootstrap node. */
import { isBase64 } from "../core/base64.js";
import { decode } from "../core/files.js";
import { child, readYaml, type YamlNode, type YamlText } from "../text/yaml-read.js";

export type LineAnswer =
  /** The field is absent where the line is of all of the file. */
  { readonly found: true; readonly field?: string } | { readonly found: false; readonly problem: string };

type Path = readonly (string | number)[];
/** Something that is written on the lines from one to another. */
interface Written {
  readonly path: Path;
  readonly first: number;
  readonly last: number;
}

/** What was read last: questions about one text come one after the other. */
let lastRead: { readonly text: string; readonly file: string; readonly stream: YamlText } | undefined;

function readOnce(text: string, file: string): YamlText {
  if (lastRead?.text !== text || lastRead.file !== file)
    lastRead = { text, file, stream: readYaml(text, file) };
  return lastRead.stream;
}

/** The field on a line of a text; of an Ignition config the file of the bootstrap node that has it. */
export function fieldOnLine(text: string, file: string, line: number): LineAnswer {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const said = lines[line - 1];
  if (said === undefined)
    return { found: false, problem: `${file} has only ${lines.length} lines, no line ${line}` };
  const isConfig = file.endsWith(".ign");
  const isObject = isConfig || /\.(?:ya?ml|json)$/.test(file);
  const { documents, problems } = isObject ? readOnce(text, file) : { documents: [], problems: [] };
  const document = documents.findLast((each) => each.line <= line && (each.next === 0 || line < each.next));
  const [problem] = document?.problems ?? problems;
  if (isObject && document?.root === undefined && problem !== undefined)
    return { found: false, problem: `${file} cannot be parsed: line ${problem.line}: ${problem.message}` };
  const written = document?.root === undefined ? [] : everything(document.root, []);
  const here = written.filter(({ first, last }) => first <= line && line <= last);
  if (here.length === 0 && said.trim() === "")
    return { found: false, problem: `line ${line} of ${file} is blank` };
  if (here.length === 0 && isObject && /^\s*(?:#|---|\.\.\.)/.test(said))
    return { found: false, problem: `line ${line} of ${file} contains no field` };
  const path = here.length > 0 ? shared(leavesOf(here)) : around(lines, line, written);
  const field = isConfig ? fileOfNode(document?.root, path) : fieldText(path);
  return { found: true, ...(field === undefined || field === "" ? {} : { field }) };
}

/**
 * What a line is of that only closes or begins something: what the brackets since the last thing written have not
 * closed, or what holds both of its neighbours.
 */
function around(lines: readonly string[], line: number, written: readonly Written[]): Path {
  const before = written.findLast(({ last }) => last < line);
  const after = written.find(({ first }) => first > line);
  if (before === undefined) return [];
  const closed = lines.slice(before.last, line).join("").match(/[\]}]/g)?.length ?? 0;
  if (closed === 0) return shared([before.path, after?.path ?? []]);
  return before.path.slice(0, Math.max(0, before.path.length - closed));
}

/** The text of a file of the bootstrap node, as its Ignition config carries it; undefined where it carries none. */
export function textInConfig(config: string, file: string, path: string): string | undefined {
  const files = child(child(readYaml(config, file).documents[0]?.root, "storage"), "files");
  const entry = itemsOf(files).find((each) => textAt(each, "path") === path);
  const contents = child(entry, "contents") ?? itemsOf(child(entry, "append"))[0];
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(textAt(contents, "source") ?? "") ?? [];
  return data === undefined || !isBase64(data) ? undefined : decode(Buffer.from(data, "base64"));
}

/** Every key, with its value where that is a scalar, and every item, in the order in which they are written. */
function everything(node: YamlNode, path: Path): Written[] {
  if (node.type === "sequence")
    return node.items.flatMap((item, index) => [
      { path: [...path, index], first: item.line, last: endOf(item, item.line) },
      ...everything(item, [...path, index]),
    ]);
  if (node.type === "mapping")
    return node.entries.flatMap(({ key, name, value }) => [
      { path: [...path, name], first: key.line, last: endOf(value, key.line) },
      ...everything(value, [...path, name]),
    ]);
  return [];
}

function endOf(node: YamlNode, otherwise: number): number {
  if (node.type !== "scalar") return otherwise;
  const { text, endLine, style } = node;
  if (style !== "literal" && style !== "folded") return endLine;
  // Blank lines that a block keeps at its end are of it.
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return endLine + Math.max(0, text.length - end - 1);
}

/** Those that hold none of the others. */
const leavesOf = (all: readonly Written[]): readonly Path[] =>
  all.flatMap(({ path }, index) => {
    const next = all[index + 1]?.path ?? [];
    return path.length < next.length && path.every((step, at) => next[at] === step) ? [] : [path];
  });

/** The longest beginning that they have in common. */
const shared = ([first = [], ...others]: readonly Path[]): Path => {
  const end = first.findIndex((step, at) => others.some((other) => other[at] !== step));
  return end === -1 ? first : first.slice(0, end);
};

const fieldText = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number" || !/^[\w-]+$/.test(step)) return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");

function fileOfNode(root: YamlNode | undefined, [storage, files, index]: Path): string | undefined {
  if (storage !== "storage" || files !== "files" || typeof index !== "number") return undefined;
  return textAt(itemsOf(child(child(root, storage), files))[index], "path");
}

const itemsOf = (node: YamlNode | undefined): readonly YamlNode[] =>
  node?.type === "sequence" ? node.items : [];

function textAt(node: YamlNode | undefined, key: string): string | undefined {
  const value = child(node, key);
  return value?.type === "scalar" ? value.text : undefined;
}
