/** The page as a whole: one document that needs nothing but itself. */

import { FILTER, FILTER_DIGEST } from "./filter.js";
import { type Child, element, Markup } from "./markup.js";
import { STYLE } from "./style.js";

export interface Section {
  /** Name of the place in the page, unique. */
  readonly id: string;
  readonly title: string;
  readonly body: Child;
}

export interface Page {
  readonly title: string;
  /** Name and version of what made it. */
  readonly tool: string;
  readonly sections: readonly Section[];
}

/** Forbids the page every request and every script but its own, whatever might have come into it. */
const POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src '${FILTER_DIGEST}'`;

export function pageOf({ title, tool, sections }: Page): string {
  const meta = (name: string, content: string): Markup => element("meta", { name, content });
  const html = element(
    "html",
    { xmlns: "http://www.w3.org/1999/xhtml", lang: "en" },
    element(
      "head",
      {},
      element("meta", { charset: "utf-8" }),
      element("meta", { "http-equiv": "Content-Security-Policy", content: POLICY }),
      meta("viewport", "width=device-width, initial-scale=1"),
      meta("color-scheme", "light dark"),
      meta("generator", tool),
      element("title", {}, title),
      element("style", {}, new Markup(`\n${STYLE}\n`)),
    ),
    element(
      "body",
      {},
      element("header", {}, element("h1", {}, title), contents(sections)),
      element(
        "main",
        {},
        sections.map(({ id, title: head, body }) =>
          element(
            "section",
            { id, "aria-labelledby": `${id}-title` },
            element("h2", { id: `${id}-title` }, head),
            body,
          ),
        ),
      ),
      element("script", {}, new Markup(FILTER)),
    ),
  );
  return `<!DOCTYPE html>\n${html.text}\n`;
}

const contents = (sections: readonly Section[]): Markup =>
  element(
    "nav",
    { "aria-label": "Sections" },
    element(
      "ul",
      {},
      sections.map(({ id, title }) => element("li", {}, element("a", { href: `#${id}` }, title))),
    ),
  );
