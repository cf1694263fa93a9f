/** Flags of `slipway keys`. */
import { text, toggle } from "../../flags.js";

export const count = text("count", "number of keys that the pool must have", { value: "N" });
export const out = text("out", "pool file, mode 0600", { value: "FILE", stream: "own" });
export const dryRun = toggle("dry-run", "show how many keys would be generated, without generating them");
