/**
 * A directory that openshift-install made, or one of ours that lost its record, keeps its files as they are
 * (src/directory/adopt.ts). Where the install-config says something else by now, only a second compilation, with
 * the configuration of the state, tells which files that concerns.
 */

import type { OutputFile } from "../core/files.js";
import { equalJson } from "../core/json.js";
import {
  type AssetDirectory,
  type Compilation,
  INSTALL_CONFIG,
  type PhasePlan,
  type StateFile,
} from "../directory/index.js";
import { normalValue } from "../phases/install-config/index.js";
import { compileClusterApi, compileManifests } from "./compile.js";
import type { Compiled, CompileRequest } from "./request.js";

/** The manifests phase as it is compared with the directory. */
export async function manifestsCompilation(
  request: AdoptingRequest,
  compiled: Compiled,
): Promise<Compilation> {
  const { record, state } = request.directory;
  const isAdopted = record?.phases.manifests === undefined && state?.files !== undefined;
  const before = isAdopted ? await compiledBefore(request, compiled) : undefined;
  return {
    phase: "manifests",
    files: compiled.files,
    ...(before === undefined ? {} : { before: before.files }),
  };
}

/** The phase of cluster-api/ in the same way; undefined where it has no files and no earlier run wrote any. */
export async function clusterApiCompilation(
  request: AdoptingRequest,
  compiled: Compiled,
): Promise<Compilation | undefined> {
  const { record, state } = request.directory;
  const files = compileClusterApi(compiled);
  const recorded = record?.phases["cluster-api"];
  if (files.length === 0 && recorded === undefined) return undefined;
  const isAdopted = recorded === undefined && state?.clusterApi !== undefined;
  const before = isAdopted ? await compiledBefore(request, compiled) : undefined;
  return {
    phase: "cluster-api",
    files,
    ...(before === undefined ? {} : { before: compileClusterApi(before) }),
  };
}

type AdoptingRequest = CompileRequest & {
  readonly directory: Pick<AssetDirectory, "state" | "record" | "inputs">;
};

/** The compilation of the install-config that the state holds; undefined where that says the same as the one on disk. */
async function compiledBefore(request: AdoptingRequest, compiled: Compiled): Promise<Compiled | undefined> {
  const { state, record, inputs, files } = request.directory;
  const kept = state?.installConfig?.config;
  if (kept === undefined || !inputs.has(INSTALL_CONFIG)) return undefined;
  const { installConfig, platform, others } = compiled;
  if (equalJson(kept, normalValue(installConfig.config, request.release, platform, others))) return undefined;
  const withoutInput = new Map([...inputs].filter(([path]) => path !== INSTALL_CONFIG));
  const { "pull-secret": _pullSecret, "ssh-key": _sshKey, ...texts } = request.texts;
  return compileManifests({
    ...request,
    texts,
    directory: { state, record, inputs: withoutInput, files },
    // The keys that matter here are in the state.
    inputs: { ...request.inputs, keys: { generate: async () => "" } },
    seed: undefined,
    report: () => undefined,
  });
}

/** What the state lists as generated: the compiled files of a phase, adopted ones in the form that they have. */
export function listedFiles(
  { files }: { readonly files: readonly OutputFile[] },
  plan: PhasePlan | undefined,
  old: readonly StateFile[] | undefined,
): readonly StateFile[] {
  const adopted = (old ?? []).filter(({ path }) => plan?.entries.get(path)?.compiled !== undefined);
  const paths = new Set(adopted.map(({ path }) => path));
  return [...files.filter(({ path }) => !paths.has(path)), ...adopted];
}
