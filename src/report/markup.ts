/**
 * Markup as values. A text enters the page through `element` only, which escapes it; so nothing that stands in an input
 * can become markup. What comes out is HTML that is well-formed XML too: every element is closed, every value quoted.
 */

/** Text that is markup already. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Child = string | number | Markup | readonly Child[];

/** Undefined and false leave the attribute out; true gives the name alone its XML form. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Elements that never have content. */
const EMPTY = new Set(["br", "col", "meta"]);

/** Elements whose children stand on lines of their own, so that two pages can be compared line by line. */
const BLOCKS = new Set([
  ...["html", "head", "body", "header", "main", "nav", "section", "figure", "div", "ul", "dl"],
  ...["table", "thead", "tbody", "svg", "g"],
]);

/** `<name attribute="value">children</name>`. Names are ours, values and texts may be anybody's. */
export function element(name: string, attributes: Attributes, ...children: readonly Child[]): Markup {
  const open = `<${name}${Object.entries(attributes).map(attributeText).join("")}`;
  if (EMPTY.has(name)) return new Markup(`${open} />`);
  const parts = children.flatMap(texts).filter((part) => part !== "");
  const content = BLOCKS.has(name) ? parts.map((part) => `\n${part}`).join("") : parts.join("");
  return new Markup(`${open}>${content}${BLOCKS.has(name) ? "\n" : ""}</${name}>`);
}

function texts(child: Child): string[] {
  if (child instanceof Markup) return [child.text];
  if (typeof child === "string") return [escapeText(child)];
  return typeof child === "number" ? [formatNumber(child)] : child.flatMap(texts);
}

function attributeText([name, value]: readonly [string, string | number | boolean | undefined]): string {
  if (value === undefined || value === false) return "";
  const text = value === true ? name : typeof value === "number" ? formatNumber(value) : value;
  return ` ${name}="${escapeText(text)}"`;
}

/** At most two digits behind the point: more only makes coordinates long. */
export const formatNumber = (value: number): string => String(Math.round(value * 100) / 100);

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Characters that XML does not allow, and those that turn the direction of the text around them, which could make a
 * line read as something else. Unpaired halves of a surrogate pair are such characters too.
 */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text for content and for quoted values; what no text can hold is shown as the replacement character. */
export const escapeText = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
