/** `--seed`: the secrets of a new cluster follow from a file. */
import type { Inputs } from "../core/inputs.js";
import { type Problem, problem } from "../core/problem.js";
import type { InstallConfig } from "../platforms/config.js";
import type { CompileRequest } from "./request.js";

/** As in src/pki/seeded.ts, which loads only where there is a seed. */
const SEED_BYTES = 32;
const LEAST_DIFFERENT = 12;

/** What is wrong with the bytes of a seed file, without repeating any. Bytes that somebody typed are no seed. */
export function seedProblem(file: string, seed: Uint8Array): Problem | undefined {
  const isText = seed.every((byte) => byte >= 0x20 && byte < 0x7f);
  const message =
    seed.length !== SEED_BYTES
      ? `must have ${SEED_BYTES} bytes, has ${seed.length}`
      : isText || new Set(seed).size < LEAST_DIFFERENT
        ? "the seed is not random enough; every key of the cluster is derived from it"
        : undefined;
  return message === undefined
    ? undefined
    : problem("ID005", "Invalid", "", message, {
        file,
        hint: `create a seed with: openssl rand -out FILE ${SEED_BYTES}`,
      });
}

/** Time, randomness and keys of the cluster: those of the run, or what follows from the seed. */
export async function inputsOf(
  { inputs, seed }: Pick<CompileRequest, "inputs" | "seed">,
  { metadata, baseDomain }: InstallConfig,
): Promise<Inputs> {
  if (seed === undefined) return inputs;
  const { seeded } = await import("../pki/seeded.js");
  const { random, keys } = seeded(seed, `${metadata?.name ?? ""}.${baseDomain ?? ""}`);
  return { clock: inputs.clock, random, keys: inputs.keys.from?.(keys) ?? keys };
}
