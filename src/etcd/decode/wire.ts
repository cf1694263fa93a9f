/**
 * The wire format exactly as the decoders that gogo/protobuf generates for Kubernetes read it (generated.pb.go of
 * k8s.io/api): numbers wrap at 64 bits, errors are their words, and what they do not check is not checked here.
 */
import { WireFault } from "../read/varint.js";

const eof = (): WireFault => new WireFault("unexpected EOF");
const overflow = (): WireFault => new WireFault("proto: integer overflow");
const invalidLength = (): WireFault => new WireFault("proto: negative length found during unmarshaling");

/** Where a reader is; the bytes end at `end`. */
export interface Place {
  readonly data: Buffer;
  at: number;
}

const TOO_FAR = 1n << 63n;

/** Steps over a varint. */
export function passVarint(place: Place, end: number): void {
  const { data } = place;
  for (let i = 0; i < 10; i++) {
    if (place.at >= end) throw eof();
    if ((data[place.at++] ?? 0) < 0x80) return;
  }
  throw overflow();
}

/** A varint as an unsigned number of 64 bits; what is beyond is cut off. */
export function wideVarint(place: Place, end: number): bigint {
  const from = place.at;
  passVarint(place, end);
  let value = 0n;
  for (let at = place.at - 1; at >= from; at--) value = (value << 7n) | BigInt((place.data[at] ?? 0) & 0x7f);
  return BigInt.asUintN(64, value);
}

/** Reads a length, and answers where what it counts ends, which is not checked to be before the end. */
export function endOfLength(place: Place, end: number): number {
  const first = place.data[place.at] ?? 0;
  if (place.at < end && first < 0x80) {
    place.at++;
    return place.at + first;
  }
  const length = BigInt.asIntN(64, wideVarint(place, end));
  if (length < 0n || BigInt(place.at) + length >= TOO_FAR) throw invalidLength();
  return place.at + Number(length);
}

/** The same, within the end. */
export function endOfField(place: Place, end: number): number {
  const after = endOfLength(place, end);
  if (after > end) throw eof();
  return after;
}

/** Number and wire type of the field that is next, as `number * 8 + type`. `message` names what is read, in errors. */
export function readTag(place: Place, end: number, message: string): number {
  const first = place.data[place.at] ?? 0;
  if (place.at < end && first < 0x80 && first >= 8 && (first & 7) !== 4) {
    place.at++;
    return first;
  }
  const wide = wideVarint(place, end);
  const number = Number(BigInt.asIntN(32, wide >> 3n));
  const wireType = Number(wide & 7n);
  if (wireType === 4) throw new WireFault(`proto: ${message}: wiretype end group for non-group`);
  if (number <= 0) throw new WireFault(`proto: ${message}: illegal tag ${number} (wire type ${wide})`);
  return number * 8 + wireType;
}

/** Steps over a field, its tag included. */
export function passField(place: Place, end: number): void {
  let depth = 0;
  while (place.at < end) {
    const wireType = (place.data[place.at] ?? 0) & 7;
    passVarint(place, end);
    switch (wireType) {
      case 0:
        passVarint(place, end);
        break;
      case 1:
        place.at += 8;
        break;
      case 2:
        place.at = endOfLength(place, end);
        break;
      case 3:
        depth++;
        break;
      case 4:
        if (depth === 0) throw new WireFault("proto: unexpected end of group");
        depth--;
        break;
      case 5:
        place.at += 4;
        break;
      default:
        throw new WireFault(`proto: illegal wireType ${wireType}`);
    }
    if (depth === 0) {
      if (place.at > end) throw eof();
      return;
    }
  }
  throw eof();
}

export const wrongWireType = (wireType: number, field: string): WireFault =>
  new WireFault(`proto: wrong wireType = ${wireType} for field ${field}`);
