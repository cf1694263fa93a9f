/**
 * Reference data that lies beside the checkout on the machines of this project and nowhere else. Tests that need
 * it go through here; where it is absent they are skipped, visibly and counted.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Test } from "uvu";

const root = resolve(process.env["SLIPWAY_SHARED"] ?? join(process.cwd(), "../shared"));

/** The path of reference data, or undefined when it is not on this machine. */
export function shared(path: string): string | undefined {
  const full = join(root, path);
  return existsSync(full) ? full : undefined;
}

/** Adds a test that needs reference data; without it the test is skipped and named on stdout. */
export function withShared<T>(
  test: Test<T>,
  path: string,
  name: string,
  body: (full: string) => void | Promise<void>,
): void {
  const full = shared(path);
  if (full === undefined) skipTest(test, name, `needs shared/${path}`);
  else test(name, () => body(full));
}

/** Skips a test with a reason that shows in the output. */
export function skipTest<T>(test: Test<T>, name: string, reason: string): void {
  process.stdout.write(`SKIPPED ${name}: ${reason}\n`);
  test.skip(name);
}
