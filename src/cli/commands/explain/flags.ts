/** The operand of `slipway explain`. */
import { optionalOperand } from "../../flags.js";

export const path = optionalOperand(
  "path",
  "document, and the field in it: install-config.platform.aws.region",
);
