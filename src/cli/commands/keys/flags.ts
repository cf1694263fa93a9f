/** Flags of `slipway keys`. */
import { text, toggle } from "../../flags.js";

export const count = text("count", "how many keys the pool is to hold", { value: "N" });
export const out = text("out", "file of the pool, mode 0600", { value: "FILE" });
export const dryRun = toggle("dry-run", "say how many keys would be made, make none");
