/** A small judge of pages: balanced tags, quoted values, known entities, and nothing that a page could fetch or run. */

import { FILTER } from "../../src/report/filter.js";

export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z_][A-Za-z0-9_.:-]*="[^"<]*")*)(\s*\/?)>/y;
const ATTRIBUTE = /([A-Za-z_][A-Za-z0-9_.:-]*)="([^"<]*)"/g;
const ENTITY = /&(?!(?:amp|lt|gt|quot|#\d+|#x[0-9A-Fa-f]+);)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/;
const NO_TAGS = new Set([
  "script",
  "link",
  "img",
  "iframe",
  "object",
  "embed",
  "form",
  "input",
  "base",
  "image",
]);

/** The opened elements of a page in their order, or an error that says where it is not well-formed. */
export function elementsOf(whole: string): Tag[] {
  // The page's own script, which its policy names by digest; another one has no place.
  const page = whole.replace(`<script>${FILTER}</script>`, "");
  const start = "<!DOCTYPE html>\n";
  if (!page.startsWith(start)) throw new Error("no document type");
  const forbidden = FORBIDDEN.exec(page);
  if (forbidden !== null) throw new Error(`forbidden character at ${forbidden.index}`);
  if (Buffer.from(page).toString("utf8") !== page) throw new Error("half of a surrogate pair");
  const open: string[] = [];
  const found: Tag[] = [];
  const ids = new Set<string>();
  let at = start.length;
  while (at < page.length) {
    if (page[at] !== "<") {
      const end = page.indexOf("<", at);
      const text = page.slice(at, end < 0 ? page.length : end);
      if (ENTITY.test(text)) throw new Error(`bare & in ${JSON.stringify(text)}`);
      if (open.length === 0 && text.trim() !== "") throw new Error(`text outside: ${JSON.stringify(text)}`);
      at += text.length;
      continue;
    }
    TAG.lastIndex = at;
    const tag = TAG.exec(page);
    if (tag === null) throw new Error(`no tag at ${JSON.stringify(page.slice(at, at + 80))}`);
    at = TAG.lastIndex;
    const [, closes, name = "", written = "", empty = ""] = tag;
    if (closes === "/") {
      const expected = open.pop();
      if (expected !== name) throw new Error(`</${name}> closes ${expected}`);
      continue;
    }
    const attributes = new Map(
      [...written.matchAll(ATTRIBUTE)].map(([, key = "", value = ""]) => [key, value]),
    );
    if (ENTITY.test(written)) throw new Error(`bare & in ${written}`);
    judge({ name, attributes }, ids);
    found.push({ name, attributes });
    if (!empty.includes("/")) open.push(name);
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(", ")}`);
  return found;
}

function judge({ name, attributes }: Tag, ids: Set<string>): void {
  if (NO_TAGS.has(name)) throw new Error(`<${name}> has no place in the page`);
  for (const [key, value] of attributes) {
    if (key.startsWith("on")) throw new Error(`${key} runs a script`);
    if (key === "src" || key === "srcset" || key === "style") throw new Error(`${key} of <${name}>`);
    if (/href$/.test(key) && !value.startsWith("#")) throw new Error(`a link leads to ${value}`);
  }
  const id = attributes.get("id");
  if (id === undefined) return;
  if (ids.has(id)) throw new Error(`two elements are ${id}`);
  ids.add(id);
}

/** Text of every element of this name, entities as they are. */
export const textsOf = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, "g"))].map(([, text = ""]) => text);
