/** The flag that every `generate` command has. */
import { toggle } from "../flags.js";

export const check = toggle("check", "write nothing; exit 3 with a diff when the output would differ");
