/** Bytes to text, as the installer's YAML reader does: UTF-8, or UTF-16 when a byte order mark says so. */
import type { Problem } from "../core/diagnostics.js";
import { decode } from "../core/files.js";
import { packed } from "./packed.js";

export interface DecodedText {
  /** Undefined when the bytes are not text, which `problem` explains. */
  readonly text: string | undefined;
  readonly problem: Problem | undefined;
}

/** The text of a file without its byte order mark, and what is to be said about its encoding. */
export function decodeText(data: Uint8Array, file: string): DecodedText {
  const start = { kind: "Parse", file, line: 1, column: 1 } as const;
  const [first, second, third] = data;
  const utf16 =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  if (utf16 !== "") {
    const text = decodeUtf16(data, utf16);
    if (text === undefined)
      return {
        text,
        problem: { ...start, code: "TEXT001", message: "invalid UTF-16", hint: TO_UTF8 },
      };
    const message = "the file is UTF-16, which the installer can read but most other tools cannot";
    return { text, problem: { ...start, code: "TEXT002", severity: "warning", message, hint: TO_UTF8 } };
  }
  const unread = packed(data);
  if (unread !== undefined) return { text: undefined, problem: { ...start, code: "TEXT001", ...unread } };
  const zeros = data.subarray(0, 64).filter((byte) => byte === 0).length;
  if (zeros > 8) {
    const message = "the file is UTF-16 without a byte order mark, or not text";
    return { text: undefined, problem: { ...start, code: "TEXT001", message, hint: TO_UTF8 } };
  }
  const text = decode(data);
  if (text === undefined)
    return { text, problem: { ...start, code: "TEXT001", ...firstBadByte(data), hint: TO_UTF8 } };
  const marked = first === 0xef && second === 0xbb && third === 0xbf;
  const message = "the byte order mark at the start of the file is ignored";
  return {
    text,
    problem: marked ? { ...start, code: "TEXT002", severity: "info", message, hint: "" } : undefined,
  };
}

const TO_UTF8 = "save it as UTF-8";

function decodeUtf16(data: Uint8Array, encoding: "utf-16le" | "utf-16be"): string | undefined {
  const bytes = encoding === "utf-16le" ? data.slice(2) : swapped(data.slice(2));
  try {
    return new TextDecoder("utf-16le", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function swapped(data: Uint8Array): Uint8Array {
  for (let i = 0; i + 1 < data.length; i += 2) [data[i], data[i + 1]] = [data[i + 1] ?? 0, data[i] ?? 0];
  return data;
}

/** Where UTF-8 ends: the longest valid prefix tells line and column. */
export function firstBadByte(data: Uint8Array): { message: string; line: number; column: number } {
  let low = 0;
  let high = data.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isPrefix(data.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  // Of a character that was begun and not ended nothing comes out.
  const whole = new TextDecoder("utf-8").decode(data.subarray(0, low), { stream: true });
  const byte = (data[Buffer.byteLength(whole)] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  const lines = whole.split("\n");
  return {
    message: `invalid UTF-8: byte 0x${byte}`,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
  };
}

/** True when bytes are valid UTF-8 that may be cut in a character. */
function isPrefix(data: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(data, { stream: true });
    return true;
  } catch {
    return false;
  }
}
