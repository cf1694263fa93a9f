/** Flags of `slipway graph`. */
import { choiceWithDefault } from "../../flags.js";

export const format = choiceWithDefault("format", "form of the graph", ["dot", "mermaid", "svg"], "dot", {
  value: "FORM",
});
