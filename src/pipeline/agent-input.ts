/** The configuration image from manifests alone: those of a ZTP repository, or written by hand. */
import type { OutputFile } from "../core/files.js";
import { problem } from "../core/problem.js";
import {
  AGENT_CONFIG,
  type AssetDirectory,
  folderOf,
  type NetworkKeyfiles,
  writeState,
} from "../directory/index.js";
import { judgeAgentManifests } from "../phases/agent/manifests.js";
import { agentObjects, CLUSTER_MANIFESTS, MIRROR } from "../phases/agent/objects.js";
import type { AgentAccess, AgentAsset, Identity, PhaseContext } from "../phases/assets.js";
import { createIdentity } from "../phases/identity.js";
import { inForce } from "../platforms/release-changes.js";
import { createRenderer } from "../text/render.js";
import { agentAccess } from "./agent-access.js";
import { compileAgentImage } from "./agent-image.js";
import { agentChanges } from "./compile.js";
import { type CompileRequest, watched } from "./request.js";
import { gatherSecrets, type Secrets } from "./secrets.js";
import { inputsOf } from "./seed.js";

/** Without an agent-config no host has settings of its own. */
const NO_HOSTS: AgentAsset = { config: undefined, file: undefined, hosts: [], fencing: [] };

/** cluster-manifests/ and mirror/ as they are on disk. */
export const agentFilesOf = ({ files }: Pick<AssetDirectory, "files">): readonly OutputFile[] =>
  [...files.values()]
    .filter(({ path }) => [CLUSTER_MANIFESTS, MIRROR].includes(folderOf(path)))
    .map(({ path, data }) => ({ path, data, secret: false }));

/** Reports what is wrong with manifests that are the input. False when there is an error. */
export function judgeManifestInput({ directory, release, flags, report }: CompileRequest): boolean {
  const watch = watched(report);
  if (directory.inputs.has(AGENT_CONFIG))
    watch.report(
      problem(
        "AGT028",
        "Forbidden",
        "",
        "the file has no effect without an install-config, and openshift-install refuses it",
        {
          file: AGENT_CONFIG,
          hint: "remove it, or add install-config.yaml",
        },
      ),
    );
  judgeAgentManifests(agentFilesOf(directory), {
    release,
    releaseImage: flags.releaseImage,
    report: watch.report,
  });
  return !watch.failed();
}

export interface ManifestInput {
  readonly files: readonly OutputFile[];
  readonly secrets: Secrets;
  readonly identity: Identity;
  readonly clusterName: string;
  readonly access: AgentAccess;
  readonly keyfiles: NetworkKeyfiles;
}

/** The image of manifests that are the input. Undefined when an error was reported. */
export async function compileManifestInput(
  request: CompileRequest,
  purpose: "written" | "compared",
): Promise<ManifestInput | undefined> {
  const { directory, release, given, report, tool } = request;
  if (!judgeManifestInput(request)) return undefined;
  const after = agentFilesOf(directory);
  const { clusterName, baseDomain } = agentObjects(after);
  const { state } = directory;
  const inputs = await inputsOf(request, { metadata: { name: clusterName }, baseDomain });
  const known = state?.clusterID;
  const identity =
    known === undefined
      ? createIdentity(clusterName, given, inputs.random, report)
      : { infraID: known.infraID, clusterID: known.uuid };
  if (identity === undefined) return undefined;
  const secrets = await gatherSecrets({
    state,
    back: "",
    files: directory.inputs,
    names: { domain: `${clusterName}.${baseDomain}`, apiVips: [], serviceNetwork: "" },
    keyForm: inForce(release, "keysInPkcs8") ? "pkcs8" : "traditional",
    inputs,
    algorithm: request.algorithm,
    renewBefore: undefined,
    internalReleaseImage: false,
    report,
  });
  if (secrets === undefined) return undefined;
  const access = await agentAccess({ secrets, inputs }, state);
  if (access === undefined) return undefined;
  const context: PhaseContext & Pick<CompileRequest, "report"> = {
    release,
    render: await createRenderer([], report, new Map()),
    tool,
    report,
  };
  const image = await compileAgentImage({
    request,
    agent: NO_HOSTS,
    access,
    kubeadmin: secrets.kubeadmin,
    context,
    after,
    purpose,
  });
  return image === undefined ? undefined : { ...image, secrets, identity, clusterName, access };
}

/** The state after the image of manifests was made. */
export const stateOfManifestInput = async (
  { secrets, identity, access, keyfiles }: ManifestInput,
  { directory: { state }, flags, release }: CompileRequest,
): Promise<Uint8Array> =>
  writeState(state, {
    clusterID: { uuid: identity.clusterID, infraID: identity.infraID },
    kubeadmin: secrets.kubeadmin,
    rootCA: secrets.pki.rootCA,
    machineConfigServer: secrets.pki.machineConfigServer,
    keys: await secrets.keys("known"),
    options: {
      ...state?.options,
      release: release.name,
      ...(flags.releaseImage === undefined ? {} : { "release-image": flags.releaseImage }),
    },
    ...agentChanges({ access, asset: NO_HOSTS, keyfiles }),
  });
