/** Flags of `slipway validate`. */
import { optionalOperand } from "../../flags.js";

export const file = optionalOperand(
  "file",
  "install-config, - for standard input (default: check the directory)",
);
