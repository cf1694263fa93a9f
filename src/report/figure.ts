/** What all drawings have in common: a picture with a title for those who cannot see it, and a line below. */
import { type Child, element, type Markup } from "./markup.js";

export interface Figure {
  readonly title: string;
  /** What the picture shows, in words. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
}

export const figure = ({ title, description, width, height }: Figure, ...shapes: readonly Child[]): Markup =>
  element(
    "figure",
    {},
    element(
      "div",
      { class: "scroll", role: "region", tabindex: 0, "aria-label": title },
      element(
        "svg",
        {
          xmlns: "http://www.w3.org/2000/svg",
          role: "img",
          viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
          width: Math.ceil(width),
          height: Math.ceil(height),
        },
        element("title", {}, title),
        element("desc", {}, description),
        shapes,
      ),
    ),
    element("figcaption", {}, title),
  );

export const line = (x1: number, y1: number, x2: number, y2: number, kind: string): Markup =>
  element("line", { x1, y1, x2, y2, class: kind });

export type Anchor = "start" | "middle" | "end";

export const label = (x: number, y: number, text: string, anchor: Anchor = "start"): Markup =>
  element("text", { x, y, "text-anchor": anchor }, text);

/** Width of a character of the pictures' font, on average. */
export const CHARACTER = 7.2;

/** At most so many characters; what is cut off must be in a title. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
