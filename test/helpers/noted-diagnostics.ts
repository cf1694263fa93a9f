/**
 * What tests get for `src/core/diagnostics.ts` (`scripts/test-bundle.mjs` sees to it): the same, and every problem that is
 * reported in a test process is noted, so that the end of the test run knows the codes that no test triggers.
 */
import * as plain from "../../src/core/diagnostics.js";
import { noteProblem } from "./notes.js";

export * from "../../src/core/diagnostics.js";

export function diagnostic(problem: plain.Problem): plain.Diagnostic {
  noteProblem(problem);
  return plain.diagnostic(problem);
}

export function createReporter(): plain.Reporter {
  const reporter = plain.createReporter();
  return {
    report: (problem) => {
      noteProblem(problem);
      reporter.report(problem);
    },
    get diagnostics() {
      return reporter.diagnostics;
    },
    get failed() {
      return reporter.failed;
    },
  };
}
