/** The password of the first administrator (docs/reference/ignition-configs.md §3c). */

import { counted } from "../core/counted.js";
import type { RandomSource } from "../core/inputs.js";
import { type Problem, problem } from "../core/problem.js";
import { sample } from "../core/sample.js";
import { withoutEnd } from "../core/trim.js";
import type { KubeadminPassword } from "./assets.js";

/** Letters and digits without l, O, 0 and 1, which are easily taken for one another. */
const ALPHABET = "abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789";
const GROUPS = 4;
const GROUP_LENGTH = 5;
/** The cluster refuses a shorter password at login. */
const MIN_LENGTH = GROUPS * GROUP_LENGTH + GROUPS - 1;
const COST = 10;
const SALT_BYTES = 16;
const HASH = /^\$2[aby]\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}$/;

/** A fresh password, four groups of five characters, with its bcrypt hash. */
export async function createKubeadmin(random: RandomSource): Promise<KubeadminPassword> {
  const characters = sample(random, ALPHABET, GROUPS * GROUP_LENGTH, "kubeadmin-password");
  const groups = Array.from({ length: GROUPS }, (_, index) =>
    characters.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH),
  );
  const password = groups.join("-");
  return { password, hash: await hashPassword(password, random.bytes(SALT_BYTES, "kubeadmin-salt")) };
}

/** bcrypt at cost 10 in the `$2a$` form; the same salt (16 bytes) gives the same hash. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const { default: bcrypt } = await import("bcryptjs");
  return bcrypt.hash(password, `$2a$${COST}$${bcrypt.encodeBase64(salt, SALT_BYTES)}`);
}

/**
 * A hash that the user brings, with or without its password; a password that is not known is empty. Final newlines,
 * which would make every login fail, are taken off. Undefined when the two cannot be used.
 */
export async function readKubeadmin(
  hashText: string,
  passwordText: string | undefined,
  report: (problem: Pick<Problem, "code" | "kind" | "field" | "message" | "hint">) => void,
): Promise<KubeadminPassword | undefined> {
  const hash = withoutEnd(hashText, "\r\n");
  const password = withoutEnd(passwordText ?? "", "\r\n");
  const refuse = (field: string, message: string, hint: string): undefined =>
    void report(problem("ID004", "Invalid", field, message, hint));
  if (!HASH.test(hash))
    return refuse(
      "hash",
      "must be a bcrypt hash",
      "use a hash of 60 characters that starts with $2a$, $2b$ or $2y$",
    );
  if (password === "") return { password, hash };
  if (password.length < MIN_LENGTH)
    return refuse(
      "password",
      `the password is too short: ${counted(password.length, "character")}`,
      `use at least ${MIN_LENGTH} characters`,
    );
  const { default: bcrypt } = await import("bcryptjs");
  if (!(await bcrypt.compare(password, hash)))
    return refuse("password", "the password does not match the hash", "remove the password, or use its hash");
  return { password, hash };
}
