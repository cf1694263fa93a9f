/**
 * The agent-manifests phase: install-config.yaml and agent-config.yaml to the objects of assisted-service. Every problem
 * of both files is reported in one run.
 */
import { type Problem, placed } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { warning } from "../core/problem.js";
import { AGENT_CONFIG, INSTALL_CONFIG, isClosed } from "../directory/index.js";
import { agentConfigProblems } from "../phases/agent/config-rules.js";
import { validateHostCounts, validateHosts } from "../phases/agent/host-rules.js";
import { agentHosts, hostsOfAgentConfig } from "../phases/agent/hosts.js";
import { agentManifests } from "../phases/agent/index.js";
import { type ReadAgentConfig, readAgentConfig } from "../phases/agent/read.js";
import type { AgentAsset } from "../phases/assets.js";
import type { NormalConfig } from "../platforms/config.js";
import { decodeText } from "../text/decode-text.js";
import { withSecrets } from "./compile.js";
import { compileConfig } from "./config.js";
import { type Compiled, type CompiledConfig, type CompileRequest, watched } from "./request.js";

export interface AgentConfigs {
  readonly known: CompiledConfig;
  readonly agent: AgentAsset;
}

/** Both configs, judged. Undefined when one has an error. */
export async function compileAgentConfigs(request: CompileRequest): Promise<AgentConfigs | undefined> {
  const { failed, report } = watched(request.report);
  const { read, isAbsent } = agentConfigIn(request, report);
  const known = await compileConfig({ ...request, method: "agent", report });
  const own = read === undefined ? [] : hostsOfAgentConfig(read.config, read);
  const hosts = known === undefined ? own : agentHosts(own, known.installConfig, known.platform, report);
  const { release } = request;
  const tell = (problem: Problem): void => report(read === undefined ? problem : read.redact(problem));
  const context = { release, rendezvousIP: read?.config.rendezvousIP ?? "", report: tell };
  validateHosts(hosts, context);
  if (known !== undefined) validateHostCounts(hosts, known.installConfig.config, context);
  return failed() || known === undefined || (read === undefined && !isAbsent)
    ? undefined
    : {
        known,
        agent: {
          config: read?.config,
          file: read === undefined ? undefined : agentFile(request.directory)?.data,
          hosts,
          fencing: fencingOf(known.installConfig.config),
        },
      };
}

const fencingOf = ({ controlPlane }: NormalConfig): readonly JsonObject[] =>
  (controlPlane.fencing?.credentials ?? []).map(
    ({ hostName = "", username = "", password = "", address = "", certificateVerification = "" }) => ({
      ...(hostName === "" ? {} : { hostname: hostName }),
      username,
      password,
      address,
      ...(certificateVerification === "" ? {} : { certificateVerification }),
    }),
  );

export interface CompiledAgent extends Compiled {
  readonly agent: AgentAsset;
}

/** Undefined when an error was reported. */
export async function compileAgentManifests(request: CompileRequest): Promise<CompiledAgent | undefined> {
  const { failed, report } = watched(request.report);
  const configs = await compileAgentConfigs({ ...request, report });
  if (configs === undefined) return undefined;
  const { known, agent } = configs;
  const prepared = await withSecrets({ ...request, templateFolders: ["agent-manifests"] }, known, report);
  if (prepared === undefined) return undefined;
  const files = agentManifests.run(
    {
      "install-config": known.installConfig,
      "agent-config": agent,
      platform: known.platform,
      "agent-options": {
        releaseImage: request.flags.releaseImage,
        isEncrypted: request.flags.secrets === "sops",
        others: known.others,
      },
    },
    prepared.context,
  );
  return failed() ? undefined : { ...prepared, agent, files };
}

/** agent-config.yaml on disk, else as the state has it after it was consumed. */
function agentFile({
  inputs,
  state,
}: CompileRequest["directory"]): { readonly data: Uint8Array } | undefined {
  const kept = state?.agentConfig;
  return inputs.get(AGENT_CONFIG) ?? (kept === undefined ? undefined : { data: kept.data });
}

/** agent-config.yaml as it is on disk, with what is wrong with it by itself; a cluster can do without it. */
function agentConfigIn(
  { directory, release, flags, sealedWord }: CompileRequest,
  report: (problem: Problem) => void,
): { readonly read: ReadAgentConfig | undefined; readonly isAbsent: boolean } {
  const file = agentFile(directory);
  if (file === undefined) {
    if (directory.inputs.has(INSTALL_CONFIG))
      report(
        warning(
          "AGT022",
          "NotFound",
          "",
          "the directory contains no agent-config.yaml, so no host has a static network, a role or a name of its own, and openshift-install needs a rendezvousIP to create an image",
          { file: AGENT_CONFIG, hint: "to create one with comments, run: slipway create agent-config" },
        ),
      );
    return { read: undefined, isAbsent: true };
  }
  const { text, problem } = decodeText(file.data, AGENT_CONFIG);
  if (problem !== undefined) report(problem);
  if (text === undefined) return { read: undefined, isAbsent: false };
  const word = sealedWord ?? (isClosed(directory.inputs.get(AGENT_CONFIG)) ? "encrypted" : undefined);
  const read = readAgentConfig(
    text,
    AGENT_CONFIG,
    { release, lenient: flags.lenient === true, ...(word === undefined ? {} : { sealedWord: word }) },
    report,
  );
  if (read === undefined) return { read, isAbsent: false };
  for (const { at, below: _below, ...found } of agentConfigProblems(read.config, release)) {
    const place = at ?? found.field ?? "";
    if (!read.isUnreadable(place)) report(read.redact(placed(found, read.position(place))));
  }
  return { read, isAbsent: false };
}
