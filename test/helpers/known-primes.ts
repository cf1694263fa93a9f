/**
 * What tests get for `node:crypto` in `src/pki/prime.ts` (`scripts/test-bundle.mjs` sees to it): OpenSSL's answer, asked
 * for once for each number. Most runs have the same seed, so that they look for the same primes.
 */
import { checkPrime as ask, type CheckPrimeOptions } from "node:crypto";
import { remembered } from "./remembered.js";

const answer = remembered(
  (candidate: bigint, { checks }: CheckPrimeOptions) => `${checks} ${candidate.toString(36)}`,
  (candidate, options) =>
    new Promise<boolean>((resolve, reject) =>
      ask(candidate, options, (error, result) => (error ? reject(error) : resolve(result))),
    ),
);

export function checkPrime(
  candidate: bigint,
  options: CheckPrimeOptions,
  callback: (error: Error | null, result: boolean) => void,
): void {
  answer(candidate, options).then(
    (result) => callback(null, result),
    (error) => callback(error, false),
  );
}
