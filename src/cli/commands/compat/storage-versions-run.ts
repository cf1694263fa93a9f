import { groupResource } from "../../../compatibility/api-table.js";
import { storageVersions } from "../../../compatibility/storage-versions.js";
import { createReporter } from "../../../core/diagnostics.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import { columns } from "../../text-table.js";
import { pins, runtimeConfig, storageRule } from "./flags.js";
import { flagTexts, kubeVersions, readLifecycle, readPins, versionJson } from "./inputs.js";

export const run: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const table = await readLifecycle(args, cli, report);
  const { versions, rules } = kubeVersions(args, table?.newest, report);
  const resources =
    table === undefined
      ? []
      : storageVersions(
          {
            table,
            versions,
            rules,
            rule: args.get(storageRule),
            pins: await readPins(args, pins, cli, report),
            runtimeConfig: flagTexts("--runtime-config", args.get(runtimeConfig)),
          },
          report,
        );
  const rows = resources.map(({ group, resource, version, reason }) => [
    groupResource(group, resource),
    version ?? "-",
    reason,
  ]);
  print(args, cli, {
    kind: "StorageVersions",
    json: { ...versionJson(versions), resources },
    text: reporter.failed ? "" : columns(["RESOURCE", "STORED AS", "WHY"], rows),
    diagnostics: reporter.diagnostics,
  });
  return reporter.failed ? EXIT.wrong : EXIT.done;
};
