/** Functions and macros that expressions of a release may call, with the types of their arguments and results. */
import table from "../../../tables/kubernetes-cel-functions.json" with { type: "json" };
import { holdsAt, rowsAt } from "../../core/by-release.js";
import { formatMinor, type Minor } from "../../core/minor.js";
import { type CelType, parseType, splitTypes } from "./types.js";

/** One of the signatures of a function; a method has its receiver as the first argument. */
export interface CelOverload {
  /** As it is called: `size(string)`, and `string.size()` for a method. */
  readonly signature: string;
  readonly isMethod: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
}

export interface CelVocabulary {
  readonly functions: ReadonlyMap<string, readonly CelOverload[]>;
  /** As `exists/2`: a name with the number of its arguments. */
  readonly macros: ReadonlySet<string>;
  /** True where a member may be written as it is called, though its name is a keyword. */
  readonly keywordMembers: boolean;
}

const read = new Map<string, CelVocabulary>();

/** @param release that whose environment expressions are compiled in; everything that is known where it is left out */
export function vocabularyOf(release: Minor | undefined): CelVocabulary {
  const key = release === undefined ? "" : formatMinor(release);
  const known = read.get(key) ?? readVocabulary(release);
  read.set(key, known);
  return known;
}

function readVocabulary(release: Minor | undefined): CelVocabulary {
  const functions = new Map<string, CelOverload[]>();
  const add = (text: string, isMethod: boolean): void => {
    const name = text.slice(0, text.indexOf("("));
    const own = functions.get(name) ?? [];
    own.push(overloadOf(text, isMethod));
    functions.set(name, own);
  };
  for (const row of release === undefined ? table.functions : rowsAt(table.functions, release)) {
    for (const signature of row.functions) add(signature, false);
    for (const signature of row.methods) add(signature, true);
  }
  const macros = release === undefined ? table.macros : rowsAt(table.macros, release);
  return {
    functions,
    macros: new Set(macros.flatMap(({ names }) => names)),
    keywordMembers: release === undefined || holdsAt(table.keywordMembers, release),
  };
}

/** Reads `size(string): int`; the receiver of a method stands first. */
export function overloadOf(text: string, isMethod: boolean): CelOverload {
  const [start, end] = [text.indexOf("("), text.lastIndexOf("): ")];
  const name = text.slice(0, start);
  const args = splitTypes(text.slice(start + 1, end));
  const [receiver, ...rest] = args;
  return {
    signature: isMethod ? `${receiver}.${name}(${rest.join(", ")})` : `${name}(${args.join(", ")})`,
    isMethod,
    args: args.map(parseType),
    result: parseType(text.slice(end + "): ".length)),
  };
}
