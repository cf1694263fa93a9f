/**
 * What tests get for bcryptjs in `src/phases/kubeadmin.ts` (`scripts/test-bundle.mjs` sees to it): the same, computed once
 * for each password and salt. Most runs have the same seed, and a hash takes longer than all the rest of a small run.
 */
import bcrypt from "bcryptjs";
import { remembered } from "./remembered.js";

const hash = remembered(
  (password: string, salt: string) => `${salt} ${password}`,
  (password, salt) => bcrypt.hash(password, salt),
);

export default { ...bcrypt, hash };
