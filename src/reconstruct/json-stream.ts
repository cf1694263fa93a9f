/** JSON objects one behind the other without anything between them, as several answers of the API in one file. */

export interface JsonPart {
  readonly text: string;
  /** Offset in the whole text. */
  readonly offset: number;
}

// A string may be cut off by the end of the text. There is one way alone to match each, so that nothing is tried twice.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}]|[^\s{}"]/gs;

/** The objects of such a text; undefined when it is something else, or one object only. */
export function splitJsonStream(text: string): JsonPart[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const parts: JsonPart[] = [];
  let start = -1;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" && depth++ === 0) start = index;
    // Between two objects nothing stands but blanks.
    if (depth === 0) return undefined;
    if (token !== "}" || --depth > 0) continue;
    const part = text.slice(start, index + 1);
    if (!isJsonText(part)) return undefined;
    parts.push({ text: part, offset: start });
  }
  return depth === 0 && parts.length > 1 ? parts : undefined;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
