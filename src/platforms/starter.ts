/** What a platform adds to the install-config that `create install-config` writes to start from. */

/** A value that the user is asked for. */
export interface StarterQuestion {
  /** The flag that answers it, such as `region`; also the name of the answer. */
  readonly flag: string;
  /** What help calls the value, such as `REGION`. */
  readonly value: string;
  /** What the flag is, for help. */
  readonly about: string;
  readonly question: string;
  readonly required: boolean;
  /** A value that the rules take, where they do not take any text. */
  readonly example?: string;
  /** What an empty answer to a question that is not required means, such as `your own load balancers`. */
  readonly empty?: string;
  /** Values to choose from; any other one is accepted too, as far as the rules do. */
  readonly choices?: (answers: Answers) => readonly string[];
}

/** Answers by flag. */
export type Answers = Readonly<Record<string, string>>;

/** The question for the type of all machines. */
export const machineType = (example: string, choices?: StarterQuestion["choices"]): StarterQuestion => ({
  flag: "machine-type",
  value: "TYPE",
  about: "type of all machines",
  question: "Machine type",
  required: false,
  empty: "the defaults of the release",
  example,
  ...(choices === undefined ? {} : { choices }),
});

/** The lines of `defaultMachinePlatform`, by the answer to that question or as an example. */
export const machineTypeLines = (
  answers: Answers,
  scalar: (text: string) => string,
  example: string,
  others: readonly string[],
): readonly string[] => {
  const type = answers["machine-type"];
  return [
    "    # Defaults for the machines of all pools.",
    ...(type === undefined
      ? ["    # defaultMachinePlatform:", `    #   type: ${example}`]
      : ["    defaultMachinePlatform:", `      type: ${scalar(type)}`]),
    ...others.map((line) => (type === undefined ? `    #   ${line}` : `      # ${line}`)),
  ];
};

const virtualIP = (flag: string, what: string, example: string, empty: string): StarterQuestion => ({
  flag,
  value: "IP",
  about: `unused address in the machine network for the ${what}`,
  question: `Address for the ${what}`,
  required: false,
  empty,
  example,
});

/** The questions for the virtual IPs. */
export const virtualIPs = (empty: string): readonly StarterQuestion[] => [
  virtualIP("api-vip", "API", "10.0.0.5", empty),
  virtualIP("ingress-vip", "ingress", "10.0.0.7", empty),
];

/** How an empty answer reads whose value is left to be filled in. */
export const LATER = "fill it in later";

export interface PlatformStarter {
  /** What the platform is, in a few words. */
  readonly about: string;
  readonly computeReplicas: number | ((answers: Answers) => number);
  /** The one architecture of its machines, where it is not the user's to choose. */
  readonly architecture?: string;
  /** Block of the machines, where it cannot be that of other platforms. */
  readonly machineNetwork?: string;
  readonly questions: readonly StarterQuestion[];
  /**
   * The lines below `platform:`, indented by two; `scalar` writes an answer as YAML, and `blank` what the user has to
   * fill in, so that no made-up value is ever compiled.
   */
  lines(answers: Answers, scalar: (text: string) => string, blank: Blank): readonly string[];
}

/**
 * A value that the user has to fill in.
 * @param what it is, in words without the signs of YAML
 * @param example a value that the rules accept
 */
export type Blank = (what: string, example: string) => string;

/** As it is in a starter: every field refuses it (IC002), those of passwords too because of the blank in it. */
export const unfilled: Blank = (what) => `<${what}>`;
