/** The operand of `slipway completion`. */
import { UsageError } from "../../exit.js";
import type { Operand } from "../../flags.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const shell: Operand<Shell> = {
  name: "shell",
  describe: SHELLS.join(", "),
  required: true,
  many: false,
  choices: SHELLS,
  read: (raw) => {
    const found = SHELLS.find((each) => each === raw);
    if (found === undefined) throw new UsageError(`completion for which shell? One of ${SHELLS.join(", ")}`);
    return found;
  },
};
