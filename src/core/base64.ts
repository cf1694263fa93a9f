/** A text in standard base64, by its UTF-8 bytes. */
export const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

/**
 * True for standard base64 with its padding, in one line. What does not belong there is looked for: a repetition over
 * the whole text overflows the stack of the regular expression engine at a few megabytes.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding));
}
