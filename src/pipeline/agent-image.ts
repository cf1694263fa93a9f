/** The agent-config-image phase over cluster-manifests/ and mirror/ as they will be on disk. */
import type { OutputFile } from "../core/files.js";
import { problem, required } from "../core/problem.js";
import {
  AGENT_CONFIG,
  AGENT_CONFIG_IMAGE,
  type AssetDirectory,
  type Compilation,
  folderOf,
  isDifference,
  type Keyfiles,
  type NetworkKeyfiles,
  type PhasePlan,
} from "../directory/index.js";
import { agentConfigImage, rendezvousAddress } from "../phases/agent/config-image.js";
import { keyfilesOf, networkDigest } from "../phases/agent/keyfiles.js";
import { normalManifests } from "../phases/agent/normal-manifests.js";
import { type AgentObjects, agentObjects, CLUSTER_MANIFESTS, MIRROR } from "../phases/agent/objects.js";
import type { AgentAccess, AgentAsset, KubeadminPassword, PhaseContext } from "../phases/assets.js";
import { type Behind, behindProblem } from "./later-phases.js";
import { type CompileRequest, watched } from "./request.js";

const NETWORKS = `${CLUSTER_MANIFESTS}/nmstateconfig.yaml`;

export interface AgentImage {
  readonly files: readonly OutputFile[];
  /** Keyfiles for the state, so that a later run needs nmstatectl for other networks only. */
  readonly keyfiles: NetworkKeyfiles;
}

interface ImageRequest {
  readonly request: Pick<CompileRequest, "directory" | "nmstate">;
  readonly agent: AgentAsset;
  readonly access: AgentAccess;
  readonly kubeadmin: KubeadminPassword;
  readonly context: PhaseContext & Pick<CompileRequest, "report">;
  /** cluster-manifests/ and mirror/ as they will be on disk. */
  readonly after: readonly OutputFile[];
  /** `compared`: what only nmstatectl knows is left out, and counts as a difference. */
  readonly purpose: "written" | "compared";
}

/** Undefined when an error was reported. */
export async function compileAgentImage(image: ImageRequest): Promise<AgentImage | undefined> {
  const { request, agent, access, kubeadmin, context, after, purpose } = image;
  const { failed, report } = watched(context.report);
  const files = normalManifests(
    after.filter(({ path }) => folderOf(path) === CLUSTER_MANIFESTS && path.endsWith(".yaml")),
    context.release,
  );
  const objects = agentObjects([...files, ...after.filter(({ path }) => folderOf(path) === MIRROR)]);
  if (rendezvousAddress(agent, objects) === undefined)
    report(
      required("AGT024", "rendezvousIP", "no host has a static address that could be used", {
        file: AGENT_CONFIG,
        hint: "set rendezvousIP to the address of a control plane host",
      }),
    );
  const keyfiles = await keyfilesFor(objects, { ...image, context: { ...context, report } });
  if (failed() && purpose === "written") return undefined;
  const made = agentConfigImage.run(
    {
      "agent-objects": objects,
      "agent-files": files,
      "agent-config": agent,
      "agent-access": access,
      kubeadmin,
      "network-keyfiles": objects.networks.map(({ text }) => keyfiles.get(networkDigest(text)) ?? []),
      "manifest-files": extraFiles(request.directory),
    },
    { ...context, report },
  );
  return { files: made, keyfiles };
}

/** Manifests of the user's for the cluster. */
const extraFiles = ({ files }: CompileRequest["directory"]): readonly OutputFile[] =>
  [...files.values()]
    .filter(({ path }) => folderOf(path) === "openshift" && /\.ya?ml$/.test(path))
    .map(({ path, data }) => ({ path, data, secret: false }));

/** Keyfiles by the digest of their network: nmstatectl's, where it is named, else those of an earlier run. */
async function keyfilesFor(
  { networks }: AgentObjects,
  { request: { directory, nmstate }, context: { report }, purpose }: ImageRequest,
): Promise<NetworkKeyfiles> {
  const found = new Map<string, Keyfiles>();
  const missing: string[] = [];
  for (const { text, interfaces } of networks) {
    const digest = networkDigest(text);
    const known =
      found.get(digest) ??
      (nmstate === undefined ? directory.state?.networkKeyfiles?.get(digest) : undefined);
    if (known !== undefined) {
      found.set(digest, known);
      continue;
    }
    const host = interfaces.map(({ macAddress }) => macAddress).join(", ");
    if (nmstate === undefined) {
      missing.push(host);
      continue;
    }
    const answer = await nmstate(text);
    if (answer === undefined) return found;
    const keyfiles = answer.ok ? keyfilesOf(answer.text) : undefined;
    if (keyfiles !== undefined) found.set(digest, keyfiles);
    else
      report(
        problem(
          "AGT007",
          "Invalid",
          "spec.config",
          `nmstatectl refuses the network of the host ${host}: ${answer.ok ? "no connection results from it" : answer.text}`,
          { file: NETWORKS, hint: "correct networkConfig of this host" },
        ),
      );
  }
  const [first] = missing;
  if (first !== undefined && purpose === "written")
    report(
      required(
        "AGT025",
        "--nmstatectl",
        `${missing.length === 1 ? "a host has" : `${missing.length} hosts have`} a static network (${first}), and only nmstatectl generates its NetworkManager keyfiles`,
        {
          file: "--nmstatectl",
          hint: "set --nmstatectl to the program, of the package nmstate or installed with: cargo install nmstatectl",
        },
      ),
    );
  return found;
}

/**
 * What a run that makes the manifests alone leaves behind: an image of an earlier run that would be another one now. It
 * may be attached to hosts already, so that making it anew is a command of its own.
 */
export async function staleImage(
  image: Omit<ImageRequest, "purpose" | "request"> & {
    readonly request: CompileRequest & { readonly directory: AssetDirectory; readonly consume: boolean };
  },
  compare: (compilation: Compilation) => Promise<PhasePlan>,
): Promise<readonly Behind[]> {
  const phase = "agent-config-image";
  const { record, files } = image.request.directory;
  if (record?.phases[phase] === undefined || !files.has(AGENT_CONFIG_IMAGE)) return [];
  const report = (): void => undefined;
  const made = await compileAgentImage({
    ...image,
    context: { ...image.context, report },
    purpose: "compared",
  });
  const plan = await compare({ phase, files: made?.files ?? [] });
  const stale = plan.paths.filter(({ status }) => isDifference(status)).map(({ path }) => path);
  const [first] = stale;
  return first === undefined
    ? []
    : [
        {
          phase,
          files: stale,
          problem: behindProblem(stale, first, `slipway create ${phase}`, undefined, { consumes: false }),
        },
      ];
}
