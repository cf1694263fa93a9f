/**
 * Signs that a value went through a terminal or a text tool on its way: etcd keeps bytes, and what takes them for text
 * changes them. Such a value is not lost; the copy has to be taken anew.
 */

const utf8 = new TextDecoder("utf-8", { fatal: true });
const MAGIC = "k8s";
/** That of UTF-8, as `head` has it. */
const BYTE_ORDER_MARK = "\xef\xbb\xbf";
const REPLACEMENT = Buffer.from("\ufffd");

/**
 * What was done to a value that cannot be read, in words; undefined where nothing points to it. `reads` says whether
 * bytes would be an object of the value's place.
 */
export function howMangled(value: Buffer, reads: (data: Buffer) => boolean): string | undefined {
  const undone = (data: Buffer): boolean => data.length < value.length && reads(data);
  if (undone(withoutNewline(value))) return "a newline was appended";
  const head = value.toString("latin1", 0, Math.min(value.length, 16));
  if (value.includes("\r\n") && (head.startsWith(`${MAGIC}\0\r\n`) || undone(withoutReturns(value))))
    return "every LF became CR LF";
  if (head.startsWith(BYTE_ORDER_MARK) && undone(value.subarray(BYTE_ORDER_MARK.length)))
    return "a byte order mark was prepended";
  if (value.subarray(2).toString("utf16le").startsWith(MAGIC)) return "it was written as UTF-16";
  if (value.includes(REPLACEMENT) && isText(value)) return "bytes that are not UTF-8 became U+FFFD";
  if (isText(value) && undone(Buffer.from(value.toString("utf8"), "latin1")))
    return "bytes were read as Latin-1 and written as UTF-8";
  if (/^"?k8s(?:\\x00|\\u0000|\\000|\\0)/.test(head)) return "bytes became escapes such as \\x00";
  if (/^azhz[A-Za-z0-9+/]/.test(head) && undone(Buffer.from(value.toString("latin1"), "base64")))
    return "it was encoded in base64 again";
  if (/^6b3873/i.test(head) && undone(Buffer.from(value.toString("latin1").trim(), "hex")))
    return "it was written as hexadecimal digits";
  if (head === MAGIC || head.startsWith(`${MAGIC}\n`)) return "NUL bytes were dropped or truncated it";
  return undefined;
}

const withoutNewline = (value: Buffer): Buffer =>
  value.at(-1) !== 0x0a ? value : value.subarray(0, value.at(-2) === 0x0d ? -2 : -1);

function withoutReturns(value: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(value.length);
  let length = 0;
  for (const [i, byte] of value.entries()) if (byte !== 0x0d || value[i + 1] !== 0x0a) kept[length++] = byte;
  return kept.subarray(0, length);
}

function isText(value: Buffer): boolean {
  try {
    utf8.decode(value);
    return true;
  } catch {
    return false;
  }
}
