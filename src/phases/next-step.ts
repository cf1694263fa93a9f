/** What is left to do after a phase: for people and for scripts. */
export interface NextStep {
  /** Stable name for scripts. */
  readonly id:
    | "infrastructure-manifests"
    | "ignition-configs"
    | "agent-image"
    | "definitions"
    | "placeholders"
    | "validate"
    | "apply"
    | "wait"
    | "operators"
    | "use-before"
    | "decrypt"
    | "installer"
    | "bootstrap"
    | "machines"
    | "data-secrets"
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
      ...commands.map((command) => `     ${command.replaceAll(" &&\n", " &&\n     ")}`),
    ]),
  ].join("\n");
