import { join } from "node:path";

/** Where compiled tests and programs lie: a folder for each state of the sources (`scripts/test-bundle.mjs`). */
const compiled = process.env["SLIPWAY_TEST_BUILD"] ?? join(process.cwd(), "build/tests");

/** The compiled file of `test/NAME.program.ts`, which a test starts as a process or a thread of its own. */
export const programFile = (name: string): string => join(compiled, "test", `${name}.program.js`);
