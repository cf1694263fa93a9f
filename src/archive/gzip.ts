/**
 * gzip without compression (RFC 1952, with stored blocks of RFC 1951). What compresses differs between builds of Node.js; this
 * gives the same bytes everywhere, and every reader of gzip reads it.
 */

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** Most bytes of a stored block. */
const BLOCK = 0xffff;

export function storedGzip(data: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let start = 0; start === 0 || start < data.length; start += BLOCK) {
    const part = data.subarray(start, start + BLOCK);
    const head = Buffer.alloc(5);
    head.writeUInt8(start + BLOCK >= data.length ? 1 : 0, 0);
    head.writeUInt16LE(part.length, 1);
    head.writeUInt16LE(part.length ^ BLOCK, 3);
    blocks.push(head, part);
  }
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(data), 0);
  tail.writeUInt32LE(data.length >>> 0, 4);
  return Buffer.concat([HEADER, ...blocks, tail]);
}

const POLYNOMIAL = 0xedb88320;
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

function crc32(data: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of data) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
