/**
 * What is not a function of the files: time, randomness and fresh private keys. They enter through the command
 * line only, so that everything else is pure and the same inputs give the same bytes.
 */

export interface Clock {
  /** The present moment, or the one that `SOURCE_DATE_EPOCH` fixes. */
  now(): Date;
  /** True where the moment is fixed, so that it says nothing of how much time there is. */
  readonly fixed?: boolean;
}

export interface RandomSource {
  /**
   * `length` unpredictable bytes. The purpose tells apart what is drawn, so that a source that follows from a seed
   * gives each the same bytes, whatever else is drawn in the run.
   */
  bytes(length: number, purpose: string): Uint8Array;
}

export type KeyAlgorithm = "rsa-2048" | "ecdsa-p256";

export interface KeySource {
  /** A fresh private key as PEM: PKCS#1 "RSA PRIVATE KEY" or SEC1 "EC PRIVATE KEY". The name tells keys apart, as a purpose does. */
  generate(algorithm: KeyAlgorithm, name: string): Promise<string>;
  /** Where a source does something around each key, such as to show progress: the same around the keys of another one. */
  from?(source: KeySource): KeySource;
}

export interface Inputs {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly keys: KeySource;
}
