const LONGEST = 60;

/** A text in quotes for a message: control characters escaped, cut when it is long. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

/** A text as one line that shows what it holds: whatever would begin a new line, or steer a terminal, is escaped. */
export const oneLine = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
