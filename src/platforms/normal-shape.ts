/** The shape of a section in the normal form of an install-config: which members are written even when they are empty. */
import type { Json } from "../core/json.js";
import { formatCidr, NO_CIDR, parseCidr } from "../kubernetes/network.js";

export interface Member {
  /** `given`: whenever it is there, empty or not. */
  readonly keep?: "given";
  /** Written when it is not there; makes the member one that is always written. */
  readonly zero?: Json;
  /** Members of an object. */
  readonly of?: Shape;
  /** Keys are the user's own, so that every entry is written. */
  readonly map?: true;
  /** Members of each element of a list. */
  readonly each?: Shape;
  readonly print?: (text: string) => Json;
}

/** Members that a table does not name are written as they are, unless they are empty. */
export interface Shape {
  readonly [member: string]: Member;
}

export const given: Member = { keep: "given" };
export const text: Member = { zero: "" };

/** An address block as Go prints it. */
export const printCidr = (text: string): Json => formatCidr(parseCidr(text) ?? NO_CIDR) || null;
export const block: Member = { keep: "given", print: printCidr };
