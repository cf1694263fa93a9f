/** Flags of `slipway graph`. */
import { choiceWithDefault } from "../../flags.js";

export const format = choiceWithDefault("format", "graph format", ["dot", "mermaid", "svg"], "dot", {
  value: "FORM",
});
