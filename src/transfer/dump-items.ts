/**
 * A big dump, item by item. The tree of nodes that a reader with positions makes is many times as big as the text, and
 * a dump of a cluster may have a hundred megabytes; so the List of kubectl is cut at its items, and each is read on its
 * own. A text that has another form, and one with a fault, is not cut: the reader of whole texts tells what it is.
 */
import { readYaml, type YamlNode } from "../text/yaml-read.js";

/** An item of a list as it stands in the text. */
interface Piece {
  /** YAML of a sequence with this one item, or JSON of the item. */
  readonly text: string;
  /** What has to be added to lines, and to columns of the first line. */
  readonly lines: number;
  readonly columns: number;
}

/** The pieces of one List, and what is left of it without them. */
interface Cut {
  /** The List without its items. */
  readonly frame: string;
  readonly pieces: Iterable<Piece>;
}

/** An item, with the place at which it stands in the whole text. */
export interface Item {
  readonly root: YamlNode;
  readonly line: number;
  readonly column: number;
}

/** A List of which only the members beside `items` are known, and its items one after the other. */
export interface CutList {
  readonly frame: YamlNode | undefined;
  readonly items: Iterable<Item>;
}

/** Thrown and caught here alone: the text is one that the reader of whole texts has to judge. */
class NotCut extends Error {}

/** Below this size the whole tree is small enough. */
const WORTH_CUTTING = 100_000;

/**
 * Takes every item of the Lists of a text; answers false, and has told nothing, when the text is not made of Lists that
 * can be cut. `take` may have been called then for items that the caller has to forget.
 */
export function takeItems(
  text: string,
  file: string,
  take: (list: CutList) => void,
  least = WORTH_CUTTING,
): boolean {
  if (text.length < least) return false;
  try {
    for (const { frame, pieces } of cuts(text)) {
      const { documents, problems } = readYaml(frame, file);
      if (problems.length > 0 || documents.length > 1) return false;
      take({ frame: documents[0]?.root, items: itemsOf(pieces, file) });
    }
    return true;
  } catch (error) {
    if (error instanceof NotCut) return false;
    throw error;
  }
}

function* itemsOf(pieces: Iterable<Piece>, file: string): Iterable<Item> {
  for (const { text, lines, columns } of pieces) {
    const { documents, problems } = readYaml(text, file);
    const [document, ...others] = documents;
    // Whoever reads the whole tells of it, with the right place.
    if (problems.length > 0 || others.length > 0 || document?.root === undefined) throw new NotCut();
    const root = document.root.type === "sequence" ? document.root.items[0] : document.root;
    if (root === undefined) throw new NotCut();
    yield { root, line: root.line + lines, column: root.line === 1 ? root.column + columns : root.column };
  }
}

const cuts = (text: string): Iterable<Cut> =>
  /^\s*\{/.test(text) ? [cutJson(text)] : documentsOf(text).flatMap(cutYaml);

/** YAML documents and the lines before them; a marker at the start of a line always ends a document. */
function documentsOf(text: string): { text: string; lines: number }[] {
  if (/^%|^\.\.\./m.test(text)) throw new NotCut();
  const documents: { text: string; lines: number }[] = [];
  let start = 0;
  let lines = 0;
  for (const marker of text.matchAll(/^---[ \t]*\r?$/gm)) {
    const part = text.slice(start, marker.index);
    documents.push({ text: part, lines });
    lines += newlines(part, part.length);
    start = marker.index + marker[0].length;
  }
  if (/^---/m.test(text.slice(start))) throw new NotCut();
  documents.push({ text: text.slice(start), lines });
  return documents.filter((each) => /\S/.test(each.text));
}

/** A List in block form: `items:` at the margin, and under it items that all begin with a dash in the same column. */
function cutYaml({ text, lines }: { text: string; lines: number }): Cut[] {
  const head = /^items:[ \t]*\r?\n(?=([ \t]*)- )/m.exec(text);
  const indent = head?.[1];
  if (head === null || indent === undefined || indent.includes("\t")) throw new NotCut();
  const first = head.index + head[0].length;
  const end = endOfItems(text, first, indent.length);
  const tail = text.slice(end);
  if (/^items:/m.test(text.slice(0, head.index)) || /^items:/m.test(tail)) throw new NotCut();
  return [
    { frame: `${text.slice(0, head.index)}\n${tail}`, pieces: yamlPieces(text, first, end, indent, lines) },
  ];
}

/** Where the first line behind the items begins: one at the margin that is neither an item, a comment nor blank. */
function endOfItems(text: string, first: number, indent: number): number {
  const behind = indent === 0 ? /^[^\s#-]|^-[^ \r\n]/gm : /^[^\s#]/gm;
  behind.lastIndex = first;
  return behind.exec(text)?.index ?? text.length;
}

function* yamlPieces(
  text: string,
  first: number,
  end: number,
  indent: string,
  before: number,
): Iterable<Piece> {
  const start = new RegExp(`^${indent}-(?= |\\r?$)`, "gm");
  start.lastIndex = first;
  let at = first;
  let lines = before + newlines(text, first);
  while (at < end) {
    start.lastIndex = at + 1;
    const next = Math.min(start.exec(text)?.index ?? end, end);
    const piece = text.slice(at, next);
    yield { text: piece, lines, columns: 0 };
    lines += newlines(piece, piece.length);
    at = next;
  }
}

function newlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** A List as one JSON object. */
function cutJson(text: string): Cut {
  const items = /"items"\s*:\s*\[/g;
  // The first one at the depth of the List; kubectl writes it before anything else that is big.
  const head = items.exec(text);
  if (head === null || depthAt(text, head.index) !== 1) throw new NotCut();
  const first = head.index + head[0].length;
  const elements = elementsOf(text, first);
  const frame = `${text.slice(0, head.index)}"items": []${text.slice(elements.end + 1)}`;
  return { frame, pieces: jsonPieces(text, elements.spans) };
}

function* jsonPieces(text: string, spans: readonly (readonly [number, number])[]): Iterable<Piece> {
  let lines = 0;
  let at = 0;
  for (const [from, to] of spans) {
    const between = text.slice(at, from);
    lines += newlines(between, between.length);
    yield { text: text.slice(from, to), lines, columns: from - (text.lastIndexOf("\n", from - 1) + 1) };
    at = from;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index behind a string that begins at a quote. */
function behindString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new NotCut();
}

function depthAt(text: string, end: number): number {
  let depth = 0;
  for (let at = 0; at < end; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = behindString(text, at);
    else {
      if (code === 0x7b || code === 0x5b) depth++;
      else if (code === 0x7d || code === 0x5d) depth--;
      at++;
    }
  }
  return depth;
}

/** The spans of the elements of an array that begins at `first`, and the index of its closing bracket. */
function elementsOf(text: string, first: number): { spans: [number, number][]; end: number } {
  const spans: [number, number][] = [];
  let depth = 0;
  let start = -1;
  let last = first;
  const next = /["{}[\]]/g;
  next.lastIndex = first;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    const [mark] = found;
    if (mark === '"') next.lastIndex = behindString(text, found.index);
    else if (mark === "{" || mark === "[") {
      if (depth === 0) {
        if (text.slice(last, found.index).trim() !== (spans.length === 0 ? "" : ",")) throw new NotCut();
        start = found.index;
      }
      depth++;
    } else if (depth === 0) {
      if (mark !== "]" || text.slice(last, found.index).trim() !== "") throw new NotCut();
      return { spans, end: found.index };
    } else {
      depth--;
      last = found.index + 1;
      if (depth === 0) spans.push([start, last]);
    }
  }
  throw new NotCut();
}
