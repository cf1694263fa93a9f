/** Flags of `slipway keys`, and the one of the commands that take keys from a pool. */
import { text, toggle } from "../../flags.js";

export const count = text("count", "how many keys the pool is to hold", { value: "N" });
export const out = text("out", "file of the pool, mode 0600", { value: "FILE" });
export const dryRun = toggle("dry-run", "say how many keys would be made, make none");

export const keys = text(
  "keys",
  "take new RSA keys from a pool that slipway keys made; each is taken out of it, and used once (also: SLIPWAY_KEYS)",
  { value: "FILE" },
);
