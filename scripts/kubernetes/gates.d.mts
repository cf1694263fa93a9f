import type { Token } from "./go-source.mjs";

export function gatesOf(tokens: readonly Token[]): {
  specs: { constant: string; specs: string[] }[];
  needs: { constant: string; needs: string[] }[];
};
