import type { Token } from "./go-source.mjs";

export function resourceOf(kind: string): string;
export function kindsOf(tokens: readonly Token[]): string[];
export function lifecyclesOf(tokens: readonly Token[]): Map<string, Record<string, string>>;
export function fixturesOf(tokens: readonly Token[]): {
  group: string;
  version: string;
  resource: string;
  path: string;
  namespaced: boolean;
}[];
export function endpointsOf(
  tokens: readonly Token[],
): { alias: string | undefined; resource: string; gates: string[] }[];
