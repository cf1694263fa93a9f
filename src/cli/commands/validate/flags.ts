/** Flags of `slipway validate`. */
import { optionalOperand } from "../../flags.js";

export const file = optionalOperand(
  "file",
  "an install-config, - for standard input; left out, the directory",
);
