/** PEM, the text form of keys and certificates (RFC 7468, with the headers of RFC 1421). */

export interface PemBlock {
  readonly label: string;
  /** Header lines, name and value, in their order. */
  readonly headers: readonly (readonly [string, string])[];
  readonly der: Buffer;
}

/** Neither label nor body has five dashes, so that nothing is looked at twice. */
const BLOCK =
  /^[ \t]*-----BEGIN ((?:[^\r\n-]|-(?!----))*)-----[ \t]*\r?\n([^-]*(?:-(?!----)[^-]*)*)^-----END \1-----/gm;
const HEADER = /^([^\n:]+):([^\n]*)$/;

/** One block: 64 characters a line, one final newline; headers sorted by name, `Proc-Type` first. */
export function toPem(label: string, der: Uint8Array, headers: PemBlock["headers"] = []): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  const rank = ([name]: readonly [string, string]): string => (name === "Proc-Type" ? "" : name);
  const head = [...headers]
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
  const body = lines.map((line) => `${line}\n`).join("");
  return `-----BEGIN ${label}-----\n${head}${head === "" ? "" : "\n"}${body}-----END ${label}-----\n`;
}

/**
 * The first block of a text. Text in the form that `toPem` writes, as keys and certificates of ours have it, is read
 * without the search for headers and for text before the block.
 */
export function firstPemBlock(text: string): PemBlock | undefined {
  const start = text.indexOf("-----\n");
  if (!text.startsWith(BEGIN) || start < 0) return pemBlocks(text)[0];
  const label = text.slice(BEGIN.length, start);
  const end = text.indexOf(`\n-----END ${label}-----`, start);
  const body = text.slice(start + "-----\n".length, end);
  if (end < 0 || body.includes(":") || body.includes("-")) return pemBlocks(text)[0];
  return { label, headers: [], der: Buffer.from(body, "base64") };
}

const BEGIN = "-----BEGIN ";

/** Every block of a text, in order; text between the blocks is passed over. */
export const pemBlocks = (text: string): PemBlock[] =>
  [...text.matchAll(BLOCK)].map(([, label = "", body = ""]) => {
    const lines = body.split(/\r?\n/);
    const headers: [string, string][] = [];
    for (let found = HEADER.exec(lines[0] ?? ""); found !== null; found = HEADER.exec(lines[0] ?? "")) {
      headers.push([(found[1] ?? "").trim(), (found[2] ?? "").trim()]);
      lines.shift();
    }
    return { label, headers, der: Buffer.from(lines.join(""), "base64") };
  });
