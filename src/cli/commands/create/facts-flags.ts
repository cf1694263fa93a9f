/** Flags of `slipway create facts`. */
import { platformsWithScript } from "../../../platforms/registry.js";
import { text } from "../../flags.js";

export const script = text(
  "script",
  `write a shell script that asks the cloud (${platformsWithScript()}) and prints the facts file, instead of a file to fill in; - for standard output`,
  { value: "FILE", stream: "own" },
);
