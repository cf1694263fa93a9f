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
}

export interface PlatformStarter {
  /** What the platform is, in a few words. */
  readonly about: string;
  readonly computeReplicas: number;
  /** The one architecture of its machines, where it is not the user's to choose. */
  readonly architecture?: string;
  /** Block of the machines, where it cannot be that of other platforms. */
  readonly machineNetwork?: string;
  readonly questions: readonly StarterQuestion[];
  /**
   * The lines below `platform:`, indented by two; `scalar` writes an answer as YAML, and `blank` what the user has to
   * fill in, so that no made-up value is ever compiled.
   */
  lines(
    answers: Readonly<Record<string, string>>,
    scalar: (text: string) => string,
    blank: Blank,
  ): readonly string[];
}

/**
 * A value that the user has to fill in.
 * @param what it is, in words without the signs of YAML
 * @param example a value that the rules accept
 */
export type Blank = (what: string, example: string) => string;

/** As it is in a starter: every field refuses it (IC002), those of passwords too because of the blank in it. */
export const unfilled: Blank = (what) => `<${what}>`;
