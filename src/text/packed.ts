/** Packed files, known by their first bytes: backups and attachments often come as one. */

interface Form {
  readonly name: string;
  /** The program that unpacks it. */
  readonly by: string;
  readonly at: number;
  readonly magic: readonly number[];
}

/** RFC 1952; RFC 8878; the file formats of xz, bzip2, ZIP (APPNOTE 4.3.7) and POSIX ustar. */
const FORMS: readonly Form[] = [
  { name: "gzip", by: "gunzip -k", at: 0, magic: [0x1f, 0x8b] },
  { name: "zstd", by: "zstd -d", at: 0, magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "xz", by: "unxz -k", at: 0, magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { name: "bzip2", by: "bunzip2 -k", at: 4, magic: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59] },
  { name: "zip", by: "unzip", at: 0, magic: [0x50, 0x4b, 0x03, 0x04] },
  { name: "tar", by: "tar -xf", at: 257, magic: [0x75, 0x73, 0x74, 0x61, 0x72] },
];

/** As many bytes of a file as {@link packed} looks at. */
export const PACKED_HEAD = 262;

/** Bytes that no text has: NUL, or those that begin no character. */
const hasOtherBytes = (head: Uint8Array): boolean => head.includes(0) || head.some((byte) => byte > 0xf4);

/** What is said of a file that is packed; undefined for any other. */
export function packed(head: Uint8Array): { readonly message: string; readonly hint: string } | undefined {
  // Behind the beginning of a text the same letters may stand.
  const form = FORMS.find(
    ({ at, magic }) =>
      magic.every((byte, i) => head[at + i] === byte) && (magic.length < 5 || hasOtherBytes(head)),
  );
  return form === undefined
    ? undefined
    : { message: `the file is compressed (${form.name})`, hint: `decompress it first: ${form.by}` };
}
