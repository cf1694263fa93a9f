import type { Token } from "./go-source.mjs";

export function storageOf(tokens: readonly Token[]): {
  pins: { alias: string; resource: string; version: string }[];
  cohabitation: { alias: string; resource: string }[][];
};
