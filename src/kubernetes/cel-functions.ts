/** Functions and macros that expressions of a release may call, with the types of their arguments and results. */
import table from "../../schemas/data/kubernetes-cel-functions.json" with { type: "json" };
import { holdsAt, rowsAt } from "../core/by-release.js";
import { formatMinor, type Minor } from "../core/minor.js";
import { type CelType, parseType, splitTypes } from "./cel-types.js";

/** One of the signatures of a function; a method has its receiver as the first argument. */
export interface CelOverload {
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
  const add = (signature: string, isMethod: boolean): void => {
    const [start, end] = [signature.indexOf("("), signature.lastIndexOf("): ")];
    const [name, args] = [signature.slice(0, start), signature.slice(start + 1, end)];
    const result = signature.slice(end + "): ".length);
    const own = functions.get(name) ?? [];
    own.push({ isMethod, args: splitTypes(args).map(parseType), result: parseType(result) });
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
