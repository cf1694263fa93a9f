const LONGEST = 60;

/** A text in quotes for a message: control characters escaped, cut when it is long. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
