import { join } from "node:path";
import { createReporter, isError } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import {
  IMAGE_BASED_CONFIG,
  IMAGE_BASED_INSTALLATION_CONFIG,
  INSTALL_CONFIG,
} from "../../../directory/index.js";
import { isTaken, writeNewFile } from "../../../directory/write-new.js";
import { imageBasedStarter, installationStarter } from "../../../phases/image-based/starter.js";
import { FLAGS as common } from "../../../pipeline/flags.js";
import { pathWord, shellWord } from "../../../text/shell.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import { releaseOf } from "./compile-request.js";

interface Starter {
  readonly file: string;
  text(): string;
  /** What follows once the file is filled in. */
  next(dir: string, release: string): string;
}

/** Writes a starter, and never over a file. */
const starter =
  ({ file, text, next }: Starter): Handler =>
  async (args, cli) => {
    const dir = args.get(common.dir);
    const reporter = createReporter();
    const asked = args.get(common.release);
    await releaseOf(asked, reporter.report);
    const taken = problem("IBI005", "Duplicate", "", "the file already exists and is never overwritten", {
      file: join(dir, file),
      hint: "edit the file, move it away, or specify another directory with --dir",
    });
    if (isTaken(dir, file)) reporter.report(taken);
    let created = false;
    if (!reporter.failed) {
      const written = await writeNewFile(dir, { ...textFile(file, text()), secret: true });
      if (!written.ok) reporter.report(written.problem);
      else if (written.value === "exists") reporter.report(taken);
      else created = true;
    }
    const ok = created && !reporter.diagnostics.some(isError);
    const release = asked === undefined ? "" : ` --release ${shellWord(asked)}`;
    print(args, cli, {
      kind: "CreateResult",
      json: { dryRun: false, files: ok ? [{ path: file, status: "created" }] : [], nextSteps: [] },
      text: ok ? `created  ${join(dir, file)}\n\n${next(dir, release)}` : "",
      diagnostics: reporter.diagnostics,
      outcome: { files: created ? [{ status: "created" }] : [] },
    });
    return ok ? EXIT.done : EXIT.wrong;
  };

export const runCreateImageBasedConfig: Handler = starter({
  file: IMAGE_BASED_CONFIG,
  text: imageBasedStarter,
  next: (dir, release) => {
    const needs = isTaken(dir, INSTALL_CONFIG) ? "" : `, add ${INSTALL_CONFIG} to the directory`;
    return `Fill in the values in angle brackets${needs}, then run\n  slipway create image-based-config-image --dir ${pathWord(dir)}${release}\n`;
  },
});

export const runCreateInstallationConfig: Handler = starter({
  file: IMAGE_BASED_INSTALLATION_CONFIG,
  text: installationStarter,
  next: (dir, release) =>
    `Fill in the values in angle brackets, then run\n  slipway validate --dir ${pathWord(dir)}${release}\n  openshift-install image-based create image --dir ${pathWord(dir)}\n`,
});
