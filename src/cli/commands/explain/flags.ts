/** The operand and flags of `slipway explain`. */
import { HANDLED_PLATFORMS } from "../../../platforms/registry.js";
import { choice, optionalOperand, text } from "../../flags.js";

export const path = optionalOperand(
  "topic",
  "document and field, such as install-config.platform.aws.region, or a diagnostic code",
);

export const origin = text(
  "origin",
  "show where a generated file, field or line comes from: FILE, FILE:FIELD or FILE:LINE",
  { value: "FILE[:FIELD]" },
);

export const platform = choice(
  "platform",
  "platform of the cluster (default: from --dir)",
  HANDLED_PLATFORMS,
);
