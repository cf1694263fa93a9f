/**
 * Go's regular expressions (RE2 syntax), which CustomResourceDefinitions and SOPS' rules are written in. Whoever writes
 * a pattern is not trusted: it is matched in a time that grows with pattern and text alone, and what Go refuses, large
 * repetitions and deep nesting too, is refused with Go's own limits (regexp/syntax/parse.go).
 */
import { RE2JS, RE2JSException } from "re2js";

/** A pattern that was compiled. */
export interface GoPattern {
  /** True where the pattern is found in the text; it is not anchored unless it anchors itself. */
  test(text: string): boolean;
}

/** Compiling costs time and memory by the length; no definition of a cluster has a longer one. */
const LONGEST = 10_000;

/** The pattern; undefined when it is wrong, or longer than 10,000 characters. */
export function compileGoPattern(pattern: string): GoPattern | undefined {
  if (pattern.length > LONGEST) return undefined;
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}
