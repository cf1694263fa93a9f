/** Variable-length integers of the protobuf wire format, exact to 64 bits. */

/** Thrown by the wire readers; callers turn it into what the server would say. */
export class WireFault extends Error {
  override readonly name = "WireFault";
}

export interface Cursor {
  readonly data: Buffer;
  at: number;
  readonly end: number;
}

/** An unsigned varint that must be a safe number, such as a tag or a length. */
export function readVarint(cursor: Cursor): number {
  const { data, end } = cursor;
  let value = 0;
  let scale = 1;
  for (let i = 0; i < 10; i++) {
    if (cursor.at >= end) throw new WireFault("unexpected EOF");
    const byte = data[cursor.at++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (value > Number.MAX_SAFE_INTEGER)
        throw new WireFault("proto: negative length found during unmarshaling");
      return value;
    }
    scale *= 128;
  }
  throw new WireFault("proto: integer overflow");
}

/** A varint as int64. */
export function readInt64(cursor: Cursor): bigint {
  const { data, end } = cursor;
  let low = 0;
  let scale = 1;
  for (let i = 0; i < 10; i++) {
    if (cursor.at >= end) throw new WireFault("unexpected EOF");
    const byte = data[cursor.at++] ?? 0;
    if (i === 7) return finishInt64(cursor, BigInt(low), byte);
    low += (byte & 0x7f) * scale;
    if (byte < 0x80) return BigInt(low);
    scale *= 128;
  }
  throw new WireFault("proto: integer overflow");
}

/** The bytes of a varint from the eighth on, where numbers are no longer exact. */
function finishInt64(cursor: Cursor, low: bigint, first: number): bigint {
  let value = low;
  let byte = first;
  for (let shift = 49n; ; shift += 7n) {
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asIntN(64, value);
    if (shift >= 63n) throw new WireFault("proto: integer overflow");
    if (cursor.at >= cursor.end) throw new WireFault("unexpected EOF");
    byte = cursor.data[cursor.at++] ?? 0;
  }
}

/** Bytes of a length-delimited field: answers where they end and moves the cursor there. */
export function readLength(cursor: Cursor): number {
  const length = readVarint(cursor);
  const end = cursor.at + length;
  if (end > cursor.end) throw new WireFault("unexpected EOF");
  return end;
}

/** Steps over a field of the given wire type. Groups are followed, to a bounded depth. */
export function skipField(cursor: Cursor, wireType: number, depth = 0): void {
  switch (wireType) {
    case 0:
      readInt64(cursor);
      return;
    case 1:
      advance(cursor, 8);
      return;
    case 2:
      cursor.at = readLength(cursor);
      return;
    case 3:
      if (depth > 100) throw new WireFault("proto: groups are nested too deeply");
      for (;;) {
        const inner = readVarint(cursor) & 7;
        if (inner === 4) return;
        skipField(cursor, inner, depth + 1);
      }
    case 5:
      advance(cursor, 4);
      return;
    default:
      throw new WireFault(
        wireType === 4 ? "proto: unexpected end of group" : `proto: illegal wireType ${wireType}`,
      );
  }
}

function advance(cursor: Cursor, length: number): void {
  cursor.at += length;
  if (cursor.at > cursor.end) throw new WireFault("unexpected EOF");
}
