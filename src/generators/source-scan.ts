/** A look at TypeScript source without a compiler: is a place code, or inside a comment or a text? */

/**
 * True when an offset certainly lies in code. A slash that may begin a regular expression is passed over only where its
 * line holds no quote that could be part of it; otherwise the answer is false, as it is for anything unsure.
 */
export function isCertainlyCode(text: string, offset: number): boolean {
  // One entry for each template that is open: how many braces its present expression has opened.
  const templates: number[] = [];
  let at = 0;
  while (at < offset) {
    const char = text[at];
    if (char === "/" && text[at + 1] === "/") at = lineEnd(text, at);
    else if (char === "/" && text[at + 1] === "*") at = after(text, "*/", at + 2);
    else if (char === "'" || char === '"') at = textEnd(text, at);
    else if (char === "/" && /['"`]/.test(text.slice(at + 1, lineEnd(text, at)))) return false;
    else if (char === "`") at = templateEnd(text, at + 1, templates);
    else if (char === "{" && templates.length > 0) {
      templates.push((templates.pop() ?? 0) + 1);
      at++;
    } else if (char === "}" && templates.length > 0) {
      const open = templates.pop() ?? 0;
      if (open > 0) {
        templates.push(open - 1);
        at++;
      } else at = templateEnd(text, at + 1, templates);
    } else at++;
  }
  return at === offset && templates.length === 0;
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

const after = (text: string, what: string, from: number): number => {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length + 1 : found + what.length;
};

/** Behind a text in quotes; one that its line does not close leads behind everything. */
function textEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[start]) return at + 1;
    else if (text[at] === "\n") break;
  }
  return text.length + 1;
}

/** Behind the closing quote of a template, or behind the brace that opens an expression in it. */
function templateEnd(text: string, start: number, templates: number[]): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") return at + 1;
    else if (text[at] === "$" && text[at + 1] === "{") {
      templates.push(0);
      return at + 2;
    }
  }
  return text.length + 1;
}
