/** What is left to do after a phase: for people and for scripts. */
import { withoutEnd } from "../core/trim.js";
import { pathWord } from "../text/shell.js";

export interface NextStep {
  /** Stable name for scripts. */
  readonly id:
    | "infrastructure-manifests"
    | "ignition-configs"
    | "definitions"
    | "placeholders"
    | "validate"
    | "apply"
    | "wait"
    | "operators"
    | "use-before"
    | "installer"
    | "bootstrap"
    | "machines"
    | "embed"
    | "boot"
    | "requests";
  readonly what: string;
  /** Shell commands, in order. */
  readonly commands: readonly string[];
}

/** The steps as numbered text. */
export const formatNextSteps = (steps: readonly NextStep[]): string =>
  [
    "Next steps:",
    ...steps.flatMap(({ what, commands }, i) => [
      `${i + 1}. ${what}`,
      ...commands.map((command) => `     ${command}`),
    ]),
  ].join("\n");

/** The path of a file in the asset directory as a word of a command. */
export const wordIn = (directory: string, name: string): string =>
  pathWord(directory === "." ? name : `${withoutEnd(directory, "/")}/${name}`);
