/** Texts inside the go-templates that kubectl prints with. */

/**
 * A text as a Go string literal. JSON's is one, but for halves of surrogate pairs, which no text of an API server has.
 */
export const goString = (text: string): string => JSON.stringify(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));
