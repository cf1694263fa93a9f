import type { Command } from "../command.js";
import { UsageError } from "../exit.js";
import type { Operand } from "../flags.js";

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

export const completion: Command = {
  path: "completion",
  summary: "Print a completion script for a shell",
  operands: [shell],
  flags: [],
  examples: [
    { line: "source <(slipway completion bash)", does: "in ~/.bashrc" },
    { line: "slipway completion zsh > ~/.zfunc/_slipway", does: "in a folder of fpath" },
    { line: "slipway completion fish > ~/.config/fish/completions/slipway.fish", does: "for fish" },
  ],
  load: async () => (await import("./completion-run.js")).completion,
};
