/** The operand of `slipway completion`. */
import { UsageError } from "../../exit.js";
import { alternatives, type Operand } from "../../flags.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const shell: Operand<Shell> = {
  name: "shell",
  describe: alternatives(SHELLS),
  required: true,
  many: false,
  choices: SHELLS,
  read: (raw) => {
    const found = SHELLS.find((each) => each === raw);
    if (found === undefined)
      throw new UsageError(`unsupported shell ${JSON.stringify(raw)}; use ${alternatives(SHELLS)}`);
    return found;
  },
};
