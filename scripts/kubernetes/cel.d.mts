import type { Token } from "./go-source.mjs";

export function optionsOf(
  tokens: readonly Token[],
): { name: string; introduced: string; removed?: string; gate?: string }[];
