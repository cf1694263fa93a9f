/** Flags of `slipway check`. */
import { toggle } from "../../flags.js";

export const strict = toggle("strict", "treat edited, added and removed files as differences too");
