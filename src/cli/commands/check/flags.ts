/** Flags of `slipway check`. */
import { toggle } from "../../flags.js";

export const strict = toggle("strict", "edited, added and removed files count as differences too");
