// Runs the tests; `node scripts/test.mjs --help` shows how. What a fresh clone lacks is installed first, so that nothing
// but Node is needed here: everything that uses a library is loaded afterwards.
import { installMissing } from "./install.mjs";

const HELP = `npm test                      the fast tier: types, lint, pure tests, golden cases, models, properties at small counts
npm run test:all              every test
npm test -- PART ...          the test files with a part of their path, at the counts of the fast tier
npm test -- --changed         the fast tier's files that a change of the working tree can reach
npm test -- --changed=REF     the same for everything that differs from a commit or branch
  --all                       the files and counts of both tiers
  --slow                      what --all has more: the files of the slow tier, and those whose counts are larger there
  --bail                        end at the first failure
  --no-lint                   without the lint
  --jobs N                    worker processes (default: one for each processor; with --all one more)
`;

const words = process.argv.slice(2);
if (words.includes("--help")) process.stdout.write(HELP);
else {
  installMissing();
  const { optionsOf, runTests } = await import("./test-run.mjs");
  process.exitCode = await runTests(optionsOf(words));
}
