/** A file that a phase or generator wants to exist. */
export interface OutputFile {
  /** Relative to the output root, `/` as separator, never leaving the root. */
  readonly path: string;
  readonly data: Uint8Array;
  /** True when the content must not be readable by others: mode 0600 instead of 0644. */
  readonly secret: boolean;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export const encode = (text: string): Uint8Array => encoder.encode(text);

/** The text of UTF-8 bytes, or undefined when they are not UTF-8. */
export function decode(data: Uint8Array): string | undefined {
  try {
    return decoder.decode(data);
  } catch {
    return undefined;
  }
}

export function textFile(path: string, text: string, options: { secret?: boolean } = {}): OutputFile {
  return { path, data: encode(text), secret: options.secret ?? false };
}

/** Orders by UTF-16 code unit, the order of every list that we write. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && Buffer.compare(a, b) === 0;

/** The ignore file of a folder of which nothing is committed. */
export const IGNORE_ALL = "# Secrets of a cluster: never to be committed.\n*\n";
