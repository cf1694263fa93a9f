/**
 * A directory that openshift-install made, or one of ours that lost its record, keeps its files as they are
 * (src/directory/adopt.ts). Where the install-config says something else by now, only a second compilation, with
 * the configuration of the state, tells which files that concerns.
 */
import { equalJson } from "../core/json.js";
import {
  type AssetDirectory,
  type Compilation,
  INSTALL_CONFIG,
  type PhasePlan,
  type StateFile,
} from "../directory/index.js";
import { normalValue } from "../phases/install-config/index.js";
import { compileManifests } from "./compile.js";
import type { Compiled, CompileRequest } from "./request.js";

/** The manifests phase as it is compared with the directory. */
export async function manifestsCompilation(
  request: CompileRequest & { readonly directory: Pick<AssetDirectory, "state" | "record" | "inputs"> },
  compiled: Compiled,
): Promise<Compilation> {
  const compilation: Compilation = { phase: "manifests", files: compiled.files };
  const { state, record, inputs, files } = request.directory;
  const kept = state?.installConfig?.config;
  const isAdopted = record?.phases.manifests === undefined && state?.files !== undefined;
  if (!isAdopted || kept === undefined || !inputs.has(INSTALL_CONFIG)) return compilation;
  const { installConfig, platform, others } = compiled;
  if (equalJson(kept, normalValue(installConfig.config, request.release, platform, others)))
    return compilation;
  const withoutInput = new Map([...inputs].filter(([path]) => path !== INSTALL_CONFIG));
  const { "pull-secret": _pullSecret, "ssh-key": _sshKey, ...texts } = request.texts;
  const before = await compileManifests({
    ...request,
    texts,
    directory: { state, record, inputs: withoutInput, files },
    // The keys that matter here are in the state.
    inputs: { ...request.inputs, keys: { generate: async () => "" } },
    seed: undefined,
    report: () => undefined,
  });
  return before === undefined ? compilation : { ...compilation, before: before.files };
}

/** What the state lists as generated: the compiled files, adopted ones in the form that they have. */
export function listedFiles(
  compiled: Compiled,
  plan: PhasePlan | undefined,
  old: readonly StateFile[] | undefined,
): readonly StateFile[] {
  const adopted = (old ?? []).filter(({ path }) => plan?.entries.get(path)?.compiled !== undefined);
  const paths = new Set(adopted.map(({ path }) => path));
  return [...compiled.files.filter(({ path }) => !paths.has(path)), ...adopted];
}
