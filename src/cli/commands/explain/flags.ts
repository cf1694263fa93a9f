/** The operand and flags of `slipway explain`. */
import { HANDLED_PLATFORMS } from "../../../platforms/registry.js";
import { choice, optionalOperand, text } from "../../flags.js";

export const path = optionalOperand(
  "topic",
  "document and field, such as install-config.platform.aws.region, or a diagnostic code",
);

export const origin = text(
  "origin",
  "where a written file comes from, a field of its object, or a line of it: FILE, FILE:FIELD or FILE:LINE",
  { value: "FILE[:FIELD]" },
);

export const platform = choice(
  "platform",
  "platform of the cluster (default: that of the directory)",
  HANDLED_PLATFORMS,
);
