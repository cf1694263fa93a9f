import { formatMinor, minorOf } from "../../../compatibility/version.js";
import {
  reportsVersions,
  VERSIONS_REPORTED_SINCE,
  versionReport,
} from "../../../compatibility/version-report.js";
import { createReporter } from "../../../core/diagnostics.js";
import { info } from "../../../core/problem.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import { kubeVersions } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { versions, rules } = kubeVersions(args, undefined, reporter.report);
  const document = reporter.failed ? {} : versionReport(versions, rules);
  const binary = minorOf(versions.binary);
  if (!reportsVersions(binary, rules))
    reporter.report(
      info(
        "VER009",
        "NotSupported",
        "",
        `/version of ${formatMinor(binary)} reports only the binary version; emulated and minimum compatibility versions are reported from ${formatMinor(VERSIONS_REPORTED_SINCE)}`,
        "",
      ),
    );
  print(args, cli, {
    kind: "VersionReport",
    json: document,
    text: reporter.failed ? "" : JSON.stringify(document, null, 2),
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
};
