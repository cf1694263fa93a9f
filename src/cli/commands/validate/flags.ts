/** Flags of `slipway validate`. */
import { optionalOperand, text } from "../../flags.js";

export const file = optionalOperand(
  "file",
  "an install-config, - for standard input; left out, the directory",
);

export const crds = text("crds", "folder of CustomResourceDefinitions to hold the objects against", {
  value: "DIR",
});
