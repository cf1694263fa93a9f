import type { Rendering } from "../platform.js";

/** The user makes the machines; the Machine API manages none. */
export const machines = (): readonly Rendering[] => [];
