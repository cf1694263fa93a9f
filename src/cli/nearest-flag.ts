/** The flag that was probably meant by one that a command does not have. */
import { closest } from "../text/closest.js";

/** What other tools call a flag. */
const SYNONYMS: { readonly [name: string]: readonly string[] } = {
  "asset-dir": ["dir"],
  "cluster-name": ["name"],
  domain: ["base-domain"],
  file: ["from", "input"],
  folder: ["dir", "out"],
  format: ["output"],
  kubernetes: ["release"],
  "kubernetes-version": ["release", "binary-version"],
  outdir: ["out", "dir"],
  "output-dir": ["out", "dir"],
  path: ["dir", "out"],
  quiet: ["log-level"],
  recipient: ["age-recipient"],
  verbose: ["log-level"],
  version: ["release", "binary-version"],
  workdir: ["dir"],
};

/** @param known names without dashes in front */
export function nearestFlag(name: string, known: readonly string[]): string | undefined {
  const word = name.toLowerCase().replaceAll("_", "-");
  return (
    closest(word, known) ??
    SYNONYMS[word]?.find((each) => known.includes(each)) ??
    abbreviation(word, known) ??
    mostParts(word, known)
  );
}

/** One is the beginning of the other: `directory` of `dir`, `encryption` of `encryption-config`. */
function abbreviation(word: string, known: readonly string[]): string | undefined {
  const fitting = known.filter(
    (each) => Math.min(each.length, word.length) >= 3 && (word.startsWith(each) || each.startsWith(word)),
  );
  return fitting.sort((a, b) => Math.abs(a.length - word.length) - Math.abs(b.length - word.length))[0];
}

/** The most words between dashes in common: `secret-file` of `pull-secret`. */
function mostParts(word: string, known: readonly string[]): string | undefined {
  const parts = new Set(word.split("-"));
  const shared = (each: string): number => each.split("-").filter((part) => parts.has(part)).length;
  const [best] = known
    .filter((each) => shared(each) > 0)
    .sort((a, b) => shared(b) - shared(a) || a.length - b.length);
  return best;
}
