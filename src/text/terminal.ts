/**
 * Texts that a person reads on a terminal. Names and values of inputs reach it in messages; none of them may clear the
 * screen, move the cursor, turn the order of a line around or hide a part of it.
 */

/** Controls but tab and line break, marks of direction, separators of lines, the mark of byte order, tags. */
const STEERING =
  /(?![\t\n\r])\p{Cc}|\r(?!\n)|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
/** The same in JSON, whose own escapes are there already. */
const STEERING_JSON = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
};

/** A text with every character that would steer a terminal written as its escape. */
export const terminalText = (text: string): string => text.replace(STEERING, escaped);

/** A value as JSON that a terminal shows as it is: the same value to whoever parses it. */
export const terminalJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? "null").replace(STEERING_JSON, escaped);
