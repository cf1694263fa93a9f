import { basename, dirname, resolve } from "node:path";
import { createReporter, isError } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import { tellExposure } from "../../../directory/modes.js";
import { writeNewFile } from "../../../directory/write-new.js";
import { type Extracted, extract } from "../../../etcd/extract.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import { print } from "../../print.js";
import { printStream, refuseTwoOutputs, STDOUT } from "../../stdout-file.js";
import { extractObjects } from "./extract-objects.js";
import * as flags from "./flags.js";
import { openSession } from "./session.js";

export const runExtract: Handler = async (args, cli): Promise<ExitCode> =>
  args.get(flags.as) === "raw" ? runRaw(args, cli) : extractObjects(args, cli);

const runRaw: Handler = async (args, cli): Promise<ExitCode> => {
  const key = args.get(flags.key);
  const out = args.get(flags.outFile);
  if (key === undefined) throw new UsageError("--key KEY is required: the key in etcd");
  if (out === undefined) throw new UsageError("--out PATH is required: a file, or - for standard output");
  for (const flag of [flags.resource, flags.all, flags.planFile, flags.namespace, flags.withStatus])
    if (args.given(flag)) throw new UsageError(`--${flag.name} requires --as yaml or --as json`);
  const toStdout = out === STDOUT;
  if (toStdout) refuseTwoOutputs(args, "--out");
  const reporter = createReporter();
  const session = await openSession(args, cli, reporter, { hash: false, target: false });
  let found: Extracted | undefined;
  try {
    found = session === undefined ? undefined : await extract(key, session.options);
    if (found?.data !== undefined && !toStdout) {
      const file = resolve(cli.cwd, out);
      const written = await writeNewFile(dirname(file), {
        path: basename(file),
        data: found.data,
        secret: true,
      });
      if (!written.ok) reporter.report(written.problem);
      else if (written.value === "exists")
        reporter.report(
          problem("ETC053", "Duplicate", "--out", "the file already exists and is not overwritten", {
            file: out,
            hint: "specify another path, or move it away",
          }),
        );
      else tellExposure(file, out, reporter.report);
    }
  } finally {
    await session?.close();
  }
  const ok = found?.data !== undefined && !reporter.failed;
  const failed = (): ExitCode =>
    found?.refused === true && reporter.diagnostics.filter(isError).length === 1 ? EXIT.no : EXIT.wrong;
  if (toStdout) {
    printStream(args, cli, "--out", (ok && found?.data) || "", reporter.diagnostics);
    return ok ? EXIT.done : failed();
  }
  print(args, cli, {
    kind: "EtcdExtractResult",
    json: {
      ...(found === undefined ? {} : found.facts),
      ...(ok && found?.data !== undefined ? { file: out, bytes: found.data.length } : {}),
    },
    text:
      ok && found?.data !== undefined ? `${found.data.length} bytes of ${key} in ${out}, mode 0600\n` : "",
    diagnostics: reporter.diagnostics,
    outcome: { files: ok ? [{ status: "created" }] : [] },
  });
  return ok ? EXIT.done : failed();
};
