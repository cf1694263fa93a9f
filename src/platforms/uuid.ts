/**
 * UUIDs as the installer reads them (github.com/google/uuid, Parse): plain, in braces, as a URN, or without dashes. The
 * 32 digits; undefined for any other text.
 */
export function uuidDigits(text: string): string | undefined {
  const plain =
    text.length === 45 && /^urn:uuid:/i.test(text)
      ? text.slice(9)
      : text.length === 38
        ? text.slice(1, 37)
        : text;
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(plain)) return plain.replaceAll("-", "");
  return /^[0-9a-f]{32}$/i.test(text) ? text : undefined;
}
