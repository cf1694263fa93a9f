import type { CelFunctions } from "./cel-functions.mjs";
import type { KubernetesRelease } from "./go-source.mjs";

/** Tables by name; their forms are those of the files in tables/. */
export type Tables = Readonly<Record<string, object>>;

export function textsIn(folder: string): Record<string, string>;
export function tablesIn(texts: Readonly<Record<string, string>>): Tables;
export function textsOf(tables: Tables): Record<string, string>;
export function tablesUpTo(tables: Tables, last: string, sources?: readonly KubernetesRelease[]): Tables;
export function tablesWith(
  tables: Tables,
  kubernetes: KubernetesRelease,
  more?: { readonly functions?: readonly CelFunctions[] | undefined; readonly costsCompared?: boolean },
): Tables;
