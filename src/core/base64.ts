/**
 * True for standard base64 with its padding, in one line. One class of characters and no group: a repeated group
 * overflows the stack of the regular expression engine at a few megabytes.
 */
export const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
