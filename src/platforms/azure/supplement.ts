import type { PlatformInput } from "../platform.js";
import type { SupplementItem } from "../supplement.js";
export const supplement = (_: PlatformInput): readonly SupplementItem[] => [];
