import { discoveryDocument } from "../../../compatibility/api-discovery.js";
import { groupVersion } from "../../../compatibility/api-table.js";
import { servedApis } from "../../../compatibility/apis.js";
import { isKubernetes } from "../../../compatibility/kubernetes-name.js";
import { checkWatches } from "../../../compatibility/watches.js";
import { createReporter } from "../../../core/diagnostics.js";
import { terminalJson } from "../../../text/terminal.js";
import { printClosing } from "../../closing.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { forReader, print, printDiagnostics } from "../../print.js";
import { columns } from "../../text-table.js";
import {
  discovery,
  emulationForwardCompatible,
  runtimeConfig,
  runtimeConfigForwardCompatible,
  serveRemovedOneMore,
  strictRemovedInAlpha,
} from "./flags.js";
import { flagTexts, gateOfApis, kubeVersions, readLifecycle, versionJson } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const table = await readLifecycle(args, cli, report);
  const { versions, rules } = kubeVersions(args, table?.newest, report, isKubernetes(table?.file ?? ""));
  const question = table && {
    table,
    versions,
    rules,
    gateOn: await gateOfApis(args, table, versions, rules, report),
    runtimeConfig: flagTexts("--runtime-config", args.get(runtimeConfig)),
    forwardCompatible: args.get(emulationForwardCompatible),
    runtimeConfigForwardCompatible: args.get(runtimeConfigForwardCompatible),
    strictRemovedInAlpha: args.get(strictRemovedInAlpha),
    serveRemovedOneMore: args.get(serveRemovedOneMore),
  };
  const served = question === undefined ? [] : servedApis(question, report);
  if (question !== undefined && !reporter.failed) checkWatches(question, served, report);
  const code = reporter.failed ? EXIT.wrong : EXIT.done;
  if (args.get(discovery)) {
    printDiagnostics(forReader(args, reporter.diagnostics), cli.stderr);
    if (!reporter.failed) cli.stdout.pass(`${terminalJson(discoveryDocument(served), 2)}\n`);
    printClosing(args, cli, reporter.diagnostics);
    return code;
  }
  const rows = served.flatMap((each) =>
    each.resources.map(({ resource, kind, reason }) => [groupVersion(each), resource, kind, reason]),
  );
  print(args, cli, {
    kind: "ServedAPIs",
    json: {
      ...versionJson(versions),
      groupVersions: served.map(({ group, version, resources }) => ({
        group,
        version,
        resources: resources.map(({ resource }) => resource),
        details: resources,
      })),
    },
    text: reporter.failed ? "" : columns(["GROUP/VERSION", "RESOURCE", "KIND", "WHY"], rows),
    diagnostics: reporter.diagnostics,
  });
  return code;
};
