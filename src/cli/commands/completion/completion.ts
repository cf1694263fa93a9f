import type { Command, Group } from "../../command.js";
import { shell } from "./flags.js";

/** @param table the commands to complete; asked for when the command runs, since they include this one. */
export const completion = (
  table: () => { readonly commands: readonly Command[]; readonly groups: readonly Group[] },
): Command => ({
  path: "completion",
  summary: "Print a completion script for bash, zsh or fish",
  operands: [shell],
  flags: [],
  examples: [
    { line: "source <(slipway completion bash)", does: "in ~/.bashrc" },
    { line: "slipway completion zsh > ~/.zfunc/_slipway", does: "a folder in fpath" },
    { line: "slipway completion fish > ~/.config/fish/completions/slipway.fish", does: "for fish" },
  ],
  load: async () => {
    const { commands, groups } = table();
    return (await import("./completion-run.js")).completion(commands, groups);
  },
});
