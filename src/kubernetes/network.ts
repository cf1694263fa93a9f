/**
 * IP addresses and address blocks as Go's `net` package reads, compares and prints them, since every component of a
 * cluster does: no leading zeros in IPv4, an IPv4 address written inside IPv6 counts as IPv4, and host bits of a block
 * are kept until somebody asks for them to be cleared.
 */
import { isIPv4, isIPv6 } from "node:net";

/** Four bytes of IPv4 or sixteen of IPv6; none for a block that was left out. */
export type Address = readonly number[];

export interface Cidr {
  readonly address: Address;
  /** Length of the mask as written. */
  readonly prefix: number;
  /** Bits of the mask: 32 or 128; 0 for a block that was left out. */
  readonly bits: number;
}

/**
 * A block that was left out; it overlaps nothing and counts as IPv6 (docs/reference/install-config-and-manifests.md
 * §1.4).
 */
export const NO_CIDR: Cidr = { address: [], prefix: 0, bits: 0 };

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/** Reads an address; undefined when the text is none. An IPv4 address inside IPv6 becomes four bytes. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return text.split(".").map(Number);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  return MAPPED.every((byte, i) => bytes[i] === byte) ? bytes.slice(12) : bytes;
}

function ipv6Bytes(text: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = (high: string | undefined, low: string | undefined) =>
    (Number(high) * 256 + Number(low)).toString(16);
  const plain =
    dotted === null ? text : `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`;
  const [head = "", tail] = plain.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

/** Prints an address: dotted IPv4, or IPv6 in the form of RFC 5952. */
export function formatAddress(address: Address): string {
  if (address.length === 4) return address.join(".");
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((address[2 * i] ?? 0) << 8) | (address[2 * i + 1] ?? 0),
  );
  let longest = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === 0) end++;
    if (end - start > longest.length) longest = { start, length: end - start };
  }
  const print = (part: number[]) => part.map((group) => group.toString(16)).join(":");
  if (longest.start < 0) return print(groups);
  return `${print(groups.slice(0, longest.start))}::${print(groups.slice(longest.start + longest.length))}`;
}

/** Reads a block such as `10.0.0.0/16`, host bits kept; undefined when the text is none. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const written = text.slice(0, slash);
  const length = text.slice(slash + 1);
  const address = parseAddress(written);
  if (address === undefined || !/^\d+$/.test(length)) return undefined;
  const bits = written.includes(":") ? 128 : 32;
  const prefix = Number(length);
  return prefix > bits ? undefined : { address, prefix, bits };
}

/** The mask that really applies: that of an IPv4 block written inside IPv6 loses its first 96 bits. */
export const effectivePrefix = (cidr: Cidr): number =>
  cidr.bits === 128 && cidr.address.length === 4 ? Math.max(0, cidr.prefix - 96) : cidr.prefix;

/** `address/length`, host bits kept; empty for a block that was left out. */
export const formatCidr = (cidr: Cidr): string =>
  cidr.bits === 0 ? "" : `${formatAddress(cidr.address)}/${effectivePrefix(cidr)}`;

/** True for IPv4; a block that was left out counts as IPv6. */
export const isV4 = (cidr: Cidr): boolean => cidr.address.length === 4;

const maskByte = (prefix: number, index: number): number =>
  (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * index))) & 0xff;

/** The block with its host bits cleared. */
export function networkOf(cidr: Cidr): Cidr {
  const prefix = effectivePrefix(cidr);
  return { ...cidr, address: cidr.address.map((byte, i) => byte & maskByte(prefix, i)) };
}

/**
 * The address with a number below 256 in a block, counted from its first one; undefined where the block ends before it,
 * or is none. Host bits that the block has already stay set, as Go's cidr library leaves them.
 */
export function hostOf(cidr: Cidr | undefined, number: number): Address | undefined {
  if (cidr === undefined || number >= 2 ** (cidr.bits - cidr.prefix)) return undefined;
  return cidr.address.map((byte, i) => (i === cidr.address.length - 1 ? byte | number : byte));
}

/** The address before the last one of a block, which IPv4 keeps for broadcasts. */
export function lastHostOf(cidr: Cidr): Address {
  const prefix = effectivePrefix(cidr);
  const last = cidr.address.map((byte, i) => byte | (~maskByte(prefix, i) & 0xff));
  const borrow = last.findLastIndex((byte) => byte > 0);
  return last.map((byte, i) => (i < borrow ? byte : i === borrow ? byte - 1 : 255));
}

export function contains(cidr: Cidr, address: Address): boolean {
  if (cidr.address.length !== address.length) return false;
  const prefix = effectivePrefix(cidr);
  return address.every((byte, i) => ((byte ^ (cidr.address[i] ?? 0)) & maskByte(prefix, i)) === 0);
}

/** True when one of the blocks lies within the other. */
export const overlap = (a: Cidr, b: Cidr): boolean => contains(a, b.address) || contains(b, a.address);

/**
 * Blocks in their order, and which of them a block overlaps, without a look at each: of two that overlap the shorter
 * mask fits both, so that each is found by the network that it has at the lengths that there are.
 */
export class BlockIndex {
  private readonly blocks: Cidr[] = [];
  /** Places of the blocks by their own network, and of all in a network at each length; the first ones of each. */
  private readonly own = new Map<string, number[]>();
  private readonly within = new Map<string, number[]>();

  /**
   * @param lengths effective prefixes of all blocks that are added and asked for
   * @param most places that an answer has at most
   */
  constructor(
    private readonly lengths: ReadonlySet<number>,
    private readonly most: number,
  ) {}

  add(cidr: Cidr): void {
    const place = this.blocks.push(cidr) - 1;
    const prefix = effectivePrefix(cidr);
    this.note(this.own, networkKey(cidr, prefix), place);
    for (const length of this.lengths)
      if (length <= prefix) this.note(this.within, networkKey(cidr, length), place);
  }

  /** The first blocks that overlap one, by their places. */
  overlapping(cidr: Cidr): readonly { readonly place: number; readonly cidr: Cidr }[] {
    const prefix = effectivePrefix(cidr);
    const places = [...(this.within.get(networkKey(cidr, prefix)) ?? [])];
    for (const length of this.lengths)
      if (length < prefix) places.push(...(this.own.get(networkKey(cidr, length)) ?? []));
    return places
      .sort((a, b) => a - b)
      .slice(0, this.most)
      .flatMap((place) => {
        const block = this.blocks[place];
        return block === undefined ? [] : [{ place, cidr: block }];
      });
  }

  private note(map: Map<string, number[]>, key: string, place: number): void {
    const places = map.get(key);
    if (places === undefined) map.set(key, [place]);
    else if (places.length < this.most) places.push(place);
  }
}

const networkKey = ({ address }: Cidr, prefix: number): string =>
  `${prefix}/${address.map((byte, i) => byte & maskByte(prefix, i)).join(".")}`;

/** What is wrong with a block as a network; undefined when nothing is. */
export function networkFault(cidr: Cidr): "unspecified" | "host-bits" | undefined {
  if (cidr.bits === 0) return undefined;
  if (cidr.address.every((byte) => byte === 0)) return "unspecified";
  const network = networkOf(cidr);
  const mapped = cidr.bits === 128 && cidr.address.length === 4 && cidr.prefix < 96;
  return mapped || !network.address.every((byte, i) => byte === cidr.address[i]) ? "host-bits" : undefined;
}

/** Reads a MAC address of 6, 8 or 20 bytes, with colons, dashes, dots or nothing between them. */
export function parseMac(text: string): readonly number[] | undefined {
  const forms = [
    /^[0-9a-f]{2}(?::[0-9a-f]{2})+$/i,
    /^[0-9a-f]{2}(?:-[0-9a-f]{2})+$/i,
    /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i,
    /^(?:[0-9a-f]{2})+$/i,
  ];
  if (!forms.some((form) => form.test(text))) return undefined;
  const digits = text.replace(/[^0-9a-f]/gi, "");
  const bytes = digits.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return [6, 8, 20].includes(bytes.length) ? bytes : undefined;
}

/** Lower-case hexadecimal with colons. */
export const formatMac = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(":");
