import { join } from "node:path";
import { createReporter, isError } from "../../../core/diagnostics.js";
import { textFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import { AGENT_CONFIG, INSTALL_CONFIG } from "../../../directory/index.js";
import { isTaken, writeNewFile } from "../../../directory/write-new.js";
import { parseAddress } from "../../../kubernetes/network.js";
import { agentStarter } from "../../../phases/agent/starter.js";
import { readInstallConfig } from "../../../phases/install-config/read.js";
import { FLAGS as common } from "../../../pipeline/flags.js";
import { decodeText } from "../../../text/decode-text.js";
import { pathWord, shellWord } from "../../../text/shell.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import { readNamed } from "../../input-files.js";
import { print } from "../../print.js";
import { rendezvousIP } from "./agent-config-flags.js";
import { releaseOf } from "./compile-request.js";

export const runCreateAgentConfig: Handler = async (args, cli) => {
  const dir = args.get(common.dir);
  const reporter = createReporter();
  const asked = args.get(common.release);
  const release = await releaseOf(asked, reporter.report);
  const address = args.get(rendezvousIP);
  if (address !== undefined && parseAddress(address) === undefined)
    throw new UsageError(`--rendezvous-ip: invalid value ${JSON.stringify(address)}: must be an IP address`);
  const taken = problem("AGT023", "Duplicate", "", "the file already exists and is never overwritten", {
    file: join(dir, AGENT_CONFIG),
    hint: "edit the file, move it away, or specify another directory with --dir",
  });
  if (isTaken(dir, AGENT_CONFIG)) reporter.report(taken);
  // Only numbers of hosts are taken from the install-config, whose faults create agent-manifests reports.
  const file = isTaken(dir, INSTALL_CONFIG)
    ? readNamed(join(dir, INSTALL_CONFIG), cli.cwd, () => undefined)
    : undefined;
  const text = file === undefined ? undefined : decodeText(file.data, INSTALL_CONFIG).text;
  const config =
    text === undefined
      ? undefined
      : readInstallConfig(text, INSTALL_CONFIG, { release, lenient: true }, () => undefined)?.config;
  let created = false;
  if (!reporter.failed) {
    const starter = textFile(AGENT_CONFIG, agentStarter(config, address));
    const written = await writeNewFile(dir, { ...starter, secret: true });
    if (!written.ok) reporter.report(written.problem);
    else if (written.value === "exists") reporter.report(taken);
    else created = true;
  }
  const ok = created && !reporter.diagnostics.some(isError);
  const target = asked === undefined ? "" : ` --release ${shellWord(asked)}`;
  const needs = file === undefined ? ", add install-config.yaml to the directory" : "";
  const next = `Fill in the values in angle brackets${needs}, then run\n  slipway create agent-manifests --dir ${pathWord(dir)}${target} --release-image PULLSPEC\n`;
  print(args, cli, {
    kind: "CreateResult",
    json: { dryRun: false, files: ok ? [{ path: AGENT_CONFIG, status: "created" }] : [], nextSteps: [] },
    text: ok ? `created  ${join(dir, AGENT_CONFIG)}\n\n${next}` : "",
    diagnostics: reporter.diagnostics,
    outcome: { files: created ? [{ status: "created" }] : [] },
  });
  return ok ? EXIT.done : EXIT.wrong;
};
