/**
 * A text without the characters at its end that are among the given ones. A regular expression such as `/[ \t]+$/` tries
 * every stretch of blanks from each of its places, which takes hours in a text of some size that is made for it.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
