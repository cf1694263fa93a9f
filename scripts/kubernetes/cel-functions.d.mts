import type { KubernetesRelease } from "./go-source.mjs";

export interface CelFunctions {
  readonly functions: readonly string[];
  readonly methods: readonly string[];
  readonly macros: readonly string[];
}

export function signatureOf(text: string): string;
export function readFunctions(kubernetes: KubernetesRelease, program: string): CelFunctions[];
export function addFunctions<Table extends object>(table: Table, release: string, read: readonly CelFunctions[]): Table;
