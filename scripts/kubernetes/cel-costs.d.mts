import type { KubernetesRelease } from "./go-source.mjs";

export function digestOf(text: string): string;
export function changedCosts(table: object, kubernetes: KubernetesRelease): string[];
